/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The walker: from registers and readable memory to the chain of return addresses.
 *
 * One implementation for the recorder (registers and stack dump of a sample), for a program that walks its
 * own stack (any context, signal handlers included) and for the kernel module. It calls nothing but the two
 * callbacks it is given, allocates nothing, takes no lock, uses no floating point, and does bounded work: at
 * most max frames, each with one search of at most 16 steps and at most 34 reads; with a cache that at most
 * twice. Callers include it once per
 * translation unit that walks; walk.c is user space's.
 *
 * STACKWALK.md is the specification of rules and statuses.
 */
#ifndef TRACECORE_STACKWALK_WALK_CORE_H
#define TRACECORE_STACKWALK_WALK_CORE_H

#include "tracecore/stackwalk/walk_cache.h"

/** Deepest walk. */
#define WT_WALK_MAX 1024u

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
	const struct wt_unwind_view *view; /**< NULL: no table */
	uint64_t start, end;               /**< run-time addresses this answer is good for */
	uint64_t bias;                     /**< run-time minus link-time address */
	uint32_t id;                       /**< the caller's name for it; WT_WALK_MODULE_NONE is taken */
	uint32_t fallback;                 /**< enum wt_walk_fallback */
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

/* ---- nothing below is for callers ---- */

/* Where a register's value of the current frame is. */
#define WT_WALK_IN_REGISTER 0u /* in r */
#define WT_WALK_UNKNOWN     1u
/* everything else: the address it was saved at */

struct wt_walk_state {
	const struct wt_walk_input *in;
	struct wt_walk_result *out;
	const uint64_t *r;                /* registers of the last exact frame: the input's, or own's */
	uint64_t at[WT_ABI_UNWIND_SLOTS]; /* by slot */
	struct wt_walk_module module;
	struct wt_walk_cache *cache;
	uint64_t pc, sp;
	uint64_t floor;   /* sp of the last exact frame, maybe on a stack below the window */
	bool exact;       /* pc was interrupted, and all of r is the frame's */
	bool partial;     /* of at, only the frame pointer's and the return address's are right */
	bool again;       /* the walk ended because it was partial */
	uint64_t own[32]; /* filled by the first signal frame */
};

WT_WALK_INLINE bool wt_walk_end(struct wt_walk_state *w, enum wt_walk_status status, uint64_t where)
{
	w->out->status = status;
	w->out->where = where;
	return false;
}

WT_WALK_RARE bool wt_walk_load_far(struct wt_walk_state *w, uint64_t address, uint64_t *ret)
{
	const struct wt_walk_input *in = w->in;
	enum wt_walk_read got = WT_WALK_READ_BAD;

	if (in->read)
		got = in->read(in->ctx, address, ret);
	else if (!(in->options & WT_WALK_WHOLE_STACK) && (address >= in->window_at || address >= w->floor))
		got = WT_WALK_READ_CUT;
	if (got == WT_WALK_READ_OK)
		return true;
	return wt_walk_end(w, got == WT_WALK_READ_CUT ? WT_WALK_TRUNCATED : WT_WALK_BAD_MEMORY, address);
}

/* WT_WALK_OWN_STACK: the window is the stack of the thread that walks. What AddressSanitizer has marked there
 * as no object's any more are words all the same. */
#if defined(WT_WALK_OWN_STACK) && defined(__SANITIZE_ADDRESS__)
__attribute__((noinline, no_sanitize_address)) static uint64_t wt_walk_peek(const uint8_t *at)
{
	typedef uint64_t __attribute__((may_alias, aligned(1))) word;

	return *(const word *)at;
}
#else
WT_WALK_INLINE uint64_t wt_walk_peek(const uint8_t *at)
{
	uint64_t word;

	__builtin_memcpy(&word, at, 8);
	return word;
}
#endif

WT_WALK_INLINE bool wt_walk_load(struct wt_walk_state *w, uint64_t address, uint64_t *ret)
{
	const struct wt_walk_input *in = w->in;
	uint64_t from = address - in->window_at;

	if (__builtin_expect(in->window_size >= 8 && from <= in->window_size - 8, 1)) {
		*ret = wt_walk_peek(in->window + from);
		return true;
	}
	return wt_walk_load_far(w, address, ret);
}

