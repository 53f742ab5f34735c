/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files in which processes name their generated code: perf-PID.map and jit-PID.dump.
 *
 * They are looked for where the process sees them, under the pid it has there, and must be regular files of
 * the process's user. For a process that ended before the first look, without a known user, the parent's
 * user counts. A helper process searches for them, because a file system on the path may never answer. Files
 * of other users are read up to a bound. One thread.
 */
#ifndef CONSUMERS_SESSION_GENERATED_FILES_H
#define CONSUMERS_SESSION_GENERATED_FILES_H

#include "consumers/record/space.h"
#include "consumers/symbols/jitdump.h"

/** Maps larger than this are left alone, bytes. */
#define WT_GENERATED_FILE (UINT64_C(256) << 20)

/** The place of a process's files. */
struct wt_generated_place {
	uint32_t pid, uid;
	uint32_t inner_pid;  /**< its pid in its own namespace */
	uint64_t start_time; /**< session clock; 0: unknown */
	bool seen;           /**< /proc had it at the first look */
	bool elsewhere;      /**< it has other mounts than this process */
};

/** Reads /proc for the process now; place->pid, uid and start_time are set. */
void wt_generated_look(struct wt_generated_place *place);
/** The times of a perf map. */
struct wt_map_times {
	bool doubted;   /**< some of it may be older than the process */
	uint64_t since; /**< session clock: its content has been in it since then */
};

/** Opens the process's perf map: a descriptor, or -1. */
int wt_generated_open_map(const struct wt_generated_place *place, struct wt_map_times *ret);
/** Opens the file in this range of the process if its path is that of a jitdump: a descriptor, or -1. */
int wt_generated_open_dump(const struct wt_generated_place *place, const struct wt_range *range);
/** True when the range shows that a program writes a jitdump. */
bool wt_generated_is_dump(const struct wt_range *range);

/** The state of a perf map at a look. Zeroed: no look yet. */
struct wt_map_mark {
	uint64_t device, inode, size;
	uint8_t tail[256]; /**< its last bytes */
};

/** Looks at a map again. False: it is another file than before, or earlier content is missing. Then the map
 * was written anew and does not cover all times. */
bool wt_generated_map_grew(int fd, struct wt_map_mark *mark);

/** Reads a perf map to its end; false: it is too large. */
bool wt_generated_read_map(int fd, struct wt_code_map *map);
/** Reads on in a jitdump: at most that many bytes from *at on, which moves, and no longer than dump->time
 * lasts. False: there is no more now. */
bool wt_generated_read_dump(int fd, uint64_t *at, uint64_t most, struct wt_jitdump *dump);

#endif
