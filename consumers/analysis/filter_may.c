/* SPDX-License-Identifier: MIT */
/* Decides whether a block may hold an event that passes, by the ranges of its fields. */
#include "consumers/analysis/filter.h"

struct block {
	const struct wt_view_filter *filter;
	const struct wt_log_outline *outline;
};

static struct wt_expr_span within(__int128 least, __int128 most)
{
	return (struct wt_expr_span){.kind = WT_EXPR_WITHIN, .least = least, .most = most};
}

/* Ranges hold 64-bit words as signed numbers. They say nothing about unsigned numbers where they cross 2^63,
 * nor about narrow ones where a word has bits beyond the field's width. */
static struct wt_expr_span of_words(const struct wt_view_filter *filter, const struct wt_field *field,
				    int64_t least, int64_t most)
{
	const struct wt_expr_span any = {.kind = WT_EXPR_ANY};
	unsigned bits = 8 * wt_type_width(field->type);
	int64_t from, to;

	if (least > most)
		return any;
	if (wt_type_is_signed(field->type)) {
		int64_t edge = bits < 64 ? INT64_C(1) << (bits - 1) : 0;

		return edge && (least < -edge || most >= edge) ? any : within(least, most);
	}
	if ((least < 0) != (most < 0) || (bits < 64 && (least < 0 || most >> bits)))
		return any;
	if (field->type != WT_TYPE_TIME)
		return within((uint64_t)least, (uint64_t)most);
	from = (int64_t)((uint64_t)least - filter->file->origin);
	to = (int64_t)((uint64_t)most - filter->file->origin);
	return from > to ? any : within(from, to);
}

/* The range of the field; for several fields, the range that covers all. */
static struct wt_expr_span of_field(const struct block *block, const struct wt_view_field *field)
{
	const struct wt_log_outline *outline = block->outline;
	int at = wt_view_field_of_kind(field, outline->segment, outline->kind);
	const struct wt_field *desc;
	int64_t least = INT64_MAX, most = INT64_MIN;

	if (at < 0)
		return (struct wt_expr_span){.kind = WT_EXPR_NONE};
	desc = &outline->segment->kinds.kinds[outline->kind].event->fields[at];
	for (uint32_t i = 0; i < outline->n_ranges; i++) {
		const struct wt_log_range *range = &outline->ranges[i];

		if (range->field != (uint32_t)at)
			continue;
		least = range->least < least ? range->least : least;
		most = range->most > most ? range->most : most;
	}
	if (!(wt_view_field_form(desc) & WT_FIELD_INTEGER) ||
	    wt_view_field_has_none(outline->segment, outline->kind, desc))
		return (struct wt_expr_span){.kind = WT_EXPR_ANY};
	return of_words(block->filter, desc, least, most);
}

static struct wt_expr_span span_of(void *ctx, uint32_t handle)
{
	const struct block *block = ctx;
	const struct wt_view_key *key = &block->filter->keys[handle];
	const struct wt_log_outline *outline = block->outline;
	uint64_t origin = block->filter->file->origin;

	if (key->what == WT_KEY_FIELD)
		return of_field(block, &key->field);
	if (key->what == WT_KEY_CPU && outline->cpu != WT_CPU_NONE)
		return within(outline->cpu, outline->cpu);
	if (key->what == WT_KEY_TIME && outline->first_time >= origin)
		return within(outline->first_time - origin, outline->last_time - origin);
	return (struct wt_expr_span){.kind = WT_EXPR_ANY};
}

bool wt_view_filter_may(const struct wt_view_filter *filter, const struct wt_log_outline *outline)
{
	struct block block = {filter, outline};

	return !filter->where || wt_expr_may_pass(filter->where, span_of, &block);
}
