/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A session: two background processes, a worker that records and a keeper that only sleeps.
 *
 * Both inherit all descriptors: perf descriptors, the spool file, the listening socket, the lock. They watch
 * each other through a socket pair. When the worker dies, the keeper starts a new keeper and becomes the
 * worker: it truncates the spool behind its last checkpoint and goes on where that checkpoint says. The
 * rings hold everything since, so nothing is lost. When the keeper dies, the worker starts a new one. When
 * both die, the spool is readable up to its last whole block, and the next `start` moves it aside.
 *
 * A worker never runs threads, so that it may fork a keeper at any time.
 */
#ifndef CONSUMERS_SESSION_SESSION_H
#define CONSUMERS_SESSION_SESSION_H

#include "consumers/session/place.h"
#include "consumers/session/spec.h"
#include "consumers/session/wire.h"
#include "tracecore/base/clock.h"

/** Commands served at one time; one more takes the slot of the oldest connection. */
#define WT_SESSION_CLIENTS 8

/** The state that both processes have. Made by wt_session_launch before the first fork. */
struct wt_session {
	struct wt_spec spec;
	struct wt_place place;
	struct wt_kinds kinds;
	bool *enabled; /**< per kind: goes into the log */
	struct wt_perf *perf;
	struct wt_programs *programs; /**< programs' providers; NULL: none asked for */
	int log_fd;                   /**< the spool file */
	int listen_fd;                /**< control socket */
	int pair_fd;                  /**< to the other process; -1 before that exists */
	int report_fd;                /**< to the command that waits for "armed"; -1 after */
	int tie_fd;                   /**< to the command whose end ends the session; -1: none */
	/** The worker's connections, -1: free. A keeper forked later closes its copies, so that a command
	 * notices when the worker has ended. */
	int clients[WT_SESSION_CLIENTS];
	uint64_t client_numbers[WT_SESSION_CLIENTS]; /**< in order of arrival; from n_accepted */
	uint64_t n_accepted;
	int stop_client; /**< the client that asked for the end; -1: none */
	pid_t worker, keeper;
	uint8_t id[16];            /**< names the session in its files */
	uint64_t started;          /**< session clock, when the command began */
	uint64_t start_tick;       /**< the CPU's counter at that time */
	uint64_t started_realtime; /**< ns since 1970 */
	uint32_t takeovers;
};

/** The byte that a worker sends its keeper before it ends on purpose. */
#define WT_PAIR_DONE 'D'

/** Starts the session of a settled spec (whose content moves into the session) and returns when every
 * provider is armed and the rundown is done. *armed is the worker's first status. Only the calling process
 * returns. */
int wt_session_launch(struct wt_spec *spec, struct wt_status *armed, struct wt_err *err);

/** The worker's part of a process's life (worker.c). Returns 0: the log is complete and the session over; -1:
 * it is not; 1: this process is a keeper that the worker has forked, and goes on as such. */
enum wt_worker_mode { WT_WORKER_FIRST, WT_WORKER_TAKES_OVER };
int wt_worker_run(struct wt_session *session, enum wt_worker_mode mode, struct wt_err *err);

/** Sends one request to a live session and returns 0 when it is done. The answer is the session's status in
 * *ret, or nothing (ret NULL). timeout_ms bounds the wait for it (-1: none). If the worker dies before the
 * answer and its keeper takes over, the request is sent again. */
int wt_session_command(const struct wt_place *place, const struct wt_buf *request, int timeout_ms,
		       struct wt_status *ret, struct wt_err *err);
/** Asks for the status. */
int wt_session_status(const struct wt_place *place, struct wt_status *ret, struct wt_err *err);

/** Fails with "session 'x' is not running" and names what exists instead: other sessions, a dead one's log.
 * Returns -1. */
int wt_session_fail_absent(const struct wt_place *place, struct wt_err *err);

/** Calls fn for every live session of this user. A session that ends during fn is left out, whatever fn
 * returns for it. */
int wt_session_each(int (*fn)(void *ctx, const struct wt_place *place, struct wt_err *err), void *ctx,
		    struct wt_err *err);

#endif
