/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Shows a finished aggregation as text for people, with a header that states its limits.
 *
 * Names are hostile: control characters and invalid UTF-8 are escaped.
 */
#ifndef TOOLS_VIEW_SHOW_H
#define TOOLS_VIEW_SHOW_H

#include "consumers/export/view.h"

int wt_view_text_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err);

/** Shows the missing names and stacks, in place of tables. */
int wt_view_missing_text_out(const struct wt_view_show *show, const struct wt_view_missing *missing,
			     struct wt_out *out, struct wt_err *err);

/** Shows the distribution of a field, in place of tables. */
int wt_view_histogram_text_out(const struct wt_view_show *show, const struct wt_view_histogram *histogram,
			       struct wt_out *out, struct wt_err *err);

/** Writes the header of the text form. */
void wt_view_header(const struct wt_view_show *show, struct wt_buf *out);
/** Writes the text in place of a table without rows. */
void wt_view_put_none(const struct wt_view_show *show, struct wt_buf *out);

#endif
