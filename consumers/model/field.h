/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A reference to an event field: FIELD, EVENT.FIELD, PROVIDER/EVENT.FIELD (event names without case).
 *
 * A reference may fit several events; within a batch it is one column or none.
 */
#ifndef CONSUMERS_MODEL_FIELD_H
#define CONSUMERS_MODEL_FIELD_H

#include "consumers/model/file.h"

/** The forms that a field has in the events that have it, as bits. */
enum wt_view_field_forms {
	WT_FIELD_INTEGER = 1, /**< plain integers */
	WT_FIELD_REAL = 2,    /**< f32, f64 */
	WT_FIELD_NAMED = 4,   /**< integers with a map of names */
	WT_FIELD_TEXT = 8,    /**< everything else, including arrays */
	WT_FIELD_TIME = 16,   /**< with INTEGER: moments on the session clock */
	WT_FIELD_SIGNED = 32, /**< with INTEGER or NAMED: some are signed */
};

struct wt_view_field {
	char *provider, *event;               /**< NULL: any; owned */
	char *name;                           /**< owned */
	unsigned forms;                       /**< enum wt_view_field_forms, over all events that have it */
	bool may_be_none;                     /**< wt_view_field_has_none holds for some that have it */
	bool maps_differ;                     /**< names for the numbers differ between them */
	const struct wt_field *sample;        /**< one of them: its unit, radix, map */
	const struct wt_log_segment *segment; /**< `column` was found for these... */
	uint32_t kind;
	int column; /**< ...-1: these events have none */
};

/** Reads a reference and looks at the file's events. what names the purpose for errors ("key", "column",
 * "name"). -1: WT_ERR_USAGE, naming the nearest of the file's fields and of the `known` words. */
int wt_view_field_find(const struct wt_view_file *file, const char *word, const char *what,
		       const char *const *known, size_t n_known, struct wt_view_field *ret,
		       struct wt_err *err);
/** From now on the reference means the provider's field of that name in any event. */
void wt_view_field_of_any_event(struct wt_view_field *field);
void wt_view_field_deinit(struct wt_view_field *field);

/** Returns the column of the batch that the reference means, or -1. */
int wt_view_field_column(struct wt_view_field *field, const struct wt_log_batch *batch);
/** Returns the column of the events of a kind that the reference means, or -1. */
int wt_view_field_of_kind(const struct wt_view_field *field, const struct wt_log_segment *segment,
			  uint32_t kind);

/** The value in place of a CPU, process, thread or user that an event does not have. */
#define WT_VIEW_NO_NUMBER UINT32_MAX
/** True when the field of these events may contain that value: in wtrace's own providers. */
bool wt_view_field_has_none(const struct wt_log_segment *segment, uint32_t kind,
			    const struct wt_field *field);

/** True when the value means "none" in such a field. */
bool wt_view_is_none(const struct wt_log_segment *segment, uint32_t kind, const struct wt_value *value);

enum wt_view_field_forms wt_view_field_form(const struct wt_field *field);

#endif
