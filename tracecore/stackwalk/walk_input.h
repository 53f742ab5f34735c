/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a walk (walk_core.h) is given, and what it answers.
 */
#ifndef TRACECORE_STACKWALK_WALK_INPUT_H
#define TRACECORE_STACKWALK_WALK_INPUT_H

#include "tracecore/stackwalk/walk_cache.h"

/** Deepest walk; one of the own stack has little room there. */
#ifndef WT_WALK_MAX
#define WT_WALK_MAX 1024u
#endif

/** How a walk ended. */
enum wt_walk_status {
	WT_WALK_COMPLETE = 0,  /**< reached the thread's root */
	WT_WALK_COMPLETED = 1, /**< never set here: the recorder completed a truncated walk by other means */
	WT_WALK_TRUNCATED = 2, /**< the readable part of the stack ended: `where` is the address wanted */
	WT_WALK_NO_DATA = 3,   /**< nothing says how to go on from the code at `where`, in module `module` */
	WT_WALK_BAD_MEMORY =
		4,         /**< the frame that calls `where` cannot be: unreadable, or the stack turns back */
	WT_WALK_DEPTH = 5, /**< `max` frames were found and the root is not among them */
	WT_WALK_RECURSION = 6, /**< the same, and the last frames repeat themselves: a recursion was cut */
};

/** Registers at the innermost frame, by DWARF number: x86-64 0 to 15 (7 rsp), arm64 0 to 30 and 31 (sp). */
struct wt_walk_regs {
	uint64_t pc;
	uint64_t r[32];
};

/** A checked table, ready for searching. wt_unwind_view() makes it; the table must stay. */
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

/** What to do where a module's table says nothing. */
enum wt_walk_fallback {
	WT_WALK_STOP = 0, /**< end with NO_DATA */
	WT_WALK_FP = 1,   /**< follow the frame pointer: JIT code, Go, programs built with frame pointers */
};

/** The code around an address. */
struct wt_walk_module {
	const struct wt_unwind_view *view;     /**< NULL: no table */
	uint64_t start, end;                   /**< run-time addresses this answer is good for */
	uint64_t bias;                         /**< run-time minus link-time address */
	uint32_t id;                           /**< the caller's name for it; WT_WALK_MODULE_NONE is taken */
	uint32_t fallback;                     /**< enum wt_walk_fallback */
	const struct wt_abi_unwind_rule *rule; /**< of just these addresses, and of this walk alone: no cache
						* keeps it. NULL: the table says */
};
#define WT_WALK_MODULE_NONE UINT32_MAX

/** What a memory reader says. */
enum wt_walk_read {
	WT_WALK_READ_OK = 0,
	WT_WALK_READ_CUT = 1, /**< the address may be good, but what was copied ends before it */
	WT_WALK_READ_BAD = 2,
};

enum wt_walk_option {
	WT_WALK_WHOLE_STACK =
		1, /**< the window ends where the stack ends: an address behind it is bad, not cut */
	WT_WALK_FROM_CALLER = 2, /**< the innermost frame is one that is returned to: regs says its pc, stack
				  * pointer and frame pointer, and nothing else is known */
	WT_WALK_ASK = 4, /**< find is asked about every module on the way, also where the cache knows the
			  * rule: for callers that learn only then that a module has changed. find empties
			  * the cache when it has */
};

/** What a walk starts from. Everything is borrowed. */
struct wt_walk_input {
	const struct wt_walk_regs *regs;
	/** The stack, or the part of it that was copied: `window_size` bytes that lay at `window_at`. Read
	 * first. */
	const uint8_t *window;
	uint64_t window_at;
	uint64_t window_size;
	/** Reads the 8 bytes at address outside the window; NULL when nothing else can be read. */
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
	uint64_t *pc;          /**< filled, innermost first: where each frame is, or returns to */
	uint64_t *sp; /**< NULL, or filled as pc: each frame's stack pointer, the CFA of the one before */
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
	 * Look up the others at pc - 1: a call may be the last instruction of its function. Bits from n on
	 * mean nothing. */
	uint64_t exact[WT_WALK_MAX / 64];
};

#endif
