/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Walking stacks in user space: walk_core.h, compiled once for each machine.
 *
 * Both functions are async-signal-safe, reentrant, take no lock and allocate nothing, as long as the
 * callbacks keep to that. They use about 1 KiB of stack.
 */
#ifndef TRACECORE_STACKWALK_WALK_H
#define TRACECORE_STACKWALK_WALK_H

#include "tracecore/base/err.h"
#include "tracecore/stackwalk/walk_core.h"

/** Walks a stack of a machine (enum wt_abi_unwind_machine); any other machine gives one frame and NO_DATA.
 * in->max 0 gives no frame and DEPTH. */
void wt_walk(uint32_t machine, const struct wt_walk_input *in, struct wt_walk_result *ret);

/** The machine this code was compiled for. */
#if defined(__aarch64__)
#define WT_WALK_MACHINE WT_ABI_UNWIND_AARCH64
#else
#define WT_WALK_MACHINE WT_ABI_UNWIND_X86_64
#endif

/** True when frame i of a walk is an interrupted instruction; the others are looked up at pc - 1. */
static inline bool wt_walk_is_exact(const struct wt_walk_result *walk, uint32_t i)
{
	return i < WT_WALK_MAX && walk->exact[i / 64] >> (i % 64) & 1;
}

/** What a module is known by: its build id, or its file's identity. Equal keys mean equal code. */
struct wt_unwind_key {
	uint8_t bytes[32];
	uint8_t len;
};

/** The link-time address of the code at an offset of the file a table was made from; false when no executable
 * segment the header knows begins there. The offset of a mapping, which is that of a page, is also good. */
bool wt_unwind_link_address(const void *table, uint64_t offset, uint64_t *ret);

/** Checks the header of a table (`size` bytes, aligned to 8) and prepares it for searching. The bytes stay
 * the caller's and must outlive the view. Bounded: it does not read the rows. The checksum is not tested
 * (wt_unwind_checksum). WT_ERR_FORMAT, WT_ERR_VERSION. Signal-safe with err NULL. */
int wt_unwind_view(const void *table, uint64_t size, struct wt_unwind_view *ret, struct wt_err *err);

/** The checksum a table with this header and content should have; size as in wt_unwind_view, at least that of
 * the header. About the speed of reading memory. */
uint64_t wt_unwind_checksum(const void *table, uint64_t size);

/** The key of a module as a process finds it in its memory: up to so many bytes of its build id, and a hash
 * of its unwind data as they are loaded, so that two modules with one build id and different data have two
 * keys. Hashed are the file's bytes from the address of PT_GNU_EH_FRAME to the end of its segment; in a
 * module without one (static programs) all loaded segments that can be read and not written, in their order,
 * each with the sum so far as seed, 0 at first. Signal-safe. */
#define WT_UNWIND_LOADED_ID 20u
uint64_t wt_unwind_hash(uint64_t seed, const void *data, uint64_t size);
void wt_unwind_loaded_key(const uint8_t *build_id, size_t len, uint64_t data, struct wt_unwind_key *ret);

/** What to do where this table says nothing. */
enum wt_walk_fallback wt_unwind_fallback(const void *table);

#endif
