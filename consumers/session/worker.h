/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the worker: its state, and what its parts do for each other. README.md says who calls whom.
 */
#ifndef CONSUMERS_SESSION_WORKER_H
#define CONSUMERS_SESSION_WORKER_H

#include "consumers/record/effort.h"
#include "consumers/record/recorder.h"
#include "consumers/unwind/unwinder.h"
#include "providers/perf/uid_watch.h"
#include "consumers/session/generated.h"
#include "consumers/session/session.h"
#include "consumers/session/uid_flood.h"
#include "consumers/session/programs.h"

/** Diagnostics kept for status; later ones are only in the log. */
#define WT_WORKER_LINES 64

struct wt_worker {
	struct wt_session *session;
	struct wt_log_writer *log;
	bool trim_failed;        /**< said once */
	bool trim_untold;        /**< the log does not say it yet */
	uint64_t kept_from;      /**< time of the first event that is still there */
	uint64_t packed_bytes;   /**< of the complete file, when it was made smaller than the writer left it;
				    else 0 */
	struct wt_recorder *rec; /**< NULL once it has done its work: its memory serves the symbols then */
	struct wt_effort effort;
	struct wt_map_turns *turns;     /**< owned; NULL: mappings of all are read at once */
	struct wt_unwinder *unwinder;   /**< NULL: no stacks are copied */
	struct wt_generated *generated; /**< NULL: memory was out */
	uint64_t builder_cpu;           /**< what its builders took, once it is gone, ns */
	struct wt_status last;          /**< taken just before */
	char part[PATH_MAX];            /**< the spool file's path */
	bool stopping;
	bool abandoned; /**< the command this session was for is gone: spec.output is ours to make */
	char stop_target[PATH_MAX]; /**< where who stops it puts the log; empty: not said */
	uint64_t kept_free;   /**< bytes of the disk that are left to others, where that is soon; else 0 */
	bool disk_full;       /**< the last flush failed */
	uint32_t disk_times;  /**< that it began to; the first is said */
	bool behind;          /**< the last round stopped with more to take */
	bool rundown_running; /**< do not start another inside one */
	bool exact;           /**< the counters added up */
	struct wt_uid_watch uids; /**< news of processes that take other user ids */
	uint64_t uids_again;      /**< session clock: closed until then; 0: open, or for good */
	bool uids_told;           /**< said that they were too many... */
	uid_t uids_named;         /**< ...and who caused them, as far as known */
	struct wt_uid_flood uid_flood;
	char *lines[WT_WORKER_LINES]; /**< diagnostics so far, for status; owned */
	uint32_t n_lines;
	size_t armed_notes; /**< of the kernel's side, that were said when it was armed: stop repeats none */
	uint64_t armed_after;
	uint64_t unpaid;                           /**< CPU time of flushes since the last round, ns */
	uint64_t earlier_events, earlier_segments; /**< in the file at the take-over */
	uint64_t first_time;                       /**< of the first event there; 0: none */
	uint64_t last_drop;     /**< when rings of programs that have ended were last looked for */
	uint64_t last_look;     /**< session clock */
	uint64_t next_rundown;  /**< not before that, whatever was lost */
	uint32_t filled;        /**< how full the fullest ring was after the last drain, thousandths */
	uint32_t grown;         /**< by how much until then */
	bool paced;             /**< rings are looked at by time, not when they ask */
	uint32_t first_segment; /**< of the file that this worker wrote */
	struct wt_recorder_loss *earlier_losses; /**< owned; what recorders before a take-over lost */
	size_t n_earlier_losses;
	bool no_programs;               /**< their side could not be begun, and was ended */
	char trouble[WT_ERR_TEXT_SIZE]; /**< of the programs' side: said once */
	struct wt_worker_pace {         /**< for rates: what there was a while ago */
		uint64_t time, events, bytes, ring_bytes;
	} pace[2]; /**< the older one is at least a second old, once the session is */
};

/* notices.c: what the session writes into its own log. */

/** An event of the wtrace provider, now. payload is what wt_*_put or wt_buf made. */
int wt_worker_notice(struct wt_worker *worker, const char *event, const struct wt_buf *payload,
		     struct wt_err *err);
