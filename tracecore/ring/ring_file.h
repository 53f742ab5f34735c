/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes and opens ring files for writers. A file appears under its name complete or not at all. The first
 * writer that needs a file makes it. An existing file is used only when it is a regular file of this user
 * with the expected shape. Async-signal-safe; errno is the reason of a failure.
 */
#ifndef TRACECORE_RING_RING_FILE_H
#define TRACECORE_RING_RING_FILE_H

#include <sys/types.h>

#include "tracecore/ring/ring.h"
#include "tracecore/ring/writing.h"

/** A directory whose descriptor the program may have closed and reused: daemons close all descriptors that
 * they do not know. The descriptor is checked before each use. When it is not kept, or no longer belongs
 * to the directory, the directory is opened again by its path. */
struct wt_ring_dir {
	int fd; /**< or enum wt_ring_dir_state */
	uint64_t dev, ino;
	char path[256]; /**< "": longer, or not known */
};

enum wt_ring_dir_state {
	WT_RING_DIR_CLOSED = -1,
	WT_RING_DIR_BY_PATH = -2, /**< opened for each use */
};

/** Remembers the identity of the directory that is open as fd. 0, or -1 with errno. */
int wt_ring_dir_init(struct wt_ring_dir *dir, int fd);
/** Keeps no descriptor when the path is known, so that a program's descriptors get the numbers that they
 * have without the library. When /proc does not give the path (a chroot, a sandbox) it is base/name, if
 * the directory is there. */
void wt_ring_dir_let_go(struct wt_ring_dir *dir, const char *base, const char *name);
/** Closes the descriptor if it still belongs to the directory. Once. */
void wt_ring_dir_close(struct wt_ring_dir *dir);

/** The values in which new rings differ. */
struct wt_ring_birth {
	uint32_t cpu, pid;
	uint64_t generation;
	uint8_t is_lane;
};

/** Fills ring, which is all zero, as a new ring's header; writes magic last. */
void wt_ring_format(struct wt_abi_ring *ring, const struct wt_ring_shape *shape,
		    const struct wt_ring_birth *birth);
/** The first block's header. */
struct wt_abi_block wt_ring_first_block(const struct wt_abi_ring *ring);

/** Opens the ring `name`, making it if absent. Returns a descriptor, which belongs to the caller, or -1. */
int wt_ring_file_open(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		      const struct wt_ring_birth *birth);

/** Opens the ring `name` if the session has published that it has memory: then the process that maps it is
 * charged nothing. */
int wt_ring_file_ready(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		       uint32_t cpu);
/** Makes the ring `name` for a user's programs; the memory of its first `ready` blocks is charged to the
 * caller. dir_fd is the user's ring directory. 0; 1: there is one; -1. */
int wt_ring_file_make_common(int dir_fd, const char *name, const struct wt_ring_spec *spec, uint32_t cpu,
			     uint32_t ready, uid_t owner);

/** Opens the file `name` for reading and writing, without a check of its content. Descriptor, or -1. */
int wt_ring_file_find(const struct wt_ring_dir *dir, const char *name);
/** Makes a file of `bytes`, all hole, without a name. Descriptor, or -1. */
int wt_ring_file_unnamed(const struct wt_ring_dir *dir, uint64_t bytes);
/** Gives the file its name: 0, or -1 (EEXIST: another process was faster). */
int wt_ring_file_link(const struct wt_ring_dir *dir, int fd, const char *name);

/** Writes the name: prefix, number in decimal, and with a token "-" and the token in hexadecimal. At most
 * 48 bytes. */
void wt_ring_file_name(char *ret, const char *prefix, uint32_t number, uint64_t token);

#endif