/* A register that the short way did not follow: once more from the start, the long way. */
WT_WALK_INLINE bool wt_walk_restart(struct wt_walk_state *w)
{
	w->again = true;
	return false;
}

/* The value a register has in the current frame. */
WT_WALK_INLINE bool wt_walk_value(struct wt_walk_state *w, const struct wt_walk_machine *m, uint32_t reg,
				  uint64_t *ret)
{
	uint32_t slot;

	if (reg == m->sp) {
		*ret = w->sp;
		return true;
	}
	slot = wt_walk_slot_of(m, reg);
	if (slot < m->n_slots) {
		if (w->partial && slot != m->fp_slot)
			return wt_walk_restart(w);
		if (w->at[slot] > WT_WALK_UNKNOWN) {
			if (wt_walk_load(w, w->at[slot], ret))
				return true;
			/* Below the stack pointer of the frame that was interrupted, out of reach: it has
			 * been popped, and is in the register again. */
			*ret = w->r[reg];
			return w->at[slot] < w->floor;
		}
		*ret = w->r[reg];
		return w->at[slot] == WT_WALK_IN_REGISTER || wt_walk_end(w, WT_WALK_NO_DATA, w->pc);
	}
	*ret = w->r[reg & 31];
	return w->exact || wt_walk_end(w, WT_WALK_NO_DATA, w->pc);
}

/* The rule for an offset from the table's base: the last row at or before it in its page. */
WT_WALK_INLINE const struct wt_abi_unwind_rule *wt_unwind_find(const struct wt_unwind_view *view,
							       uint64_t offset)
{
	uint32_t first, n, id;
	uint16_t low;

	if (offset >= view->span)
		return NULL;
	first = view->pages[offset >> view->shift];
	n = view->pages[(offset >> view->shift) + 1];
	if (n > view->n_rows || first >= n)
		return NULL;
	n -= first;
	low = (uint16_t)(offset & ((1u << view->shift) - 1));
	while (n > 1) {
		uint32_t half = n / 2;

		first += view->starts[first + half] <= low ? half : 0;
		n -= half;
	}
	id = view->ids ? view->ids[first] : view->wide_ids[first];
	return id < view->n_rules && id ? &view->rules[id] : NULL;
}

WT_WALK_INLINE uint64_t wt_walk_address(const struct wt_walk_input *in, const struct wt_walk_machine *m,
					uint64_t ra)
{
	if (!wt_walk_is_arm(m))
		return ra;
	return ra & (in->address_mask ? in->address_mask : (UINT64_C(1) << 48) - 1);
}

/* Enters the caller that returns to ra with its stack pointer at cfa. */
WT_WALK_INLINE bool wt_walk_enter(struct wt_walk_state *w, const struct wt_walk_machine *m, uint64_t cfa,
				  uint64_t ra)
{
	ra = wt_walk_address(w->in, m, ra);
	/* A frame takes stack, except the one that was interrupted before it took any. And 0 is not code: a
	 * root says so itself. */
	if (cfa < w->sp || (cfa == w->sp && !w->exact) || !ra)
		return wt_walk_end(w, WT_WALK_BAD_MEMORY, w->pc);
	w->pc = ra;
	w->sp = cfa;
	w->exact = false;
	return true;
}

/* Enters the caller once it is known where the return address is. */
WT_WALK_INLINE bool wt_walk_return(struct wt_walk_state *w, const struct wt_walk_machine *m, uint64_t cfa)
{
	uint64_t ra;

	if (w->at[m->ra_slot] > WT_WALK_UNKNOWN) {
		if (!wt_walk_load(w, w->at[m->ra_slot], &ra))
			return false;
	} else {
		ra = w->r[wt_walk_reg_of(m, m->ra_slot)];
		if (w->at[m->ra_slot] == WT_WALK_UNKNOWN)
			return wt_walk_end(w, WT_WALK_NO_DATA, w->pc);
	}
	return wt_walk_enter(w, m, cfa, ra);
}

