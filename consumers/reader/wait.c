// SPDX-License-Identifier: MIT
/* Events of a log that grows: waiting for the next one. */
#include <time.h>

#include "consumers/reader/impl.h"

/* The interval between looks at a file while somebody waits. */
enum { LOOK_MS = 50 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int wtr_wait(struct wtr_cursor *cursor, int timeout_ms, const struct wtr_event **ret)
{
	int64_t end = now_ms() + timeout_ms;
	int rc;

	while ((rc = wtr_next(cursor, ret)) == WTR_AGAIN) {
		int64_t left = timeout_ms < 0 ? LOOK_MS : end - now_ms();
		struct timespec nap = {.tv_nsec = (left < LOOK_MS ? left : LOOK_MS) * 1000000};

		if (left <= 0)
			break;
		nanosleep(&nap, NULL);
	}
	return rc;
}

int wtr_each(struct wtr_cursor *cursor, int (*fn)(void *ctx, const struct wtr_event *event), void *ctx)
{
	const struct wtr_event *event;
	int rc;

	while (!(rc = wtr_wait(cursor, -1, &event))) {
		int stop = fn(ctx, event);

		if (stop)
			return stop;
	}
	return rc < 0 ? rc : WTR_OK;
}
