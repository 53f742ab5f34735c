// SPDX-License-Identifier: MIT
#include "tools/pmu/asked.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/json.h"
#include "tracecore/base/nearest.h"
#include "tracecore/schema/decode.h"

enum { TABLES_MAX = 64 };

/* Names of all tables. */
static size_t tables(const struct wt_pmu_models *models, const char *names[TABLES_MAX])
{
	const struct wt_pmu_model *model;
	size_t n = 0;

	while (n < TABLES_MAX && (model = wt_pmu_model_at(models, n)))
		names[n++] = model->name;
	return n;
}

int wt_pmu_ask_open(const struct wt_pmu_ask *ask, const char *sys, struct wt_pmu_models **ret,
		    struct wt_err *err)
{
	const char *names[TABLES_MAX];

	if (wt_pmu_models_open(ask->telemetry, sys, ret, err))
		return -1;
	if (!ask->cpu_model || wt_pmu_model_named(*ret, ask->cpu_model))
		return 0;
	wt_fail_unknown(err, "CPU model", ask->cpu_model, names, tables(*ret, names));
	wt_pmu_models_close(*ret);
	*ret = NULL;
	return -1;
}

const struct wt_pmu_model *wt_pmu_asked(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models,
					size_t i)
{
	bool used;

	if (!ask->cpu_model && !ask->telemetry)
		return wt_pmu_model_here(models, i);
	if (!ask->cpu_model)
		return i ? NULL : wt_pmu_model_telemetry(models, &used);
	return i ? NULL : wt_pmu_model_named(models, ask->cpu_model);
}

static bool wanted(const struct wt_pmu_ask *ask, const char *name)
{
	return !ask->word || strcasestr(name, ask->word);
}

static void put_words(struct wt_pmu_words words, struct wt_buf *out)
{
	for (size_t i = 0; i < words.n; i++) {
		wt_buf_puts(out, i ? "," : "");
		wt_text_escape(out, words.word[i], strlen(words.word[i]));
	}
}

/* A vendor's text may have several lines. */
static void put_text(const char *text, struct wt_buf *out)
{
	wt_buf_puts(out, "      ");
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		wt_text_escape(out, text, n);
		wt_buf_puts(out, text[n] ? " " : "");
	}
	wt_buf_puts(out, "\n");
}

static void put_more(const struct wt_pmu_metric *metric, struct wt_buf *out)
{
	if (metric->formula)
		put_text(metric->formula, out);
	if (*metric->unit) {
		wt_buf_puts(out, "      unit: ");
		wt_text_escape(out, metric->unit, strlen(metric->unit));
		wt_buf_puts(out, "\n");
	}
	if (metric->sample_events.n) {
		wt_buf_puts(out, "      sample: ");
		put_words(metric->sample_events, out);
		wt_buf_puts(out, "\n");
	}
	if (metric->text)
		put_text(metric->text, out);
}

static size_t put_metrics(const struct wt_pmu_ask *ask, const struct wt_pmu_model *model, struct wt_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < model->n_metrics; i++) {
		const struct wt_pmu_metric *metric = &model->metrics[i];

		if (!wanted(ask, metric->name))
			continue;
		if (!n++)
			wt_buf_printf(out, "%smetrics of %s (stat -m NAME)\n", out->len ? "\n" : "",
				      model->name);
		wt_buf_printf(out, "  %-34s  ", metric->name);
		put_words(metric->events, out);
		wt_buf_puts(out, "\n");
		if (ask->more)
			put_more(metric, out);
	}
	return n;
}

static size_t put_groups(const struct wt_pmu_ask *ask, const struct wt_pmu_model *model, struct wt_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < model->n_groups; i++) {
		const struct wt_pmu_group *group = &model->groups[i];

		if (!wanted(ask, group->name))
			continue;
		if (!n++)
			wt_buf_printf(out, "%sgroups of metrics of %s (stat -m NAME)\n", out->len ? "\n" : "",
				      model->name);
		wt_buf_printf(out, "  %-34s  ", group->name);
		put_words(group->metrics, out);
		wt_buf_puts(out, "\n");
	}
	return n;
}

