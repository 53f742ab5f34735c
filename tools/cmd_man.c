// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/alias.h"
#include "tools/cmd.h"
#include "tools/form.h"
#include "tools/list/manual.h"
#include "consumers/counting/metric_sets.h"
#include "consumers/session/registry.h"
#include "tracecore/base/nearest.h"
#include "tracecore/schema/builtin.h"

enum { MOST_WORDS = 64 };

struct man {
	struct wt_form form; /* first, for its options */
	const char *telemetry;
	char *words[MOST_WORDS]; /* owned */
	size_t n;
	struct wt_pmu_models *models;
	struct wt_registry registry;
	struct wt_catalog catalog;
	struct wt_manual manual;
};

const struct wt_option cmd_man_options[] = {
	{"telemetry", 0, "FILE", "a vendor's JSON file of events and metrics, with its descriptions",
	 WT_TEXT(struct man, telemetry), .values = "@files"},
	{.rows = wt_form_options},
	WT_OPTIONS_END,
};

/* ---- tables of CPUs ---- */

static void put_here(struct man *man, const char *word)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_here(man->models, i)); i++)
		wt_manual_model(&man->manual, model, model->name, word);
}

static bool knows(const struct wt_pmu_model *model, const char *word)
{
	return wt_pmu_event_named(model, word) || wt_pmu_metric_named(model, word) ||
	       wt_pmu_group_named(model, word);
}

/* This machine's CPUs have no such word, but other CPUs do. */
static void put_elsewhere(struct man *man, const char *word)
{
	const struct wt_pmu_model *model, *first = NULL;
	struct wt_buf cpu = {0}, others = {0};

	for (size_t i = 0; (model = wt_pmu_model_at(man->models, i)); i++) {
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
		wt_manual_model(&man->manual, first, wt_buf_cstr(&cpu), word);
	}
	wt_buf_deinit(&others);
	wt_buf_deinit(&cpu);
}

/* A set of wperf's: the models of this machine have it, those of others do not (metric_sets.h). */
static void put_set(struct man *man, const struct wt_pmu_model *model, const char *cpu, const char *word)
{
	const char *events;
	size_t len = wt_metric_set_events(word, &events);

	if (len && wt_pmu_event_named(model, "inst_spec"))
		wt_manual_set(&man->manual, cpu, word, events, len);
}

static void put_set_elsewhere(struct man *man, const char *word)
{
	size_t before = man->manual.pages;
	const struct wt_pmu_model *model;
	struct wt_buf cpu = {0};

	for (size_t i = 0; man->manual.pages == before && (model = wt_pmu_model_at(man->models, i)); i++) {
		wt_buf_clear(&cpu);
		wt_buf_printf(&cpu, "%s (this machine's CPUs have none)", model->name);
		put_set(man, model, wt_buf_cstr(&cpu), word);
	}
	wt_buf_deinit(&cpu);
}

/* ---- providers ---- */

static bool is_provider(const struct wt_provider *provider, const char *word)
{
	const char *alias = wt_alias_of(provider->name);

	return !strcasecmp(provider->name, word) || (alias && !strcasecmp(alias, word));
}

static void put_whole(struct man *man, const struct wt_provider *provider, const char *word)
{
	if (is_provider(provider, word))
		wt_manual_provider(&man->manual, provider, wt_alias_of(provider->name));
	for (uint32_t i = 0; i < provider->n_events; i++) {
		const struct wt_event_desc *event = &provider->events[i];
		int field = wt_event_field(event, word);

		if (!strcasecmp(event->name, word))
			wt_manual_event(&man->manual, provider, event);
		if (field >= 0)
			wt_manual_field(&man->manual, provider->name, event, &event->fields[field]);
	}
}

/* owner: the provider, the event, or both with a '/'. */
static void put_part(struct man *man, const struct wt_provider *provider, const char *owner, const char *word)
{
	bool all = is_provider(provider, owner);
	const char *slash = strchr(owner, '/');

	for (uint32_t i = 0; i < provider->n_events; i++) {
		const struct wt_event_desc *event = &provider->events[i];
		int field = wt_event_field(event, word);

		if (all && !strcasecmp(event->name, word))
			wt_manual_event(&man->manual, provider, event);
		if (field >= 0 && (all || !strcasecmp(event->name, slash ? slash + 1 : owner)))
			wt_manual_field(&man->manual, provider->name, event, &event->fields[field]);
	}
}

static void put_provider(struct man *man, const struct wt_provider *provider, const char *owner,
			 const char *word)
{
	if (owner)
		put_part(man, provider, owner, word);
	else
		put_whole(man, provider, word);
}

static int put_providers(struct man *man, const char *owner, const char *word, struct wt_err *err)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);

	for (size_t i = 0; i < n; i++) {
		struct wt_provider *provider = NULL;

		if (wt_builtin_provider(names[i], &provider, err))
			return -1;
		put_provider(man, provider, owner, word);
		wt_provider_destroy(provider);
	}
	for (size_t i = 0; i < man->registry.n; i++)
		put_provider(man, man->registry.list[i].provider, owner, word);
	return 0;
}

