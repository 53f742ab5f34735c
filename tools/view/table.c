/* SPDX-License-Identifier: MIT */
/* Tables as text, for people. */
#include "tools/view/show.h"

#include <stdio.h>
#include <string.h>

#include "consumers/export/words.h"

enum { INDENT = 8, MIN_COUNT_WIDTH = 5, MOST_TITLE = 160 };

struct table {
	const struct wt_view_show *show;
	const struct wt_view_agg *agg;
	struct wt_out *out;
	struct wt_err *err;
	struct wt_buf cell; /**< scratch */
	unsigned widths[WT_VIEW_MAX_COLUMNS];
	char titles[WT_VIEW_MAX_COLUMNS][MOST_TITLE];
	bool partial; /**< shares are of the recorded part */
};

/* ---- head ---- */

/* Makes the column's title, which includes a unit of its own. Nanoseconds are shown as durations. */
static void make_title(const struct wt_view_column *column, char ret[MOST_TITLE])
{
	const char *unit = column->what >= WT_COLUMN_SUM && column->what < WT_COLUMN_UNIQUE &&
					   !column->over && column->field.sample
				   ? column->field.sample->unit
				   : NULL;

	if (unit && strcmp(unit, "ns") != 0 && strcmp(unit, WT_UNIT_DEVICE) != 0)
		snprintf(ret, MOST_TITLE, "%.100s (%.40s)", column->word, unit);
	else
		snprintf(ret, MOST_TITLE, "%s", column->word);
}

static void put_keys(const struct wt_view_agg *agg, const char *between, struct wt_buf *out)
{
	for (uint32_t k = 0; k < agg->n_keys; k++) {
		wt_buf_puts(out, k ? between : "");
		wt_text_escape(out, agg->keys[k].word, strlen(agg->keys[k].word));
	}
}

static void put_top(const struct table *table, struct wt_buf *out)
{
	const struct wt_view_agg *agg = table->agg;

	wt_buf_puts(out, ", ");
	if (table->show->top)
		wt_buf_printf(out, "top %u", table->show->top);
	else
		wt_buf_puts(out, "all");
	if (agg->n_keys == 1 && agg->keys[0].what == WT_KEY_FUNCTION) {
		wt_buf_puts(out, " hot functions");
		return;
	}
	wt_buf_puts(out, " by ");
	put_keys(agg, ", ", out);
	if (agg->focus != WT_FOCUS_NONE) {
		wt_buf_puts(out, agg->focus == WT_FOCUS_CALLERS ? ", callers of " : ", callees of ");
		wt_text_escape(out, agg->focus_name, strlen(agg->focus_name));
	} else if (agg->order == WT_ORDER_LEAF) {
		wt_buf_puts(out, ", innermost first");
	}
	if (table->show->depth)
		wt_buf_printf(out, ", %u deep", table->show->depth);
	if (agg->gaps_left)
		wt_buf_puts(out, ", times without events left out");
	if (agg->min > 0)
		wt_buf_printf(out, ", from %g %%", agg->min);
}

static void put_title(const struct table *table, uint32_t root, struct wt_buf *out)
{
	const char *source = wt_strings_get(&table->agg->file->texts, table->agg->rows.nodes[root].id, NULL);

	wt_buf_puts(out, "======================== ");
	if (*source) {
		wt_buf_puts(out, "sample source: ");
		wt_text_escape(out, source, strlen(source));
	} else if (!table->show->events.n_words) {
		wt_buf_puts(out, table->show->waits     ? "turns of threads"
				 : table->show->regions ? "regions"
							: "events");
	}
	for (size_t i = 0; !*source && i < table->show->events.n_words; i++) {
		wt_buf_puts(out, i ? ", " : "events: ");
		wt_text_escape(out, table->show->events.words[i], strlen(table->show->events.words[i]));
	}
	put_top(table, out);
	wt_buf_puts(out, " ========================\n");
}

