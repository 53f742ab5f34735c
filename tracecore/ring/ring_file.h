/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ring files as writers make and open them: a file appears under its name whole or not at all, whoever comes
 * first makes it, and what is found under the name is believed only when it is a regular file of this user
 * with the expected shape. Async-signal-safe; errno is the reason of a failure.
 */
#ifndef TRACECORE_RING_RING_FILE_H
#define TRACECORE_RING_RING_FILE_H

#include "tracecore/ring/writing.h"

/** A folder whose descriptor may have been closed by the program and given to something else: daemons close
 * all they know nothing of. It is looked at before each use, and the folder opened anew by its path when it
 * is another thing by now. */
struct wt_ring_dir {
	int fd;
	uint64_t dev, ino;
	char path[256]; /**< "": longer, or not known */
};

/** Remembers what fd is. 0, or -1 with errno. */
int wt_ring_dir_init(struct wt_ring_dir *dir, int fd);
/** Closes the descriptor if it still is the folder's. Once. */
void wt_ring_dir_close(struct wt_ring_dir *dir);

/** What distinguishes a new ring. */
struct wt_ring_birth {
	uint32_t cpu, pid;
	uint64_t generation;
	uint8_t is_lane;
};

/** Fills ring, which is all zero, as a new ring's header; magic last. */
void wt_ring_format(struct wt_abi_ring *ring, const struct wt_ring_shape *shape,
		    const struct wt_ring_birth *birth);
/** The first block's header. */
struct wt_abi_block wt_ring_first_block(const struct wt_abi_ring *ring);

/** Opens the ring `name`, making it when it is not there. Descriptor (the caller's), or -1. */
int wt_ring_file_open(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		      const struct wt_ring_birth *birth);

/** A file of `bytes`, all hole, that has no name yet. Descriptor, or -1. */
int wt_ring_file_unnamed(const struct wt_ring_dir *dir, uint64_t bytes);
/** Gives it its name: 0, or -1 (EEXIST: somebody was faster). */
int wt_ring_file_link(const struct wt_ring_dir *dir, int fd, const char *name);

/** name: prefix, number in decimal, and with a token "-" and the token in hexadecimal. At most 48 bytes. */
void wt_ring_file_name(char *ret, const char *prefix, uint32_t number, uint64_t token);

#endif
