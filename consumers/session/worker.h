/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the worker: its state, and the functions its parts have for each other. README.md says who calls
 * whom.
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
#include "tracecore/base/file_watch.h"

/** Diagnostics kept for status; later ones are only in the log. */
#define WT_WORKER_LINES 64

struct wt_worker {
	struct wt_session *session;
	struct wt_log_writer *log;
	bool trim_failed;      /**< said once */
	bool trim_untold;      /**< the log does not report the dropped segments yet */
	uint64_t kept_from;    /**< time of the first event that is still there */
	uint64_t packed_bytes; /**< of the complete file, when it was made smaller after the writer; otherwise
				  0 */
	struct wt_recorder *rec; /**< NULL once it has done its work, to free memory for the symbols */
	struct wt_effort effort;
	struct wt_map_turns *turns;     /**< owned; NULL: mappings of all users are read at once */
	bool waits_told;                /**< threads that wait when the session begins were reported */
	struct wt_unwinder *unwinder;   /**< NULL: no stacks are copied */
	struct wt_generated *generated; /**< NULL: memory was out */
	struct wt_file_watch watch;     /**< of files in memory that are mapped */
	uint64_t builder_cpu;           /**< CPU time of its builders, once it has ended, ns */
	struct wt_status last;          /**< taken just before */
	char part[PATH_MAX];            /**< the spool file's path */
	bool stopping;
	bool abandoned; /**< the command of this session has ended: the worker makes spec.output */
	char stop_target[PATH_MAX]; /**< where the stopping command puts the log; empty: not given */
	uint64_t kept_free;   /**< bytes of the disk left to others, when that limit is near; otherwise 0 */
	bool disk_full;       /**< the last flush failed */
	uint32_t disk_times;  /**< number of times the disk was full; only the first is reported */
	bool behind;          /**< the last round stopped early */
	bool rundown_running; /**< true during a rundown, so that no other starts inside it */
	bool exact;           /**< the counters add up */
	struct wt_uid_watch uids; /**< reports of processes that change their user ids */
	uint64_t uids_again;      /**< session clock: closed until then; 0: open, or never to be opened */
	bool uids_told;           /**< the warning about too many reports was given... */
	uid_t uids_named;         /**< ...naming this user, as far as known */
	struct wt_uid_flood uid_flood;
	char *lines[WT_WORKER_LINES]; /**< diagnostics so far, for status; owned */
	uint32_t n_lines;
	size_t armed_notes; /**< notes of the kernel's side from the arming: stop does not repeat them */
	uint64_t armed_after;
	uint64_t unpaid;                           /**< CPU time of flushes since the last round, ns */
	uint64_t earlier_events, earlier_segments; /**< in the file at the take-over */
	uint64_t first_time;                       /**< of the file's first event; 0: none */
	uint64_t last_drop;                        /**< when rings of ended programs were last searched for */
	uint64_t last_look;                        /**< session clock */
	uint64_t next_rundown;                     /**< earliest time of the next rundown */
	uint32_t filled;        /**< how full the fullest ring was after the last drain, thousandths */
	uint32_t grown;         /**< growth up to that drain */
	bool paced;             /**< rings are read by time, not when they wake the loop */
	uint32_t first_segment; /**< first segment of the file that this worker wrote */
	struct wt_recorder_loss *earlier_losses; /**< owned; losses of recorders before a take-over */
	size_t n_earlier_losses;
	bool no_programs;               /**< the programs' side failed to begin, and was ended */
	char trouble[WT_ERR_TEXT_SIZE]; /**< last trouble of the programs' side, reported once */
	struct wt_worker_pace {         /**< earlier figures for rates */
		uint64_t time, events, bytes, ring_bytes;
	} pace[2]; /**< the older one is at least a second old, once the session is */
};

/* notices.c: events that the session writes into its own log. */

/** Writes an event of the wtrace provider, now. payload comes from wt_*_put or wt_buf. */
int wt_worker_notice(struct wt_worker *worker, const char *event, const struct wt_buf *payload,
		     struct wt_err *err);
/** Event `info`. */
int wt_worker_info(struct wt_worker *worker, const char *key, const char *value, struct wt_err *err);
/** The programs' rules in force. */
int wt_worker_put_rules(struct wt_worker *worker, struct wt_err *err);
/** Call before a provider's rule changes ("changes") or ends ("off"): from now until the new rules are put,
 * events may be missing without being lost. */
