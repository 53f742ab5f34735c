/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * The layout of a ring in its file, which writers of every kind and the session share.
 * tracecore/ring/RING.md is the protocol: it defines the writer of each word, and the order of the writes.
 *
 *   offset 0                       struct wt_abi_ring, its loss table, its slot table
 *   wt_abi_ring_data(max_blocks)   max_blocks slots of block_bytes; each starts with struct wt_abi_block
 *
 * A file of lanes starts with struct wt_abi_lanes; n_slots such rings follow, one every stride bytes.
 * Everything is little-endian. Files are sparse: unused parts are holes and read as zero.
 */
#ifndef TRACECORE_ABI_WT_RING_H
#define TRACECORE_ABI_WT_RING_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

#define WT_ABI_RING_MAGIC   UINT64_C(0x31474e4952545700) /**< "\0WTRING1" */
#define WT_ABI_LANES_MAGIC  UINT64_C(0x3153454e414c5457) /**< "WTLANES1" */
#define WT_ABI_RING_VERSION 1u

#define WT_ABI_BLOCK_BYTES_MIN 8192u
#define WT_ABI_BLOCK_BYTES_MAX (1u << 20)
#define WT_ABI_BLOCKS_MAX      4096u
/** The number of different (provider, cause) pairs that one ring can count. Later pairs are counted under
 * WT_ABI_LOSS_OTHERS. */
#define WT_ABI_LOSSES      120u
#define WT_ABI_LOSS_OTHERS UINT32_MAX

/**
 * head, in one word: the block being written, the slot it lies in, and where the next record goes.
 *   bits 30..63  sequence of the block, from 1
 *   bits 18..29  slot
 *   bits  0..17  offset in the block in units of 8 bytes, block header included
 */
#define WT_ABI_HEAD_SLOT_SHIFT     18
#define WT_ABI_HEAD_SEQUENCE_SHIFT 30

static inline uint64_t wt_abi_head(uint64_t sequence, uint32_t slot, uint32_t offset)
{
	return sequence << WT_ABI_HEAD_SEQUENCE_SHIFT | (uint64_t)slot << WT_ABI_HEAD_SLOT_SHIFT | offset / 8;
}

static inline uint64_t wt_abi_head_sequence(uint64_t head)
{
	return head >> WT_ABI_HEAD_SEQUENCE_SHIFT;
}

static inline uint32_t wt_abi_head_slot(uint64_t head)
{
	return (uint32_t)(head >> WT_ABI_HEAD_SLOT_SHIFT) & (WT_ABI_BLOCKS_MAX - 1);
}

static inline uint32_t wt_abi_head_offset(uint64_t head)
{
	return (uint32_t)(head & ((1u << WT_ABI_HEAD_SLOT_SHIFT) - 1)) * 8;
}

/** Losses of one provider from one cause. key 0: not in use. */
struct wt_abi_loss {
	uint64_t key;   /**< provider << 8 | enum wt_ring_result; set once */
	uint64_t count; /**< since the ring's birth; one store per loss */
	uint64_t first; /**< tick of the first one */
	uint64_t last;  /**< tick of the last one, written before count */
};

struct wt_abi_ring {
	/* Written once, before the file has a name. */
	uint64_t magic;
	uint32_t version;
	uint32_t block_bytes;
	uint32_t max_blocks;
	uint8_t zero0;   /**< readers and writers refuse another value */
	uint8_t counter; /**< 1: ticks are the CPU's counter; 0: CLOCK_MONOTONIC_RAW ns */
	uint8_t is_lane;
	uint8_t zero5;
	uint32_t cpu;        /**< UINT32_MAX for lanes */
	uint32_t pid;        /**< the only process that writes here; 0: any process of the user */
	uint64_t generation; /**< of the session, as in its row; 0: not known */
	uint64_t birth;      /**< tick */
	uint64_t pid_ns; /**< inode of the pid namespace in which pid is valid, that of the ring's maker; 0:
			  * not known */
	uint8_t zero1[8];
	/* The producers' line. */
	uint64_t head;   /**< commits */
	uint64_t closed; /**< not 0: nothing may be committed any more; set once, by the session */
	uint64_t busy;   /**< lanes only: a write is announced */
	uint8_t zero2[40];
	/* The consumer's line. */
	uint64_t tail;  /**< sequence of the oldest block the consumer still needs */
	uint64_t holes; /**< the memory of blocks up to this sequence may have been given back: access with
			 * care */
	uint32_t spare; /**< preferred slot of the next block + 1, if it is free; 0: the lowest free one */
	uint32_t ready; /**< slots below this number have memory, which is not given back while this number
			 * stands */
	uint8_t zero3[40];
	uint8_t zero4[64];
};

/** The producers' tables after the header: struct wt_abi_loss losses[WT_ABI_LOSSES], then u64
 * slots[max_blocks], the sequence of the block in each slot; 0: never used. */
#define WT_ABI_RING_LOSSES 256u
#define WT_ABI_RING_SLOTS  4096u
/** Bytes before the first block. */
static inline uint32_t wt_abi_ring_data(uint32_t max_blocks)
{
	return (WT_ABI_RING_SLOTS + max_blocks * 8 + 4095) & ~4095u;
}

struct wt_abi_block {
	uint64_t sequence;
	uint64_t first; /**< no record in the block has an earlier tick */
	uint32_t end;   /**< bytes in use, this header included; 0 while it is the newest block */
	uint32_t next;  /**< slot of the next block; 0 while this one is the newest */
	uint64_t zero;
};

/** Start of a file of lanes. u64 owners[n_slots] follow: tid << 8 | nesting level + 1; 0: free. */
struct wt_abi_lanes {
	uint64_t magic;
	uint32_t version;
	uint32_t n_slots;
	uint64_t first;  /**< offset of the first lane */
	uint64_t stride; /**< bytes from lane to lane */
	uint32_t pid;
	uint32_t zero0;
	uint64_t generation;
	uint64_t n_used; /**< lanes taken so far, free again or not: the reader looks at these */
	uint64_t pid_ns; /**< as in a ring */
	uint64_t token;  /**< the writer's process image; a forked child makes its own file */
	uint64_t closed; /**< not 0: no lane may be taken any more; written by the session */
	uint8_t zero1[48];
};

#ifndef __KERNEL__
static_assert(sizeof(struct wt_abi_loss) == 32, "loss");
static_assert(offsetof(struct wt_abi_ring, cpu) == 24, "ring header");
static_assert(offsetof(struct wt_abi_ring, birth) == 40, "ring header");
static_assert(offsetof(struct wt_abi_ring, head) == 64, "producers' line");
static_assert(offsetof(struct wt_abi_ring, closed) == 72, "producers' line");
static_assert(offsetof(struct wt_abi_ring, tail) == 128, "consumer's line");
static_assert(sizeof(struct wt_abi_ring) == WT_ABI_RING_LOSSES, "ring header");
static_assert(WT_ABI_RING_LOSSES + WT_ABI_LOSSES * sizeof(struct wt_abi_loss) == WT_ABI_RING_SLOTS,
	      "loss table");
static_assert(sizeof(struct wt_abi_block) == 32, "block header");
static_assert(sizeof(struct wt_abi_lanes) == 128, "lanes header");
static_assert(WT_ABI_BLOCKS_MAX == 1u << (WT_ABI_HEAD_SEQUENCE_SHIFT - WT_ABI_HEAD_SLOT_SHIFT), "head");
static_assert(WT_ABI_BLOCK_BYTES_MAX / 8 < 1u << WT_ABI_HEAD_SLOT_SHIFT, "head");
#endif

#endif
