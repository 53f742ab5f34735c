/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A stretch of code in strangers' programs that must not show: errno stays what it was, and a thread that is
 * to be cancelled is so in the program's own calls, not in the ones made here. Async-signal-safe with glibc
 * and musl.
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
