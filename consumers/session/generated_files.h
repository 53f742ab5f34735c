/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files in which processes name their generated code: perf-PID.map and jit-PID.dump.
 *
 * They are looked for where the process sees them, under the number it has there, and must be regular files
 * of the process's user; of one that had gone before anybody looked, and of whose user nothing is known, of
 * its parent's. They are looked for apart: what leads to them may never answer. What other users wrote is
 * read up to a bound. One thread.
 */
#ifndef CONSUMERS_SESSION_GENERATED_FILES_H
#define CONSUMERS_SESSION_GENERATED_FILES_H

#include "consumers/record/space.h"
#include "consumers/symbols/jitdump.h"

/** Larger maps are left alone, bytes. */
#define WT_GENERATED_FILE (UINT64_C(256) << 20)

/** Where a process's files are. */
struct wt_generated_place {
	uint32_t pid, uid;
	uint32_t inner_pid;  /**< in its own namespace */
	uint64_t start_time; /**< session clock; 0 unknown */
	bool seen;           /**< /proc had it when it was looked at first */
	bool elsewhere;      /**< it has other mounts than this process */
};

/** What /proc says of the process now; place->pid, uid and start_time are set. */
void wt_generated_look(struct wt_generated_place *place);
/** The process's perf map: a descriptor, or -1. *doubted: it may be older than the process, in part. */
int wt_generated_open_map(const struct wt_generated_place *place, bool *doubted);
/** The file that lies in this range of the process, if its path is that of a jitdump: a descriptor, or -1. */
int wt_generated_open_dump(const struct wt_generated_place *place, const struct wt_range *range);
/** The range is the sign that a program writes a jitdump. */
bool wt_generated_is_dump(const struct wt_range *range);

/** A perf map as it was when it was looked at. Zeroed: nobody looked yet. */
struct wt_map_mark {
	uint64_t device, inode, size;
	uint8_t tail[256]; /**< its last bytes */
};

/** Looks at a map again. False: it is another file than before, or what it had is not in it any more: it has
 * been written anew, and what it tells is not of all times. */
bool wt_generated_map_grew(int fd, struct wt_map_mark *mark);

/** Reads a perf map to its end; false: it is too large. */
bool wt_generated_read_map(int fd, struct wt_code_map *map);
/** Reads on in a jitdump, at most that many bytes from *at on, which moves. False: there is no more now. */
bool wt_generated_read_dump(int fd, uint64_t *at, uint64_t most, struct wt_jitdump *dump);

#endif
