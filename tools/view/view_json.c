/* SPDX-License-Identifier: MIT */
/* Tables as JSON. */
#include "tools/view/show.h"

#include <string.h>

#include "tools/view/words.h"

typedef unsigned long long ull;

static void string(struct wt_buf *out, const char *text)
{
	wt_json_string(out, text, strlen(text));
}

static void member(struct wt_buf *out, const char *name, const char *text)
{
	wt_buf_printf(out, ",\"%s\":", name);
	if (text)
		string(out, text);
	else
		wt_buf_puts(out, "null");
}

/* ---- header ---- */

static void put_log(const struct wt_view_facts *facts, struct wt_buf *out)
{
	const struct wt_log_info *info = facts->file->log ? wt_log_info(facts->file->log) : NULL;
	uint32_t kept;

	if (!info)
		return;
	wt_buf_printf(out, ",\"bytes\":%llu,\"complete\":%s,\"events\":%llu,\"duration_ns\":%llu",
		      (ull)info->file_bytes, info->complete ? "true" : "false", (ull)info->events,
		      (ull)(info->last_time - info->first_time));
	wt_buf_printf(out, ",\"start_realtime_ns\":%llu",
		      (ull)(info->clock.realtime + (info->first_time - info->clock.raw)));
	wt_buf_printf(out, ",\"damaged\":%u,\"damages\":[", info->n_damages);
	kept = info->n_damages < 64 ? info->n_damages : 64;
	for (uint32_t i = 0; i < kept; i++) {
		const struct wt_log_damage *damage = &wt_log_damages(facts->file->log)[i];

		wt_buf_printf(out, "%s{\"offset\":%llu,\"what\":", i ? "," : "", (ull)damage->offset);
		wt_json_string(out, damage->what, strnlen(damage->what, sizeof(damage->what)));
		wt_buf_put_u8(out, '}');
	}
	wt_buf_put_u8(out, ']');
}

static void put_infos(const struct wt_view_facts *facts, struct wt_buf *out)
{
	const struct wt_strings *texts = &facts->file->texts;

	wt_buf_puts(out, ",\"info\":[");
	for (uint32_t i = 0; i < facts->n_infos; i++) {
		wt_buf_puts(out, i ? ",{\"key\":" : "{\"key\":");
		string(out, wt_strings_get(texts, facts->infos[i].key, NULL));
		member(out, "value", wt_strings_get(texts, facts->infos[i].value, NULL));
		wt_buf_put_u8(out, '}');
	}
	wt_buf_put_u8(out, ']');
}

static void put_losses(const struct wt_view_facts *facts, struct wt_buf *out)
{
	const struct wt_strings *texts = &facts->file->texts;

	wt_buf_printf(out, ",\"lost\":%llu,\"blind_ns\":%llu,\"exact_counters\":%llu,\"wrong_counters\":%llu",
		      (ull)facts->lost, (ull)facts->blind_ns, (ull)facts->counted, (ull)facts->miscounted);
	wt_buf_puts(out, ",\"losses\":[");
	for (uint32_t i = 0; i < facts->n_losses; i++) {
		const struct wt_view_loss *loss = &facts->losses[i];

		wt_buf_puts(out, i ? ",{\"provider\":" : "{\"provider\":");
		string(out, wt_strings_get(texts, loss->provider, NULL));
		member(out, "event", wt_strings_get(texts, loss->event, NULL));
		member(out, "cause", wt_strings_get(texts, loss->cause, NULL));
		wt_buf_printf(out, ",\"count\":%llu,\"spans\":%llu,\"blind_ns\":%llu}", (ull)loss->count,
			      (ull)loss->spans, (ull)loss->blind_ns);
	}
	wt_buf_put_u8(out, ']');
}

static void put_named(const char *word, const char *const *names, const uint64_t *counts, int n,
		      struct wt_buf *out)
{
	const char *before = "";

	wt_buf_printf(out, ",\"%s\":{", word);
	for (int i = 0; i < n; i++) {
		if (!counts[i])
			continue;
		wt_buf_puts(out, before);
		string(out, names[i]);
		wt_buf_printf(out, ":%llu", (ull)counts[i]);
		before = ",";
	}
	wt_buf_put_u8(out, '}');
}

static void put_ends(const struct wt_view_facts *facts, struct wt_buf *out)
{
	wt_buf_puts(out, ",\"no_unwind_data\":[");
	for (uint32_t i = 0; i < facts->end_modules.count; i++) {
		wt_buf_puts(out, i ? ",{\"module\":" : "{\"module\":");
		string(out, wt_strings_get(&facts->file->texts, facts->ends[i].module, NULL));
		wt_buf_printf(out, ",\"count\":%llu}", (ull)facts->ends[i].count);
	}
	wt_buf_put_u8(out, ']');
}

