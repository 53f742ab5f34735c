/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The times at which a session recorded which events of programs' providers, by the session's
 * notices. A provider that was off for a while, or whose rule was changed, lacks events that were not lost.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_RULES_H
#define CONSUMERS_ANALYSIS_REGION_RULES_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"

/** Zeroed: nobody has a rule. */
struct wt_region_rules {
	struct wt_strings names, texts;
	struct wt_region_rule {
		uint32_t text;  /**< the last one, of texts; WT_INTERN_NONE: none so far */
		uint64_t since; /**< of a change that has no end yet; 0: none */
		bool off;
		bool partial; /**< not all of its events were asked for at some time */
	} * rules;            /**< by name */
	struct wt_region_change {
		uint32_t name;
		uint64_t from, to;
	} * changes;
	uint32_t n_changes;
};

/** Takes the notices, sorted by time: "NAME: RULE" of a rule in force, "NAME: changes" before it is
 * changed, "NAME: off" before it ends. */
int wt_region_rules_take(struct wt_region_rules *rules, const char *text, size_t len, uint64_t time,
			 struct wt_err *err);
/** After the last notice. */
int wt_region_rules_settle(struct wt_region_rules *rules, struct wt_err *err);
void wt_region_rules_deinit(struct wt_region_rules *rules);

/** Whether its rule was changed, or it was off, between these moments. */
bool wt_region_rules_touch(const struct wt_region_rules *rules, const char *provider, uint64_t from,
			   uint64_t to);
/** Whether some kinds of its events, or some processes, were not asked for. */
bool wt_region_rules_partial(const struct wt_region_rules *rules, const char *provider);

#endif
