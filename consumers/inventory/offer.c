// SPDX-License-Identifier: MIT
#include "consumers/inventory/offer.h"

#include <stdio.h>
#include <string.h>

#include "consumers/counting/event_word.h"
#include "providers/perf/counter.h"

struct offer {
	const struct wt_offer_ask *ask;
	struct wt_table *table;
};

static bool tries(const struct offer *offer)
{
	return offer->ask->mark && !offer->ask->model;
}

/* ---- trying an event ---- */

static int first_cpu(const struct wt_cpuset *set)
{
	for (uint32_t cpu = 0; cpu < wt_cpuset_end(set); cpu++)
		if (wt_cpuset_has(set, cpu))
			return (int)cpu;
	return -1;
}

static int open_way(const struct wt_perf_spec *spec, unsigned exclude, struct wt_err *err)
{
	const struct wt_counter_event event = {.spec = spec, .exclude = exclude};
	struct wt_counter_target target = WT_COUNTER_NOWHERE;
	struct wt_counter *counter;

	target.tid = spec->shared ? -1 : 0;
	target.cpu = spec->shared ? first_cpu(&spec->cpus) : -1;
	if (wt_counter_open(&event, 1, &target, &counter, err))
		return -1;
	wt_counter_close(counter);
	return 0;
}

static bool opens(const struct wt_count_event *event, struct wt_err *err)
{
	for (size_t i = 0; i < event->n_ways; i++) {
		const struct wt_perf_spec *spec = &event->ways[i].spec;
		unsigned kernel = WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR;

		if (!open_way(spec, event->exclude, err) ||
		    (!spec->shared && !open_way(spec, event->exclude | kernel, NULL)))
			return true;
	}
	return false;
}

/* A few words for a table; stat prints the whole reason. */
static const char *in_short(const struct wt_err *err)
{
	switch (err->code) {
	case WT_ERR_PERMISSION:
		return "no: not permitted";
	case WT_ERR_LIMIT:
		return "no: all counters are taken";
	case WT_ERR_USAGE:
		return "no: it needs a value";
	default:
		return "no: nothing here counts it";
	}
}

static const char *mark_of(const struct wt_offer_ask *ask, const char *name)
{
	struct wt_count_event *events = NULL;
	struct wt_err why = WT_ERR_INIT;
	size_t n = 0;
	bool usable;

	if (ask->model)
		return "-";
	usable = !wt_event_word_read(name, ask->cores, NULL, &events, &n, &why) && n &&
		 opens(&events[0], &why);
	wt_event_word_free(events, n);
	return usable ? "yes" : in_short(&why);
}

/* ---- events ---- */

static void put_event(struct offer *offer, const char *name, uint64_t index, const char *type,
		      const char *text)
{
	wt_table_cell(offer->table, "%s", name);
	wt_table_cell(offer->table, "0x%04llx", (unsigned long long)index);
	wt_table_cell(offer->table, "%s", type);
	if (offer->ask->more)
		wt_table_cell(offer->table, "%s", text && *text ? text : "---");
	if (offer->ask->mark)
		wt_table_cell(offer->table, "%s", tries(offer) ? mark_of(offer->ask, name) : "-");
}

/* wperf's classes for the PMUs that it knows. */
static void type_of(const struct wt_pmu_event *event, char *ret, size_t size)
{
	const char *name = event->pmu ? event->pmu : "core";

	if (!strcmp(name, "arm_dsu"))
		name = "dsu";
	else if (!strcmp(name, "arm_dmc620"))
		name = strstr(event->name, "clkdiv2") ? "dmc_clkdiv2" : "dmc_clk";
	snprintf(ret, size, "[%s PMU event%s]", name, event->own ? "*" : "");
}

static void put_model(struct offer *offer, const struct wt_pmu_model *model)
{
	for (size_t i = 0; i < model->n_events; i++) {
		char type[80];

		type_of(&model->events[i], type, sizeof(type));
		put_event(offer, model->events[i].name, model->events[i].config, type, model->events[i].text);
	}
}

