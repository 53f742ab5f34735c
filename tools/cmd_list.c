// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/form.h"
#include "tools/inventory.h"
#include "tools/list/describe.h"
#include "tools/list/sessions.h"
#include "tools/pmu/metrics.h"
#include "consumers/session/registry.h"
#include "consumers/session/spec_word.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"
#include "tracecore/schema/builtin.h"

struct list {
	struct wt_form form; /* must be first, for its options */
	const char *section; /* NULL until given */
	const char *word;    /* NULL: everything */
	const char *cpu_model, *telemetry;
	bool fields;
	struct wt_buf out;
	struct wt_json json; /* into out */
};

const struct wt_option cmd_list_options[] = {
	{"long", 'l', NULL, "events: with the fields of each tracepoint", WT_FLAG(struct list, fields)},
	{"cpu-model", 0, "NAME", "metrics, events: of this model, not of this machine's CPUs",
	 WT_TEXT(struct list, cpu_model),
	 .values = "neoverse-n1 neoverse-n2-r0p0 neoverse-n2-r0p3 neoverse-n3 neoverse-v1 neoverse-v2 "
		   "neoverse-v3 "
		   "armv8-a armv9-a icelake-sp sapphire-rapids arm-dsu arm-dmc620"},
	{"telemetry", 0, "FILE", "metrics, events: those of a vendor's telemetry file, with its descriptions",
	 WT_TEXT(struct list, telemetry), .values = "@files"},
	{.rows = wt_form_options},
	WT_OPTIONS_END,
};

/* "loader", "LOADER" and "load" all find the loader. */
static bool wanted(const struct list *list, const char *name)
{
	return !list->word || strcasestr(name, list->word) || wt_spec_is_alias(name, list->word);
}

static void begin_item(struct list *list, size_t shown)
{
	if (wt_form_is_json(&list->form))
		wt_json_next_line(&list->json);
	else if (shown)
		wt_buf_puts(&list->out, "\n");
}

static int put_provider(struct list *list, const char *name, size_t shown, struct wt_err *err)
{
	struct wt_provider *provider = NULL;
	int rc = 0;

	if (wt_builtin_provider(name, &provider, err))
		return -1;
	begin_item(list, shown);
	if (wt_form_is_json(&list->form))
		rc = wt_describe_provider_json(provider, wt_spec_alias(name), NULL, &list->json, err);
	else
		wt_describe_provider(provider, wt_spec_alias(name), &list->out);
	wt_provider_destroy(provider);
	return rc;
}

/* Puts the providers that programs have registered. */
static int put_registered(struct list *list, const struct wt_registered *one, size_t shown,
			  struct wt_err *err)
{
	begin_item(list, shown);
	if (wt_form_is_json(&list->form))
		return wt_describe_provider_json(one->provider, NULL, one, &list->json, err);
	wt_describe_registered(one, &list->out);
	return 0;
}

static int list_registered(struct list *list, size_t *shown, struct wt_err *err)
{
	struct wt_registry registry;
	int rc = wt_registry_read(&registry, err);

	for (size_t i = 0; !rc && i < registry.n; i++)
		if (wanted(list, registry.list[i].provider->name))
			rc = put_registered(list, &registry.list[i], (*shown)++, err);
	if (!rc && registry.damaged)
		wt_note("%llu files that programs registered with cannot be read and are left out",
			(unsigned long long)registry.damaged);
	wt_registry_deinit(&registry);
	return rc;
}

static int list_providers(struct list *list, struct wt_err *err)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names), shown = 0;

	if (wt_form_is_json(&list->form)) {
		wt_json_object(&list->json, NULL);
		wt_json_array(&list->json, "providers");
	}
	for (size_t i = 0; i < n; i++) {
		if (wanted(list, names[i]) && put_provider(list, names[i], shown++, err))
			return -1;
	}
	if (list_registered(list, &shown, err))
		return -1;
	if (!shown) {
		wt_fail_unknown(err, "provider", list->word, names, n);
		err->code = WT_ERR_NOTFOUND;
		return -1;
	}
	if (wt_form_is_json(&list->form)) {
		wt_json_end_lines(&list->json);
		wt_json_end_document(&list->json);
	} else if (!list->word) {
		wt_buf_puts(&list->out, "\nlinux:SUBSYSTEM:EVENT\n"
					"    any kernel tracepoint: wtrace list events [WORD] [--long]\n");
	}
	return 0;
}

static struct wt_pmu_ask asked(const struct list *list)
{
	return (struct wt_pmu_ask){
		.cpu_model = list->cpu_model, .telemetry = list->telemetry, .word = list->word};
}

static int list_metrics(struct list *list, struct wt_err *err)
{
	struct wt_pmu_ask ask = asked(list);

	return wt_form_is_json(&list->form) ? wt_list_metrics_json(&ask, "", &list->out, err)
					    : wt_list_metrics(&ask, "", wt_diag_verbose(), &list->out, err);
}

/* Adds "0x11 neoverse-n1" or "0x0 config2=0x290 arm_dmc620 arm-dmc620", with the vendor's text from
 * --telemetry. */
