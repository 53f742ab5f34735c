/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The recorder: takes events from sources in time order, finds the process and image that each address
 * belonged to at that moment, interns stacks, and writes the log.
 *
 * The order of work is fixed: merge (by time across sources) -> identity (processes, threads, images, fed by
 * the proc_thread and loader events themselves) -> intern (frames, stacks) -> log writer. All steps run on
 * the calling thread; nothing here waits, sleeps or starts threads.
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

/** What lies in memory of a file. */
enum wt_bytes {
	WT_BYTES_FILES,  /**< the file's bytes */
	WT_BYTES_OTHER,  /**< others */
	WT_BYTES_UNSEEN, /**< it was not looked at */
	WT_BYTES_GONE,   /**< it cannot be looked at (any more) */
};

struct wt_recorder_config {
	struct wt_log_writer *log;    /**< borrowed */
	const struct wt_kinds *kinds; /**< borrowed; must hold the kernel providers */
	/** For each kind, whether it goes into the log. NULL: all kinds do. The others (and events flagged
	 * WT_EVENT_QUIET) feed the identity only. Borrowed. */
	const bool *enabled;
	uint32_t self_pid; /**< events of this process and its children are marked as the recorder's own... */
	uint32_t self_pid2; /**< ...and of this one (the keeper); 0 none */
	/** A write to the log that takes longer than this is the cause of rings that overflow in the
	 * meantime: their losses get the cause WT_LOSS_DISK. ns; 0: 250 ms. */
	uint64_t slow_write;
	/** A round that takes longer than this stops early, so that commands are heard under a flood. ns; 0:
	 * never. */
	uint64_t long_round;
	bool unseen;    /**< processes may begin and end without an event */
	bool shared;    /**< processes of other users are met: their mappings (map_shares.h) and the kernel's
			   reports about them (side_shares.h) are bounded */
	bool only_told; /**< switches of processes that no event announced are left out */
	bool past; /**< the events are from the past: /proc is not asked for processes that no event announces
		    */
	/** Walks the user stacks that events carry as copies. NULL: these stacks are left out. */
	wt_unwind_fn *unwind;
	void *unwind_ctx;
	struct wt_file_watch *watch; /**< for files in memory that are mapped; borrowed; NULL: none */
	/** Looks into a process whether its memory has the file's bytes. Given where the loader's events come
	 * unlooked at, with reports of writable memory (WT_EVENT_WRITABLE); asked where these do not decide
	 * it. NULL: the events say it. */
	enum wt_bytes (*look)(uint32_t pid, uint64_t start, uint64_t end);
	bool moves; /**< private memory of files that is moved is reported, too (WT_EVENT_MOVED) */
	/** Answers questions about generated code. NULL: nobody does. */
	wt_generated_fn *generated;
	void *generated_ctx;
	/** Has more facts about programs that begin and processes that end; NULL: nobody has. */
	wt_life_fn *life;
	void *life_ctx;
	/** Called when the first event of a process is taken that wt_recorder_expect named, before the event
	 * is given its process: everything that happened earlier has been taken by then. It may call
	 * wt_recorder_take_now with the event's time. NULL: not called. */
	void (*met)(void *ctx, uint32_t pid, uint64_t time);
	void *met_ctx;
	/** Called when a batch has been written, possibly in the middle of a round; NULL: not called. */
	void (*written)(void *ctx);
	void *written_ctx;
	uint64_t memory_bound; /**< bytes for the identity and a segment's intern tables; beyond it the
				  segment is closed early; default 24 MiB */
};

struct wt_recorder_stats {
	uint64_t events;   /**< taken from sources */
	uint64_t lost;     /**< events known to be lost (WT_CORE_LOST); a lower bound when blind_ns > 0 */
	uint64_t blind_ns; /**< sum of the spans of inexact losses */
	uint64_t processes, threads, images; /**< alive now */
	uint64_t execs, execs_caught; /**< programs that began; those of them with a known command line */
	uint64_t ends, ends_caught;   /**< processes that ended; those of them with a known way of ending */
	uint64_t late; /**< events older than one already written: nested interrupts, stalled CPUs */
};

int wt_recorder_create(const struct wt_recorder_config *config, struct wt_recorder **ret, struct wt_err *err);

/** Adopts the kinds added since create or the last call, the log included; enabled (NULL: all) replaces the
 * one of the config. May be called from within a source's peek. On failure events of the new kinds count as
 * damage. */
int wt_recorder_adopt_kinds(struct wt_recorder *rec, const bool *enabled, struct wt_err *err);

/** Adds a source, which then belongs to the recorder. */
int wt_recorder_add_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err);
/** Drains and removes a source (a CPU that went offline): takes all present events of every source, flushes,
 * and destroys the source even on failure. */
int wt_recorder_remove_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err);

/** Removes and destroys a source that is empty and has nothing in the batch: the source is in no checkpoint
 * any more. Unlike wt_recorder_remove_source this takes and writes nothing. */
