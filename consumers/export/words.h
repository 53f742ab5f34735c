/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The words for keys and cells of a table: text for people, members and values of JSON.
 */
#ifndef CONSUMERS_EXPORT_WORDS_H
#define CONSUMERS_EXPORT_WORDS_H

#include "consumers/analysis/column.h"
#include "tracecore/base/json.h"

/** Text of an id for people; bytes as they are, not escaped. */
void wt_view_key_text(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
		      struct wt_buf *out);
/** Members of a JSON object: "process":"make","pid":12. */
void wt_view_key_json(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
		      struct wt_json *json);

void wt_view_cell_text(const struct wt_view_cell *cell, struct wt_buf *out);
/** A value of JSON; null for a missing one. */
void wt_view_cell_json(const struct wt_view_cell *cell, struct wt_buf *out);

#endif
