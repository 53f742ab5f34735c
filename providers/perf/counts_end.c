// SPDX-License-Identifier: MIT
/* After a group was disabled and all its records are taken: the counts after the last record, and the
 * kernel's totals. */
#include "providers/perf/source_losses.h"

enum { TOTAL_WORDS = 3 };

static bool read_all(const struct wt_perf_source *s, struct wt_perf_counted *ret)
{
	for (uint32_t i = 0; i < s->perf->counts.n; i++) {
		uint64_t words[TOTAL_WORDS];

		if (!wt_perf_counts_read(s->ring, i, words))
			return false;
		ret->value[i] = words[0];
		ret->enabled = words[1];
		ret->running = words[2];
	}
	return true;
}

static void pend(struct wt_perf_source *s, uint32_t kind)
{
	s->event = (struct wt_event){
		.time = s->ring->ended,
		.kind = kind,
		.cpu = s->ring->cpu,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.payload = s->translator.payload.data,
		.payload_len = (uint32_t)s->translator.payload.len,
	};
	s->pending = true;
	s->pending_start = s->reader.pos;
}

/* The counts since the last record. */
static bool pend_rest(struct wt_perf_source *s, enum wt_perf_counts_what what)
{
	const struct wt_perf_counts *counts = &s->perf->counts;
	struct wt_perf_counted now = {0};
	const struct wt_perf_counted *last = &s->done_chain.last[what];

	if (counts->slots[what] == UINT32_MAX || !read_all(s, &now))
		return false;
	if (s->done_chain.doubt[what] == WT_CHAIN_UNKNOWN)
		last = &now;
	wt_perf_counted_put(&s->translator.payload, WT_COUNTS_REST, last, &now, counts->n,
			    what == WT_COUNTS_INTERVAL);
	pend(s, what == WT_COUNTS_SWITCH ? counts->rest_kind : s->perf->slots[counts->slots[what]].kind);
	return true;
}

static bool pend_total(struct wt_perf_source *s, uint32_t counter)
{
	struct wt_buf *out = &s->translator.payload;
	uint64_t words[TOTAL_WORDS];

	if (!wt_perf_counts_read(s->ring, counter, words))
		return false;
	wt_buf_put_u8(out, (uint8_t)counter);
	for (int i = 0; i < TOTAL_WORDS; i++)
		wt_buf_put_u64(out, words[i]);
	pend(s, s->perf->counts.total_kind);
	return true;
}

bool wt_perf_counts_end(struct wt_perf_source *s)
{
	while (!s->ring->sideband && s->perf->counts.n && s->ends < WT_COUNTS_WHATS + s->perf->counts.n) {
		uint32_t i = s->ends++;

		wt_buf_clear(&s->translator.payload);
		if (i < WT_COUNTS_WHATS ? pend_rest(s, (enum wt_perf_counts_what)i)
					: pend_total(s, i - WT_COUNTS_WHATS))
			return true;
	}
	return false;
}