/* Fails with the nearest metric or group of the models, or because there is no table. */
static int fail_none(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models, struct wt_err *err)
{
	const struct wt_pmu_model *model;
	const char *near = NULL;

	for (size_t i = 0; ask->word && !near && (model = wt_pmu_asked(ask, models, i)); i++) {
		const char **names = calloc(model->n_metrics + model->n_groups + 1, sizeof(*names));
		size_t n = 0;

		if (!names)
			return wt_fail_nomem(err);
		for (size_t k = 0; k < model->n_metrics; k++)
			names[n++] = model->metrics[k].name;
		for (size_t k = 0; k < model->n_groups; k++)
			names[n++] = model->groups[k].name;
		near = wt_nearest(ask->word, names, n);
		free(names);
	}
	if (near)
		return wt_fail(err, WT_ERR_NOTFOUND, "no metric has '%s' in its name; did you mean '%s'?",
			       ask->word, near);
	for (size_t i = 0; ask->word && (model = wt_pmu_asked(ask, models, i)); i++)
		if (model->n_metrics)
			return wt_fail(err, WT_ERR_NOTFOUND,
				       "no metric has '%s' in its name; 'wtrace list metrics' shows all",
				       ask->word);
	model = wt_pmu_asked(ask, models, 0);
	return wt_fail(
		err, WT_ERR_NOTFOUND,
		"the table of %s has no metrics; --cpu-model NAME shows those of another CPU (wtrace list "
		"metrics --cpu-model neoverse-n2-r0p3), --telemetry FILE takes a vendor's file",
		ask->cpu_model || ask->telemetry ? model->name : "this machine's CPUs");
}

int wt_list_metrics(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out, struct wt_err *err)
{
	const struct wt_pmu_model *model;
	struct wt_pmu_models *models;
	size_t shown = 0;
	int rc = 0;

	if (wt_pmu_ask_open(ask, sys, &models, err))
		return -1;
	for (size_t i = 0; (model = wt_pmu_asked(ask, models, i)); i++) {
		shown += put_metrics(ask, model, out);
		shown += put_groups(ask, model, out);
	}
	if (!shown)
		rc = fail_none(ask, models, err);
	wt_pmu_models_close(models);
	return rc;
}

static void put_words_json(struct wt_json *json, const char *key, struct wt_pmu_words words)
{
	wt_json_array(json, key);
	for (size_t i = 0; i < words.n; i++)
		wt_json_text(json, NULL, words.word[i]);
	wt_json_end_array(json);
}

static void put_metric_json(const struct wt_pmu_metric *metric, struct wt_json *json)
{
	wt_json_next_line(json);
	wt_json_object(json, NULL);
	wt_json_text(json, "name", metric->name);
	wt_json_text(json, "formula", metric->formula);
	wt_json_text(json, "unit", metric->unit);
	if (metric->title)
		wt_json_text(json, "title", metric->title);
	if (metric->text)
		wt_json_text(json, "description", metric->text);
	put_words_json(json, "events", metric->events);
	put_words_json(json, "sample_events", metric->sample_events);
	wt_json_end_object(json);
}

static void put_model_json(const struct wt_pmu_ask *ask, const struct wt_pmu_model *model,
			   struct wt_json *json)
{
	wt_json_next_line(json);
	wt_json_object(json, NULL);
	wt_json_text(json, "name", model->name);
	wt_json_text(json, "vendor", model->vendor);
	wt_json_text(json, "product", model->product);
	wt_json_text(json, "source", model->source);
	wt_json_array(json, "metrics");
	for (size_t i = 0; i < model->n_metrics; i++)
		if (wanted(ask, model->metrics[i].name))
			put_metric_json(&model->metrics[i], json);
	wt_json_end_lines(json);
	wt_json_array(json, "groups");
	for (size_t i = 0; i < model->n_groups; i++) {
		if (!wanted(ask, model->groups[i].name))
			continue;
		wt_json_next_line(json);
		wt_json_object(json, NULL);
		wt_json_text(json, "name", model->groups[i].name);
		put_words_json(json, "metrics", model->groups[i].metrics);
		wt_json_end_object(json);
	}
	wt_json_end_lines(json);
	wt_json_end_object(json);
}

int wt_list_metrics_json(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out,
			 struct wt_err *err)
{
	const struct wt_pmu_model *model;
	struct wt_json json = wt_json(out);
	struct wt_pmu_models *models;

	if (wt_pmu_ask_open(ask, sys, &models, err))
		return -1;
	wt_json_object(&json, NULL);
	wt_json_array(&json, "models");
	for (size_t i = 0; (model = wt_pmu_asked(ask, models, i)); i++)
		put_model_json(ask, model, &json);
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
	wt_pmu_models_close(models);
	return 0;
}
