/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Steps of a walk by the cache's words: a part of walk_core.h, which includes it behind what it stands on.
 */
#ifndef TRACECORE_STACKWALK_WALK_WORDS_H
#define TRACECORE_STACKWALK_WALK_WORDS_H

/* What a cache's word says of the frame at address; 0: nothing. */
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

/* What steps by words change: so little that it stays in registers. */
struct wt_walk_hot {
	uint64_t pc, sp, fp_at, ra_at;
};

/* The word from the trail; 0: none. It depends on the stack pointer and on a guess that the processor takes
 * by itself: it need not wait for the return address, which is often far off. */
WT_WALK_INLINE uint64_t wt_walk_follow(const struct wt_walk_trail *trail, const struct wt_walk_hot *hot,
				       uint32_t *at)
{
	while (*at < trail->n && trail->sp[*at] < hot->sp)
		++*at;
	return *at < trail->n && trail->sp[*at] == hot->sp && trail->pc[*at] == hot->pc ? trail->word[*at]
											: 0;
}

/* The word for the last of n frames, which is returned to. */
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

/* From a frame to its caller by a word; false, and nothing is changed, where that is not plain: memory
 * outside the window, a register that is not known, a stack that turns back. fp: the register's value in the
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

/* A walk that was cut at max frames: were they a recursion? */
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

/* Goes from the frame in w through as many callers as the cache knows. What is left to a step by the tables
 * knows how such walks end. False: the walk has ended. */
WT_WALK_INLINE bool wt_walk_by_words(struct wt_walk_state *w, const struct wt_walk_machine *m, uint32_t max)
{
	const struct wt_walk_input in = *w->in; /* nothing that is written can be in it */
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

#endif
