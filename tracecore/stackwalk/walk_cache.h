/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the walker remembers of rules, by address (STACKWALK.md section 4.1).
 */
#ifndef TRACECORE_STACKWALK_WALK_CACHE_H
#define TRACECORE_STACKWALK_WALK_CACHE_H

#include "tracecore/stackwalk/walk_machine.h"

/** What rules found before come to, by the address they were searched for: return addresses repeat. Zeroed is
 * empty; the caller owns it and zeroes it when what find says may have changed (a module came or went,
 * another process). A slot is one word that holds its whole address, read and written at once: threads and
 * signal handlers may share a cache. Only rules that need nothing but the stack pointer and the frame pointer
 * are kept; those are nearly all. */
#define WT_WALK_CACHE_SLOTS 1024u
struct wt_walk_cache {
	uint64_t slot[WT_WALK_CACHE_SLOTS];
};

/** The same for all address spaces, by module and place in it: what a new process comes through has mostly
 * been walked in another one. It is asked where a wt_walk_cache knows nothing, and filled with it. The caller
 * owns it and zeroes it when a module's id gets another meaning. Only modules with an id below
 * WT_WALK_SHARED_IDS are in it. */
#define WT_WALK_SHARED_SLOTS 65536u
#define WT_WALK_SHARED_IDS   4096u
struct wt_walk_shared {
	uint64_t slot[WT_WALK_SHARED_SLOTS];
};

/** An earlier walk of the same thread, as it filled pc, sp and word. Frames that are still where they were
 * then are left by the word they were left by, which lies here in order, and is searched for nowhere: a word
 * says what the tables say of an address, so that only the search is saved. Good as long as the words are:
 * what empties the cache ends a trail. None of it is memory that this walk fills. */
struct wt_walk_trail {
	const uint64_t *pc, *sp, *word;
	uint32_t n; /**< frames; 0: none */
};

/* ---- nothing below is for callers ---- */

/* A cache's word: the kind of rule, the CFA's offset (a multiple of 8, in place), where the caller's frame
 * pointer is saved, and the address without the ten bits that the slot's number gives back. */
#define WT_WALK_WORD_PLAIN  1u               /* CFA = stack pointer + offset */
#define WT_WALK_WORD_FP     2u               /* with PLAIN: CFA = frame pointer + offset */
#define WT_WALK_WORD_END    2u               /* without: the thread's root */
#define WT_WALK_WORD_OFFSET UINT64_C(0x7ff8) /* bytes */
#define WT_WALK_WORD_SAVED  15               /* the shift of 11 bits: at CFA - 8 * these; 0: where it was */
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

/* What a rule comes to when it needs no more than the stack pointer and the frame pointer, else 0. The return
 * address then lies below the CFA on x86-64, behind the saved frame pointer on arm64. */
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
