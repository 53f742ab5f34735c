/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kernel's news of processes that take other user ids (its process event connector): what perf events do
 * not tell. For root in the first pid and network namespaces alone; elsewhere, and without
 * CONFIG_PROC_EVENTS, there are none. One thread.
 */
#ifndef PROVIDERS_PERF_UID_WATCH_H
#define PROVIDERS_PERF_UID_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct wt_uid_watch {
	int fd;         /**< -1: closed */
	uint64_t lost;  /**< times that news were lost */
	uint64_t ahead; /**< of the session clock: CLOCK_MONOTONIC; as of the last round with news */
	bool is_set;    /**< in this round */
	bool listening; /**< the kernel counts this listener until it hears otherwise */
};

struct wt_uid_news {
	uint64_t time; /**< session clock, ns */
	uint32_t pid, uid, euid;
};

/** 0, or -1: the kernel tells nothing here; ret->fd is -1 then. */
int wt_uid_watch_open(struct wt_uid_watch *ret);
void wt_uid_watch_close(struct wt_uid_watch *watch);
/** A round of news begins. */
void wt_uid_watch_begin(struct wt_uid_watch *watch);
/** The next one; false: there is none by now. Never waits. */
bool wt_uid_watch_next(struct wt_uid_watch *watch, struct wt_uid_news *ret);

#endif
