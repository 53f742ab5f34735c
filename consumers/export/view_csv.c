/* SPDX-License-Identifier: MIT */
/* Tables as comma-separated values. */
#include "consumers/export/view.h"
#include "consumers/export/words.h"

struct csv {
	const struct wt_view_show *show;
	struct wt_out *out;
	struct wt_err *err;
	struct wt_buf text; /**< scratch */
	bool shares;        /**< a column says whether shares are of the recorded events only */
	bool partial;       /**< those of this table are */
	uint32_t path[WT_VIEW_MAX_KEYS + WT_MAX_FRAMES];
};

static void put_word(struct csv *csv, const char *word)
{
	wt_buf_clear(&csv->text);
	wt_buf_puts(&csv->text, word);
	wt_csv_field(&csv->out->buf, csv->text.data, csv->text.len);
}

static void put_head(struct csv *csv)
{
	const struct wt_view_agg *agg = csv->show->agg;

	wt_buf_puts(&csv->out->buf, "source");
	for (uint32_t k = 0; k < agg->n_keys; k++) {
		wt_buf_put_u8(&csv->out->buf, ',');
		put_word(csv, agg->keys[k].word);
	}
	for (uint32_t c = 0; c < agg->n_shown; c++) {
		wt_buf_put_u8(&csv->out->buf, ',');
		put_word(csv, agg->columns[c].word);
	}
	wt_buf_puts(&csv->out->buf, csv->shares ? ",partial\r\n" : "\r\n");
}

static void key_text(struct csv *csv, uint32_t node)
{
	const struct wt_view_agg *agg = csv->show->agg;

	wt_view_key_text(agg->file, wt_view_agg_key(agg, node), agg->rows.nodes[node].id, &csv->text);
}

/* Writes keys in their order; the frames of a stack, from caller to callee, are one field. */
static void put_path(struct csv *csv, uint32_t depth)
{
	uint32_t n_keys = csv->show->agg->n_keys;
	size_t from;

	for (uint32_t k = 1; k <= n_keys; k++) {
		wt_buf_put_u8(&csv->out->buf, ',');
		wt_buf_clear(&csv->text);
		if (k <= depth)
			key_text(csv, csv->path[k]);
		if (csv->show->agg->keys[k - 1].what == WT_KEY_STACK)
			wt_foreign_no_separator(&csv->text, 0, ';', ':');
		for (uint32_t d = k + 1; k == n_keys && d <= depth; d++) {
			wt_buf_put_u8(&csv->text, ';');
			from = csv->text.len;
			key_text(csv, csv->path[d]);
			wt_foreign_no_separator(&csv->text, from, ';', ':');
		}
		wt_csv_field(&csv->out->buf, csv->text.data, csv->text.len);
	}
}

static int put_leaf(struct csv *csv, uint32_t depth)
{
	const struct wt_view_agg *agg = csv->show->agg;
	uint32_t node = csv->path[depth], root = csv->path[0];

	put_word(csv, wt_strings_get(&agg->file->texts, agg->rows.nodes[root].id, NULL));
	put_path(csv, depth);
	for (uint32_t c = 0; c < agg->n_shown; c++) {
		struct wt_view_cell cell = wt_view_agg_cell(agg, node, c);

		wt_buf_put_u8(&csv->out->buf, ',');
		if (cell.kind != WT_CELL_NONE && cell.kind != WT_CELL_UNDEFINED)
			wt_view_cell_json(&cell, &csv->out->buf);
	}
	if (csv->shares)
		wt_buf_puts(&csv->out->buf, csv->partial ? ",true" : ",false");
	wt_buf_puts(&csv->out->buf, "\r\n");
	return wt_out_flow(csv->out, csv->err);
}

static int put_rows(struct csv *csv, uint32_t depth)
{
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(csv->show->agg, csv->path[depth], &n);

	n = wt_view_shown(csv->show, children, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t level = depth + 1;

		csv->path[level] = children[i];
		if (level >= csv->show->agg->n_keys && put_leaf(csv, level))
			return -1;
		if (put_rows(csv, level))
			return -1;
	}
	return 0;
}

int wt_view_csv_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	struct csv csv = {.show = show, .out = out, .err = err, .shares = wt_view_has_shares(show->agg)};
	int failed = 0;

	put_head(&csv);
	for (uint32_t i = 0; i < show->agg->children.n_roots && !failed; i++) {
		csv.path[0] = show->agg->children.roots[i];
		csv.partial = wt_view_partial(show->agg, csv.path[0], show->facts, &show->events);
		failed = put_rows(&csv, 0);
	}
	wt_buf_deinit(&csv.text);
	return failed ? -1 : wt_out_flow(out, err);
}
