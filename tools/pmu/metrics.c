// SPDX-License-Identifier: MIT
#include "tools/pmu/metrics.h"

#include <string.h>

#include "tracecore/schema/decode.h"

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

static size_t put_metrics(const struct wt_pmu_ask *ask, const struct wt_pmu_model *model, bool more,
			  struct wt_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < model->n_metrics; i++) {
		const struct wt_pmu_metric *metric = &model->metrics[i];

		if (!wt_pmu_ask_wants(ask, metric->name))
			continue;
		if (!n++)
			wt_buf_printf(out, "%smetrics of %s (stat -m NAME)\n", out->len ? "\n" : "",
				      model->name);
		wt_buf_printf(out, "  %-34s  ", metric->name);
		put_words(metric->events, out);
		wt_buf_puts(out, "\n");
		if (more)
			put_more(metric, out);
	}
	return n;
}

static size_t put_groups(const struct wt_pmu_ask *ask, const struct wt_pmu_model *model, struct wt_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < model->n_groups; i++) {
		const struct wt_pmu_group *group = &model->groups[i];

		if (!wt_pmu_ask_wants(ask, group->name))
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

int wt_list_metrics(const struct wt_pmu_ask *ask, const char *sys, bool more, struct wt_buf *out,
		    struct wt_err *err)
{
	const struct wt_pmu_model *model;
	struct wt_pmu_models *models;
	size_t shown = 0;
	int rc = 0;

	if (wt_pmu_ask_open(ask, sys, &models, err))
		return -1;
	for (size_t i = 0; (model = wt_pmu_asked(ask, models, i)); i++) {
		shown += put_metrics(ask, model, more, out);
		shown += put_groups(ask, model, out);
	}
	if (!shown)
		rc = wt_pmu_ask_fail_none(ask, models, err);
	wt_pmu_models_close(models);
	return rc;
}

int wt_list_metrics_json(const struct wt_pmu_ask *ask, const char *sys, struct wt_buf *out,
			 struct wt_err *err)
{
	struct wt_pmu_models *models;

	if (wt_pmu_ask_open(ask, sys, &models, err))
		return -1;
	wt_pmu_models_json(ask, models, out);
	wt_pmu_models_close(models);
	return 0;
}
