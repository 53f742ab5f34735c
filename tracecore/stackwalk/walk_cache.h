/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The walker's caches of rules, by address (STACKWALK.md section 4.1).
 */
#ifndef TRACECORE_STACKWALK_WALK_CACHE_H
#define TRACECORE_STACKWALK_WALK_CACHE_H

#include "tracecore/stackwalk/walk_machine.h"

/** The results of earlier searches for rules, by address, because return addresses repeat. Zeroed is empty.
 * The caller owns the cache and zeroes it when the answers of find may have changed (a module came or went,
 * another process). A slot is one word that holds its whole address and is read and written at once, so
 * threads and signal handlers may share a cache. Only rules that need no more than the stack pointer and
 * the frame pointer are kept; these are nearly all rules. */
#define WT_WALK_CACHE_SLOTS 1024u
struct wt_walk_cache {
	uint64_t slot[WT_WALK_CACHE_SLOTS];
};

/** A cache of rules for all address spaces, by module and place in the module: most code that a new process
 * runs has been walked in another process before. It is searched after a miss in a wt_walk_cache, and both
 * are filled together. The caller owns it and zeroes it when a module's id gets another meaning. It holds
 * only modules with an id below WT_WALK_SHARED_IDS. */
#define WT_WALK_SHARED_SLOTS 65536u
#define WT_WALK_SHARED_IDS   4096u
struct wt_walk_shared {
	uint64_t slot[WT_WALK_SHARED_SLOTS];
};

/** An earlier walk of this thread, with the pc, sp and word that it filled in. When a frame is still in its
 * place, the walk leaves it by the word of the earlier walk, which lies here in order, without a search. A
 * word gives the result of the tables for an address, so only the search is saved. A trail is valid as
 * long as its words are: when the cache must be emptied, the trail ends. The present walk must not write
 * to the trail's memory. */
struct wt_walk_trail {
	const uint64_t *pc, *sp, *word;
	uint32_t n; /**< frames; 0: none */
};

/* ---- nothing below is for callers ---- */

/* A cache's word: the kind of rule, the CFA's offset (a multiple of 8, in place), the place of the
 * caller's frame pointer, and the address without the ten bits that follow from the slot's number. */
#define WT_WALK_WORD_PLAIN  1u               /* CFA = stack pointer + offset */
#define WT_WALK_WORD_FP     2u               /* with PLAIN: CFA = frame pointer + offset */
#define WT_WALK_WORD_END    2u               /* without: the thread's root */
#define WT_WALK_WORD_OFFSET UINT64_C(0x7ff8) /* bytes */
#define WT_WALK_WORD_SAVED  15               /* the shift of 11 bits: at CFA - 8 * these; 0: unchanged */
#define WT_WALK_WORD_TAG    26               /* the shift of 38 bits: address >> 10 */

WT_WALK_INLINE uint64_t *wt_walk_slot(struct wt_walk_cache *cache, uint64_t address)
{
	return &cache->slot[(address ^ address >> 10) % WT_WALK_CACHE_SLOTS];
}

/* Key of a place in a module: its id and 32 bits of offset. */
WT_WALK_INLINE uint64_t *wt_walk_shared_slot(struct wt_walk_shared *shared, uint64_t key)
{
	return &shared->slot[(key ^ key / WT_WALK_SHARED_SLOTS ^ key >> 32) % WT_WALK_SHARED_SLOTS];
}

/* A word with another tag. */
WT_WALK_INLINE uint64_t wt_walk_tagged(uint64_t word, uint64_t tag)
{
	return (word & ((UINT64_C(1) << WT_WALK_WORD_TAG) - 1)) | tag << WT_WALK_WORD_TAG;
}

/* The word of a rule that needs no more than the stack pointer and the frame pointer, else 0. The return
 * address then lies below the CFA on x86-64, after the saved frame pointer on arm64. */
WT_WALK_RARE uint64_t wt_walk_pack(const struct wt_walk_machine *m, const struct wt_abi_unwind_rule *rule)
{
	int32_t offset = rule->offset / 8, base = 0, saved = 0, ra = -rule->slot[m->ra_slot];
	bool by_fp = rule->reg == m->fp;

	if (rule->flags & WT_ABI_RULE_END)
		return WT_WALK_WORD_END;
	if (rule->cfa != WT_ABI_CFA_REG ||
	    rule->flags & (WT_ABI_RULE_ODD | WT_ABI_RULE_TWICE | WT_ABI_RULE_BELOW) ||
	    (rule->reg != m->sp && !by_fp) || rule->offset < 0 ||
	    (uint32_t)rule->offset & ~WT_WALK_WORD_OFFSET)
		return 0;
	if (rule->flags & (WT_ABI_RULE_FROM_REG | WT_ABI_RULE_FROM_FP)) {
		if (!by_fp)
			return 0;
		base = offset;
	}
	if (rule->slot[m->fp_slot] != WT_ABI_SLOT_SAME) {
		saved = base - rule->slot[m->fp_slot];
		if (saved <= 0 || saved >= 1 << (WT_WALK_WORD_TAG - WT_WALK_WORD_SAVED))
			return 0;
	}
	if (wt_walk_is_arm(m) ? !saved || base + ra != saved - 1 : ra != 1)
		return 0;
	return WT_WALK_WORD_PLAIN | (by_fp ? WT_WALK_WORD_FP : 0) | (uint64_t)rule->offset |
	       (uint64_t)saved << WT_WALK_WORD_SAVED;
}

#endif
