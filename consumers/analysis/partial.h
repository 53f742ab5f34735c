/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Says whether a table's shares are of all events that happened, or only of the recorded ones.
 *
 * A share of the recorded events says little about the others: a phase in which the ring was full looks like
 * one in which nothing happened. Such shares carry a mark wherever they are shown: "~" before them in text,
 * "partial":true in JSON, a column "partial" in CSV.
 */
#ifndef CONSUMERS_ANALYSIS_PARTIAL_H
#define CONSUMERS_ANALYSIS_PARTIAL_H

#include "consumers/analysis/aggregate.h"
#include "consumers/analysis/facts.h"

/** The events that the user asked for by name: PROVIDER, EVENT or PROVIDER/EVENT; none: all. */
struct wt_view_chosen {
	char *const *words;
	size_t n_words;
};

/** The log is cut or damaged, or events that the table of this root counts were lost or not seen. In doubt
 * whether they are of the table, they are. */
bool wt_view_partial(const struct wt_view_agg *agg, uint32_t root, const struct wt_view_facts *facts,
		     const struct wt_view_chosen *chosen);
/** Some table is partial and shows shares. */
bool wt_view_any_partial(const struct wt_view_agg *agg, const struct wt_view_facts *facts,
			 const struct wt_view_chosen *chosen);
/** A column of shares is shown. */
bool wt_view_has_shares(const struct wt_view_agg *agg);

#endif