/* ---- a word ---- */

static void add(struct wt_catalog *words, const char *name)
{
	wt_catalog_add(words, "word", name, "");
}

static void add_models(const struct man *man, struct wt_catalog *words)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_at(man->models, i)); i++) {
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

static int fail_unknown(const struct man *man, const char *word, struct wt_err *err)
{
	struct wt_catalog words = {0};
	const char *const *names, **all, *near = NULL;
	size_t n = wt_builtin_names(&names), count = 0;

	add_models(man, &words);
	all = calloc(n + man->catalog.n + words.n, sizeof(*all));
	for (size_t i = 0; all && i < n; i++)
		all[count++] = names[i];
	for (size_t i = 0; all && i < man->catalog.n; i++)
		all[count++] = last_part(&man->catalog.items[i]);
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
static int put_owned(struct man *man, const char *typed, const char *owner, const char *word,
		     struct wt_err *err)
{
	const struct wt_pmu_model *model = wt_pmu_model_named(man->models, owner), *each;
	const char *names[MOST_WORDS];
	size_t before = man->manual.pages, n = 0;

	if (model && !wt_manual_model(&man->manual, model, model->name, word))
		put_set(man, model, model->name, word);
	if (model && man->manual.pages == before)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "'%.80s' not found for the CPU %s; names of that CPU: wtrace list --cpu-model "
			       "%s",
			       word, model->name, model->name);
	if (model)
		return 0;
	if (put_providers(man, owner, word, err) ||
	    wt_manual_kernel(&man->manual, &man->catalog, owner, word, err))
		return -1;
	if (man->manual.pages > before)
		return 0;
	while (n < MOST_WORDS && (each = wt_pmu_model_at(man->models, n)))
		names[n++] = each->name;
	if (wt_nearest(owner, names, n)) {
		wt_fail_unknown(err, "CPU model", owner, names, n);
		err->code = WT_ERR_NOTFOUND;
		return -1;
	}
	return fail_unknown(man, typed, err);
}

static int put_word(struct man *man, const char *word, struct wt_err *err)
{
	const char *slash = strrchr(word, '/');
	size_t before = man->manual.pages;
	char owner[256];

	put_here(man, word);
	if (put_providers(man, NULL, word, err) ||
	    wt_manual_kernel(&man->manual, &man->catalog, word, NULL, err))
		return -1;
	if (man->manual.pages == before)
		put_elsewhere(man, word);
	if (man->manual.pages == before)
		put_set_elsewhere(man, word);
	if (man->manual.pages > before)
		return 0;
	if (!slash || !slash[1] || (size_t)(slash - word) >= sizeof(owner))
		return fail_unknown(man, word, err);
	snprintf(owner, sizeof(owner), "%.*s", (int)(slash - word), word);
	return put_owned(man, word, owner, slash + 1, err);
}

/* ---- the command ---- */

static int each_word(void *ctx, char *word, struct wt_err *err)
{
	struct man *man = ctx;

	if (man->n == MOST_WORDS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d words", MOST_WORDS);
	man->words[man->n] = strdup(word);
	return man->words[man->n++] ? 0 : wt_fail_nomem(err);
}

static int on_word(void *ctx, const char *word, struct wt_err *err)
{
	return wt_options_each(word, "WORD", each_word, ctx, err);
}

static int run(struct man *man, int argc, char **argv, struct wt_err *err)
{
	struct wt_buf out = {0};

	if (wt_options_words(argc, argv, cmd_man_options, on_word, man, err) < 0)
		return -1;
	if (!man->n)
		return wt_fail(err, WT_ERR_USAGE,
			       "the name of an event, a metric, a provider or a field is missing; 'wtrace "
			       "list' shows names");
	if (wt_pmu_models_open(man->telemetry, NULL, &man->models, err) ||
	    wt_metric_sets_add(man->models, err) || wt_registry_read(&man->registry, err) ||
	    wt_catalog_read(&man->catalog, err))
		return -1;
	for (size_t i = 0; i < man->n; i++)
		if (put_word(man, man->words[i], err))
			return -1;
	(wt_form_is_json(&man->form) ? wt_manual_json : wt_manual_print)(&man->manual, &out);
	return wt_form_put(&man->form, &out, err);
}

int cmd_man(int argc, char **argv, struct wt_err *err)
{
	struct man man = {.n = 0};
	int rc = run(&man, argc, argv, err);

	for (size_t i = 0; i < man.n; i++)
		free(man.words[i]);
	wt_table_deinit(&man.manual.rows);
	wt_catalog_deinit(&man.catalog);
	wt_registry_deinit(&man.registry);
	wt_pmu_models_close(man.models);
	return rc;
}
