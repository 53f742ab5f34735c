// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_losses.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/derived.h"
#include "consumers/analysis/region_losses.h"
#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

static int add_gap(struct wt_wait_losses *losses, enum wt_wait_what what, struct wt_wait_gap gap,
		   struct wt_err *err)
{
	struct wt_wait_gaps *of = &losses->of[what];

	if (wt_grow_one(&of->gaps, of->n, err))
		return -1;
	if (gap.to < gap.from)
		gap.from = gap.to;
	of->gaps[of->n++] = gap;
	return 0;
}

static int by_from(const void *x, const void *y)
{
	const struct wt_wait_gap *a = x, *b = y;

	return (a->from > b->from) - (a->from < b->from);
}

static int settle(struct wt_wait_losses *losses, struct wt_err *err)
{
	for (int what = 0; what < WT_WAIT_WHATS; what++) {
		struct wt_wait_gaps *of = &losses->of[what];

		if (!of->n)
			continue;
		qsort(of->gaps, of->n, sizeof(*of->gaps), by_from);
		of->reach = malloc(of->n * sizeof(*of->reach));
		if (!of->reach)
			return wt_fail_nomem(err);
		for (uint32_t i = 0; i < of->n; i++)
			of->reach[i] = i && of->reach[i - 1] > of->gaps[i].to ? of->reach[i - 1]
									      : of->gaps[i].to;
	}
	return 0;
}

bool wt_wait_losses_touch(const struct wt_wait_losses *losses, enum wt_wait_what what, uint32_t cpu,
			  uint64_t from, uint64_t to)
{
	const struct wt_wait_gaps *of = &losses->of[what];
	uint32_t last = WT_BOUND(i, 0, of->n, of->gaps[i].from <= to);

	if (of->anywhere)
		return true;
	while (last-- && of->reach[last] >= from) {
		const struct wt_wait_gap *gap = &of->gaps[last];

		if (gap->to >= from && (cpu == WT_WAIT_NONE || gap->cpu == WT_WAIT_NONE || gap->cpu == cpu))
			return true;
	}
	return false;
}

/* ---- notices ---- */

/* A ring's losses name all its providers, with commas between; no name means any. */
static bool names(const struct wt_value *list, const char *provider)
{
	const char *at = (const char *)list->bytes, *end = at + list->len;
	size_t wanted = strlen(provider);

	if (!list->len)
		return true;
	for (const char *comma; at < end; at = comma + 1) {
		comma = memchr(at, ',', (size_t)(end - at));
		comma = comma ? comma : end;
		if ((size_t)(comma - at) == wanted && !memcmp(at, provider, wanted))
			return true;
	}
	return false;
}

static int value_of(const struct wt_log_batch *batch, uint32_t i, const char *field, struct wt_value *ret)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, field);

	return at < 0 ? -1 : wt_log_value(batch, i, (uint32_t)at, ret);
}

static int take_loss(struct wt_wait_losses *losses, const struct wt_log_batch *batch, uint32_t i,
		     struct wt_err *err)
{
	struct wt_value provider, cpu, from, to;
	struct wt_wait_gap gap;

	if (value_of(batch, i, "provider", &provider) || value_of(batch, i, "on_cpu", &cpu) ||
	    value_of(batch, i, "from", &from) || value_of(batch, i, "to", &to)) {
		losses->of[WT_WAIT_SWITCHES].anywhere = losses->of[WT_WAIT_WAKES].anywhere = true;
		return 0;
	}
	gap = (struct wt_wait_gap){from.u, to.u, (uint32_t)cpu.u};
	if (names(&provider, "cswitch") && add_gap(losses, WT_WAIT_SWITCHES, gap, err))
		return -1;
	return names(&provider, "dispatcher") ? add_gap(losses, WT_WAIT_WAKES, gap, err) : 0;
}

/* "only processes 12,13 and what they start". */
static void take_info(struct wt_wait_losses *losses, const struct wt_log_batch *batch, uint32_t i)
{
	struct wt_value key;

	if (!value_of(batch, i, "key", &key) && key.len == 5 && !memcmp(key.bytes, "scope", 5))
		losses->only_told = true;
}

static int take(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	if (batch->segment->kinds.kinds[batch->kind].event->id == WT_CORE_INFO) {
		for (uint32_t i = 0; i < batch->n; i++)
			take_info(ctx, batch, i);
		return 0;
	}
	for (uint32_t i = 0; i < batch->n; i++)
		if (take_loss(ctx, batch, i, err))
			return -1;
	return 0;
}

/* Events of any kind are missing there: the log was made from a part of another one. */
static int add_left_out(struct wt_wait_losses *losses, const struct wt_region_losses *whole,
			struct wt_err *err)
{
	uint32_t id = wt_strings_find(&whole->providers, "", 0);

	for (uint32_t i = 0; id != WT_INTERN_NONE && i < whole->by_provider[id].n; i++) {
		struct wt_wait_gap gap = {whole->by_provider[id].gaps[i].from,
					  whole->by_provider[id].gaps[i].to, WT_WAIT_NONE};

		if (add_gap(losses, WT_WAIT_SWITCHES, gap, err) || add_gap(losses, WT_WAIT_WAKES, gap, err))
			return -1;
	}
	return 0;
}

/* In a log without its end mark the blocks of one kind may reach further than those of another. */
static int read_rest(struct wt_wait_losses *losses, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_region_losses whole = {0};
	int failed = wt_region_losses_read(&whole, log, err) || add_left_out(losses, &whole, err) ? -1 : 0;

	losses->of[WT_WAIT_WAKES].anywhere |= !failed && (whole.anywhere || whole.whole_tasks);
	losses->of[WT_WAIT_SWITCHES].anywhere |= !failed &&
						 (whole.whole_tasks || wt_log_info(log)->n_damages ||
						  (whole.anywhere && wt_log_info(log)->complete));
	wt_region_losses_deinit(&whole);
	return failed;
}

int wt_wait_losses_read(struct wt_wait_losses *losses, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = wt_derived_notices};

	if (wt_log_scan(log, &filter, take, losses, err) < 0 || read_rest(losses, log, err))
		return -1;
	return settle(losses, err);
}

void wt_wait_losses_deinit(struct wt_wait_losses *losses)
{
	for (int what = 0; what < WT_WAIT_WHATS; what++) {
		free(losses->of[what].gaps);
		free(losses->of[what].reach);
	}
	*losses = (struct wt_wait_losses){0};
}
