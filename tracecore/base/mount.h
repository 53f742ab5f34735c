/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The mount that a file is on, and who answers for its file system: the kernel, or a program (FUSE). Nothing
 * here asks that file system. From the kernel's text (proc(5)): /proc/thread-self/fdinfo and mountinfo. Any
 * thread; async-signal-safe.
 */
#ifndef TRACECORE_BASE_MOUNT_H
#define TRACECORE_BASE_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Writes the id of the mount. While fd is open no other mount gets this id. False: /proc does not tell. */
bool wt_mount_id(int fd, uint64_t *ret);

enum wt_mount_kind {
	WT_MOUNT_UNKNOWN, /**< the table was not read, or does not have the mount */
	WT_MOUNT_KERNEL,  /**< the kernel's own file system */
	WT_MOUNT_PROGRAM, /**< answers when a program does: FUSE */
};

/** No user: the table does not say who mounted it. */
#define WT_MOUNT_NOBODY ((uid_t)-1)

/** *by receives who mounted what is WT_MOUNT_PROGRAM, else WT_MOUNT_NOBODY. */
enum wt_mount_kind wt_mount_kind(uint64_t id, uid_t *by);

/** Looks for one mount in the text of mountinfo, which comes in parts. */
struct wt_mount_search {
	uint64_t wanted, id;
	unsigned field;  /**< of the line; those behind " - " from WT_MOUNT_TYPE on */
	unsigned n;      /**< bytes of the field, as far as they matter */
	unsigned known;  /**< bytes of ",user_id=" just seen */
	char type[4];    /**< its beginning */
	bool is_dash;    /**< the field is "-" as far as it was seen */
	bool found;      /**< the mount has a line, of which the type was seen */
	bool has_number; /**< digits behind ",user_id=" */
	bool over;       /**< and the line has ended */
	uint32_t by;
};
void wt_mount_search_begin(struct wt_mount_search *search, uint64_t id);
/** Takes n bytes more. Returns true when the rest is not needed. */
bool wt_mount_search_take(struct wt_mount_search *search, const char *text, size_t n);
/** The answer when no text is left. *by as in wt_mount_kind. */
enum wt_mount_kind wt_mount_search_end(const struct wt_mount_search *search, uid_t *by);

#endif
