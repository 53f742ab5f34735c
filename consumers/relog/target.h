/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A log that is being made from others: a file without a name until it is whole.
 *
 * The file is in the directory of its target and gets the name in one step. A process that is killed before
 * that leaves nothing (or NAME.PID.part, on file systems without nameless files). The target may be one of
 * the logs it is made from.
 */
#ifndef CONSUMERS_RELOG_TARGET_H
#define CONSUMERS_RELOG_TARGET_H

#include <limits.h>

#include "consumers/session/deliver.h"

struct wt_target {
	const char *path; /**< borrowed */
	enum wt_replace replace;
	int fd;              /**< open for reading and writing; -1: none */
	char part[PATH_MAX]; /**< its name while it is not whole; empty: none */
};

/** `replace` says whether an existing target is replaced. */
int wt_target_open(struct wt_target *target, const char *path, enum wt_replace replace, struct wt_err *err);
/** Writes the bytes to the disk and gives the file its name. */
int wt_target_keep(struct wt_target *target, struct wt_err *err);
/** Closes the file; one that was not kept is removed. May be called on a zeroed struct with fd -1. */
void wt_target_close(struct wt_target *target);

#endif
