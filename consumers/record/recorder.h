/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The recorder: takes events from sources in time order, knows which process and image each address belonged
 * to at that moment, interns stacks, and writes the log.
 *
 * The order of work is fixed: merge (by time across sources) -> identity (processes, threads, images, fed by
 * the proc_thread and loader events themselves) -> intern (frames, stacks) -> log writer. All of it runs on
 * the thread that calls; nothing here waits, sleeps or starts threads.
 */
#ifndef CONSUMERS_RECORD_RECORDER_H
#define CONSUMERS_RECORD_RECORDER_H

#include "consumers/record/claims.h"
#include "consumers/record/generated.h"
#include "consumers/record/owners.h"
#include "consumers/record/user_stack.h"
#include "tracecore/gate.h"
#include "tracecore/lives.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/source.h"

struct wt_recorder;

struct wt_recorder_config {
	struct wt_log_writer *log;    /**< borrowed */
	const struct wt_kinds *kinds; /**< borrowed; must hold the kernel providers */
	/** Per kind there is: goes into the log. NULL: all. The others (and those flagged WT_EVENT_QUIET)
	 * feed the identity only. Borrowed. */
	const bool *enabled;
	uint32_t self_pid; /**< events of this process and its children are marked as the recorder's own... */
	uint32_t self_pid2; /**< ...and of this one (the keeper); 0 none */
	/** A write to the log that takes longer than this is to blame for rings that overflow meanwhile:
	 * their losses get the cause WT_LOSS_DISK. ns; 0: 250 ms. */
	uint64_t slow_write;
	/** A round that takes longer than this stops where it is, so that commands are heard under a flood.
	 * ns; 0: never. */
	uint64_t long_round;
	bool unseen;    /**< processes may live and end without an event that tells of it */
	bool shared;    /**< processes of users it is not asked for are met: their mappings are bounded
			 * (map_shares.h), and what the kernel tells of them (side_shares.h) */
	bool only_told; /**< switches of processes that no event told of are left out */
	bool past; /**< the events are of a time gone by: /proc is not asked for processes nothing tells of */
	/** Walks the user stacks that events carry as copies. NULL: they are left out. */
	wt_unwind_fn *unwind;
	void *unwind_ctx;
	/** Knows generated code. NULL: nobody does. */
	wt_generated_fn *generated;
	void *generated_ctx;
	/** Who knows more of programs that begin and processes that end; NULL: nobody. */
	wt_life_fn *life;
	void *life_ctx;
	/** Called when a batch has been written, so possibly in the middle of a round; NULL: nobody. */
	void (*written)(void *ctx);
	void *written_ctx;
	uint64_t memory_bound; /**< bytes for identity and intern tables of a segment; beyond it the segment
				* is closed early; default 24 MiB */
};

struct wt_recorder_stats {
	uint64_t events;   /**< taken from sources */
	uint64_t lost;     /**< events known to be lost (WT_CORE_LOST); a lower bound when blind_ns > 0 */
	uint64_t blind_ns; /**< sum of the spans of inexact losses */
	uint64_t processes, threads, images; /**< alive now */
	uint64_t execs, execs_caught;        /**< programs that began; whose command line is known */
	uint64_t ends, ends_caught;          /**< processes that ended; of which it is known how */
	uint64_t late; /**< events older than one already written: nested interrupts, stalled CPUs */
};

int wt_recorder_create(const struct wt_recorder_config *config, struct wt_recorder **ret, struct wt_err *err);

/** Takes up what was added to the kinds since create or the last call, the log included; enabled (NULL: all)
 * replaces the one of the config. May be called from within a source's peek. On failure events of the new
 * kinds count as damage. */
int wt_recorder_adopt_kinds(struct wt_recorder *rec, const bool *enabled, struct wt_err *err);

/** Adds a source, which then belongs to the recorder. */
int wt_recorder_add_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err);
/** Drains and removes a source (a CPU that went away): takes everything every source has by now, flushes, and
 * destroys the source, whatever fails. */
int wt_recorder_remove_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err);

/** Removes and destroys a source that is empty and has nothing in the batch: it takes part in no checkpoint
 * any more. Unlike wt_recorder_remove_source it takes and writes nothing. */
void wt_recorder_forget_source(struct wt_recorder *rec, struct wt_source *source);

/** Events made by the session itself (marks, losses, rundown): copied, merged by their time. Times should not
 * go back from call to call. Kinds WT_PROC_RUNDOWN and WT_IMAGE_RUNDOWN of things already known are dropped:
 * no doubles. */