/* {caller's frame pointer, return address} lie where the frame pointer points. */
WT_WALK_RARE bool wt_walk_step_fp(struct wt_walk_state *w, const struct wt_walk_machine *m)
{
	uint64_t fp, ra;

	w->out->n_fp++;
	if (!wt_walk_value(w, m, m->fp, &fp))
		return false;
	if (!fp)
		return wt_walk_end(w, WT_WALK_COMPLETE, 0);
	if (fp < w->sp || fp & 7)
		return wt_walk_end(w, WT_WALK_BAD_MEMORY, w->pc);
	if (!wt_walk_load(w, fp + 8, &ra))
		return false;
	if (!wt_walk_address(w->in, m, ra))
		return wt_walk_end(w, WT_WALK_COMPLETE, 0);
	for (uint32_t i = 0; i < m->n_slots; i++)
		w->at[i] = WT_WALK_UNKNOWN;
	w->partial = false;
	w->at[m->fp_slot] = fp;
	return wt_walk_enter(w, m, fp + 16, ra);
}

/* The registers, to be changed. */
WT_WALK_RARE uint64_t *wt_walk_own_registers(struct wt_walk_state *w)
{
	if (w->r != w->own)
		__builtin_memcpy(w->own, w->r, sizeof(w->own));
	w->r = w->own;
	return w->own;
}

/* The kernel put the interrupted frame's registers on the stack. */
WT_WALK_RARE bool wt_walk_step_signal(struct wt_walk_state *w, const struct wt_walk_machine *m,
				      const struct wt_abi_unwind_rule *rule)
{
	uint64_t from, *own;

	if (!wt_walk_value(w, m, rule->reg & 31, &from))
		return false;
	own = wt_walk_own_registers(w);
	w->partial = false;
	from += (uint64_t)(int64_t)rule->offset;
	for (uint32_t i = 0; i < (wt_walk_is_arm(m) ? 31u : 15u); i++) {
		uint32_t reg = wt_walk_is_arm(m) ? i : wt_walk_x86_64_context[i];

		if (!wt_walk_load(w, from + 8 * i, &own[reg]))
			return false;
	}
	if (!wt_walk_load(w, from + m->sigcontext_sp, &w->sp) ||
	    !wt_walk_load(w, from + m->sigcontext_pc, &w->pc))
		return false;
	for (uint32_t i = 0; i < m->n_slots; i++)
		w->at[i] = WT_WALK_IN_REGISTER;
	if (!wt_walk_is_arm(m))
		w->at[m->ra_slot] = WT_WALK_UNKNOWN;
	w->exact = true;
	w->floor = w->sp;
	return true;
}

/* Places in the red zone of the frame that was interrupted: nothing else has what they hold. */
WT_WALK_RARE void wt_walk_below_slots(struct wt_walk_state *w, const struct wt_walk_machine *m,
				      const struct wt_abi_unwind_rule *rule)
{
	uint64_t ignored;

	for (uint32_t i = 0; i < m->n_slots; i++)
		if (rule->slot[i] > WT_ABI_SLOT_REG_LAST && w->at[i] < w->sp &&
		    !wt_walk_load(w, w->at[i], &ignored))
			w->at[i] = WT_WALK_UNKNOWN;
}

/* Slots that are neither unchanged nor saved in memory. */
WT_WALK_RARE void wt_walk_odd_slots(struct wt_walk_state *w, const struct wt_walk_machine *m,
				    const struct wt_abi_unwind_rule *rule)
{
	uint64_t value[WT_ABI_UNWIND_SLOTS];

	/* All are read before one is written: registers may change places. */
	for (uint32_t i = 0; i < m->n_slots; i++) {
		int16_t slot = rule->slot[i];

		value[i] = slot > WT_ABI_SLOT_GONE && slot <= WT_ABI_SLOT_REG_LAST
				   ? w->r[slot - WT_ABI_SLOT_REG]
				   : 0;
	}
	for (uint32_t i = 0; i < m->n_slots; i++) {
		int16_t slot = rule->slot[i];

		if (slot == WT_ABI_SLOT_GONE) {
			w->at[i] = WT_WALK_UNKNOWN;
		} else if (slot > WT_ABI_SLOT_GONE && slot <= WT_ABI_SLOT_REG_LAST) {
			/* Only of use in the frame that was interrupted: a call may change the register. */
			wt_walk_own_registers(w)[wt_walk_reg_of(m, i)] = value[i];
			w->at[i] = w->exact ? WT_WALK_IN_REGISTER : WT_WALK_UNKNOWN;
		}
	}
}

