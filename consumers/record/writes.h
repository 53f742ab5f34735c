/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The parts of files that an address space could write to, in its private memory.
 *
 * A page that was never writable has the file's bytes. What was writable stays in doubt for the life of the
 * address space, because rights can be taken back without an event. A part of the file is in doubt at other
 * addresses, too, because memory can be moved (mremap) without an event; mostly it is another mapping of the
 * page where text ends and data begin. Debuggers, /proc/PID/mem and userfaultfd can write without the right
 * to; nobody sees that. Not thread-safe.
 */
#ifndef CONSUMERS_RECORD_WRITES_H
#define CONSUMERS_RECORD_WRITES_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/kernel_events.h"

/** Most parts of one address space. With more, it is not complete any more. */
#define WT_WRITES_MOST 1024u

/** Zeroed: incomplete, nothing is known. */
struct wt_writes {
	struct wt_write {
		uint64_t device, inode;
		uint64_t from, to; /**< offsets in the file, [from, to) */
		uint64_t bias;     /**< offset in the file minus address, modulo 2^64 */
	} * parts;                 /**< owned */
	uint32_t n, cap;
	uint64_t since; /**< every part is here since this time, when the program began; session clock. 0:
			   some may be missing */
};

/** Takes writable memory of a file. */
void wt_writes_add(struct wt_writes *writes, const struct wt_image_payload *map);
/** A part of a mapping, [from, to) in the file; empty: none of it. */
struct wt_writes_part {
	uint64_t from, to;
};

/** Finds the part of the mapping that was writable at this place, and the part that was writable at another
 * address, as far as is known: each with what lies between its ends. */
void wt_writes_find(const struct wt_writes *writes, const struct wt_image_payload *map,
		    struct wt_writes_part *here, struct wt_writes_part *elsewhere);
/** True when adding it would change nothing. */
bool wt_writes_covers(const struct wt_writes *writes, const struct wt_image_payload *map);
/** Parts may be missing from now on, or are forgotten. */
void wt_writes_clear(struct wt_writes *writes);
/** Where memory is out, the copy is incomplete. `ret` must be zeroed. */
void wt_writes_copy(struct wt_writes *ret, const struct wt_writes *from);

static inline size_t wt_writes_bytes(const struct wt_writes *writes)
{
	return writes->cap * sizeof(*writes->parts);
}

#endif
