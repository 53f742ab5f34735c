/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether a table's shares are of all there was, or only of what was recorded.
 *
 * A share of what was recorded says little about what was not: a phase in which the ring was full looks like
 * one in which nothing happened. Such shares carry a mark wherever they are shown: "~" before them in text,
 * "partial":true in JSON, a column "partial" in CSV.
 */
#ifndef TOOLS_VIEW_UNSEEN_H
#define TOOLS_VIEW_UNSEEN_H

#include "tools/view/show.h"

/** The log is cut or damaged, or events that the table of this root counts were lost or not seen. In doubt
 * whether they are of the table, they are. */
bool wt_view_partial(const struct wt_view_show *show, uint32_t root);
/** Some table is partial and shows shares. */
bool wt_view_any_partial(const struct wt_view_show *show);
/** A column of shares is shown. */
bool wt_view_has_shares(const struct wt_view_agg *agg);

#endif