WT_WALK_INLINE bool wt_walk_step_rule(struct wt_walk_state *w, const struct wt_walk_machine *m,
				      const struct wt_abi_unwind_rule *rule)
{
	uint64_t reg, cfa, from;

	if (rule->flags & WT_ABI_RULE_END || (rule->flags & WT_ABI_RULE_TWICE && w->exact && !w->r[0]))
		return wt_walk_end(w, WT_WALK_COMPLETE, 0);
	if (rule->cfa == WT_ABI_CFA_SIGCONTEXT)
		return wt_walk_step_signal(w, m, rule);
	if (!wt_walk_value(w, m, rule->reg & 31, &reg))
		return false;
	cfa = reg + (uint64_t)(int64_t)rule->offset;
	if (rule->cfa == WT_ABI_CFA_DEREF) {
		if (!wt_walk_load(w, cfa, &cfa))
			return false;
		cfa += (uint64_t)((int64_t)rule->offset2 * 8);
	}
	from = cfa;
	if (rule->flags & WT_ABI_RULE_FROM_REG)
		from = reg;
	else if (rule->flags & WT_ABI_RULE_FROM_FP && !wt_walk_value(w, m, m->fp, &from))
		return false;
	for (uint32_t i = 0; i < m->n_slots; i++) {
		uint64_t saved = from + (uint64_t)((int64_t)rule->slot[i] * 8);

		w->at[i] = rule->slot[i] == WT_ABI_SLOT_SAME ? w->at[i] : saved;
	}
	if (__builtin_expect(rule->flags & WT_ABI_RULE_BELOW, 0) && w->exact)
		wt_walk_below_slots(w, m, rule);
	/* x86-64: a call leaves the return address below the CFA, whatever the function does to its stack. */
	if (!wt_walk_is_arm(m))
		w->at[m->ra_slot] = cfa + (uint64_t)((int64_t)rule->slot[m->ra_slot] * 8);
	if (__builtin_expect(rule->flags & WT_ABI_RULE_ODD, 0))
		wt_walk_odd_slots(w, m, rule);
	return wt_walk_return(w, m, cfa);
}

/* The module of the code at `address`, from the last answer when it still holds. */
WT_WALK_INLINE bool wt_walk_find_module(struct wt_walk_state *w, uint64_t address)
{
	if (__builtin_expect(address - w->module.start < w->module.end - w->module.start, 1))
		return true;
	if (w->in->find(w->in->ctx, address, &w->module) && address >= w->module.start &&
	    address < w->module.end)
		return true;
	w->module = (struct wt_walk_module){.id = WT_WALK_MODULE_NONE};
	return false;
}

/* The key of an address in the module that was found for it. */
WT_WALK_INLINE bool wt_walk_shared_key(const struct wt_walk_state *w, uint64_t address, uint64_t *ret)
{
	uint64_t offset;

	if (!w->in->shared || !w->module.view || w->module.id >= WT_WALK_SHARED_IDS)
		return false;
	offset = address - w->module.bias - w->module.view->base;
	*ret = (uint64_t)w->module.id << 32 | offset;
	return !(offset >> 32);
}

WT_WALK_INLINE void wt_walk_keep_word(struct wt_walk_state *w, uint64_t address, uint64_t word)
{
	if (!(address >> 48))
		__atomic_store_n(wt_walk_slot(w->cache, address), wt_walk_tagged(word, address >> 10),
				 __ATOMIC_RELAXED);
}

/* Puts a word into the caches, for the address in its module. */
WT_WALK_RARE void wt_walk_remember(struct wt_walk_state *w, uint64_t address, uint64_t word)
{
	uint64_t key;

	wt_walk_keep_word(w, address, word);
	if (w->in->word && !w->exact)
		w->in->word[w->out->n - 1] = word;
	if (wt_walk_shared_key(w, address, &key))
		__atomic_store_n(wt_walk_shared_slot(w->in->shared, key),
				 wt_walk_tagged(word, key / WT_WALK_SHARED_SLOTS), __ATOMIC_RELAXED);
}

/* What the shared cache says of an address that the cache does not know, which then does; 0: nothing. */
WT_WALK_RARE uint64_t wt_walk_recall(struct wt_walk_state *w, uint64_t address)
{
	uint64_t key, word;

	if (!wt_walk_find_module(w, address) || !wt_walk_shared_key(w, address, &key))
		return 0;
	word = __atomic_load_n(wt_walk_shared_slot(w->in->shared, key), __ATOMIC_RELAXED);
	if (word >> WT_WALK_WORD_TAG != key / WT_WALK_SHARED_SLOTS ||
	    !(word & (WT_WALK_WORD_PLAIN | WT_WALK_WORD_END)))
		return 0;
	wt_walk_keep_word(w, address, word);
	return word;
}

