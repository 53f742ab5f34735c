/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ring files as writers make and open them: a file appears under its name whole or not at all, whoever comes
 * first makes it, and what is found under the name is believed only when it is a regular file of this user
 * with the expected shape. Async-signal-safe; errno is the reason of a failure.
 */
#ifndef TRACECORE_RING_RING_FILE_H
#define TRACECORE_RING_RING_FILE_H

#include <sys/types.h>

#include "tracecore/ring/ring.h"
#include "tracecore/ring/writing.h"

/** A directory whose descriptor may have been closed by the program and given to something else: daemons
 * close all they know nothing of. It is looked at before each use, and the directory opened anew by its path
 * when it is another thing by now, or is not kept. */
struct wt_ring_dir {
	int fd; /**< or enum wt_ring_dir_state */
	uint64_t dev, ino;
	char path[256]; /**< "": longer, or not known */
};

enum wt_ring_dir_state {
	WT_RING_DIR_CLOSED = -1,
	WT_RING_DIR_BY_PATH = -2, /**< opened for each use */
};

/** Remembers what fd is. 0, or -1 with errno. */
int wt_ring_dir_init(struct wt_ring_dir *dir, int fd);
/** Keeps no descriptor where the path is known: a program's descriptors have the numbers they have without
 * us. Where /proc does not tell it (a chroot, a sandbox) it is base/name, if the directory is there. */
void wt_ring_dir_let_go(struct wt_ring_dir *dir, const char *base, const char *name);
/** Closes the descriptor if it still is the directory's. Once. */
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

/** Opens the ring `name` if the session says that it has memory ready: nothing is charged to who maps it. */
int wt_ring_file_ready(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		       uint32_t cpu);
/** Makes the ring `name` for a user's programs, in memory of the caller's: `ready` blocks of it. dir_fd is
 * the user's ring directory. 0; 1: there is one; -1. */
int wt_ring_file_make_common(int dir_fd, const char *name, const struct wt_ring_spec *spec, uint32_t cpu,
			     uint32_t ready, uid_t owner);

/** Opens the file `name` for reading and writing, whatever it is. Descriptor, or -1. */
int wt_ring_file_find(const struct wt_ring_dir *dir, const char *name);
/** A file of `bytes`, all hole, that has no name yet. Descriptor, or -1. */
int wt_ring_file_unnamed(const struct wt_ring_dir *dir, uint64_t bytes);
/** Gives it its name: 0, or -1 (EEXIST: somebody was faster). */
int wt_ring_file_link(const struct wt_ring_dir *dir, int fd, const char *name);

/** name: prefix, number in decimal, and with a token "-" and the token in hexadecimal. At most 48 bytes. */
void wt_ring_file_name(char *ret, const char *prefix, uint32_t number, uint64_t token);

#endif