static void on_spec(void *ctx, const char *group, const char *name, const char *help)
{
	struct offer *offer = ctx;
	struct wt_perf_spec spec = {.config = 0};
	char type[80];

	if (strstr(name, "TERM=VALUE") || wt_perf_spec_parse(name, offer->ask->cores->devices, &spec, NULL))
		return;
	if (!strcmp(group, "pmu"))
		snprintf(type, sizeof(type), "[%.*s PMU event]", (int)strcspn(name, "/"), name);
	else
		snprintf(type, sizeof(type), "[%s event]", group);
	put_event(offer, name, spec.config, type, help);
}

static const struct wt_pmu_model *model_at(const struct wt_offer_ask *ask, size_t i)
{
	if (ask->model)
		return i ? NULL : ask->model;
	return wt_pmu_model_here(ask->cores->models, i);
}

int wt_offer_events(const struct wt_offer_ask *ask, struct wt_table *ret, struct wt_err *err)
{
	struct offer offer = {ask, ret};
	const struct wt_pmu_model *model;

	wt_table_column(ret, "Alias Name", false);
	wt_table_column(ret, "Raw Index", false);
	wt_table_column(ret, "Event Type", false);
	if (ask->more)
		wt_table_column(ret, "Description", false);
	if (ask->mark)
		wt_table_column(ret, "Usable Here", false);
	for (size_t i = 0; (model = model_at(ask, i)); i++)
		put_model(&offer, model);
	if (!ask->model) {
		wt_perf_spec_each(on_spec, &offer);
		wt_perf_pmu_each(ask->cores->devices, on_spec, &offer);
	}
	return ret->cells.failed ? wt_fail_nomem(err) : 0;
}

/* ---- metrics ---- */

static void put_words(struct wt_table *table, struct wt_pmu_words words, bool braces)
{
	struct wt_buf text = {0};

	for (size_t i = 0; i < words.n; i++)
		wt_buf_printf(&text, "%s%s", i ? "," : "", words.word[i]);
	wt_table_cell(table, braces ? "{%s}" : "%s", wt_buf_cstr(&text));
	table->cells.failed |= text.failed;
	wt_buf_deinit(&text);
}

static void put_or_none(struct wt_table *table, const char *text)
{
	wt_table_cell(table, "%s", text && *text ? text : "---");
}

void wt_offer_metrics(const struct wt_offer_ask *ask, struct wt_table *ret)
{
	const struct wt_pmu_model *model;

	wt_table_column(ret, "Metric", false);
	wt_table_column(ret, "Events", false);
	for (size_t i = 0; ask->more && i < 3; i++)
		wt_table_column(ret, (const char *[]){"Formula", "Unit", "Description"}[i], false);
	for (size_t i = 0; (model = model_at(ask, i)); i++)
		for (size_t k = 0; k < model->n_metrics; k++) {
			const struct wt_pmu_metric *metric = &model->metrics[k];

			wt_table_cell(ret, "%s", metric->name);
			put_words(ret, metric->events, true);
			if (!ask->more)
				continue;
			put_or_none(ret, metric->formula);
			put_or_none(ret, metric->unit);
			put_or_none(ret, metric->text ? metric->text : metric->title);
		}
}

void wt_offer_groups(const struct wt_offer_ask *ask, struct wt_table *ret)
{
	const struct wt_pmu_model *model;

	wt_table_column(ret, "Group", false);
	wt_table_column(ret, "Metrics", false);
	if (ask->more)
		wt_table_column(ret, "Description", false);
	for (size_t i = 0; (model = model_at(ask, i)); i++)
		for (size_t k = 0; k < model->n_groups; k++) {
			wt_table_cell(ret, "%s", model->groups[k].name);
			put_words(ret, model->groups[k].metrics, false);
			if (ask->more)
				put_or_none(ret, NULL);
		}
}
