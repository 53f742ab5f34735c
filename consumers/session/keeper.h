/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The keeper: a copy of the worker's knowledge that sleeps. It is forked by the worker it watches, and
 * becomes the worker when that one dies.
 */
#ifndef CONSUMERS_SESSION_KEEPER_H
#define CONSUMERS_SESSION_KEEPER_H

#include "consumers/session/session.h"

/** Forks a keeper that knows what the calling worker knows now, and returns in both: 0 in the worker, 1 in
 * the keeper, which goes back to where its process's life is led (session.c); -1 in the worker when there is
 * none. */
int wt_keeper_fork(struct wt_session *session, struct wt_err *err);
/** As wt_keeper_fork, for a keeper that died. */
int wt_keeper_replace(struct wt_session *session, struct wt_err *err);
/** As wt_keeper_fork; the keeper there is ends. */
int wt_keeper_renew(struct wt_session *session, struct wt_err *err);

/** The keeper's sleep ends when its worker does. */
enum wt_keeper_end {
	WT_KEEPER_DONE,       /**< the worker ended on purpose: so does the session */
	WT_KEEPER_TAKES_OVER, /**< the worker died: this process is the next one */
	WT_KEEPER_GIVES_UP,   /**< it died once too often */
};
enum wt_keeper_end wt_keeper_run(struct wt_session *session);

#endif
