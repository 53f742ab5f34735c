// SPDX-License-Identifier: MIT
/* Provider windowsperf: writes the readings of an interval once more in the forms of WindowsPerf. */
#include <string.h>

#include "providers/perf/source_losses.h"

static void put_text(struct wt_buf *out, const char *text)
{
	wt_buf_put_u16(out, (uint16_t)strlen(text));
	wt_buf_put(out, text, strlen(text));
}

static void put_app(const struct wt_perf_source *s, const struct wt_perf_counter *counter, uint64_t step,
		    struct wt_buf *out)
{
	wt_buf_put_u64(out, s->ring->cpu);
	put_text(out, counter->name);
	wt_buf_put_u32(out, (uint32_t)counter->attr.config);
	put_text(out, "g0");
	wt_buf_put_u64(out, step);
}

static void put_driver(const struct wt_perf_source *s, uint32_t i, uint64_t value, struct wt_buf *out)
{
	wt_buf_put_u64(out, s->ring->cpu);
	wt_buf_put_u32(out, (uint32_t)s->perf->counts.counters[i].attr.config);
	wt_buf_put_u32(out, i);
	wt_buf_put_u64(out, value);
}

void wt_perf_gpc_begin(struct wt_perf_source *s, const struct wt_perf_record *record)
{
	const struct wt_perf_counts *counts = &s->perf->counts;
	const struct wt_perf_counted *before = &s->before;
	const struct wt_perf_counted *now = &s->next_chain.last[WT_COUNTS_INTERVAL];

	if (counts->gpc_kinds[0] == WT_KIND_NONE ||
	    wt_perf_counts_of(counts, record->slot) != WT_COUNTS_INTERVAL)
		return;
	s->gpc = (struct wt_perf_gpc){.left = 2 * counts->n, .time = record->time};
	for (uint32_t i = 0; i < counts->n; i++) {
		s->gpc.value[i] = now->value[i];
		s->gpc.step[i] = now->value[i] > before->value[i] ? now->value[i] - before->value[i] : 0;
	}
}

bool wt_perf_gpc_next(struct wt_perf_source *s)
{
	struct wt_buf *out = &s->translator.payload;
	uint32_t n = s->perf->counts.n, at, i;

	if (!s->gpc.left)
		return false;
	at = 2 * n - s->gpc.left--;
	i = at / 2;
	wt_buf_clear(out);
	if (at % 2)
		put_driver(s, i, s->gpc.value[i], out);
	else
		put_app(s, &s->perf->counts.counters[i], s->gpc.step[i], out);
	s->event = (struct wt_event){
		.time = s->gpc.time,
		.kind = s->perf->counts.gpc_kinds[at % 2],
		.cpu = s->ring->cpu,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.payload = out->data,
		.payload_len = (uint32_t)out->len,
	};
	s->pending = true;
	return true;
}