int wt_worker_put_change(struct wt_worker *worker, const char *provider, const char *what,
			 struct wt_err *err);
/** Puts all settings in force, and facts about this machine. */
int wt_worker_put_infos(struct wt_worker *worker, struct wt_err *err);

/* begin.c */

/** Begins a new file, runs down, arms everything, and answers the waiting command. */
int wt_worker_begin(struct wt_worker *worker, struct wt_err *err);
/** Goes on from the log's last checkpoint. */
int wt_worker_take_over(struct wt_worker *worker, struct wt_err *err);

/* drain.c */

/** Runs one round and, when due (a second has passed, a ring is filling) or forced, a flush. A full disk is
 * noted, not returned. */
enum wt_worker_flush { WT_FLUSH_WHEN_DUE, WT_FLUSH_NOW };
int wt_worker_drain(struct wt_worker *worker, enum wt_worker_flush flush, struct wt_err *err);
/** Takes and reports everything, to the last event; for the end. A full disk is noted, not returned. */
int wt_worker_drain_all(struct wt_worker *worker, struct wt_err *err);
/** The recorder's callback after a written batch: does the work that is due then. ctx is the worker. */
void wt_worker_written(void *ctx);

/* owners.c: reports of processes that change their user ids. */

/** Asks the kernel for these reports where they are needed. */
void wt_worker_watch_owners(struct wt_worker *worker);
/** Passes new reports to the recorder. */
void wt_worker_follow_owners(struct wt_worker *worker);

/* trim.c: --max-file. */

/** Returns the options of the session's log: with --max-file in segments small enough to drop. */
struct wt_log_options wt_worker_log_options(const struct wt_session *session);
/** A wt_log_tally_by: the name under which a kind's events are counted. */
int wt_worker_counted_as(void *ctx, const struct wt_kind *kind);
/** Drops the oldest segments when the log comes near its limit. */
void wt_worker_trim(struct wt_worker *worker);
/** Reports in the log the segments dropped since the last report. */
int wt_worker_tell_trimmed(struct wt_worker *worker, struct wt_err *err);

/* rundown.c */

/** Runs down everything into the recorder, draining the rings in between. */
enum wt_worker_rundown { WT_RUNDOWN_START, WT_RUNDOWN_END };
/** Reports the threads that wait now, where switches are recorded. */
int wt_worker_rundown_waits(struct wt_worker *worker, struct wt_err *err);
int wt_worker_rundown(struct wt_worker *worker, enum wt_worker_rundown which, struct wt_err *err);
/** Runs down processes with mappings held back. */
int wt_worker_rundown_missed(struct wt_worker *worker, struct wt_err *err);
/** Reads the names of all threads, and nothing else. */
int wt_worker_rundown_names(struct wt_worker *worker, struct wt_err *err);
/** Continues reading the mappings of other users' processes, as far as there is time for it now. */
int wt_worker_rundown_due(struct wt_worker *worker, struct wt_err *err);

/* serve.c */

/** Accepts a waiting connection. */
void wt_worker_accept(struct wt_worker *worker);
/** Reads and answers a request of that client. May set stopping. Returns 0; 1: this process is a keeper that
 * was forked during the call. */
int wt_worker_serve(struct wt_worker *worker, int slot);

/* status.c */

/** Fills a status from the worker's state; wt_status_deinit it. */
int wt_worker_status(const struct wt_worker *worker, struct wt_status *ret, struct wt_err *err);
/** Answers a request of that type with a status. */
int wt_worker_send_status(int fd, enum wt_msg_type type, const struct wt_status *status, struct wt_err *err);
/** CPU time of the recorder so far: of this process, and of the builders of its unwind tables; ns. */
uint64_t wt_worker_cpu(const struct wt_worker *worker);

/* counters.c */

/** Compares the counts of the kernel and of the programs with the events in the file and the losses; the
 * results go into the file. */
int wt_worker_settle_counters(struct wt_worker *worker, struct wt_err *err);

/* finish.c */

/** Disarms, runs down, counts, resolves symbols, completes the file, releases the name, and answers the
 * waiting command. */
int wt_worker_finish(struct wt_worker *worker, struct wt_err *err);

#endif
