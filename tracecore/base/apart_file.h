/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Opening files that others chose, where the file system may never answer: looked for apart (apart.h).
 *
 * What is opened lies on a file system of the kernel alone (near), so that who reads it waits for no program
 * and no network; of others a copy is had where that is asked for, or nothing. One thread.
 */
#ifndef TRACECORE_BASE_APART_FILE_H
#define TRACECORE_BASE_APART_FILE_H

#include <stdbool.h>
#include <stdint.h>

/** Larger files are not copied, bytes: an answer would not come in time. */
#define WT_APART_COPY_MOST (UINT64_C(16) << 20)

struct wt_apart_search {
	const char *path; /**< below the root, which links do not leave */
	int root;         /**< a directory of the caller's, -1: none */
	uint32_t pid;     /**< without a root: whose root it is, 0: the caller's */
	uint32_t payer;   /**< the user who is not asked again for a while if there is no answer */
	uint32_t owner;   /**< only a file of that user and only at the path itself; UINT32_MAX: of anybody */
	bool copied;      /**< a copy will do */
};

struct wt_apart_file {
	uint64_t inode, size, born, modified; /**< times: ns since 1970; born 0: not told */
};

/** The regular file that lies there: a descriptor, or -1. */
int wt_apart_open(const struct wt_apart_search *search, struct wt_apart_file *ret);
/** Who opens what the path leads to need not wait: there is nothing, it is near, or it has just answered. */
bool wt_apart_answers(const char *path, uint32_t payer);

#endif
