/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A log being made from others: a file without a name until it is whole.
 *
 * It lies in the directory of its target and gets the name in one step; who is killed before that leaves
 * nothing (on file systems that have no nameless files: NAME.PID.part). The target may be one of the logs it
 * is made from.
 */
#ifndef CONSUMERS_RELOG_TARGET_H
#define CONSUMERS_RELOG_TARGET_H

#include <limits.h>

#include "consumers/session/deliver.h"

struct wt_target {
	const char *path; /**< borrowed */
	enum wt_replace replace;
	int fd;              /**< open for reading and writing; -1: none */
	char part[PATH_MAX]; /**< its name as long as it is not whole; empty: none */
};

/** What is there is replaced by the rule of `replace`. */
int wt_target_open(struct wt_target *target, const char *path, enum wt_replace replace, struct wt_err *err);
/** Brings the bytes to the disk and gives the file its name. */
int wt_target_keep(struct wt_target *target, struct wt_err *err);
/** Closes it; one that was not kept is gone. Zeroed with fd -1 is fine. */
void wt_target_close(struct wt_target *target);

#endif
