/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the PMU of a CPU model counts: events by name, metrics with formulas, groups of metrics, the topdown
 * tree.
 *
 * The tables come from manifests/pmu/, or from a vendor's telemetry file (--telemetry). A model is chosen by
 * what each CPU says of itself: MIDR_EL1 with part and revision on arm64, vendor, family and model on x86.
 * CPUs of one machine may be of different models.
 *
 * Ownership: a set of models owns all that it hands out. Reading is thread safe once the set is open.
 */
#ifndef CONSUMERS_PMU_MODEL_H
#define CONSUMERS_PMU_MODEL_H

#include <stdint.h>

#include "tracecore/base/err.h"

struct wt_pmu_models; /* all tables that are known, and the CPUs of the machine */

struct wt_pmu_words {
	const char *const *word;
	size_t n;
};

struct wt_pmu_event {
	const char *name; /**< lower case: l1d_cache_refill */
	const char *text; /**< the vendor's words, from --telemetry only; else NULL */
	const char *pmu;  /**< PMU in sysfs; NULL: the PMU of the core */
	uint64_t config, config1, config2;
};

struct wt_pmu_metric {
	const char *name;
	const char *title, *text;                  /**< as in wt_pmu_event */
	const char *formula;                       /**< infix, over names of events (formula.h) */
	const char *unit;                          /**< "percent of slots", "MPKI"; "" when it has none */
	struct wt_pmu_words events, sample_events; /**< what it needs; what to sample when it is high */
};

struct wt_pmu_group {
	const char *name;
	struct wt_pmu_words metrics;
};

/** A node of the topdown tree: a metric, and what to look at when it stands out. */
struct wt_pmu_node {
	const char *name, *metric; /**< metric: NULL for a node that only groups */
	const struct wt_pmu_node *const *next;
	size_t n_next;
};

struct wt_pmu_model {
	const char *name;                  /**< "neoverse-n2-r0p3" */
	const char *vendor;                /**< "Arm Limited" */
	const struct wt_pmu_event *events; /**< sorted by name */
	size_t n_events;
	const struct wt_pmu_metric *metrics; /**< sorted by name */
	size_t n_metrics;
	const struct wt_pmu_group *groups; /**< sorted by name */
	size_t n_groups;
	const struct wt_pmu_node *const *topdown; /**< the roots */
	size_t n_topdown;
};

/** Opens the tables. telemetry: a vendor's JSON file that takes the place of the table of its CPU, or NULL.
 * sys: root of sysfs and proc for tests, NULL for "/". Errors: WT_ERR_NOTFOUND, WT_ERR_CORRUPT (a file that
 * is none). */
int wt_pmu_models_open(const char *telemetry, const char *sys, struct wt_pmu_models **ret,
		       struct wt_err *err);
void wt_pmu_models_close(struct wt_pmu_models *models);

/** The model of a CPU: never NULL. A CPU that no table describes has the model "unknown" with the
 * architecture's common events, or with none. */
const struct wt_pmu_model *wt_pmu_model_of(const struct wt_pmu_models *models, uint32_t cpu);
/** A table by its name ("neoverse-n1"), NULL for none; i-th table, NULL at the end. */
const struct wt_pmu_model *wt_pmu_model_named(const struct wt_pmu_models *models, const char *name);
const struct wt_pmu_model *wt_pmu_model_at(const struct wt_pmu_models *models, size_t i);

/** By name, in any case of letters; NULL for none. */
const struct wt_pmu_event *wt_pmu_event_named(const struct wt_pmu_model *model, const char *name);
const struct wt_pmu_metric *wt_pmu_metric_named(const struct wt_pmu_model *model, const char *name);
const struct wt_pmu_group *wt_pmu_group_named(const struct wt_pmu_model *model, const char *name);

/** Adds lines "NAME:{EVENT,EVENT}" (-C), with "NAME=FORMULA" for a metric with a value, or "NAME:CODE,..."
 * (-E) to the models of all CPUs. text is the option's value, or a file's content; where names it in errors
 * (WT_ERR_USAGE). */
int wt_pmu_add_metrics(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err);
int wt_pmu_add_events(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err);

#endif
