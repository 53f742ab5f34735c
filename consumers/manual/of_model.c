// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <strings.h>

#include "consumers/manual/pages.h"

#define SET "set of events, without a value"

static void put_words(struct wt_pages *pages, const char *type, struct wt_pmu_words words)
{
	struct wt_buf text = {0};

	for (size_t i = 0; i < words.n; i++)
		wt_buf_printf(&text, "%s%s", i ? ", " : "", words.word[i]);
	wt_pages_row(pages, type, wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

static bool has(struct wt_pmu_words words, const char *name)
{
	for (size_t i = 0; i < words.n; i++)
		if (!strcasecmp(words.word[i], name))
			return true;
	return false;
}

static void head(struct wt_pages *pages, const char *cpu, const char *name, const char *type)
{
	wt_pages_begin(pages);
	wt_pages_row(pages, "CPU", cpu);
	wt_pages_row(pages, "NAME", name);
	wt_pages_row(pages, "TYPE", type);
}

static void put_event(struct wt_pages *pages, const struct wt_pmu_model *model, const char *cpu,
		      const struct wt_pmu_event *event)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "event of %s, 0x%04llx", event->pmu ? event->pmu : "the core's PMU",
		      (unsigned long long)event->config);
	head(pages, cpu, event->name, wt_buf_cstr(&text));
	wt_pages_row(pages, "DESCRIPTION", event->text);
	wt_buf_clear(&text);
	for (size_t i = 0; i < model->n_metrics; i++)
		if (has(model->metrics[i].events, event->name))
			wt_buf_printf(&text, "%s%s", text.len ? ", " : "", model->metrics[i].name);
	wt_pages_row(pages, "METRICS", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

static void put_metric(struct wt_pages *pages, const struct wt_pmu_model *model, const char *cpu,
		       const struct wt_pmu_metric *metric)
{
	struct wt_buf groups = {0};

	head(pages, cpu, metric->name, metric->formula ? "metric" : SET);
	put_words(pages, "EVENTS", metric->events);
	wt_pages_row(pages, "DESCRIPTION", metric->text ? metric->text : metric->title);
	wt_pages_row(pages, "FORMULA", metric->formula);
	wt_pages_row(pages, "UNIT", metric->unit);
	put_words(pages, "SAMPLE EVENTS", metric->sample_events);
	for (size_t i = 0; i < model->n_groups; i++)
		if (has(model->groups[i].metrics, metric->name))
			wt_buf_printf(&groups, "%s%s", groups.len ? ", " : "", model->groups[i].name);
	wt_pages_row(pages, "GROUPS", wt_buf_cstr(&groups));
	wt_buf_deinit(&groups);
}

void wt_pages_set(struct wt_pages *pages, const char *cpu, const char *name, const char *events, size_t len)
{
	struct wt_buf text = {0}, own = {0};

	for (size_t i = 0; i < len; i++)
		wt_buf_printf(&text, events[i] == ',' ? "%c " : "%c", events[i]);
	for (; *name; name++)
		wt_buf_put_u8(&own, (uint8_t)tolower((unsigned char)*name));
	head(pages, cpu, wt_buf_cstr(&own), SET);
	wt_pages_row(pages, "EVENTS", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
	wt_buf_deinit(&own);
}

size_t wt_pages_model(struct wt_pages *pages, const struct wt_pmu_model *model, const char *cpu,
		      const char *name)
{
	const struct wt_pmu_event *event = wt_pmu_event_named(model, name);
	const struct wt_pmu_metric *metric = wt_pmu_metric_named(model, name);
	const struct wt_pmu_group *group = wt_pmu_group_named(model, name);
	size_t before = pages->n;

	if (event)
		put_event(pages, model, cpu, event);
	if (metric)
		put_metric(pages, model, cpu, metric);
	if (group) {
		head(pages, cpu, group->name, "group of metrics");
		put_words(pages, "METRICS", group->metrics);
	}
	return pages->n - before;
}
