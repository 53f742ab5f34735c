/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The parts of a recorder; only for the files of the recorder and takeover.c.
 */
#ifndef CONSUMERS_RECORD_RECORDER_STATE_H
#define CONSUMERS_RECORD_RECORDER_STATE_H

#include "consumers/record/claims.h"
#include "consumers/record/identity.h"
#include "consumers/record/inject.h"
#include "consumers/record/interner.h"
#include "consumers/record/leavers.h"
#include "consumers/record/ledger.h"
#include "consumers/record/losses.h"
#include "consumers/record/merge.h"
#include "consumers/record/recorder.h"
#include "consumers/record/side_shares.h"
#include "consumers/record/whereabouts.h"

/** How the recorder itself understands a kind of event. */
struct wt_role {
	enum {
		WT_ROLE_NONE = 0,
		WT_ROLE_PROC,
		WT_ROLE_LOADER,
		WT_ROLE_LOST,
		WT_ROLE_SWITCH,
		WT_ROLE_CSWITCH,
		WT_ROLE_READY
	} is;
	uint16_t id; /**< of the event in its provider */
};

/** Events that wait while the memory brings the tables for their stacks. */
#define WT_WAITING 16
/** Events with larger payloads do not wait. Bytes. */
#define WT_WAITING_PAYLOAD 64
/** Events with deeper stacks do not wait. */
#define WT_WAITING_FRAMES 128

struct wt_waiting {
	struct wt_event event; /**< payload points to the copy */
	uint32_t thread_row, ledger_row;
	struct wt_path path;
	uint8_t payload[WT_WAITING_PAYLOAD];
	struct wt_step steps[WT_WAITING_FRAMES];
};

/** Number of CPUs whose last thread is remembered; a power of two. */
#define WT_RECENT 64

/** A thread that caused an event, in ids of the log's segment. */
struct wt_who {
	uint32_t pid, tid, claimer;
	uint32_t row;
	uint32_t epoch;         /**< of the interner; 0: not valid */
	uint64_t changes;       /**< `changes` of the tasks at the look-up */
	struct wt_space *space; /**< NULL: unknown */
	uint64_t start_time;    /**< of the process; 0: unknown */
	uint32_t uid;           /**< of the process; UINT32_MAX: unknown */
	uint32_t parent_pid;
	uint32_t programs; /**< programs the process has begun by exec */
};

struct wt_recorder {
	struct wt_recorder_config config;
	struct wt_role *roles;  /**< owned; by kind */
	uint32_t n_kinds;       /**< number adopted; roles, config.enabled and the log have this many */
	uint32_t lost_kind;     /**< WT_CORE_LOST */
	uint32_t load_kind;     /**< WT_IMAGE_LOAD */
	uint32_t lost_switches; /**< losses that may include switches or beginnings of threads */
	uint32_t proc_kinds[WT_THREAD_NAME + 1]; /**< by enum wt_proc_event */

	struct wt_merge merge;
	struct wt_inject inject;
	struct wt_identity identity;
	struct wt_interner interner;
	struct wt_losses losses;
	struct wt_ledger ledger;
	struct wt_claims claims;
	struct wt_selves selves;
	struct wt_side_shares side_shares;
	struct wt_leavers leavers;
	struct wt_idmap
		expected; /**< processes whose first event was not taken yet; the values mean nothing */

	struct wt_waiting waiting[WT_WAITING]; /**< a ring, in time order */
	uint32_t first_waiting, n_waiting;

	struct wt_who recent[WT_RECENT];   /**< by CPU */
	struct wt_log_position *positions; /**< owned; has room for all sources */
	size_t cap_positions;
	struct wt_buf scratch;       /**< payload of a loss, or of an event that was completed */
	struct wt_whereabouts where; /**< of the process that an event is completed for */
	bool waits;                  /**< the last round ended before an event that waits for a table */
	bool pressed;                /**< a ring is filling: nothing waits */
	bool hurry;                  /**< wt_recorder_hurry */
	uint64_t last_time;          /**< latest event taken */
	uint64_t slow_from, slow_to; /**< span of the last slow write; session clock */
	bool rotation_failed;        /**< the last attempt to begin a segment failed; flush tries again */
	bool wants_rundown, wants_names;
	struct wt_recorder_stats stats;
};

