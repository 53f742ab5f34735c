/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * The layout of one event in a ring, which providers of every kind write and the session reads.
 *
 * A record is a header of 32 bytes, the optional parts its flags announce, the payload packed by the event's
 * schema (manifests/MANIFEST.md section 7), and zero to seven bytes of padding. Records are 8-byte aligned in
 * their block and never cross it. Everything is little-endian. Parts follow the header in this order:
 *
 *   WT_ABI_RECORD_ACTIVITY   16 bytes: activity id
 *   WT_ABI_RECORD_RELATED    16 bytes: related activity id
 *   WT_ABI_RECORD_STACK      u16 n, u8 status (enum wt_stack_status), u8 interrupted[5], u64 address[n]
 *   payload                  size - tail - everything before it
 *
 * Addresses are innermost first. interrupted: index + 1 of the first frames that a signal interrupted,
 * ascending, 0: no more; all other addresses are return addresses.
 *
 * A reader first copies the record to private memory, then checks everything in the copy.
 */
#ifndef TRACECORE_ABI_WT_RECORD_H
#define TRACECORE_ABI_WT_RECORD_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

/** Largest record, bytes: header, parts, payload and padding. Larger ones are refused and counted. */
#define WT_ABI_RECORD_MAX 65536u
/** Deepest stack in a record. */
#define WT_ABI_STACK_MAX 1024u

enum wt_abi_record_flag {
	WT_ABI_RECORD_ACTIVITY = 1,
	WT_ABI_RECORD_RELATED = 2,
	WT_ABI_RECORD_STACK = 4,
	WT_ABI_RECORD_PAD = 128, /**< not an event: skip size bytes */
};

struct wt_abi_record {
	uint32_t size;     /**< bytes of the whole record, a multiple of 8 */
	uint32_t provider; /**< the provider's number in the directory of its user (tracecore/enable) */
	uint16_t event;    /**< index of the event in its provider's manifest */
	uint8_t flags;     /**< enum wt_abi_record_flag; unknown bits: damage */
	uint8_t tail;      /**< bytes of padding at the end, 0 to 7 */
	uint32_t cpu;      /**< CPU where it was written; in a CPU's own ring the ring's CPU is valid
			    * instead */
	uint64_t tick; /**< rdtsc or cntvct_el0, or CLOCK_MONOTONIC_RAW in ns: the ring's header says which */
	uint32_t pid;  /**< as the writer sees itself */
	uint32_t tid;
};

#ifndef __KERNEL__
static_assert(sizeof(struct wt_abi_record) == 32, "record header");
static_assert(offsetof(struct wt_abi_record, provider) == 4, "record header");
static_assert(offsetof(struct wt_abi_record, event) == 8, "record header");
static_assert(offsetof(struct wt_abi_record, cpu) == 12, "record header");
static_assert(offsetof(struct wt_abi_record, tick) == 16, "record header");
static_assert(offsetof(struct wt_abi_record, pid) == 24, "record header");
static_assert(offsetof(struct wt_abi_record, tid) == 28, "record header");
#endif

#endif
