/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_losses.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/derived.h"
#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

static struct wt_region_spans *spans_of(struct wt_region_losses *losses, const char *provider, size_t len)
{
	bool fresh;
	uint32_t id = wt_strings_add(&losses->providers, provider, len, &fresh);
	struct wt_region_spans *grown;

	if (id == WT_INTERN_NONE || !fresh)
		return id == WT_INTERN_NONE ? NULL : &losses->by_provider[id];
	grown = realloc(losses->by_provider, losses->providers.count * sizeof(*grown));
	if (!grown)
		return NULL;
	losses->by_provider = grown;
	grown[id] = (struct wt_region_spans){0};
	return &grown[id];
}

int wt_region_losses_add(struct wt_region_losses *losses, const char *provider, size_t len, uint64_t from,
			 uint64_t to, struct wt_err *err)
{
	struct wt_region_spans *spans = spans_of(losses, provider, len);

	if (!spans)
		return wt_fail_nomem(err);
	if (wt_grow(&spans->gaps, &spans->cap, spans->n, 1, err))
		return -1;
	spans->gaps[spans->n++] = (struct wt_region_gap){from, to < from ? from : to};
	return 0;
}

static int by_from(const void *x, const void *y)
{
	const struct wt_region_gap *a = x, *b = y;

	return (a->from > b->from) - (a->from < b->from);
}

void wt_region_losses_settle(struct wt_region_losses *losses)
{
	for (uint32_t p = 0; p < losses->providers.count; p++) {
		struct wt_region_spans *spans = &losses->by_provider[p];
		uint32_t n = 0;

		if (spans->n)
			qsort(spans->gaps, spans->n, sizeof(*spans->gaps), by_from);
		for (uint32_t i = 0; i < spans->n; i++) {
			struct wt_region_gap *last = n ? &spans->gaps[n - 1] : NULL;

			if (last && spans->gaps[i].from <= last->to)
				last->to = spans->gaps[i].to > last->to ? spans->gaps[i].to : last->to;
			else
				spans->gaps[n++] = spans->gaps[i];
		}
		spans->n = n;
	}
}

/* The first gap that does not end before `from` is the only one to look at. */
static bool touches(const struct wt_region_spans *spans, uint64_t from, uint64_t to)
{
	uint32_t low = WT_BOUND(i, 0, spans->n, spans->gaps[i].to < from);

	return low < spans->n && spans->gaps[low].from <= to;
}

/* Samples and sideband events begin and end no region. An event whose name says nothing may begin or end
 * any. */
static bool concerns_one(const char *lost, size_t len, const char *provider)
{
	static const char *const others[] = {"pmu-profile", "loader", "proc_thread"};

	if (len == strlen(provider) && !memcmp(lost, provider, len))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (len == strlen(others[i]) && !memcmp(lost, others[i], len))
			return false;
	return len <= 6 || memcmp(lost, "linux:", 6) != 0;
}

/* A ring's losses name all its providers, with commas between. */
static bool concerns(const char *lost, const char *provider)
{
	for (;;) {
		size_t len = strcspn(lost, ",");

		if (concerns_one(lost, len, provider))
			return true;
		if (!lost[len])
			return false;
		lost += len + 1;
	}
}

bool wt_region_losses_touch(const struct wt_region_losses *losses, const char *provider, uint64_t from,
			    uint64_t to)
{
	if (losses->anywhere || wt_region_rules_touch(&losses->rules, provider, from, to))
		return true;
	for (uint32_t p = 0; p < losses->providers.count; p++)
		if (concerns(wt_strings_get(&losses->providers, p, NULL), provider) &&
		    touches(&losses->by_provider[p], from, to))
			return true;
	return false;
}

bool wt_region_losses_is_part(const struct wt_region_losses *losses, const char *provider)
{
	return losses->whole_tasks || wt_region_rules_partial(&losses->rules, provider);
}

/* ---- notices ---- */

static bool is_word(const struct wt_str *str, const char *word)
{
	return str->len == strlen(word) && !memcmp(str->p, word, str->len);
}

