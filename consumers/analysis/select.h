/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which kinds of events are read: those that are named, samples, or those with certain fields.
 */
#ifndef CONSUMERS_ANALYSIS_SELECT_H
#define CONSUMERS_ANALYSIS_SELECT_H

#include "consumers/model/field.h"

/** Kinds of events chosen by --event, or by what a view asks for. */
struct wt_view_select {
	const struct wt_view_file *file;
	enum wt_view_select_mode {
		WT_SELECT_ALL,
		WT_SELECT_NEWS, /**< all but what was there already (rundown) and what the log says of itself
				 */
		WT_SELECT_SAMPLES,
		WT_SELECT_NAMED,  /**< one of words, or a sample when there are sources */
		WT_SELECT_FIELDS, /**< events that have all of fields */
	} mode;
	const char **words; /**< PROVIDER, EVENT or PROVIDER/EVENT; the array is owned, the words borrowed */
	size_t n_words;
	const char **sources; /**< names of sampled events; the array is owned */
	size_t n_sources;
	const struct wt_view_field **fields; /**< the array is owned, the fields borrowed */
	size_t n_fields;
};

/** Adds one word of --event: a provider, an event, PROVIDER/EVENT, or a sample source such as cpu-clock. -1:
 * WT_ERR_USAGE with the nearest of the file's names. */
int wt_view_select_add(struct wt_view_select *select, const char *word, struct wt_err *err);
/** Asks for events with this field too (mode FIELDS). */
int wt_view_select_field(struct wt_view_select *select, const struct wt_view_field *field,
			 struct wt_err *err);
/** The name of a sampled event, as the log has it; NULL: none is named so. It lives as long as the file. */
const char *wt_view_find_source(const struct wt_view_file *file, const char *word);
void wt_view_select_deinit(struct wt_view_select *select);
/** As wt_log_filter.want; ctx is the wt_view_select. */
bool wt_view_select_want(void *ctx, const struct wt_log_segment *segment, uint32_t kind);

#endif
