// SPDX-License-Identifier: MIT
#include "consumers/pmu/json.h"

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
		if (wt_pmu_ask_wants(ask, model->metrics[i].name))
			put_metric_json(&model->metrics[i], json);
	wt_json_end_lines(json);
	wt_json_array(json, "groups");
	for (size_t i = 0; i < model->n_groups; i++) {
		if (!wt_pmu_ask_wants(ask, model->groups[i].name))
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

void wt_pmu_models_json(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models, struct wt_buf *out)
{
	const struct wt_pmu_model *model;
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_array(&json, "models");
	for (size_t i = 0; (model = wt_pmu_asked(ask, models, i)); i++)
		put_model_json(ask, model, &json);
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
}

const char *wt_cpu_product(const struct wt_cpu_id *cpu, const struct wt_pmu_model *model)
{
	if (*model->product && wt_cpu_id_known(cpu))
		return model->product;
	return cpu->name[0] ? cpu->name : "-";
}

static void put_place_json(struct wt_json *json, const char *key, int32_t place)
{
	if (place < 0)
		wt_json_null(json, key);
	else
		wt_json_number(json, key, (uint64_t)place);
}

static void put_identity_json(const struct wt_cpu_id *cpu, struct wt_json *json)
{
	if (cpu->midr) {
		wt_json_mask(json, "midr", cpu->midr);
		wt_json_number(json, "implementer", wt_midr_implementer(cpu->midr));
		wt_json_number(json, "part", wt_midr_part(cpu->midr));
		wt_json_number(json, "variant", wt_midr_revision(cpu->midr) >> 4);
		wt_json_number(json, "revision", wt_midr_revision(cpu->midr) & 0xf);
	} else if (cpu->vendor[0]) {
		wt_json_text(json, "vendor", cpu->vendor);
		wt_json_number(json, "family", cpu->family);
		wt_json_number(json, "model", cpu->model);
		wt_json_number(json, "stepping", cpu->stepping);
	}
}

void wt_cpus_json(const struct wt_cpu_ids *cpus, const struct wt_pmu_models *models, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_array(&json, "cpus");
	for (size_t i = 0; i < cpus->n; i++) {
		const struct wt_cpu_id *cpu = &cpus->list[i];
		const struct wt_pmu_model *model = wt_pmu_model_of(models, cpu->cpu);

		wt_json_next_line(&json);
		wt_json_object(&json, NULL);
		wt_json_number(&json, "cpu", cpu->cpu);
		put_place_json(&json, "node", cpu->node);
		put_place_json(&json, "package", cpu->package);
		put_place_json(&json, "cluster", cpu->cluster);
		put_place_json(&json, "core", cpu->core);
		wt_json_number(&json, "max_khz", cpu->max_khz);
		wt_json_text(&json, "product", wt_cpu_product(cpu, model));
		wt_json_text(&json, "table", wt_cpu_id_known(cpu) ? model->name : NULL);
		put_identity_json(cpu, &json);
		wt_json_end_object(&json);
	}
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
}

static void put_mesh_json(const struct wt_cmn *cmn, struct wt_json *json)
{
	wt_json_next_line(json);
	wt_json_object(json, NULL);
	wt_json_number(json, "mesh", cmn->number);
	wt_json_text(json, "pmu", cmn->name);
	wt_json_text(json, "product", *cmn->product ? cmn->product : NULL);
	wt_json_text(json, "revision", *cmn->revision ? cmn->revision : NULL);
	wt_json_text(json, "cpus", cmn->cpus);
	wt_json_number(json, "events", cmn->n_events);
	if (cmn->x) {
		wt_json_number(json, "x", cmn->x);
		wt_json_number(json, "y", cmn->y);
		wt_json_number(json, "dtcs", cmn->dtcs);
		wt_json_object(json, "devices");
		for (size_t i = 0; i < cmn->n_kinds; i++)
			wt_json_number(json, cmn->kinds[i].name, cmn->kinds[i].n);
		wt_json_end_object(json);
	}
	wt_json_end_object(json);
}

void wt_cmns_json(const struct wt_cmn *cmns, size_t n, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_array(&json, "meshes");
	for (size_t i = 0; i < n; i++)
		put_mesh_json(&cmns[i], &json);
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
}
