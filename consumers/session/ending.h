/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A session that is being stopped. Its worker is busy with the end, which may take a while; its keeper
 * answers in the meantime whoever asks.
 */
#ifndef CONSUMERS_SESSION_ENDING_H
#define CONSUMERS_SESSION_ENDING_H

#include "consumers/session/session.h"

/** The byte, followed by the path the log goes to (may be empty), that a worker sends its keeper. */
#define WT_PAIR_STOPPING 'S'

/** Worker: from now on the keeper answers. target: where the log goes; "" where it stays in the spool. */
void wt_ending_begin(const struct wt_session *session, const char *target);

/** Reads what the connection asks, says that the session is being stopped and where its log goes, closes it.
 */
void wt_ending_refuse(const struct wt_session *session, int fd, const char *target);

/** Keeper: sleeps until the worker says that it is done (true) or is gone (false); answers meanwhile. */
bool wt_ending_await(const struct wt_session *session);

#endif
