/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a recorder is made of; for the files of the recorder and takeover.c only.
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

/** Whether the recorder itself understands a kind of event. */
struct wt_role {
	enum { WT_ROLE_NONE = 0, WT_ROLE_PROC, WT_ROLE_LOADER, WT_ROLE_LOST, WT_ROLE_SWITCH } is;
	uint16_t id; /**< of the event in its provider */
};

/** Events that wait while the memory brings what their stacks are looked up in. */
#define WT_WAITING 16
/** Larger payloads do not wait. Bytes. */
#define WT_WAITING_PAYLOAD 64
/** Nor do deeper stacks. */
#define WT_WAITING_FRAMES 128

struct wt_waiting {
	struct wt_event event; /**< payload points to the copy */
	uint32_t thread_row, ledger_row;
	struct wt_path path;
	uint8_t payload[WT_WAITING_PAYLOAD];
	struct wt_step steps[WT_WAITING_FRAMES];
};

/** CPUs whose last thread is remembered; a power of two. */
#define WT_RECENT 64

/** A thread that caused an event, in terms of the log's segment. */
struct wt_who {
	uint32_t pid, tid, claimer;
	uint32_t row;
	uint32_t epoch;         /**< of the interner; 0: void */
	uint64_t changes;       /**< of the tasks, when it was looked up */
	struct wt_space *space; /**< NULL: unknown */
	uint64_t start_time;    /**< of the process; 0 unknown */
	uint32_t uid;           /**< the same; UINT32_MAX unknown */
	uint32_t parent_pid;
	uint32_t programs; /**< the same: it has begun, by exec */
};

struct wt_recorder {
	struct wt_recorder_config config;
	struct wt_role *roles; /**< owned; by kind */
	uint32_t n_kinds;      /**< adopted; roles, config.enabled and the log have as many */
	uint32_t lost_kind;    /**< WT_CORE_LOST */
	uint32_t load_kind;    /**< WT_IMAGE_LOAD */
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

	struct wt_waiting waiting[WT_WAITING]; /**< a ring; in the order of their times */
	uint32_t first_waiting, n_waiting;

	struct wt_who recent[WT_RECENT];   /**< by CPU */
	struct wt_log_position *positions; /**< owned; room for all sources */
	size_t cap_positions;
	struct wt_buf scratch;       /**< payload of a loss, or of an event that was completed */
	struct wt_whereabouts where; /**< of the process that an event is completed for */
	bool waits;                  /**< the last round ended before an event that waits for a table */
	bool pressed;                /**< a ring fills: nothing waits */
	bool hurry;                  /**< wt_recorder_hurry */
	uint64_t last_time;          /**< latest event taken */
	uint64_t slow_from, slow_to; /**< the last write that took long; session clock */
	bool rotation_failed;        /**< the last attempt to begin a segment; flush tries again */
	bool wants_rundown, wants_names;
	struct wt_recorder_stats stats;
};

/** The log takes events of this kind. */
static inline bool wt_recorder_is_wanted(const struct wt_recorder *rec, uint32_t kind)
{
	return !rec->config.enabled || rec->config.enabled[kind];
}

/* recorder.c */
/** Role of the event in a recorder's eyes. */
struct wt_role wt_role_of(const struct wt_provider *provider, const struct wt_event_desc *event);

/* recorder_lives.c */
/** A process becomes another program: what that is, if anybody knows. */
void wt_recorder_complete_exec(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret);
/** A process the identity has just taken. */
void wt_recorder_complete_begin(const struct wt_recorder *rec, struct wt_proc_payload *ret);
/** A process ends, which the identity has not taken yet. */
void wt_recorder_complete_end(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret);

/* recorder_unwind.c */
/** A round begins, its sources are refreshed: nothing waits yet. */
void wt_recorder_begin_waiting(struct wt_recorder *rec);
/** The event whose stack is a copy, with that walked: in *room, and what it points to is good until the next
 * event. NULL: it has to wait, with all behind it. */
const struct wt_event *wt_recorder_unwind(struct wt_recorder *rec, const struct wt_event *event,
					  struct wt_event *room);

/* recorder_take.c */
/** Takes one event, whatever it is. What cannot be in the log is accounted for and is no failure. 0; 1:
 * flush; -1 see err. */
int wt_recorder_take(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);

/* recorder_run.c */
/** Takes a run of events: *taken of them, from the first on, which may be none. Returns as
 * wt_recorder_take. */
int wt_recorder_take_run(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken,
			 struct wt_err *err);
/** Takes a strip of events, with *taken and the return value of wt_recorder_take_run. */
int wt_recorder_take_strip(struct wt_recorder *rec, const struct wt_strip *strip, uint32_t *taken,
			   struct wt_err *err);

/* recorder_batch.c */
/** Puts the event into the batch, now or when it has waited; what cannot be taken is accounted for and is no
 * failure. 0; 1: flush; -1 see err. */
int wt_recorder_write(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Puts an event without a stack into the batch at once. 0; 1: the batch is full, flush; -1 not taken, see
 * err. */
int wt_recorder_append(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Puts all that wait into the batch. As wt_recorder_write; call again after a failure. */
int wt_recorder_settle(struct wt_recorder *rec, struct wt_err *err);
/** The row of the event's thread in the log, and its address space. */
int wt_recorder_name_thread(struct wt_recorder *rec, const struct wt_event *event, struct wt_who **ret,
			    struct wt_err *err);
/** The interner cannot take more until a segment begins: for want of memory, or of room on the disk. */
bool wt_recorder_is_blocked(const struct wt_recorder *rec);
/** True when the tables have used up their bytes; looked at only now and then, which costs a few rows more.
 */
bool wt_recorder_is_crowded(struct wt_recorder *rec);
/** Bytes the interner's tables may take before the segment is closed: what the identity leaves of the bound,
 * a quarter at least. */
uint64_t wt_recorder_intern_bound(const struct wt_recorder *rec);

/* recorder_losses.c */
/** A loss the recorder has to report itself: sums it up and queues it for the log. */
int wt_recorder_lose(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err);
/** This one event cannot be in the log: it becomes a loss of that cause. */
int wt_recorder_lose_event(struct wt_recorder *rec, const struct wt_event *event, enum wt_loss_cause cause,
			   struct wt_err *err);
/** The event goes into the log, but what it said could not be kept. */
int wt_recorder_lose_news(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err);
/** Sums up a loss whose event is in the batch. */
int wt_recorder_count_loss(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err);
/** True when the loss may have cost names of processes or images. */
bool wt_lost_names(const struct wt_lost_payload *lost);
/** True when a ring overflowed while the recorder waited for a slow disk. */
bool wt_recorder_disk_is_to_blame(const struct wt_recorder *rec, const struct wt_lost_payload *lost);

/* recorder_gate.c */
/** What the gate kept back becomes losses that are queued for the log. */
int wt_recorder_lose_left_out(struct wt_recorder *rec, struct wt_err *err);

#endif