/* Bytes of a string field of notice i; empty when it has none. */
static struct wt_str text_of(const struct wt_log_batch *batch, uint32_t i, const char *field)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, field);
	struct wt_value value;

	if (at < 0 || wt_log_value(batch, i, (uint32_t)at, &value) || !value.bytes)
		return (struct wt_str){.p = "", .len = 0};
	return (struct wt_str){.p = (const char *)value.bytes, .len = value.len};
}

static int number_of(const struct wt_log_batch *batch, uint32_t i, const char *field, uint64_t *ret)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, field);

	if (at < 0 || !batch->columns[at].values)
		return -1;
	*ret = batch->columns[at].values[i];
	return 0;
}

static int take_info(struct wt_region_losses *losses, const struct wt_log_batch *batch, uint32_t i,
		     struct wt_err *err)
{
	struct wt_str key = text_of(batch, i, "key"), value = text_of(batch, i, "value");

	if (is_word(&key, "provider"))
		return wt_region_rules_take(&losses->rules, value.p, value.len, batch->time[i], err);
	if (losses->machine[0] || !is_word(&key, "machine") || value.len >= sizeof(losses->machine))
		return 0;
	memcpy(losses->machine, value.p, value.len);
	losses->machine[value.len] = '\0';
	return 0;
}

static int take(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_region_losses *losses = ctx;
	bool info = batch->segment->kinds.kinds[batch->kind].event->id == WT_CORE_INFO;

	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_str provider;
		uint64_t from = 0, to = UINT64_MAX;

		if (info) {
			if (take_info(losses, batch, i, err))
				return -1;
			continue;
		}
		provider = text_of(batch, i, "provider");
		if (number_of(batch, i, "from", &from) || number_of(batch, i, "to", &to))
			losses->anywhere = true;
		if (wt_region_losses_add(losses, provider.p, provider.len, from, to, err))
			return -1;
	}
	return 0;
}

/* "before N", "from N". 0: another word. */
static uint64_t moment_of(const struct wt_str *value, const char *word)
{
	size_t len = strlen(word);
	char text[32];

	if (value->len <= len || value->len >= sizeof(text) || memcmp(value->p, word, len) != 0)
		return 0;
	memcpy(text, value->p, value->len);
	text[value->len] = '\0';
	return strtoull(text + len, NULL, 10);
}

static int take_left_out(struct wt_region_losses *losses, const struct wt_str *value, struct wt_err *err)
{
	uint64_t before = moment_of(value, "before "), from = moment_of(value, "from ");

	if (is_word(value, "processes") || is_word(value, "kinds"))
		losses->whole_tasks = true;
	else if (before)
		return wt_region_losses_add(losses, "", 0, 0, before - 1, err);
	else if (from)
		return wt_region_losses_add(losses, "", 0, from, UINT64_MAX, err);
	else
		losses->anywhere = true;
	return 0;
}

static int take_facts(struct wt_region_losses *losses, struct wt_log_reader *log, struct wt_err *err)
{
	for (uint32_t s = 0; s < wt_log_info(log)->n_segments; s++) {
		const struct wt_log_segment *segment;

		if (wt_log_load_segment(log, s, &segment, err))
			return -1;
		for (uint32_t f = 0; f < segment->n_facts; f++)
			if (is_word(&segment->facts[f].key, "left_out") &&
			    take_left_out(losses, &segment->facts[f].value, err))
				return -1;
	}
	return 0;
}

int wt_region_losses_read(struct wt_region_losses *losses, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = wt_derived_notices};

	if (wt_log_scan(log, &filter, take, losses, err) < 0 || take_facts(losses, log, err) ||
	    wt_region_rules_settle(&losses->rules, err))
		return -1;
	losses->anywhere |= !wt_log_info(log)->complete || wt_log_info(log)->n_damages;
	wt_region_losses_settle(losses);
	return 0;
}

void wt_region_losses_deinit(struct wt_region_losses *losses)
{
	for (uint32_t p = 0; p < losses->providers.count; p++)
		free(losses->by_provider[p].gaps);
	free(losses->by_provider);
	wt_strings_deinit(&losses->providers);
	wt_region_rules_deinit(&losses->rules);
	*losses = (struct wt_region_losses){0};
}
