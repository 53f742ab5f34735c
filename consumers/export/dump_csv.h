/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Events as comma-separated values (RFC 4180): one line each, under a header.
 *
 * The columns that every event has come first, then one column for each name of a field in the printed
 * events. Fields of two events with one name share a column. All events must therefore be known before the
 * header.
 */
#ifndef CONSUMERS_EXPORT_DUMP_CSV_H
#define CONSUMERS_EXPORT_DUMP_CSV_H

#include "consumers/export/dump.h"

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

/** Adds an event's fields to the columns; may be called twice for an event. If memory is out,
 * wt_dump_csv_head fails. */
void wt_dump_csv_add(struct wt_dump_csv *csv, const struct wt_event_desc *event);
/** Appends the header; no event may be added after it. */
int wt_dump_csv_head(struct wt_dump_csv *csv, const struct wt_dump *dump, struct wt_buf *out,
		     struct wt_err *err);
/** Appends event i of the batch by dump->csv, to which it was added. */
int wt_dump_csv(struct wt_dump *dump, const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out,
		struct wt_err *err);
void wt_dump_csv_deinit(struct wt_dump_csv *csv);

#endif
