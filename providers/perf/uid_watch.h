/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kernel's reports of processes that change their user ids (its process event connector), which perf
 * events do not contain. Available only to root in the first pid and network namespaces, with
 * CONFIG_PROC_EVENTS. One thread.
 */
#ifndef PROVIDERS_PERF_UID_WATCH_H
#define PROVIDERS_PERF_UID_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct wt_uid_watch {
	int fd;         /**< -1: closed */
	uint64_t lost;  /**< number of times that reports were lost */
	uint64_t ahead; /**< of the session clock: CLOCK_MONOTONIC; as of the last round with reports */
	bool is_set;    /**< in this round */
	bool listening; /**< the kernel counts this listener until told otherwise */
};

struct wt_uid_news {
	uint64_t time; /**< session clock, ns */
	uint32_t pid, uid, euid;
};

/** Returns 0, or -1: no reports are available here; ret->fd is -1 then. */
int wt_uid_watch_open(struct wt_uid_watch *ret);
void wt_uid_watch_close(struct wt_uid_watch *watch);
/** Begins a round of reports. */
void wt_uid_watch_begin(struct wt_uid_watch *watch);
/** Returns the next report; false: none is waiting. Never waits. */
bool wt_uid_watch_next(struct wt_uid_watch *watch, struct wt_uid_news *ret);

#endif