/** Event `info`. */
int wt_worker_info(struct wt_worker *worker, const char *key, const char *value, struct wt_err *err);
/** The programs' rules in force. */
int wt_worker_put_rules(struct wt_worker *worker, struct wt_err *err);
/** Before a provider's rule is changed ("changes") or ends ("off"): from now on events may be missing that
 * nobody loses, until the rules in force are put. */
int wt_worker_put_change(struct wt_worker *worker, const char *provider, const char *what,
			 struct wt_err *err);
/** Everything that is in force, and what machine this is. */
int wt_worker_put_infos(struct wt_worker *worker, struct wt_err *err);

/* begin.c */

/** A new file, rundown, everything armed; answers the command that waits. */
int wt_worker_begin(struct wt_worker *worker, struct wt_err *err);
/** Goes on where the log's last checkpoint says. */
int wt_worker_take_over(struct wt_worker *worker, struct wt_err *err);

/* drain.c */

/** One round and, when due (a second has gone by, a ring has filled) or forced, a flush. A full disk is
 * noted, not returned. */
enum wt_worker_flush { WT_FLUSH_WHEN_DUE, WT_FLUSH_NOW };
int wt_worker_drain(struct wt_worker *worker, enum wt_worker_flush flush, struct wt_err *err);
/** Takes and tells everything there is, to the last event; for the end. A full disk is noted, not returned.
 */
int wt_worker_drain_all(struct wt_worker *worker, struct wt_err *err);
/** The recorder's: a batch has been written. Does what is due then. ctx is the worker. */
void wt_worker_written(void *ctx);

/* owners.c: news of processes that take other user ids. */

/** Asks the kernel for them, where they are needed. */
void wt_worker_watch_owners(struct wt_worker *worker);
/** Tells the recorder what came since. */
void wt_worker_follow_owners(struct wt_worker *worker);

/* trim.c: --max-file. */

/** How the session's log is written: with --max-file in segments small enough to drop. */
struct wt_log_options wt_worker_log_options(const struct wt_session *session);
/** A wt_log_tally_by: by what a kind's events are counted. */
int wt_worker_counted_as(void *ctx, const struct wt_kind *kind);
/** Once the log comes near its limit: drops its oldest segments. */
void wt_worker_trim(struct wt_worker *worker);
/** Says in the log what was dropped since the last time. */
int wt_worker_tell_trimmed(struct wt_worker *worker, struct wt_err *err);

/* rundown.c */

/** Rundown of everything there is, into the recorder, draining the rings in between. */
enum wt_worker_rundown { WT_RUNDOWN_START, WT_RUNDOWN_END };
int wt_worker_rundown(struct wt_worker *worker, enum wt_worker_rundown which, struct wt_err *err);
/** Rundown of processes of which mappings were kept back. */
int wt_worker_rundown_missed(struct wt_worker *worker, struct wt_err *err);
/** What all threads are called by now, and nothing else. */
int wt_worker_rundown_names(struct wt_worker *worker, struct wt_err *err);
/** Goes on with what other users' processes have mapped, as far as there is time for it now. */
int wt_worker_rundown_due(struct wt_worker *worker, struct wt_err *err);

/* serve.c */

/** Accepts a connection there is. */
void wt_worker_accept(struct wt_worker *worker);
/** Reads and answers a request of that client. May set stopping. 0; 1: this process is a keeper that was
 * forked on the way. */
int wt_worker_serve(struct wt_worker *worker, int slot);

/* status.c */

/** Fills a status from the worker's state; wt_status_deinit it. */
int wt_worker_status(const struct wt_worker *worker, struct wt_status *ret, struct wt_err *err);
/** Answers a request of that type with it. */
int wt_worker_send_status(int fd, enum wt_msg_type type, const struct wt_status *status, struct wt_err *err);
/** CPU time of the recorder so far: of this process, and of those that make unwind tables for it; ns. */
uint64_t wt_worker_cpu(const struct wt_worker *worker);

/* counters.c */

/** Sets what the kernel and the programs counted against what the file holds and what was lost; all of it
 * goes into the file. */
int wt_worker_settle_counters(struct wt_worker *worker, struct wt_err *err);

/* finish.c */

/** Disarms, runs down, counts, resolves symbols, completes the file, releases the name, answers whoever
 * asked. */
int wt_worker_finish(struct wt_worker *worker, struct wt_err *err);

#endif
