/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A stretch of code that must have no side effects in other people's programs. errno is kept. The
 * cancellation of a thread takes effect in the program's own calls, not in the calls made here.
 * Async-signal-safe with glibc and musl.
 */
#ifndef TRACECORE_BASE_QUIET_H
#define TRACECORE_BASE_QUIET_H

#include <errno.h>
#include <pthread.h>

struct wt_quiet {
	int why;
	int cancel;
};

static inline struct wt_quiet wt_quiet_begin(void)
{
	struct wt_quiet quiet = {.why = errno};

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet.cancel);
	return quiet;
}

static inline void wt_quiet_end(const struct wt_quiet *quiet)
{
	pthread_setcancelstate(quiet->cancel, NULL);
	errno = quiet->why;
}

#endif
