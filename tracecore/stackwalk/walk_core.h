/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The walker: from registers and readable memory to the chain of return addresses.
 *
 * The recorder (registers and stack dump of a sample) and a program that walks its own stack (any context,
 * signal handlers included) use one implementation. It calls nothing but its two callbacks, allocates
 * nothing, takes no lock, uses no floating point, and does bounded work: at most max frames, each with one
 * search of at most 16 steps and at most 34 reads; with a cache, at most twice that. Callers include it
 * once per translation unit that walks; walk.c does so for user space.
 *
 * STACKWALK.md is the specification of rules and statuses.
 */
#ifndef TRACECORE_STACKWALK_WALK_CORE_H
#define TRACECORE_STACKWALK_WALK_CORE_H

#include "tracecore/stackwalk/walk_input.h"

/* ---- nothing below is for callers: walk_input.h has the input and the result ---- */

/* The place of a register's value in the current frame. */
#define WT_WALK_IN_REGISTER 0u /* in r */
#define WT_WALK_UNKNOWN     1u
/* all other values: the address where the register was saved */

struct wt_walk_state {
	const struct wt_walk_input *in;
	struct wt_walk_result *out;
	const uint64_t *r;                /* registers of the last exact frame: the input's, or own's */
	uint64_t at[WT_ABI_UNWIND_SLOTS]; /* by slot */
	struct wt_walk_module module;
	struct wt_walk_cache *cache;
	uint64_t pc, sp;
	uint64_t floor;   /* sp of the last exact frame, perhaps on a stack below the window */
	bool exact;       /* pc was interrupted, and all of r belongs to the frame */
	bool partial;     /* of at, only the entries of the frame pointer and the return address are valid */
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

/* WT_WALK_OWN_STACK: the window is the stack of the thread that walks. Words there that AddressSanitizer
 * has marked as belonging to no object are read nevertheless. */
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

/* The short way did not follow this register: the walk starts again, the long way. */
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
			/* The place is below the stack pointer of the interrupted frame, out of reach: the
			 * value has been popped and is in the register again. */
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

/* Enters the caller: the walk continues at ra, with the caller's stack pointer at cfa. */
WT_WALK_INLINE bool wt_walk_enter(struct wt_walk_state *w, const struct wt_walk_machine *m, uint64_t cfa,
				  uint64_t ra)
{
	ra = wt_walk_address(w->in, m, ra);
	/* A frame takes stack, unless it was interrupted before it took any. 0 is not code: a root is
	 * marked as such. */
	if (cfa < w->sp || (cfa == w->sp && !w->exact) || !ra)
		return wt_walk_end(w, WT_WALK_BAD_MEMORY, w->pc);
	w->pc = ra;
	w->sp = cfa;
	w->exact = false;
	return true;
}

/* Enters the caller once the place of the return address is known. */
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

/* The frame pointer points to {caller's frame pointer, return address}. */
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

/* Places in the red zone of the interrupted frame: their values are nowhere else. */
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
			/* Only useful in the interrupted frame: a call may change the register. */
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

/* The module of the code at `address`, from the last answer while that is valid. */
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

/* Looks up, in the shared cache, an address that is not in the cache, and puts the word into the cache; 0:
 * there is none. */
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

/* Goes from the frame in w to its caller, by the tables; false at the end of the walk. */
WT_WALK_INLINE bool wt_walk_step(struct wt_walk_state *w, const struct wt_walk_machine *m)
{
	/* A return address may be the first instruction of the next function. */
	uint64_t address = w->exact ? w->pc : w->pc - 1, packed;
	const struct wt_abi_unwind_rule *rule = NULL;

	if (wt_walk_find_module(w, address) && w->module.rule)
		return wt_walk_step_rule(w, m, w->module.rule);
	if (w->module.view)
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

/* The word for the frame at address from the caches; 0: there is none. */
WT_WALK_INLINE uint64_t wt_walk_word(struct wt_walk_state *w, const struct wt_walk_input *in,
				     uint64_t address)
{
	uint64_t word;

	if (in->options & WT_WALK_ASK && !wt_walk_find_module(w, address))
		return 0;
	word = __atomic_load_n(wt_walk_slot(in->cache, address), __ATOMIC_RELAXED);
	if (word >> WT_WALK_WORD_TAG == address >> 10)
		return word;
	return in->shared ? wt_walk_recall(w, address) : 0;
}

/* The state that changes in steps by words: little enough to stay in registers. */
struct wt_walk_hot {
	uint64_t pc, sp, fp_at, ra_at;
};

/* The word from the trail; 0: none. It depends on the stack pointer and on a guess of the processor, so it
 * need not wait for the return address, which often comes from distant memory. */
WT_WALK_INLINE uint64_t wt_walk_follow(const struct wt_walk_trail *trail, const struct wt_walk_hot *hot,
				       uint32_t *at)
{
	while (*at < trail->n && trail->sp[*at] < hot->sp)
		++*at;
	return *at < trail->n && trail->sp[*at] == hot->sp && trail->pc[*at] == hot->pc ? trail->word[*at]
											: 0;
}

/* The word for the last of n frames, which is one that is returned to. */
WT_WALK_INLINE uint64_t wt_walk_next_word(struct wt_walk_state *w, const struct wt_walk_input *in,
					  const struct wt_walk_hot *hot, uint32_t n, uint32_t *at)
{
	uint64_t word;

	if (!in->word)
		return wt_walk_word(w, in, hot->pc - 1);
	word = wt_walk_follow(&in->trail, hot, at);
	if (!word)
		word = wt_walk_word(w, in, hot->pc - 1);
	in->word[n - 1] = word;
	return word;
}

/* Goes from a frame to its caller by a word. False, and nothing is changed, where this is not simple:
 * memory outside the window, an unknown register, a stack that turns back. fp: the register's value in the
 * last exact frame. */
WT_WALK_INLINE bool wt_walk_step_word(const struct wt_walk_input *in, const struct wt_walk_machine *m,
				      uint64_t fp, uint64_t word, struct wt_walk_hot *hot)
{
	uint64_t cfa = hot->sp, ra_at, ra, saved;

	if (word & WT_WALK_WORD_FP) {
		cfa = fp;
		if (hot->fp_at != WT_WALK_IN_REGISTER) {
			if (hot->fp_at == WT_WALK_UNKNOWN || hot->fp_at - in->window_at > in->window_size - 8)
				return false;
			__builtin_memcpy(&cfa, in->window + (hot->fp_at - in->window_at), 8);
		}
	}
	cfa += word & WT_WALK_WORD_OFFSET;
	saved = 8 * (word >> WT_WALK_WORD_SAVED & ((1u << (WT_WALK_WORD_TAG - WT_WALK_WORD_SAVED)) - 1));
	ra_at = cfa - 8 - (wt_walk_is_arm(m) ? saved - 16 : 0);
	if (ra_at - in->window_at > in->window_size - 8 || cfa <= hot->sp)
		return false;
	__builtin_memcpy(&ra, in->window + (ra_at - in->window_at), 8);
	ra = wt_walk_address(in, m, ra);
	if (!ra)
		return false;
	hot->fp_at = saved ? cfa - saved : hot->fp_at;
	hot->ra_at = ra_at;
	hot->pc = ra;
	hot->sp = cfa;
	return true;
}

/* The status of a walk that was cut at max frames: a recursion or not, from the last frames. */
WT_WALK_RARE enum wt_walk_status wt_walk_cut(const uint64_t *pc, uint32_t n)
{
	const uint32_t most = 16, seen = 64;

	if (n < seen + most)
		return WT_WALK_DEPTH;
	for (uint32_t period = 1; period <= most; period++) {
		uint32_t i = 0;

		while (i < seen && pc[n - 1 - i] == pc[n - 1 - i - period])
			i++;
		if (i == seen)
			return WT_WALK_RECURSION;
	}
	return WT_WALK_DEPTH;
}

/* Goes from the frame in w through all callers that the cache knows. The next step by the tables decides
 * how such walks end. False: the walk has ended. */
WT_WALK_INLINE bool wt_walk_by_words(struct wt_walk_state *w, const struct wt_walk_machine *m, uint32_t max)
{
	const struct wt_walk_input in = *w->in; /* a private copy: no store of the walk can change it */
	struct wt_walk_hot hot = {w->pc, w->sp, w->at[m->fp_slot], w->at[m->ra_slot]};
	uint64_t word, fp = w->r[m->fp];
	uint32_t n = w->out->n, at = in.options & WT_WALK_ASK ? in.trail.n : 0;

	if (!w->cache || in.window_size < 8)
		return true;
	word = w->exact ? wt_walk_word(w, &in, hot.pc) : wt_walk_next_word(w, &in, &hot, n, &at);
	while (word & WT_WALK_WORD_PLAIN && wt_walk_step_word(&in, m, fp, word, &hot)) {
		if (n == max) {
			w->out->n = n;
			return wt_walk_end(w, wt_walk_cut(in.pc, max), hot.pc);
		}
		if (n % 64 == 0)
			w->out->exact[n / 64] = 0;
		if (in.sp)
			in.sp[n] = hot.sp;
		in.pc[n++] = hot.pc;
		word = wt_walk_next_word(w, &in, &hot, n, &at);
	}
	if (n != w->out->n) {
		w->out->n = n;
		w->pc = hot.pc;
		w->sp = hot.sp;
		w->at[m->fp_slot] = hot.fp_at;
		w->at[m->ra_slot] = hot.ra_at;
		w->exact = false;
		w->partial = true;
	}
	if ((word & (WT_WALK_WORD_PLAIN | WT_WALK_WORD_END)) == WT_WALK_WORD_END)
		return wt_walk_end(w, WT_WALK_COMPLETE, 0);
	return true;
}

/* The module without data. It is looked up again, because a cached rule does not name it. */
WT_WALK_RARE uint32_t wt_walk_culprit(struct wt_walk_state *w)
{
	return wt_walk_find_module(w, w->exact ? w->pc : w->pc - 1) ? w->module.id : WT_WALK_MODULE_NONE;
}

/* The state at the innermost frame. It is set field by field, because most of it need not be cleared. */
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
	w->at[m->fp_slot] = w->in->options & WT_WALK_NO_FP ? WT_WALK_UNKNOWN : WT_WALK_IN_REGISTER;
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
