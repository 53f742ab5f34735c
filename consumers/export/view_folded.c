/* SPDX-License-Identifier: MIT */
/* Stacks as one line each, for flame graphs. */
#include "consumers/export/view.h"
#include "consumers/export/words.h"

/* A line per stack, as flame graph tools read it: names from the table's first key to the last frame,
 * joined by ';', then a space and a number. A ';' in a name would split it and becomes ':'. A space before
 * a number at the end of a name becomes '_'. */

struct folded {
	const struct wt_view_show *show;
	struct wt_out *out;
	struct wt_err *err;
	struct wt_buf path; /**< the names down to the present row, each followed by a ';' */
	struct wt_buf name; /**< scratch */
};

static int check(const struct wt_view_show *show, struct wt_err *err)
{
	const struct wt_view_agg *agg = show->agg;
	const struct wt_view_column *column = &agg->columns[0];
	bool adds_up = column->what == WT_COLUMN_COUNT || column->what == WT_COLUMN_WEIGHT ||
		       column->what == WT_COLUMN_SUM;

	if (agg->n_shown != 1 || !adds_up || column->real)
		return wt_fail(
			err, WT_ERR_USAGE,
			"--folded has one number for each stack: --columns count, weight or sum:FIELD of an "
			"integer");
	if (agg->children.n_roots > 1)
		return wt_fail(err, WT_ERR_USAGE,
			       "--folded has one kind of event, the log has %u: choose one with --event",
			       agg->children.n_roots);
	return 0;
}

static void push_name(struct folded *folded, uint32_t node)
{
	const struct wt_view_agg *agg = folded->show->agg;
	size_t from = folded->path.len;

	wt_buf_clear(&folded->name);
	wt_view_key_text(agg->file, wt_view_agg_key(agg, node), agg->rows.nodes[node].id, &folded->name);
	wt_text_escape(&folded->path, folded->name.data, folded->name.len);
	wt_foreign_no_separator(&folded->path, from, ';', ':');
	wt_foreign_no_numbers(&folded->path, from);
	wt_buf_put_u8(&folded->path, ';');
}

/* A sum may be 0 where events are. */
static bool is_zero(const struct wt_view_agg *agg, uint32_t node)
{
	struct wt_view_cell own = wt_view_agg_own(agg, node, 0);

	return own.kind == WT_CELL_INTEGER && !own.i;
}

static int put_stacks(struct folded *folded, uint32_t node)
{
	const struct wt_view_agg *agg = folded->show->agg;
	struct wt_buf *out = &folded->out->buf;
	size_t above = folded->path.len;
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(agg, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		push_name(folded, children[i]);
		if (agg->rows.nodes[children[i]].self && folded->path.len > above &&
		    !is_zero(agg, children[i])) {
			struct wt_view_cell own = wt_view_agg_own(agg, children[i], 0);

			own.is_ns = false;
			wt_buf_put(out, folded->path.data, folded->path.len - 1);
			wt_buf_put_u8(out, ' ');
			wt_view_cell_text(&own, out);
			wt_buf_put_u8(out, '\n');
		}
		if (wt_out_flow(folded->out, folded->err) || put_stacks(folded, children[i]))
			return -1;
		folded->path.len = above;
	}
	return 0;
}

int wt_view_folded_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	struct folded folded = {.show = show, .out = out, .err = err};
	int failed = check(show, err);

	if (!failed && show->agg->children.n_roots)
		failed = put_stacks(&folded, show->agg->children.roots[0]);
	if (!failed && folded.path.failed)
		failed = wt_fail_nomem(err);
	wt_buf_deinit(&folded.path);
	wt_buf_deinit(&folded.name);
	return failed ? -1 : wt_out_flow(out, err);
}