static void put_tally(const struct wt_view_facts *facts, struct wt_buf *out)
{
	wt_buf_printf(out, ",\"counted\":{\"events\":%llu,\"samples\":%llu,\"recorder\":%llu",
		      (ull)facts->events, (ull)facts->samples, (ull)facts->self);
	if (facts->last)
		wt_buf_printf(out, ",\"first_ns\":%llu,\"last_ns\":%llu",
			      (ull)(facts->first - facts->file->origin),
			      (ull)(facts->last - facts->file->origin));
	wt_buf_printf(out, ",\"addresses\":%llu,\"named_here\":%llu", (ull)facts->stacks, (ull)facts->local);
	put_named("resolution", wt_frame_reason_names, facts->reasons, WT_N_FRAME_REASONS, out);
	put_named("stacks", wt_stack_status_names, facts->statuses, WT_N_STACK_STATUSES, out);
	put_ends(facts, out);
	wt_buf_printf(out, "},\"recorder_cpu_ns\":%llu", (ull)facts->cost_ns);
}

void wt_view_header_json(const struct wt_view_show *show, struct wt_buf *out)
{
	put_log(show->facts, out);
	put_infos(show->facts, out);
	member(out, "filter", show->where);
	member(out, "from", show->from);
	member(out, "to", show->to);
	put_losses(show->facts, out);
	put_tally(show->facts, out);
	if (show->proved)
		wt_buf_printf(out, ",\"unproved_left_out\":%llu", (ull)show->facts->unproved);
}

/* ---- tables ---- */

static int put_rows(const struct wt_view_show *show, uint32_t node, struct wt_out *out, struct wt_err *err)
{
	const struct wt_view_agg *agg = show->agg;
	uint32_t n, shown;
	const uint32_t *children = wt_view_agg_children(agg, node, &n);

	shown = wt_view_shown(show, children, n);
	wt_buf_puts(&out->buf, ",\"rows\":[");
	for (uint32_t i = 0; i < shown; i++) {
		uint32_t row = children[i];

		wt_buf_puts(&out->buf, i ? ",{\"key\":{" : "{\"key\":{");
		wt_view_key_json(agg->file, wt_view_agg_key(agg, row), agg->rows.nodes[row].id, &out->buf);
		wt_buf_put_u8(&out->buf, '}');
		for (uint32_t c = 0; c < agg->n_shown; c++) {
			struct wt_view_cell cell = wt_view_agg_cell(agg, row, c);

			wt_buf_put_u8(&out->buf, ',');
			string(&out->buf, agg->columns[c].word);
			wt_buf_put_u8(&out->buf, ':');
			wt_view_cell_json(&cell, &out->buf);
		}
		if (agg->children.at[row + 1] > agg->children.at[row] && put_rows(show, row, out, err))
			return -1;
		wt_buf_put_u8(&out->buf, '}');
		if (wt_out_flow(out, err))
			return -1;
	}
	wt_buf_printf(&out->buf, "],\"rows_not_shown\":%u", n - shown);
	return 0;
}

static void put_shape(const struct wt_view_agg *agg, struct wt_buf *out)
{
	if (agg->focus == WT_FOCUS_NONE)
		member(out, "stack_order", agg->order == WT_ORDER_ROOT ? "root" : "leaf");
	else
		member(out, agg->focus == WT_FOCUS_CALLERS ? "callers_of" : "callees_of", agg->focus_name);
}

static int put_table(const struct wt_view_show *show, uint32_t root, struct wt_out *out, struct wt_err *err)
{
	const struct wt_view_agg *agg = show->agg;
	const char *source = wt_strings_get(&agg->file->texts, agg->rows.nodes[root].id, NULL);

	wt_buf_puts(&out->buf, "{\"source\":");
	if (*source)
		string(&out->buf, source);
	else
		wt_buf_puts(&out->buf, "null");
	wt_buf_printf(&out->buf, ",\"count\":%llu,\"partial\":%s,\"group_by\":[",
		      (ull)agg->rows.nodes[root].total,
		      wt_view_partial(show->agg, root, show->facts, &show->events) ? "true" : "false");
	for (uint32_t k = 0; k < agg->n_keys; k++) {
		wt_buf_puts(&out->buf, k ? "," : "");
		string(&out->buf, agg->keys[k].word);
	}
	wt_buf_put_u8(&out->buf, ']');
	if (wt_view_agg_by_stack(agg))
		put_shape(agg, &out->buf);
	if (put_rows(show, root, out, err))
		return -1;
	wt_buf_put_u8(&out->buf, '}');
	return 0;
}

int wt_view_json_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	wt_buf_puts(&out->buf, "{\"file\":");
	string(&out->buf, show->path);
	wt_view_header_json(show, &out->buf);
	wt_buf_puts(&out->buf, ",\"tables\":[");
	for (uint32_t i = 0; i < show->agg->children.n_roots; i++) {
		wt_buf_puts(&out->buf, i ? "," : "");
		if (put_table(show, show->agg->children.roots[i], out, err))
			return -1;
	}
	wt_buf_puts(&out->buf, "]}\n");
	return wt_out_flow(out, err);
}
