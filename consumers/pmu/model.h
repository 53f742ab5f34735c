/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The contents of a CPU model's PMU: events by name, metrics with formulas, groups of metrics, the topdown
 * tree.
 *
 * The tables come from manifests/pmu/, or from a vendor's telemetry file (--telemetry). A model is chosen by
 * the identity of each CPU: MIDR_EL1 with part and revision on arm64, vendor, family and model on x86. CPUs
 * of one machine may be of different models. PMUs outside the cores that have a table add their events and
 * metrics to all of them (uncore.h).
 *
 * Ownership: a set of models owns all that it hands out. Reading is thread safe once the set is open; adding
 * is not, and moves what was handed out before.
 */
#ifndef CONSUMERS_PMU_MODEL_H
#define CONSUMERS_PMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumers/pmu/formula.h"
#include "tracecore/base/err.h"

struct wt_pmu_models; /* all tables that are known, and the CPUs of the machine */

struct wt_pmu_words {
	const char *const *word;
	size_t n;
};

struct wt_pmu_event {
	const char *name; /**< lower case: l1d_cache_refill */
	const char *text; /**< the vendor's words, from --telemetry only; else NULL */
	/** PMU in sysfs, or what the names of several begin with ("uncore_cha": uncore_cha_0, ...); NULL: the
	 * PMU of the core. */
	const char *pmu;
	uint64_t config, config1, config2;
	bool no_user,
		no_kernel; /**< counted in the kernel, or in programs, alone ("inst_retired.any_p:sup") */
	bool own;          /**< added by -E */
};

struct wt_pmu_metric {
	const char *name;
	const char *title, *text; /**< as in wt_pmu_event */
	/** Infix, over names of events, of properties ("#smt_on") and of other metrics; NULL: it has no
	 * value, only events. wt_pmu_metric_formula makes it ready. */
	const char *formula;
	const char *inner; /**< replaces its name in other formulas: the formula, before a conversion to
			      percent */
	const char *unit;  /**< "percent of slots", "MPKI"; "" when it has none */
	struct wt_pmu_words events,
		sample_events; /**< the events that it finally needs; the events to sample when it is high */
	bool own;              /**< added by -C */
	bool shared; /**< its events are of PMUs outside the cores: it is the same on all kinds of cores */
};

struct wt_pmu_group {
	const char *name;
	struct wt_pmu_words metrics;
};

/** A node of the topdown tree: a metric, and what to look at when it stands out. Nodes may share what follows
 * them; no way leads back. */
struct wt_pmu_node {
	const char *name, *metric; /**< metric: NULL for a node that only groups */
	const struct wt_pmu_node *const *next;
	size_t n_next;
	double over; /**< it stands out when the metric is over this; NAN: the vendor does not say */
};

struct wt_pmu_model {
	const char *name;    /**< "neoverse-n2-r0p3" */
	const char *vendor;  /**< "Arm Limited" */
	const char *product; /**< "Neoverse N2" */
	const char *source;  /**< where the facts come from, with version and licence; a file's name for
				--telemetry */
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
 * sys: root of sysfs and proc for tests, NULL for "/". Errors: WT_ERR_NOTFOUND, WT_ERR_FORMAT (a file that is
 * none). */
int wt_pmu_models_open(const char *telemetry, const char *sys, struct wt_pmu_models **ret,
		       struct wt_err *err);
void wt_pmu_models_close(struct wt_pmu_models *models);

/** The model of a CPU: never NULL. One that is offline has that of the first that is not. A CPU that no table
 * describes has the model of its architecture
 * ("armv8-a", "armv9-a": the common events), or "unknown", which is empty. */
const struct wt_pmu_model *wt_pmu_model_of(const struct wt_pmu_models *models, uint32_t cpu);
/** The models of the machine's CPUs, each once, in the order of the CPUs; NULL at the end. */
const struct wt_pmu_model *wt_pmu_model_here(const struct wt_pmu_models *models, size_t i);
/** The model of the telemetry file, NULL without one; used: whether a CPU of this machine is of it. */
const struct wt_pmu_model *wt_pmu_model_telemetry(const struct wt_pmu_models *models, bool *used);
/** A table by its name ("neoverse-n1"), NULL for none; i-th table, NULL at the end. */
const struct wt_pmu_model *wt_pmu_model_named(const struct wt_pmu_models *models, const char *name);
const struct wt_pmu_model *wt_pmu_model_at(const struct wt_pmu_models *models, size_t i);

/** By name, in any case of letters; NULL for none. */
const struct wt_pmu_event *wt_pmu_event_named(const struct wt_pmu_model *model, const char *name);
const struct wt_pmu_metric *wt_pmu_metric_named(const struct wt_pmu_model *model, const char *name);
const struct wt_pmu_group *wt_pmu_group_named(const struct wt_pmu_model *model, const char *name);

/** The metric's formula, made ready: its names are events and properties; other metrics stand there as their
 * formulas. WT_ERR_USAGE: it has none. */
int wt_pmu_metric_formula(const struct wt_pmu_model *model, const struct wt_pmu_metric *metric,
			  struct wt_formula **ret, struct wt_err *err);
/** The value of a name with '#': "#duration_time" (seconds that were counted), "#num_cpus" (online),
 * "#num_packages", "#threads_per_core", "#smt_on" (1 or 0), "#chas_per_socket". False: this machine does not
 * say, as it never does of "#system_tsc_freq"; what stands on it is n/a. */
bool wt_pmu_property(const struct wt_pmu_models *models, const char *name, double seconds, double *ret);

/** Adds lines "NAME:{EVENT,EVENT}" (-C), with "NAME=FORMULA" for a metric with a value, or "NAME:CODE,..."
 * (-E) to the models of all CPUs; '#' begins a comment. CODE is hexadecimal. text is the option's value, or a
 * file's content; where names it in errors (WT_ERR_USAGE), with the line. */
int wt_pmu_add_metrics(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err);
int wt_pmu_add_events(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err);

#endif