void wt_recorder_forget_source(struct wt_recorder *rec, struct wt_source *source);

/** Adds an event made by the session itself (a mark, a loss, a rundown): it is copied and merged by its time.
 * Times should not go back from call to call. Events of the kinds WT_PROC_RUNDOWN and WT_IMAGE_RUNDOWN that
 * report known things are dropped as duplicates. */
int wt_recorder_inject(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/** config.met is called for this process, once. May be called from within a source's peek. -1: memory is out.
 */
int wt_recorder_expect(struct wt_recorder *rec, uint32_t pid);

/** Takes an event at once, out of turn, because the next event needs it: from within config.met, or a
 * source's peek. */
int wt_recorder_take_now(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/** Takes all events with time < horizon, in time order, into the log's pending batch; flushes when that is
 * full. A horizon of now - 2 ms (wt_recorder_horizon) makes sure that no CPU still writes something older.
 *  Sources are refreshed once, at the start.
 * 0; 1: stopped after config.long_round, there is more; -1 see err. */
int wt_recorder_round(struct wt_recorder *rec, uint64_t horizon, struct wt_err *err);
uint64_t wt_recorder_horizon(void);
/** Rounds and flushes since the last payment took that much CPU time, ns; untrusted sources pay for their
 * part. */
void wt_recorder_pay(struct wt_recorder *rec, uint64_t ns);

/** Charges an allowance with units of work that its sources made for all: see wt_merge_charge. */
void wt_recorder_charge(struct wt_recorder *rec, struct wt_allowance *allowance, uint64_t units);

/** Users that claimed to be processes of others; borrowed, n of them. The field told is the caller's. */
struct wt_claimant *wt_recorder_claimants(struct wt_recorder *rec, uint32_t *n);

/** Names users with mappings (map_shares.h) or kernel reports (side_shares.h) that were left out; last: all
 * of them. */
void wt_recorder_tell_left_out(struct wt_recorder *rec, bool last);

/** Holds back a user's reports beyond the share, for sources of the kernel's reports about processes. ctx is
 * the recorder. A wt_gate_fn. */
bool wt_recorder_gate(void *ctx, const struct wt_gate_news *news);
/** Returns the next process whose mappings were held back, so that they can be read again, and removes it
 * from the list. 0: none is left. */
uint32_t wt_recorder_next_missed(struct wt_recorder *rec);

/** Since this time every change of a process's user ids is reported; session clock; 0: changes are not
 * reported. */
void wt_recorder_watch_owners(struct wt_recorder *rec, uint64_t from);
/** Notes that a process has changed its user ids. Call before the round that takes events of that time.
 * False: there was no room, and the report is lost. */
bool wt_recorder_owner(struct wt_recorder *rec, const struct wt_owner_news *news);

/** How full the fullest source's ring is with events that are not in the log yet, thousandths; as of the last
 * round. */
uint32_t wt_recorder_fill(const struct wt_recorder *rec);

/** True when the last round ended before an event whose stack waits for a table: another round makes sense
 * when the table may be there. Nothing waits once a source's ring is more than half full although all taken
 * events have been written. */
bool wt_recorder_waits(const struct wt_recorder *rec);
/** Sets whether nothing waits from now on: for sources that do not report how full they are, and for the end.
 */
void wt_recorder_hurry(struct wt_recorder *rec, bool hurry);

/** Writes all pending events with a checkpoint of every source's position, then releases the sources' bytes.
 * Begins a new segment when the current one is full. On WT_ERR_NOSPACE the batch is dropped and counted as a
 * WT_LOSS_DISK event, which is written when there is room again; the error is still returned. */
int wt_recorder_flush(struct wt_recorder *rec, struct wt_err *err);

/** True when a popped or injected event has not been flushed, or when a loss waits for room on the disk. */
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
	uint64_t taken;    /**< of count, those that a source had given, so that no ring counted them as lost;
			      exact */
	uint64_t blind_ns; /**< sum of the spans that are not exact */
};
size_t wt_recorder_losses(const struct wt_recorder *rec, const struct wt_recorder_loss **ret);

/** True once after a loss of events that name processes and images (a full sideband ring, or a take-over from
 * a log that lacks such events): the session should run the rundown again. Events about known things are
 * dropped. */
bool wt_recorder_wants_rundown(struct wt_recorder *rec);
/** True once after only names of threads were lost: the session should read the names again. */
bool wt_recorder_wants_names(struct wt_recorder *rec);
/** Returns the kind of the event thread_name. */
uint32_t wt_recorder_name_kind(const struct wt_recorder *rec);

/** Hands over descriptors of the roots that processes have and the recorder does not (roots.h); the caller
 * owns them. Fills at most cap; returns how many. */
size_t wt_recorder_take_roots(struct wt_recorder *rec, int *fds, size_t cap);

const struct wt_recorder_stats *wt_recorder_stats(const struct wt_recorder *rec);
/** Destroys its sources too. Pending events are lost unless flushed. */
void wt_recorder_destroy(struct wt_recorder *rec);

#endif