static void put_head(const struct table *table, struct wt_buf *out)
{
	const struct wt_view_agg *agg = table->agg;
	bool symbol = agg->n_keys == 1 && agg->keys[0].what == WT_KEY_FUNCTION;
	struct wt_buf keys = {0};

	if (symbol)
		wt_buf_puts(&keys, "symbol");
	else
		put_keys(agg, " / ", &keys);
	wt_buf_printf(out, "%*s", INDENT, "");
	for (uint32_t c = 0; c < agg->n_shown; c++)
		wt_buf_printf(out, "%*s  ", (int)table->widths[c], table->titles[c]);
	wt_buf_puts(out, wt_buf_cstr(&keys));
	wt_buf_printf(out, "\n%*s", INDENT, "");
	for (uint32_t c = 0; c < agg->n_shown; c++) {
		wt_buf_printf(out, "%*s", (int)(table->widths[c] - strlen(table->titles[c])), "");
		for (size_t i = strlen(table->titles[c]); i--;)
			wt_buf_put_u8(out, '=');
		wt_buf_puts(out, "  ");
	}
	for (size_t i = keys.len; i--;)
		wt_buf_put_u8(out, '=');
	wt_buf_put_u8(out, '\n');
	wt_buf_deinit(&keys);
}

/* ---- rows ---- */

static void cell_text(struct table *table, uint32_t node, uint32_t column)
{
	struct wt_view_cell cell = wt_view_agg_cell(table->agg, node, column);

	wt_buf_clear(&table->cell);
	if (table->partial && cell.kind == WT_CELL_SHARE)
		wt_buf_put_u8(&table->cell, '~');
	wt_view_cell_text(&cell, &table->cell);
}

static void measure(struct table *table, uint32_t node)
{
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(table->agg, node, &n);

	n = wt_view_shown(table->show, children, n);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = 0; c < table->agg->n_shown; c++) {
			cell_text(table, children[i], c);
			if (table->cell.len > table->widths[c])
				table->widths[c] = (unsigned)table->cell.len;
		}
		measure(table, children[i]);
	}
}

/* Colours shares as other profilers do: hot code, and code worth a look. */
#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5

static const char *tint(const struct table *table, const struct wt_view_cell *cell)
{
	if (!table->show->colour || cell->kind != WT_CELL_SHARE || cell->f < WARM_PERCENT)
		return "";
	return cell->f < HOT_PERCENT ? "\033[32m" : "\033[31m";
}

static void put_cell(struct table *table, uint32_t node, uint32_t column, struct wt_buf *out)
{
	struct wt_view_cell cell = wt_view_agg_cell(table->agg, node, column);
	const char *colour = tint(table, &cell);

	cell_text(table, node, column);
	wt_buf_puts(out, colour);
	wt_buf_printf(out, "%*s%s  ", (int)table->widths[column], wt_buf_cstr(&table->cell),
		      *colour ? "\033[0m" : "");
}

static int put_row(struct table *table, uint32_t node, uint32_t indent)
{
	const struct wt_view_agg *agg = table->agg;
	struct wt_buf *out = &table->out->buf;
	size_t from;

	wt_buf_printf(out, "%*s", INDENT, "");
	for (uint32_t c = 0; c < agg->n_shown; c++)
		put_cell(table, node, c, out);
	wt_buf_printf(out, "%*s", (int)indent, "");
	wt_buf_clear(&table->cell);
	wt_view_key_text(agg->file, wt_view_agg_key(agg, node), agg->rows.nodes[node].id, &table->cell);
	from = out->len;
	wt_text_escape(out, table->cell.data, table->cell.len);
	/* Deeper rows are indented by spaces; names do not begin with one. */
	for (; from < out->len && out->data[from] == ' '; from++)
		out->data[from] = '_';
	wt_buf_put_u8(out, '\n');
	return wt_out_flow(table->out, table->err);
}

