/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who owns user ids: a user has an account together with the subordinate ids that /etc/subuid gives that user
 * (tracecore/enable/ENABLE.md section 10). One thread.
 */
#ifndef CONSUMERS_RECORD_SUBORDINATES_H
#define CONSUMERS_RECORD_SUBORDINATES_H

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

/** From /etc/subuid and /etc/passwd, as far as they can be read. */
void wt_subordinates_read(struct wt_subordinates *ret);
/** Adds the ranges of a text as in subuid(5), of users as in passwd(5); lines that make no sense are left
 * out. -1: no memory. */
int wt_subordinates_parse(struct wt_subordinates *ret, const char *subuid, const char *passwd);
/** Who owns the id; itself when it is nobody's. */
uid_t wt_subordinates_owner(const struct wt_subordinates *subordinates, uid_t uid);
void wt_subordinates_deinit(struct wt_subordinates *subordinates);

#endif
