/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Events as comma-separated values (RFC 4180): one line each, under a header.
 *
 * The columns every event has come first, then one for each name of a field among the events that are
 * printed; a field of two events under one name has one column. So all events must be known before the
 * header.
 */
#ifndef TOOLS_VIEW_DUMP_CSV_H
#define TOOLS_VIEW_DUMP_CSV_H

#include "tools/view/dump.h"

/** Zeroed is valid. */
struct wt_dump_csv {
	struct wt_intern ids; /**< address of an event's description -> its place in events */
	uint32_t **events;    /**< columns of its fields; owned, as the array */
	uint32_t n_events;
	struct wt_strings columns; /**< names of the fields' columns */
	uint32_t *field_of;        /**< by column, of the event at hand: field + 1 */
	struct wt_buf text;        /**< scratch */
	bool failed;               /**< memory was out */
};

/** Adds an event's fields to the columns; twice is fine. Memory that is out shows in the head. */
void wt_dump_csv_add(struct wt_dump_csv *csv, const struct wt_event_desc *event);
/** Appends the header; no event may be added behind it. */
int wt_dump_csv_head(struct wt_dump_csv *csv, const struct wt_dump *dump, struct wt_buf *out,
		     struct wt_err *err);
/** Appends event i of the batch by dump->csv, to which it was added. */
int wt_dump_csv(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		struct wt_err *err);
void wt_dump_csv_deinit(struct wt_dump_csv *csv);

#endif
