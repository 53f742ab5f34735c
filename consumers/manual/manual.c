// SPDX-License-Identifier: MIT
#include "consumers/manual/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/counting/metric_sets.h"
#include "consumers/session/spec_word.h"
#include "tracecore/base/nearest.h"
#include "tracecore/schema/builtin.h"

enum { MOST_MODELS = 64 };

/* ---- tables of CPUs ---- */

static void put_here(struct wt_manual *manual, const char *word)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_here(manual->models, i)); i++)
		wt_pages_model(&manual->pages, model, model->name, word);
}

static bool knows(const struct wt_pmu_model *model, const char *word)
{
	return wt_pmu_event_named(model, word) || wt_pmu_metric_named(model, word) ||
	       wt_pmu_group_named(model, word);
}

/* This machine's CPUs have no such word, but other CPUs do. */
static void put_elsewhere(struct wt_manual *manual, const char *word)
{
	const struct wt_pmu_model *model, *first = NULL;
	struct wt_buf cpu = {0}, others = {0};

	for (size_t i = 0; (model = wt_pmu_model_at(manual->models, i)); i++) {
		if (!knows(model, word))
			continue;
		if (first)
			wt_buf_printf(&others, "%s %s", others.len ? "," : "; also in the tables of",
				      model->name);
		else
			first = model;
	}
	if (first) {
		wt_buf_printf(&cpu, "%s (this machine's CPUs have none%s)", first->name,
			      wt_buf_cstr(&others));
		wt_pages_model(&manual->pages, first, wt_buf_cstr(&cpu), word);
	}
	wt_buf_deinit(&others);
	wt_buf_deinit(&cpu);
}

/* A set of wperf's: the models of this machine have it, those of others do not (metric_sets.h). */
static void put_set(struct wt_manual *manual, const struct wt_pmu_model *model, const char *cpu,
		    const char *word)
{
	const char *events;
	size_t len = wt_metric_set_events(word, &events);

	if (len && wt_pmu_event_named(model, "inst_spec"))
		wt_pages_set(&manual->pages, cpu, word, events, len);
}

static void put_set_elsewhere(struct wt_manual *manual, const char *word)
{
	size_t before = manual->pages.n;
	const struct wt_pmu_model *model;
	struct wt_buf cpu = {0};

	for (size_t i = 0; manual->pages.n == before && (model = wt_pmu_model_at(manual->models, i)); i++) {
		wt_buf_clear(&cpu);
		wt_buf_printf(&cpu, "%s (this machine's CPUs have none)", model->name);
		put_set(manual, model, wt_buf_cstr(&cpu), word);
	}
	wt_buf_deinit(&cpu);
}

/* ---- providers ---- */

static bool is_provider(const struct wt_provider *provider, const char *word)
{
	const char *alias = wt_spec_alias(provider->name);

	return !strcasecmp(provider->name, word) || (alias && !strcasecmp(alias, word));
}

static void put_whole(struct wt_manual *manual, const struct wt_provider *provider, const char *word)
{
	if (is_provider(provider, word))
		wt_pages_provider(&manual->pages, provider, wt_spec_alias(provider->name));
	for (uint32_t i = 0; i < provider->n_events; i++) {
		const struct wt_event_desc *event = &provider->events[i];
		int field = wt_event_field(event, word);

		if (!strcasecmp(event->name, word))
			wt_pages_event(&manual->pages, provider, event);
		if (field >= 0)
			wt_pages_field(&manual->pages, provider->name, event, &event->fields[field]);
	}
}

/* owner: the provider, the event, or both with a '/'. */
static void put_part(struct wt_manual *manual, const struct wt_provider *provider, const char *owner,
		     const char *word)
{
	bool all = is_provider(provider, owner);
	const char *slash = strchr(owner, '/');

	for (uint32_t i = 0; i < provider->n_events; i++) {
		const struct wt_event_desc *event = &provider->events[i];
		int field = wt_event_field(event, word);

		if (all && !strcasecmp(event->name, word))
			wt_pages_event(&manual->pages, provider, event);
		if (field >= 0 && (all || !strcasecmp(event->name, slash ? slash + 1 : owner)))
			wt_pages_field(&manual->pages, provider->name, event, &event->fields[field]);
	}
}

static void put_provider(struct wt_manual *manual, const struct wt_provider *provider, const char *owner,
			 const char *word)
{
	if (owner)
		put_part(manual, provider, owner, word);
	else
		put_whole(manual, provider, word);
}

static int put_providers(struct wt_manual *manual, const char *owner, const char *word, struct wt_err *err)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);

	for (size_t i = 0; i < n; i++) {
		struct wt_provider *provider = NULL;

		if (wt_builtin_provider(names[i], &provider, err))
			return -1;
		put_provider(manual, provider, owner, word);
		wt_provider_destroy(provider);
	}
	for (size_t i = 0; i < manual->registry.n; i++)
		put_provider(manual, manual->registry.list[i].provider, owner, word);
	return 0;
}