static void add_model_event(struct wt_catalog *catalog, const struct wt_pmu_model *model,
			    const struct wt_pmu_event *event)
{
	struct wt_buf help = {0};

	wt_buf_printf(&help, "0x%llx ", (unsigned long long)event->config);
	if (event->config2)
		wt_buf_printf(&help, "config2=0x%llx ", (unsigned long long)event->config2);
	wt_buf_printf(&help, "%s%s%s", event->pmu ? event->pmu : "", event->pmu ? " " : "", model->name);
	if (event->text)
		wt_buf_printf(&help, ": %s", event->text);
	wt_catalog_add(catalog, "model", event->name, wt_buf_cstr(&help));
	wt_buf_deinit(&help);
}

static int add_model_events(const struct list *list, struct wt_catalog *catalog, struct wt_err *err)
{
	struct wt_pmu_ask ask = asked(list);
	const struct wt_pmu_model *model;
	struct wt_pmu_models *models;

	if (wt_pmu_ask_open(&ask, "", &models, err))
		return -1;
	for (size_t i = 0; (model = wt_pmu_asked(&ask, models, i)); i++)
		for (size_t k = 0; k < model->n_events; k++)
			add_model_event(catalog, model, &model->events[k]);
	wt_pmu_models_close(models);
	wt_catalog_sort(catalog);
	return catalog->failed ? wt_fail_nomem(err) : 0;
}

/* Behind another tool's -l stands a log. */
static int check_no_file(const struct list *list, struct wt_err *err)
{
	if (!list->word || !strchr(list->word, '.') || access(list->word, F_OK))
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is a file, and list shows what can be recorded; a log is read by: wtrace view "
		       "'%s', or wtrace dump '%s'",
		       list->word, list->word, list->word);
}

static int list_events(struct list *list, struct wt_err *err)
{
	struct wt_catalog catalog = {0};
	int rc = check_no_file(list, err);

	if (!rc && !list->cpu_model && !list->telemetry)
		rc = wt_catalog_read(&catalog, err);
	if (!rc)
		rc = add_model_events(list, &catalog, err);
	if (!rc && list->word)
		rc = wt_catalog_keep(&catalog, list->word, err);
	if (!rc && (list->fields || list->word))
		rc = wt_catalog_describe(&catalog, err);
	if (!rc)
		(wt_form_is_json(&list->form) ? wt_catalog_json : wt_describe_catalog)(&catalog, &list->out);
	wt_catalog_deinit(&catalog);
	return rc;
}

static int list_sessions(struct list *list, struct wt_err *err)
{
	return (wt_form_is_json(&list->form) ? wt_list_sessions_json : wt_list_sessions)(list->word,
											 &list->out, err);
}

/* wperf's list. */
static int list_all(struct list *list, struct wt_err *err)
{
	return wt_show_inventory(list->cpu_model, list->telemetry, wt_form_is_json(&list->form),
				 wt_diag_verbose(), &list->out, err);
}

static const struct section {
	const char *name;
	int (*show)(struct list *list, struct wt_err *err);
} sections[] = {
	{"providers", list_providers},
	{"events", list_events},
	{"metrics", list_metrics},
	{"sessions", list_sessions},
};
enum { N_SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static const struct section *find_section(const char *word, struct wt_err *err)
{
	static const struct section all = {"", list_all};
	const char *names[N_SECTIONS], *near;

	if (!word)
		return &all;
	for (size_t i = 0; i < N_SECTIONS; i++) {
		names[i] = sections[i].name;
		if (!strcmp(word, names[i]))
			return &sections[i];
	}
	near = wt_nearest(word, names, N_SECTIONS);
	if (near)
		wt_fail(err, WT_ERR_USAGE,
			"unknown section '%.80s'; did you mean '%s'? A session of that name: wtrace status "
			"'%.80s'",
			word, near, word);
	else
		wt_fail(err, WT_ERR_USAGE,
			"unknown section '%.80s'; events with that in their name: wtrace list events "
			"'%.80s'; "
			"providers: wtrace list providers '%.80s'; a session: wtrace status '%.80s'",
			word, word, word, word);
	return NULL;
}

static int on_word(void *ctx, const char *word, struct wt_err *err)
{
	struct list *list = ctx;

	/* SUBSYSTEM:EVENT and a pattern can only be names of events, as in perf list 'sched:*'. */
	if (!list->section && strpbrk(word, ":*")) {
		list->section = "events";
		list->word = word;
	} else if (!list->section)
		list->section = word;
	else if (!list->word)
		list->word = word;
	else
		return wt_fail(err, WT_ERR_USAGE, "one WORD is enough, '%s' is too many", word);
	return 0;
}

int cmd_list(int argc, char **argv, struct wt_err *err)
{
	struct list list = {0};
	const struct section *section;
	int rc;

	if (wt_options_words(argc, argv, cmd_list_options, on_word, &list, err) < 0)
		return -1;
	section = find_section(list.section, err);
	if (!section)
		return -1;
	list.json = wt_json(&list.out);
	rc = section->show(&list, err);
	if (!rc)
		return wt_form_put(&list.form, &list.out, err);
	wt_buf_deinit(&list.out);
	return rc;
}
