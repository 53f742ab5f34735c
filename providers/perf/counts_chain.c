// SPDX-License-Identifier: MIT
#include "providers/perf/counts_chain.h"

int wt_perf_counted_parse(const struct wt_perf_record *record, uint32_t first, uint32_t own,
			  uint32_t n_counters, struct wt_perf_counted *ret)
{
	uint32_t n = record->sample.n_read, words = record->sample.read_words;
	struct wt_cursor cur = wt_cursor(record->sample.read, 16 + (size_t)n * words * 8);
	struct wt_perf_counted counted = {0};

	if (!record->sample.read || n != first + n_counters || n_counters > WT_PERF_COUNTS_MOST ||
	    own >= first)
		return -1;
	counted.enabled = wt_cur_u64(&cur);
	counted.running = wt_cur_u64(&cur);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = wt_cur_u64(&cur), lost = words > 1 ? wt_cur_u64(&cur) : 0;

		if (i == own) {
			counted.own = value;
			counted.lost = lost;
		}
		if (i >= first)
			counted.value[i - first] = value;
	}
	if (cur.bad)
		return -1;
	*ret = counted;
	return 0;
}

static uint64_t above(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static bool falls(const struct wt_perf_counted *from, const struct wt_perf_counted *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (to->value[i] < from->value[i])
			return true;
	return to->enabled < from->enabled || to->running < from->running;
}

enum wt_counts_certainty wt_perf_counted_step(const struct wt_perf_counted *from,
					      const struct wt_perf_counted *to, uint32_t n_counters,
					      enum wt_perf_period period)
{
	if (to->lost != from->lost || falls(from, to, n_counters) ||
	    (period == WT_PERIOD_ONE && to->own != from->own + 1))
		return WT_COUNTS_OVER_LOSS;
	return to->enabled - from->enabled == to->running - from->running ? WT_COUNTS_EXACT
									  : WT_COUNTS_MULTIPLEXED;
}

void wt_perf_counted_put(struct wt_buf *out, enum wt_counts_certainty certainty,
			 const struct wt_perf_counted *from, const struct wt_perf_counted *to,
			 uint32_t n_counters, bool so_far)
{
	wt_buf_put_u8(out, (uint8_t)certainty);
	wt_buf_put_u64(out, above(from->enabled, to->enabled));
	wt_buf_put_u64(out, above(from->running, to->running));
	for (uint32_t i = 0; i < n_counters; i++) {
		wt_buf_put_u64(out, above(from->value[i], to->value[i]));
		if (so_far)
			wt_buf_put_u64(out, to->value[i]);
	}
}