/** True when the log takes events of this kind. */
static inline bool wt_recorder_is_wanted(const struct wt_recorder *rec, uint32_t kind)
{
	return !rec->config.enabled || rec->config.enabled[kind];
}

/* recorder.c */
/** Returns the recorder's role for the event. */
struct wt_role wt_role_of(const struct wt_provider *provider, const struct wt_event_desc *event);

/* recorder_lives.c */
/** A process begins another program: completes the event with that program where anyone knows it. */
void wt_recorder_complete_exec(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret);
/** Completes a process that the identity has just taken. */
void wt_recorder_complete_begin(const struct wt_recorder *rec, struct wt_proc_payload *ret);
/** Completes the end of a process, before the identity takes it. */
void wt_recorder_complete_end(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret);

/* recorder_unwind.c */
/** Call when a round begins and its sources are refreshed: nothing waits yet. */
void wt_recorder_begin_waiting(struct wt_recorder *rec);
/** Returns an event whose stack is a copy with that stack walked, in *room; its pointers are valid until the
 * next event. NULL: the event has to wait, and so have all events behind it. */
const struct wt_event *wt_recorder_unwind(struct wt_recorder *rec, const struct wt_event *event,
					  struct wt_event *room);

/* recorder_take.c */
/** Takes one event of any kind. An event that cannot be in the log is accounted for and is no failure.
 * Returns 0; 1: flush; -1: see err. */
int wt_recorder_take(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/** True when an event of the process calls config.met: it is taken alone. */
static inline bool wt_recorder_expects(const struct wt_recorder *rec, uint32_t pid)
{
	return rec->expected.count && wt_idmap_find(&rec->expected, pid);
}

/* recorder_run.c */
/** Takes *taken events of a run from the first on, possibly none. Returns as wt_recorder_take. */
int wt_recorder_take_run(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken,
			 struct wt_err *err);
/** Takes events of a strip; *taken and the result are as for wt_recorder_take_run. */
int wt_recorder_take_strip(struct wt_recorder *rec, const struct wt_strip *strip, uint32_t *taken,
			   struct wt_err *err);

/* recorder_batch.c */
/** Adds the event to the batch, at once or when it has waited. An event that cannot be added is accounted for
 * and is no failure. Returns 0; 1: flush; -1: see err. */
int wt_recorder_write(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Adds an event without a stack to the batch at once. Returns 0; 1: the batch is full, flush; -1: not added,
 * see err. */
int wt_recorder_append(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Adds all waiting events to the batch. Returns as wt_recorder_write; call again after a failure. */
int wt_recorder_settle(struct wt_recorder *rec, struct wt_err *err);
/** Finds the row of the event's thread in the log, and its address space. */
int wt_recorder_name_thread(struct wt_recorder *rec, const struct wt_event *event, struct wt_who **ret,
			    struct wt_err *err);
/** True when the interner cannot take more until a segment begins, for want of memory or of room on the disk.
 */
bool wt_recorder_is_blocked(const struct wt_recorder *rec);
/** True when the tables have used up their bytes. The size is checked only now and then, so a few rows more
 * may be added. */
bool wt_recorder_is_crowded(struct wt_recorder *rec);
/** Bytes that the interner's tables may take before the segment is closed: the part of the bound that the
 * identity leaves, but at least a quarter. */
uint64_t wt_recorder_intern_bound(const struct wt_recorder *rec);

/* recorder_losses.c */
/** Sums up a loss that the recorder itself reports, and queues it for the log. */
int wt_recorder_lose(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err);
/** Reports this event, which cannot be in the log, as a loss of that cause. */
int wt_recorder_lose_event(struct wt_recorder *rec, const struct wt_event *event, enum wt_loss_cause cause,
			   struct wt_err *err);
/** Reports a loss for an event that goes into the log but whose facts could not be remembered. */
int wt_recorder_lose_news(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Sums up a loss whose event is in the batch. */
int wt_recorder_count_loss(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err);
/** True when the loss may include names of processes or images. */
bool wt_lost_names(const struct wt_lost_payload *lost);
/** True when a ring overflowed while the recorder waited for a slow disk. */
bool wt_recorder_disk_is_to_blame(const struct wt_recorder *rec, const struct wt_lost_payload *lost);

/* recorder_gate.c */
/** Queues losses for the log for the events that the gate held back. */
int wt_recorder_lose_left_out(struct wt_recorder *rec, struct wt_err *err);

#endif
