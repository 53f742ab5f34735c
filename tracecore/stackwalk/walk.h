/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Walks stacks in user space: walk_core.h, compiled once for each machine.
 *
 * Both functions are async-signal-safe, reentrant, take no lock and allocate nothing, if this is also true
 * of the callbacks. They use about 1 KiB of stack.
 */
#ifndef TRACECORE_STACKWALK_WALK_H
#define TRACECORE_STACKWALK_WALK_H

#include "tracecore/base/err.h"
#include "tracecore/stackwalk/walk_core.h"

/** Walks a stack of a machine (enum wt_abi_unwind_machine); any other machine gives one frame and NO_DATA.
 * in->max 0 gives no frame and DEPTH. */
void wt_walk(uint32_t machine, const struct wt_walk_input *in, struct wt_walk_result *ret);

/** The machine for which this code was compiled. */
#if defined(__aarch64__)
#define WT_WALK_MACHINE WT_ABI_UNWIND_AARCH64
#else
#define WT_WALK_MACHINE WT_ABI_UNWIND_X86_64
#endif

/** True when frame i of a walk is an interrupted instruction. The other frames are looked up at pc - 1. */
static inline bool wt_walk_is_exact(const struct wt_walk_result *walk, uint32_t i)
{
	return i < WT_WALK_MAX && walk->exact[i / 64] >> (i % 64) & 1;
}

/** The identity of a module: its build id, or its file's identity. Equal keys mean equal code. */
struct wt_unwind_key {
	uint8_t bytes[32];
	uint8_t len;
};

/** Gives the link-time address of the code at an offset of the file from which the table was made. False
 * when no executable segment in the header begins there. The offset of a mapping, which is that of a page,
 * is also accepted. */
bool wt_unwind_link_address(const void *table, uint64_t offset, uint64_t *ret);

/** Checks the header of a table (`size` bytes, aligned to 8) and prepares the table for searching. The
 * bytes still belong to the caller and must outlive the view. Bounded: it does not read the rows. It does
 * not test the checksum (wt_unwind_checksum). WT_ERR_FORMAT, WT_ERR_VERSION. Signal-safe with err NULL. */
int wt_unwind_view(const void *table, uint64_t size, struct wt_unwind_view *ret, struct wt_err *err);

/** The checksum of a table with this header and content; size as in wt_unwind_view, at least that of the
 * header. It takes about as long as reading the memory. */
uint64_t wt_unwind_checksum(const void *table, uint64_t size);

/** The key of a module in the memory of a process: up to the given number of bytes of its build id, and a
 * hash of its loaded unwind data. So two modules with one build id and different data have two keys. The
 * hash covers the file's bytes from the address of PT_GNU_EH_FRAME to the end of its segment. In a module
 * without one (static programs) it covers all loaded segments that can be read and not written, in their
 * order, each with the sum so far as seed, 0 at first. Signal-safe. */
#define WT_UNWIND_LOADED_ID 20u
uint64_t wt_unwind_hash(uint64_t seed, const void *data, uint64_t size);
void wt_unwind_loaded_key(const uint8_t *build_id, size_t len, uint64_t data, struct wt_unwind_key *ret);

/** The action to take where this table has no rule. */
enum wt_walk_fallback wt_unwind_fallback(const void *table);

#endif
