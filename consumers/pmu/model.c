// SPDX-License-Identifier: MIT
#include "consumers/pmu/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/pmu/builtin.h"
#include "consumers/pmu/json_tree.h"
#include "consumers/pmu/models.h"
#include "consumers/pmu/small_file.h"
#include "consumers/pmu/uncore.h"
#include "tracecore/base/diag.h"

#define TELEMETRY_MAX (4u << 20)

static int read_known(struct json_object *row, struct wt_pmu_known *ret, struct wt_err *err)
{
	struct json_object *cpus = wt_tree_member(row, "cpus");
	const char *name = wt_tree_member_text(row, "name");

	*ret = (struct wt_pmu_known){0};
	if (!name || wt_tree_count(cpus) > WT_PMU_RULES_MAX)
		return wt_fail(err, WT_ERR_FORMAT,
			       "manifests/pmu/index.json: a row without a name, or with too many CPUs");
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	snprintf(ret->pmu, sizeof(ret->pmu), "%s", wt_tree_member_text(row, "pmu") ?: "");
	for (; ret->n_rules < wt_tree_count(cpus); ret->n_rules++)
		if (!wt_pmu_rule_read(wt_tree_element(cpus, ret->n_rules), &ret->rules[ret->n_rules]))
			return wt_fail(err, WT_ERR_FORMAT, "manifests/pmu/index.json: a CPU of %s", name);
	return 0;
}

static int read_index(struct wt_pmu_models *models, struct wt_err *err)
{
	struct json_object *root, *list;
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (wt_pmu_builtin("index", &text, &len, err))
		return -1;
	rc = wt_tree_parse(text, len, "manifests/pmu/index.json", &root, err);
	free(text);
	if (rc)
		return -1;
	list = wt_tree_member(root, "tables");
	models->known = calloc(wt_tree_count(list) + 1, sizeof(*models->known));
	if (!models->known)
		rc = wt_fail_nomem(err);
	for (size_t i = 0; !rc && i < wt_tree_count(list); i++) {
		rc = read_known(wt_tree_element(list, i), &models->known[i], err);
		models->n_known += !rc;
	}
	wt_tree_free(root);
	return rc;
}

static int read_telemetry(struct wt_pmu_models *models, const char *path, struct wt_pmu_rule *rule,
			  struct wt_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (wt_small_read_whole(path, TELEMETRY_MAX, &text, &len, err))
		return -1;
	rc = wt_pmu_table_read(text, len, path, &models->telemetry, rule, err);
	free(text);
	if (!rc && models->telemetry->n_left_out)
		wt_note("%s: metrics left out because their formulas cannot be read: %zu; the first: %s",
			path, models->telemetry->n_left_out, models->telemetry->first.text);
	return rc;
}

/* The table of a row, which is read now if it was not before. */
static struct wt_pmu_table *table_of(const struct wt_pmu_models *models, struct wt_pmu_known *known,
				     struct wt_err *err)
{
	struct wt_pmu_table *ret;
	size_t len = 0;
	char *text = NULL;

	pthread_mutex_lock(models->lock);
	if (!known->table && !wt_pmu_builtin(known->name, &text, &len, err))
		wt_pmu_table_read(text, len, known->name, &known->table, NULL, err);
	free(text);
	ret = known->table;
	pthread_mutex_unlock(models->lock);
	return ret;
}

static struct wt_pmu_known *known_named(const struct wt_pmu_models *models, const char *name)
{
	for (size_t i = 0; i < models->n_known; i++)
		if (!strcasecmp(models->known[i].name, name))
			return &models->known[i];
	return NULL;
}

static struct wt_pmu_known *known_for(const struct wt_pmu_models *models, const struct wt_cpu_id *cpu)
{
	for (size_t i = 0; i < models->n_known; i++)
		for (size_t k = 0; k < models->known[i].n_rules; k++)
			if (wt_pmu_rule_holds(&models->known[i].rules[k], cpu))
				return &models->known[i];
	return cpu->midr ? known_named(models, cpu->sve2 ? "armv9-a" : "armv8-a") : NULL;
}

/* A file that names no CPU applies to all CPUs. */
static bool file_holds(const struct wt_pmu_models *models, const struct wt_pmu_rule *rule,
		       const struct wt_cpu_id *cpu)
{
	if (!models->telemetry)
		return false;
	return (!rule->implementer && !rule->vendor[0]) || wt_pmu_rule_holds(rule, cpu);
}

static bool is_here(const struct wt_pmu_models *models, const struct wt_pmu_table *table)
{
	size_t i = 0;

	while (i < models->n_here && models->here[i] != table)
		i++;
	return i < models->n_here;
}

/* Half a table is filled from that of the first CPU which has one. */
static int fill_telemetry(struct wt_pmu_models *models, struct wt_err *err)
{
	for (size_t i = 0; models->telemetry && models->telemetry->partial && i < models->cpus.n; i++) {
		struct wt_pmu_known *known = known_for(models, &models->cpus.list[i]);
		const struct wt_pmu_table *base = known ? table_of(models, known, err) : NULL;

		if (!known)
			continue;
		return !base || wt_pmu_table_fill(models->telemetry, base, err) ||
				       wt_pmu_table_finish(models->telemetry, err)
			       ? -1
			       : 0;
	}
	return 0;
}

static struct wt_pmu_table *table_for(struct wt_pmu_models *models, const struct wt_pmu_rule *rule,
				      const struct wt_cpu_id *cpu, struct wt_err *err)
{
	struct wt_pmu_known *known = known_for(models, cpu);

	if (file_holds(models, rule, cpu))
		return models->telemetry;
	return known ? table_of(models, known, err) : models->unknown;
}

