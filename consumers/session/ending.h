/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A session that is being stopped. Its worker is busy with the end, which may take a while; its keeper
 * answers commands in the meantime.
 */
#ifndef CONSUMERS_SESSION_ENDING_H
#define CONSUMERS_SESSION_ENDING_H

#include "consumers/session/session.h"

/** The byte that a worker sends its keeper, followed by the path of the finished log (may be empty). */
#define WT_PAIR_STOPPING 'S'

/** Worker: hands the answering of commands to the keeper. target: the path of the finished log; "" when it
 * stays in the spool. */
void wt_ending_begin(const struct wt_session *session, const char *target);

/** Reads the request of the connection, answers that the session is being stopped and where its log goes, and
 * closes the connection. */
void wt_ending_refuse(const struct wt_session *session, int fd, const char *target);

/** Keeper: sleeps until the worker reports that it is done (true) or has ended (false); answers commands in
 * the meantime. */
bool wt_ending_await(const struct wt_session *session);

#endif
