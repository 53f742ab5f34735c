/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The owners of user ids: a user and the subordinate ids that /etc/subuid gives to that user share one
 * account (tracecore/enable/ENABLE.md section 10). One thread.
 */
#ifndef TRACECORE_BASE_SUBORDINATES_H
#define TRACECORE_BASE_SUBORDINATES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Zeroed: every id stands for itself. */
struct wt_subordinates {
	struct wt_subordinate {
		uint32_t first, count;
		uid_t owner;
	} * list; /**< owned */
	size_t n;
};

/** Reads /etc/subuid and /etc/passwd, as far as they can be read. */
void wt_subordinates_read(struct wt_subordinates *ret);
/** Adds the ranges of a text in the form of subuid(5), of users in the form of passwd(5). Invalid lines are
 * left out. -1: no memory. */
int wt_subordinates_parse(struct wt_subordinates *ret, const char *subuid, const char *passwd);
/** The owner of the id; the id itself when it is nobody's subordinate id. */
uid_t wt_subordinates_owner(const struct wt_subordinates *subordinates, uid_t uid);
void wt_subordinates_deinit(struct wt_subordinates *subordinates);

#endif