int wt_recorder_inject(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/** Takes an event at once, out of turn: what the next event from a source needs to be known. May be called
 * from within a source's peek. */
int wt_recorder_take_now(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/** Takes all events with time < horizon, in time order, into the log's pending batch; flushes when that is
 * full. A horizon of now - 2 ms (wt_recorder_horizon) makes sure that no CPU still writes something older.
 *  Sources are refreshed once, at the start.
 * 0; 1: stopped after config.long_round, there is more; -1 see err. */
int wt_recorder_round(struct wt_recorder *rec, uint64_t horizon, struct wt_err *err);
uint64_t wt_recorder_horizon(void);
/** Rounds and flushes since the last payment took that much CPU time, ns: sources that are not trusted pay
 * for their part of it. */
void wt_recorder_pay(struct wt_recorder *rec, uint64_t ns);

/** Units of work that an allowance's sources made for all: see wt_merge_charge. */
void wt_recorder_charge(struct wt_recorder *rec, struct wt_allowance *allowance, uint64_t units);

/** Users that claimed to be processes they are not; borrowed, n of them. told is the caller's. */
struct wt_claimant *wt_recorder_claimants(struct wt_recorder *rec, uint32_t *n);

/** Names users of whose mappings some were left out (map_shares.h), or of what the kernel reported of them
 * (side_shares.h); last: all of them. */
void wt_recorder_tell_left_out(struct wt_recorder *rec, bool last);

/** For sources of what the kernel tells of processes: keeps back what is beyond a user's share. ctx is the
 * recorder. A wt_gate_fn. */
bool wt_recorder_gate(void *ctx, const struct wt_gate_news *news);
/** The next process of which mappings were kept back, so that they should be read again; removed from those
 * that are known. 0: no more. */
uint32_t wt_recorder_next_missed(struct wt_recorder *rec);

/** Since when every process that takes other user ids is reported; session clock; 0: it is not. */
void wt_recorder_watch_owners(struct wt_recorder *rec, uint64_t from);
/** A process has taken other user ids. Before the round that takes events of that time. False: there was no
 * room, the news is lost. */
bool wt_recorder_owner(struct wt_recorder *rec, const struct wt_owner_news *news);

/** How full the fullest source's ring is with what is not in the log yet, thousandths; as of the last round.
 */
uint32_t wt_recorder_fill(const struct wt_recorder *rec);

/** True when the last round ended before an event whose stack waits for a table: another round makes sense
 * when that may be there. While a source's ring is more than half full of what is in the log,
 * nothing waits.
 */
bool wt_recorder_waits(const struct wt_recorder *rec);
/** From now on nothing waits, or it may again: for sources that do not tell how full they are, and the end.
 */
void wt_recorder_hurry(struct wt_recorder *rec, bool hurry);

/** Writes all pending with a checkpoint of every source's position, then releases the sources' bytes; begins
 * a new segment when the current one is full. On WT_ERR_NOSPACE the batch is dropped and counted as a
 * WT_LOSS_DISK event to be written when there is room again; the error is still returned. */
int wt_recorder_flush(struct wt_recorder *rec, struct wt_err *err);

/** True when something popped or injected has not been flushed; a loss that waits for room on the disk too.
 */
bool wt_recorder_pending(const struct wt_recorder *rec);

/** Rebuilds processes, threads and images from the loader and proc_thread events an earlier recorder of this
 *  session has written to `path`, then seeks the sources to `positions`. After wt_log_resume, before the
 * first round. */
int wt_recorder_take_over(struct wt_recorder *rec, const char *path, const struct wt_log_position *positions,
			  size_t n, struct wt_err *err);

/** Events taken into the log so far, per kind and CPU, for status. */
struct wt_recorder_count {
	uint32_t kind;
	uint32_t cpu; /**< WT_CPU_NONE: events without one */
	uint64_t events;
};
/** Returns how many; *ret stays valid until the next round. */
size_t wt_recorder_counts(const struct wt_recorder *rec, const struct wt_recorder_count **ret);

/** Losses so far, summed per provider, event, CPU and cause. */
struct wt_recorder_loss {
	char provider[64], event[64];
	uint32_t cpu;
	uint8_t cause;     /**< enum wt_loss_cause */
	uint64_t count;    /**< events known to be lost */
	uint64_t taken;    /**< of count, those a source had given: no ring counted them as lost. Exact */
	uint64_t blind_ns; /**< sum of the spans that are not exact */
};
size_t wt_recorder_losses(const struct wt_recorder *rec, const struct wt_recorder_loss **ret);

/** True once after something was lost that names processes and images (a full sideband ring, a take-over from
 * a log that lacks such events): the session should run the rundown again; what is known already is dropped.
 */
bool wt_recorder_wants_rundown(struct wt_recorder *rec);
/** True once after names of threads alone were lost: the session should read these again. */
bool wt_recorder_wants_names(struct wt_recorder *rec);
/** The kind of the event thread_name. */
uint32_t wt_recorder_name_kind(const struct wt_recorder *rec);

/** Descriptors of the roots that processes had and the recorder has not (roots.h), the caller's from then on.
 * Returns how many; fills at most cap. */
size_t wt_recorder_take_roots(struct wt_recorder *rec, int *fds, size_t cap);

const struct wt_recorder_stats *wt_recorder_stats(const struct wt_recorder *rec);
/** Destroys its sources too. Pending events are lost unless flushed. */
void wt_recorder_destroy(struct wt_recorder *rec);

#endif
