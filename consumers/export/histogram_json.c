// SPDX-License-Identifier: MIT
/* The distribution of values, as JSON. */
#include "consumers/export/view.h"

static void put_buckets_json(struct wt_view_rows_json *rows, uint32_t node)
{
	struct wt_json *json = &rows->json;
	uint64_t counts[WT_HISTOGRAM_BUCKETS];

	wt_json_array(json, "histogram");
	if (wt_view_histogram_of(rows->histogram, node, counts))
		for (uint32_t b = 0; b < WT_HISTOGRAM_BUCKETS; b++) {
			if (!counts[b])
				continue;
			wt_json_object(json, NULL);
			wt_json_key(json, "from");
			wt_buf_printf(json->out, "%.0f", wt_view_histogram_least(b));
			wt_json_key(json, "below");
			wt_buf_printf(json->out, "%.0f", wt_view_histogram_least(b + 1));
			wt_json_number(json, "count", counts[b]);
			wt_json_end_object(json);
		}
	wt_json_end_array(json);
}

static bool put_row_json(struct wt_view_rows_json *rows, uint32_t row)
{
	const struct wt_view_agg *agg = rows->show->agg;

	wt_json_number(&rows->json, "count", agg->rows.nodes[row].total);
	put_buckets_json(rows, row);
	return agg->rows.nodes[row].level < agg->n_keys;
}

int wt_view_histogram_json_out(const struct wt_view_show *show, const struct wt_view_histogram *histogram,
			       struct wt_out *out, struct wt_err *err)
{
	struct wt_view_rows_json printer = {.show = show,
					    .out = out,
					    .json = wt_json(&out->buf),
					    .put = put_row_json,
					    .histogram = histogram};
	struct wt_json *json = &printer.json;

	wt_json_object(json, NULL);
	wt_json_text(json, "file", show->path);
	wt_view_header_json(show, json);
	wt_json_text(json, "field", histogram->field.name);
	wt_json_array(json, "tables");
	for (uint32_t i = 0; i < show->agg->children.n_roots; i++) {
		wt_json_object(json, NULL);
		if (wt_view_rows_json(&printer, show->agg->children.roots[i], err))
			return -1;
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	wt_json_end_document(json);
	return wt_out_flow(out, err);
}