/* From the frame in w to its caller, by the tables; false at the end of the walk. */
WT_WALK_INLINE bool wt_walk_step(struct wt_walk_state *w, const struct wt_walk_machine *m)
{
	/* What a frame returns to may be the first instruction of the next function. */
	uint64_t address = w->exact ? w->pc : w->pc - 1, packed;
	const struct wt_abi_unwind_rule *rule = NULL;

	if (wt_walk_find_module(w, address) && w->module.view)
		rule = wt_unwind_find(w->module.view, address - w->module.bias - w->module.view->base);
	if (__builtin_expect(rule != NULL, 1)) {
		if (w->cache && (packed = wt_walk_pack(m, rule)))
			wt_walk_remember(w, address, packed);
		return wt_walk_step_rule(w, m, rule);
	}
	if (w->module.fallback == WT_WALK_FP)
		return wt_walk_step_fp(w, m);
	return wt_walk_end(w, WT_WALK_NO_DATA, w->pc);
}

/* Adds the frame in w to those found. */
WT_WALK_INLINE void wt_walk_add(struct wt_walk_state *w)
{
	struct wt_walk_result *out = w->out;

	if (out->n % 64 == 0)
		out->exact[out->n / 64] = 0;
	out->exact[out->n / 64] |= (uint64_t)w->exact << (out->n % 64);
	if (w->in->sp)
		w->in->sp[out->n] = w->sp;
	if (w->in->word)
		w->in->word[out->n] = 0;
	w->in->pc[out->n++] = w->pc;
}

#include "tracecore/stackwalk/walk_words.h"

/* The module that has no data: asked for again, since a cached rule does not tell. */
WT_WALK_RARE uint32_t wt_walk_culprit(struct wt_walk_state *w)
{
	return wt_walk_find_module(w, w->exact ? w->pc : w->pc - 1) ? w->module.id : WT_WALK_MODULE_NONE;
}

/* The state at the innermost frame. Field by field: most of it need not be cleared. */
WT_WALK_INLINE void wt_walk_begin(struct wt_walk_state *w, const struct wt_walk_machine *m)
{
	bool from_caller = w->in->options & WT_WALK_FROM_CALLER;

	w->r = w->in->regs->r;
	w->pc = w->in->regs->pc;
	w->sp = w->floor = w->r[m->sp];
	w->exact = !from_caller;
	w->partial = w->again = false;
	w->module.start = w->module.end = 0;
	for (uint32_t i = 0; i < m->n_slots; i++)
		w->at[i] = from_caller ? WT_WALK_UNKNOWN : WT_WALK_IN_REGISTER;
	w->at[m->fp_slot] = WT_WALK_IN_REGISTER;
	if (!wt_walk_is_arm(m))
		w->at[m->ra_slot] = WT_WALK_UNKNOWN;
	w->out->n = 0;
	w->out->n_fp = 0;
	w->out->module = WT_WALK_MODULE_NONE;
}

WT_WALK_INLINE void wt_walk_run(const struct wt_walk_input *in, struct wt_walk_result *out,
				const struct wt_walk_machine *m)
{
	uint32_t max = in->max < WT_WALK_MAX ? in->max : WT_WALK_MAX;
	struct wt_walk_state w;

	w.in = in;
	w.out = out;
	w.cache = in->cache;
	wt_walk_begin(&w, m);
	if (!max) {
		wt_walk_end(&w, WT_WALK_DEPTH, w.pc);
		return;
	}
	wt_walk_add(&w);
	while (wt_walk_by_words(&w, m, max)) {
		if (wt_walk_step(&w, m)) {
			if (out->n == max) {
				wt_walk_end(&w, wt_walk_cut(in->pc, max), w.pc);
				return;
			}
		} else if (w.again) {
			w.cache = NULL;
			wt_walk_begin(&w, m);
		} else {
			break;
		}
		wt_walk_add(&w);
	}
	if (out->status == WT_WALK_NO_DATA)
		out->module = wt_walk_culprit(&w);
}

#endif
