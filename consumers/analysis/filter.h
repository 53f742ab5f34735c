/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which events count: kinds chosen by name, the --where expression, sampled sources, the recorder's own
 * events, and moments of time as words.
 */
#ifndef CONSUMERS_ANALYSIS_FILTER_H
#define CONSUMERS_ANALYSIS_FILTER_H

#include "consumers/analysis/key.h"

/** Zeroed with file set: everything passes. */
struct wt_view_filter {
	struct wt_view_file *file; /**< borrowed */
	struct wt_expr *where;     /**< owned; NULL: all */
	struct wt_expr *sources;   /**< owned; for samples only; NULL: all */
	struct wt_view_key *keys;  /**< of both expressions; owned */
	uint32_t n_keys;
	bool no_self; /**< leave out what the recorder caused */
	bool proved;  /**< leave out what has a stack whose callers are not proved (wt_stack_is_proved) */
	uint64_t unproved; /**< events left out for that alone; the caller's to read and to clear */
	uint8_t *scratch;
	uint32_t scratch_n;
};

/** Parses and binds the expression; on WT_ERR_USAGE place says where. Once. */
int wt_view_filter_where(struct wt_view_filter *filter, const char *text, struct wt_expr_place *place,
			 struct wt_err *err);
/** Lets only samples of these sources pass. Once. */
int wt_view_filter_sources(struct wt_view_filter *filter, const char *const *sources, size_t n,
			   struct wt_err *err);
/** Whether some event of a block may pass; by what is known of its fields, its CPU and its times. As
 * wt_log_filter.may for the filter as ctx. */
bool wt_view_filter_may(const struct wt_view_filter *filter, const struct wt_log_outline *outline);
void wt_view_filter_deinit(struct wt_view_filter *filter);

/** The expression asks for what is inside of regions: wt_view_filter_regions (region_set.h) is due before the
 * first mask. */
bool wt_view_filter_asks_regions(const struct wt_view_filter *filter);
/** The columns the filter reads. As wt_log_filter.need; ctx is the filter. */
void wt_view_filter_need(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			 struct wt_log_need *ret);

/** mask[i] = 1 where event i of the batch passes, else 0. */
int wt_view_filter_mask(struct wt_view_filter *filter, struct wt_view_segment *segment,
			const struct wt_log_batch *batch, uint8_t *mask, struct wt_err *err);

/** Kinds of events chosen by --event, or by what a view asks for. */
struct wt_view_select {
	const struct wt_view_file *file;
	enum wt_view_select_mode {
		WT_SELECT_ALL,
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
void wt_view_select_deinit(struct wt_view_select *select);
/** As wt_log_filter.want; ctx is the wt_view_select. */
bool wt_view_select_want(void *ctx, const struct wt_log_segment *segment, uint32_t kind);

/** A moment as session time: seconds from the file's start ("1.5", "200ms") or local wall time
 * ("2026-01-31T12:00:00.5"). option is for the message. */
int wt_view_moment(const struct wt_view_file *file, const char *option, const char *text, uint64_t *ret,
		   struct wt_err *err);

#endif