/* ---- a word ---- */

static void add(struct wt_catalog *words, const char *name)
{
	wt_catalog_add(words, "word", name, "");
}

static void add_models(const struct wt_manual *manual, struct wt_catalog *words)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_at(manual->models, i)); i++) {
		for (size_t k = 0; k < model->n_metrics; k++)
			add(words, model->metrics[k].name);
		for (size_t k = 0; k < model->n_groups; k++)
			add(words, model->groups[k].name);
		for (size_t k = 0; k < model->n_events; k++)
			add(words, model->events[k].name);
	}
}

static const char *last_part(const struct wt_catalog_item *item)
{
	const char *colon = wt_catalog_is_tracepoint(item) ? strrchr(item->name, ':') : NULL;

	return colon ? colon + 1 : item->name;
}

static int fail_unknown(const struct wt_manual *manual, const char *word, struct wt_err *err)
{
	struct wt_catalog words = {0};
	const char *const *names, **all, *near = NULL;
	size_t n = wt_builtin_names(&names), count = 0;

	add_models(manual, &words);
	all = calloc(n + manual->catalog.n + words.n, sizeof(*all));
	for (size_t i = 0; all && i < n; i++)
		all[count++] = names[i];
	for (size_t i = 0; all && i < manual->catalog.n; i++)
		all[count++] = last_part(&manual->catalog.items[i]);
	for (size_t i = 0; all && i < words.n; i++)
		all[count++] = words.items[i].name;
	if (all)
		near = wt_nearest(word, all, count);
	if (near)
		wt_fail(err, WT_ERR_NOTFOUND, "'%.80s' not found; did you mean '%s'?", word, near);
	else
		wt_fail(err, WT_ERR_NOTFOUND,
			"'%.80s' not found: no event, metric, group of metrics, provider or field has that "
			"name; 'wtrace list' and 'wtrace list providers' show the names; a command is "
			"explained by "
			"'wtrace help COMMAND'",
			word);
	free(all);
	wt_catalog_deinit(&words);
	return -1;
}

/* "OWNER/WORD": a CPU's table, or an event or a provider with a field. */
static int put_owned(struct wt_manual *manual, const char *typed, const char *owner, const char *word,
		     struct wt_err *err)
{
	const struct wt_pmu_model *model = wt_pmu_model_named(manual->models, owner), *each;
	const char *names[MOST_MODELS];
	size_t before = manual->pages.n, n = 0;

	if (model && !wt_pages_model(&manual->pages, model, model->name, word))
		put_set(manual, model, model->name, word);
	if (model && manual->pages.n == before)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "'%.80s' not found for the CPU %s; names of that CPU: wtrace list --cpu-model "
			       "%s",
			       word, model->name, model->name);
	if (model)
		return 0;
	if (put_providers(manual, owner, word, err) ||
	    wt_pages_kernel(&manual->pages, &manual->catalog, owner, word, err))
		return -1;
	if (manual->pages.n > before)
		return 0;
	while (n < MOST_MODELS && (each = wt_pmu_model_at(manual->models, n)))
		names[n++] = each->name;
	if (wt_nearest(owner, names, n)) {
		wt_fail_unknown(err, "CPU model", owner, names, n);
		err->code = WT_ERR_NOTFOUND;
		return -1;
	}
	return fail_unknown(manual, typed, err);
}

int wt_manual_word(struct wt_manual *manual, const char *word, struct wt_err *err)
{
	const char *slash = strrchr(word, '/');
	size_t before = manual->pages.n;
	char owner[256];

	put_here(manual, word);
	if (put_providers(manual, NULL, word, err) ||
	    wt_pages_kernel(&manual->pages, &manual->catalog, word, NULL, err))
		return -1;
	if (manual->pages.n == before)
		put_elsewhere(manual, word);
	if (manual->pages.n == before)
		put_set_elsewhere(manual, word);
	if (manual->pages.n > before)
		return 0;
	if (!slash || !slash[1] || (size_t)(slash - word) >= sizeof(owner))
		return fail_unknown(manual, word, err);
	snprintf(owner, sizeof(owner), "%.*s", (int)(slash - word), word);
	return put_owned(manual, word, owner, slash + 1, err);
}

int wt_manual_open(struct wt_manual *ret, const char *telemetry, struct wt_err *err)
{
	*ret = (struct wt_manual){0};
	return wt_pmu_models_open(telemetry, NULL, &ret->models, err) ||
			       wt_metric_sets_add(ret->models, err) ||
			       wt_registry_read(&ret->registry, err) || wt_catalog_read(&ret->catalog, err)
		       ? -1
		       : 0;
}

void wt_manual_close(struct wt_manual *manual)
{
	wt_table_deinit(&manual->pages.rows);
	wt_catalog_deinit(&manual->catalog);
	wt_registry_deinit(&manual->registry);
	wt_pmu_models_close(manual->models);
}
