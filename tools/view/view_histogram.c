/* SPDX-License-Identifier: MIT */
/* The distribution of values, as text for people. */
#include "tools/view/show.h"
#include "consumers/export/words.h"

#include "consumers/export/duration.h"

#include <string.h>

enum { BAR = 40, LABEL = 12 };

struct printer {
	const struct wt_view_show *show;
	const struct wt_view_histogram *histogram;
	struct wt_out *out;
	struct wt_buf label; /* scratch */
	bool durations;
};

static bool is_of_ns(const struct wt_view_histogram *histogram)
{
	const struct wt_field *sample = histogram->field.sample;

	return sample && sample->unit && !strcmp(sample->unit, "ns");
}

/* Finds the first and the last bucket with values. */
static void find_ends(const uint64_t *counts, uint32_t *first, uint32_t *last)
{
	for (*first = 0; !counts[*first];)
		++*first;
	for (*last = WT_HISTOGRAM_BUCKETS - 1; !counts[*last];)
		--*last;
}

/* ---- text ---- */

static void put_bound(struct printer *printer, uint32_t bucket)
{
	double least = wt_view_histogram_least(bucket);

	wt_buf_clear(&printer->label);
	if (printer->durations)
		wt_duration_text(least, &printer->label);
	else
		wt_buf_printf(&printer->label, "%.0f", least);
	wt_buf_printf(&printer->out->buf, "%*s", LABEL, wt_buf_cstr(&printer->label));
}

/* Bars are shares of the row's largest bucket; a bucket with values has at least a thin bar. */
static void put_bucket(struct printer *printer, uint32_t bucket, uint64_t count, uint64_t most)
{
	struct wt_buf *out = &printer->out->buf;
	uint64_t bar = (uint64_t)((double)count / (double)most * BAR + 0.5);

	put_bound(printer, bucket);
	if (bucket) {
		wt_buf_puts(out, " ..");
		put_bound(printer, bucket + 1);
	} else {
		wt_buf_printf(out, "%*s", LABEL + 3, "and less");
	}
	wt_buf_printf(out, "  %10llu |", (unsigned long long)count);
	for (uint64_t i = 0; i < bar; i++)
		wt_buf_put_u8(out, '#');
	wt_buf_puts(out, count && !bar ? ".\n" : "\n");
}

static void put_path(struct printer *printer, uint32_t node)
{
	const struct wt_view_agg *agg = printer->show->agg;
	const struct wt_view_node *row = &agg->rows.nodes[node];

	if (row->level > 1) {
		put_path(printer, row->parent);
		wt_buf_puts(&printer->out->buf, " / ");
	}
	wt_buf_clear(&printer->label);
	wt_view_key_text(agg->file, wt_view_agg_key(agg, node), row->id, &printer->label);
	wt_text_escape(&printer->out->buf, printer->label.data, printer->label.len);
}

static void put_histogram(struct printer *printer, uint32_t node)
{
	struct wt_buf *out = &printer->out->buf;
	uint64_t counts[WT_HISTOGRAM_BUCKETS], most = 0;
	uint64_t n = wt_view_histogram_of(printer->histogram, node, counts);
	uint64_t without = printer->show->agg->rows.nodes[node].total - n;
	uint32_t first, last;

	wt_buf_put_u8(out, '\n');
	put_path(printer, node);
	wt_buf_printf(out, ": %llu value%s of %s", (unsigned long long)n, n == 1 ? "" : "s",
		      printer->histogram->field.name);
	if (without)
		wt_buf_printf(out, ", %llu without one", (unsigned long long)without);
	wt_buf_put_u8(out, '\n');
	if (!n)
		return;
	find_ends(counts, &first, &last);
	for (uint32_t b = first; b <= last; b++)
		most = counts[b] > most ? counts[b] : most;
	for (uint32_t b = first; b <= last; b++)
		put_bucket(printer, b, counts[b], most);
}

/* Puts one histogram for each row of the last key. */
static int put_rows(struct printer *printer, uint32_t node, struct wt_err *err)
{
	const struct wt_view_agg *agg = printer->show->agg;
	uint32_t n, shown;
	const uint32_t *children = wt_view_agg_children(agg, node, &n);

	shown = wt_view_shown(printer->show, children, n);
	for (uint32_t i = 0; i < shown; i++) {
		if (agg->rows.nodes[children[i]].level == agg->n_keys)
			put_histogram(printer, children[i]);
		else if (put_rows(printer, children[i], err))
			return -1;
		if (wt_out_flow(printer->out, err))
			return -1;
	}
	if (shown < n)
		wt_buf_printf(&printer->out->buf, "\n(%u more)\n", n - shown);
	return 0;
}

int wt_view_histogram_text_out(const struct wt_view_show *show, const struct wt_view_histogram *histogram,
			       struct wt_out *out, struct wt_err *err)
{
	struct printer printer = {
		.show = show, .histogram = histogram, .out = out, .durations = is_of_ns(histogram)};
	int failed = 0;

	wt_view_header(show, &out->buf);
	for (uint32_t i = 0; i < show->agg->children.n_roots && !failed; i++)
		failed = put_rows(&printer, show->agg->children.roots[i], err);
	if (!show->agg->children.n_roots)
		wt_view_put_none(show, &out->buf);
	wt_buf_deinit(&printer.label);
	return failed ? -1 : wt_out_flow(out, err);
}
