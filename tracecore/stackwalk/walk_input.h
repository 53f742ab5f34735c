/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The input of a walk (walk_core.h), and its results.
 */
#ifndef TRACECORE_STACKWALK_WALK_INPUT_H
#define TRACECORE_STACKWALK_WALK_INPUT_H

#include "tracecore/stackwalk/walk_cache.h"

/** The most frames of a walk. A program that walks its own stack has little room there. */
#ifndef WT_WALK_MAX
#define WT_WALK_MAX 1024u
#endif

/** The end of a walk. */
enum wt_walk_status {
	WT_WALK_COMPLETE = 0,   /**< reached the thread's root */
	WT_WALK_COMPLETED = 1,  /**< never set here: the recorder completed a truncated walk by other means */
	WT_WALK_TRUNCATED = 2,  /**< the readable part of the stack ended: `where` is the address that was
				 * needed */
	WT_WALK_NO_DATA = 3,    /**< there is no rule for the code at `where`, in module `module` */
	WT_WALK_BAD_MEMORY = 4, /**< the caller of `where` is invalid: unreadable, or the stack turns back */
	WT_WALK_DEPTH = 5,      /**< `max` frames were found, and the root is not among them */
	WT_WALK_RECURSION = 6,  /**< `max` frames were found, and the last ones repeat themselves: a
				 * recursion was cut */
};

/** Registers at the innermost frame, by DWARF number: x86-64 0 to 15 (7 rsp), arm64 0 to 30 and 31 (sp). */
struct wt_walk_regs {
	uint64_t pc;
	uint64_t r[32];
};

/** A checked table, ready for searching. wt_unwind_view() makes it; the table must stay in place. */
struct wt_unwind_view {
	const uint32_t *pages;
	const uint16_t *starts;
	const uint16_t *ids;      /**< NULL when the table is wide */
	const uint32_t *wide_ids; /**< NULL when it is not */
	const struct wt_abi_unwind_rule *rules;
	uint64_t base; /**< link-time */
	uint64_t span; /**< bytes covered from base */
	uint32_t n_rows;
	uint32_t n_rules;
	uint32_t shift;
	uint32_t machine;
};

/** The action to take where a module's table has no rule. */
enum wt_walk_fallback {
	WT_WALK_STOP = 0, /**< end with NO_DATA */
	WT_WALK_FP = 1,   /**< follow the frame pointer: JIT code, Go, programs built with frame pointers */
};

/** The code around an address. */
struct wt_walk_module {
	const struct wt_unwind_view *view;     /**< NULL: no table */
	uint64_t start, end;                   /**< run-time addresses for which this answer is valid */
	uint64_t bias;                         /**< run-time minus link-time address */
	uint32_t id;                           /**< the caller's name for it; WT_WALK_MODULE_NONE is
						* reserved */
	uint32_t fallback;                     /**< enum wt_walk_fallback */
	const struct wt_abi_unwind_rule *rule; /**< the rule of just these addresses, in this walk alone:
						* no cache keeps it. NULL: the table decides */
};
#define WT_WALK_MODULE_NONE UINT32_MAX

/** The answer of a memory reader. */
enum wt_walk_read {
	WT_WALK_READ_OK = 0,
	WT_WALK_READ_CUT = 1, /**< the address may be valid, but the copy ends before it */
	WT_WALK_READ_BAD = 2,
};

enum wt_walk_option {
	WT_WALK_WHOLE_STACK =
		1, /**< the window ends where the stack ends: an address after it is invalid, not cut */
	WT_WALK_FROM_CALLER = 2, /**< the innermost frame is one that is returned to: regs has its pc,
				  * stack pointer and frame pointer; all else is unknown */
	WT_WALK_NO_FP = 8,       /**< with FROM_CALLER: the frame pointer is unknown, too */
	WT_WALK_ASK = 4,         /**< find is called for every module on the way, also where the cache has the
				  * rule: for callers that only then learn that a module has changed. find
				  * empties the cache in that case */
};

/** The input of a walk. Everything is borrowed. */
struct wt_walk_input {
	const struct wt_walk_regs *regs;
	/** The stack, or the copied part of it: the `window_size` bytes that were at `window_at`. Read
	 * first. */
	const uint8_t *window;
	uint64_t window_at;
	uint64_t window_size;
	/** Reads the 8 bytes at an address outside the window; NULL when no other memory can be read. */
	enum wt_walk_read (*read)(void *ctx, uint64_t address, uint64_t *ret);
	/** Finds the module of a run-time address; false when none is known there. */
	bool (*find)(void *ctx, uint64_t address, struct wt_walk_module *ret);
	void *ctx;
	struct wt_walk_cache *cache;   /**< NULL: none */
	struct wt_walk_shared *shared; /**< behind the cache; NULL: none */
	uint64_t address_mask; /**< arm64: bits of an address; the rest of a return address is a signature. 0:
				  48 bits */
	uint32_t options;      /**< enum wt_walk_option */
	uint32_t max;          /**< frames pc has room for, 1 to WT_WALK_MAX */
	uint64_t *pc;          /**< filled, innermost first: the place of each frame, interrupted or
				* returned to */
	uint64_t *sp; /**< NULL, or filled as pc: each frame's stack pointer, which is the CFA of the frame
		       * before */
	uint64_t *
		word; /**< NULL, or filled as pc: the cache's word for each frame that is returned to, or 0 */
	struct wt_walk_trail trail; /**< followed with word and a cache, without WT_WALK_ASK */
};

struct wt_walk_result {
	uint32_t n;      /**< frames in pc */
	uint32_t status; /**< enum wt_walk_status */
	uint32_t n_fp;   /**< steps by frame pointer in a module without data: such a walk may lack frames */
	uint32_t module; /**< NO_DATA: id of the module, or WT_WALK_MODULE_NONE */
	uint64_t where;  /**< see the status */
	/** Bit i of word i / 64: frame i is an address that was interrupted, not one that is returned to.
	 * Look up the others at pc - 1, because a call may be the last instruction of its function. Bits
	 * from n on have no meaning. */
	uint64_t exact[WT_WALK_MAX / 64];
};

#endif