/* Puts a row for the children that are not shown, so that nothing is left out silently. */
static void put_rest(struct table *table, const uint32_t *rest, uint32_t n, uint32_t indent)
{
	struct wt_buf *out = &table->out->buf;
	uint64_t events = 0;
	int width = INDENT;

	for (uint32_t i = 0; i < n; i++)
		events += table->agg->rows.nodes[rest[i]].total;
	for (uint32_t c = 0; c < table->agg->n_shown; c++)
		width += (int)table->widths[c] + 2;
	wt_buf_printf(out, "%*s(%u more, %llu event%s)\n", width + (int)indent, "", n,
		      (unsigned long long)events, events == 1 ? "" : "s");
}

/* A frame with a single child is not indented further, because stacks are deep and lines are short. */
static uint32_t step_of(const struct wt_view_agg *agg, uint32_t node, uint32_t n_children)
{
	const struct wt_view_node *row = &agg->rows.nodes[node];

	return row->level >= agg->n_keys && n_children == 1 && !row->self ? 1 : 2;
}

static int put_rows(struct table *table, uint32_t node, uint32_t indent)
{
	uint32_t n, shown, below;
	const uint32_t *children = wt_view_agg_children(table->agg, node, &n);

	shown = wt_view_shown(table->show, children, n);
	for (uint32_t i = 0; i < shown; i++) {
		wt_view_agg_children(table->agg, children[i], &below);
		if (put_row(table, children[i], indent) ||
		    put_rows(table, children[i], indent + step_of(table->agg, children[i], below)))
			return -1;
	}
	if (table->agg->rows.nodes[node].level && shown < n && !wt_view_too_deep(table->show, children, n))
		put_rest(table, children + shown, n - shown, indent);
	return 0;
}

static void put_total(const struct table *table, uint32_t root, struct wt_buf *out)
{
	const struct wt_view_agg *agg = table->agg;
	uint32_t n, shown;
	const uint32_t *children = wt_view_agg_children(agg, root, &n);
	uint64_t events = 0, all = agg->rows.nodes[root].total;

	shown = wt_view_shown(table->show, children, n);
	for (uint32_t i = 0; i < shown; i++)
		events += agg->rows.nodes[children[i]].total;
	wt_buf_printf(out, "%6.2f%%%10llu  top %u in total", all ? 100.0 * (double)events / (double)all : 0.0,
		      (unsigned long long)events, shown);
	if (shown < n || events < all)
		wt_buf_printf(out, ", of %u %s and %llu events", n, n == 1 ? "row" : "rows",
			      (unsigned long long)all);
	wt_buf_put_u8(out, '\n');
}

static int put_table(struct table *table, uint32_t root)
{
	const struct wt_view_agg *agg = table->agg;

	table->partial = wt_view_partial(table->agg, root, table->show->facts, &table->show->events);
	for (uint32_t c = 0; c < agg->n_shown; c++) {
		size_t title;

		make_title(&agg->columns[c], table->titles[c]);
		title = strlen(table->titles[c]);

		table->widths[c] = title > MIN_COUNT_WIDTH ? (unsigned)title : MIN_COUNT_WIDTH;
	}
	measure(table, root);
	wt_buf_put_u8(&table->out->buf, '\n');
	put_title(table, root, &table->out->buf);
	put_head(table, &table->out->buf);
	if (put_rows(table, root, 0))
		return -1;
	put_total(table, root, &table->out->buf);
	return 0;
}

int wt_view_text_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	struct table table = {.show = show, .agg = show->agg, .out = out, .err = err};
	int failed = 0;

	wt_view_header(show, &out->buf);
	for (uint32_t i = 0; i < show->agg->children.n_roots && !failed; i++)
		failed = put_table(&table, show->agg->children.roots[i]);
	if (!show->agg->children.n_roots)
		wt_view_put_none(show, &out->buf);
	wt_buf_deinit(&table.cell);
	return failed ? -1 : wt_out_flow(out, err);
}