/* Offline CPUs report nothing: they have the table of the first CPU that reports its identity, so that a
 * machine of one model stays one. */
static int choose(struct wt_pmu_models *models, const struct wt_pmu_rule *rule, struct wt_err *err)
{
	const struct wt_cpu_ids *cpus = &models->cpus;
	size_t first = 0;

	models->of_cpu = calloc(cpus->n, sizeof(*models->of_cpu));
	models->here = calloc(cpus->n, sizeof(*models->here));
	if (!models->of_cpu || !models->here)
		return wt_fail_nomem(err);
	while (first + 1 < cpus->n && !wt_cpu_id_known(&cpus->list[first]))
		first++;
	for (size_t i = 0; i < cpus->n; i++) {
		size_t says = wt_cpu_id_known(&cpus->list[i]) ? i : first;
		struct wt_pmu_table *table = table_for(models, rule, &cpus->list[says], err);

		if (!table)
			return -1;
		models->of_cpu[i] = table;
		if (!is_here(models, table))
			models->here[models->n_here++] = table;
	}
	return 0;
}

/* One table of a PMU outside the cores, to all models of the machine. */
static int add_far(struct wt_pmu_models *models, struct wt_pmu_known *known, const char *sys,
		   struct wt_err *err)
{
	struct wt_uncore units;
	struct wt_pmu_table *table;

	wt_uncore_find(sys, known->pmu, &units);
	if (!units.n)
		return 0;
	table = table_of(models, known, err);
	if (!table)
		return -1;
	for (size_t i = 0; i < models->n_here; i++)
		if (wt_uncore_add(models->here[i], &table->model, known->pmu, &units, err) ||
		    wt_pmu_table_finish(models->here[i], err))
			return -1;
	return 0;
}

static int add_all_far(struct wt_pmu_models *models, const char *sys, struct wt_err *err)
{
	for (size_t i = 0; i < models->n_known; i++)
		if (models->known[i].pmu[0] && add_far(models, &models->known[i], sys, err))
			return -1;
	return 0;
}

static int open_all(struct wt_pmu_models *models, const char *telemetry, const char *sys, struct wt_err *err)
{
	struct wt_pmu_rule rule = {0};

	models->lock = malloc(sizeof(*models->lock));
	if (!models->lock)
		return wt_fail_nomem(err);
	pthread_mutex_init(models->lock, NULL);
	if (wt_pmu_table_create("unknown", "unknown", &models->unknown, err) || read_index(models, err) ||
	    (telemetry && read_telemetry(models, telemetry, &rule, err)) ||
	    wt_cpu_ids_read(sys, &models->cpus, err) || fill_telemetry(models, err) ||
	    choose(models, &rule, err) || add_all_far(models, sys, err))
		return -1;
	wt_pmu_count_machine(models, sys);
	return 0;
}

int wt_pmu_models_open(const char *telemetry, const char *sys, struct wt_pmu_models **ret, struct wt_err *err)
{
	struct wt_pmu_models *models = calloc(1, sizeof(*models));

	*ret = NULL;
	if (!models)
		return wt_fail_nomem(err);
	if (open_all(models, telemetry, sys ? sys : "", err)) {
		wt_pmu_models_close(models);
		return -1;
	}
	*ret = models;
	return 0;
}

void wt_pmu_models_close(struct wt_pmu_models *models)
{
	if (!models)
		return;
	for (size_t i = 0; i < models->n_known; i++)
		wt_pmu_table_destroy(models->known[i].table);
	wt_pmu_table_destroy(models->telemetry);
	wt_pmu_table_destroy(models->unknown);
	wt_cpu_ids_deinit(&models->cpus);
	if (models->lock)
		pthread_mutex_destroy(models->lock);
	free(models->lock);
	free(models->known);
	free(models->of_cpu);
	free(models->here);
	free(models);
}

const struct wt_pmu_model *wt_pmu_model_of(const struct wt_pmu_models *models, uint32_t cpu)
{
	const struct wt_cpu_id *id = wt_cpu_id_of(&models->cpus, cpu);

	return id ? &models->of_cpu[id - models->cpus.list]->model : &models->unknown->model;
}

const struct wt_pmu_model *wt_pmu_model_here(const struct wt_pmu_models *models, size_t i)
{
	return i < models->n_here ? &models->here[i]->model : NULL;
}

const struct wt_pmu_model *wt_pmu_model_telemetry(const struct wt_pmu_models *models, bool *used)
{
	*used = models->telemetry && is_here(models, models->telemetry);
	return models->telemetry ? &models->telemetry->model : NULL;
}

const struct wt_pmu_model *wt_pmu_model_named(const struct wt_pmu_models *models, const char *name)
{
	struct wt_pmu_known *known = known_named(models, name);
	struct wt_pmu_table *table;

	if (models->telemetry && !strcasecmp(models->telemetry->model.name, name))
		return &models->telemetry->model;
	table = known ? table_of(models, known, NULL) : NULL;
	return table ? &table->model : NULL;
}

const struct wt_pmu_model *wt_pmu_model_at(const struct wt_pmu_models *models, size_t i)
{
	struct wt_pmu_table *table;

	if (i >= models->n_known)
		return i == models->n_known && models->telemetry ? &models->telemetry->model : NULL;
	table = table_of(models, &models->known[i], NULL);
	return table ? &table->model : NULL;
}
