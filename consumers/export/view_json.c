/* SPDX-License-Identifier: MIT */
/* Tables as JSON. */
#include "consumers/export/view.h"

#include <string.h>

#include "consumers/export/words.h"

static void put_string(struct wt_json *json, const char *key, const struct wt_view_facts *facts, uint32_t id)
{
	wt_json_text(json, key, wt_strings_get(&facts->file->texts, id, NULL));
}

/* ---- header ---- */

void wt_damages_json(const struct wt_log_reader *log, struct wt_json *json)
{
	uint32_t n = wt_log_info(log)->n_damages;

	wt_json_array(json, "damages");
	for (uint32_t i = 0; i < n && i < WT_LOG_DAMAGES; i++) {
		const struct wt_log_damage *damage = &wt_log_damages(log)[i];

		wt_json_object(json, NULL);
		wt_json_number(json, "offset", damage->offset);
		wt_json_bytes(json, "what", damage->what, strnlen(damage->what, sizeof(damage->what)));
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_log(const struct wt_view_facts *facts, struct wt_json *json)
{
	const struct wt_log_info *info = facts->file->log ? wt_log_info(facts->file->log) : NULL;

	if (!info)
		return;
	wt_json_number(json, "bytes", info->file_bytes);
	wt_json_bool(json, "complete", info->complete);
	wt_json_number(json, "events", info->events);
	wt_json_number(json, "duration_ns", info->last_time - info->first_time);
	wt_json_number(json, "start_realtime_ns",
		       info->clock.realtime + (info->first_time - info->clock.raw));
	wt_json_number(json, "damaged", info->n_damages);
	wt_damages_json(facts->file->log, json);
}

static void put_infos(const struct wt_view_facts *facts, struct wt_json *json)
{
	wt_json_array(json, "info");
	for (uint32_t i = 0; i < facts->n_infos; i++) {
		wt_json_object(json, NULL);
		put_string(json, "key", facts, facts->infos[i].key);
		put_string(json, "value", facts, facts->infos[i].value);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_losses(const struct wt_view_facts *facts, struct wt_json *json)
{
	wt_json_number(json, "lost", facts->lost);
	wt_json_number(json, "blind_ns", facts->blind_ns);
	wt_json_number(json, "exact_counters", facts->counted);
	wt_json_number(json, "wrong_counters", facts->miscounted);
	wt_json_array(json, "losses");
	for (uint32_t i = 0; i < facts->n_losses; i++) {
		const struct wt_view_loss *loss = &facts->losses[i];

		wt_json_object(json, NULL);
		put_string(json, "provider", facts, loss->provider);
		put_string(json, "event", facts, loss->event);
		put_string(json, "cause", facts, loss->cause);
		wt_json_number(json, "count", loss->count);
		wt_json_number(json, "spans", loss->spans);
		wt_json_number(json, "blind_ns", loss->blind_ns);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

void wt_view_counts_json(const char *key, const char *const *names, const uint64_t *counts, uint32_t n,
			 struct wt_json *json)
{
	wt_json_object(json, key);
	for (uint32_t i = 0; i < n; i++)
		if (counts[i])
			wt_json_number(json, names[i], counts[i]);
	wt_json_end_object(json);
}

static void put_ends(const struct wt_view_facts *facts, struct wt_json *json)
{
	wt_json_array(json, "no_unwind_data");
	for (uint32_t i = 0; i < facts->end_modules.count; i++) {
		wt_json_object(json, NULL);
		put_string(json, "module", facts, facts->ends[i].module);
		wt_json_number(json, "count", facts->ends[i].count);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_tally(const struct wt_view_facts *facts, struct wt_json *json)
{
	wt_json_object(json, "counted");
	wt_json_number(json, "events", facts->events);
	wt_json_number(json, "samples", facts->samples);
	wt_json_number(json, "recorder", facts->self);
	if (facts->last) {
		wt_json_number(json, "first_ns", facts->first - facts->file->origin);
		wt_json_number(json, "last_ns", facts->last - facts->file->origin);
	}
	wt_json_number(json, "addresses", facts->stacks);
	wt_json_number(json, "named_here", facts->local);
	wt_view_counts_json("resolution", wt_frame_reason_names, facts->reasons, WT_N_FRAME_REASONS, json);
	wt_view_counts_json("stacks", wt_stack_status_names, facts->statuses, WT_N_STACK_STATUSES, json);
	put_ends(facts, json);
	wt_json_end_object(json);
	wt_json_number(json, "recorder_cpu_ns", facts->cost_ns);
}

static void put_inside(const struct wt_view_filter *filter, struct wt_json *json)
{
	if (!filter || !wt_view_filter_asks_regions(filter))
		return;
	wt_json_array(json, "inside");
	for (uint32_t k = 0; k < filter->n_keys; k++) {
		const struct wt_view_inside *inside = &filter->keys[k].inside;

		if (!inside->mask)
			continue;
		wt_json_object(json, NULL);
		wt_json_number(json, "regions", inside->regions);
		wt_json_number(json, "unfinished", inside->unfinished);
		wt_json_number(json, "without_start", inside->unbegun);
		wt_json_number(json, "in_doubt", inside->doubtful);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

/* start_raw_ns: where the log's times begin, by CLOCK_MONOTONIC_RAW. */
static void put_waits(const struct wt_wait_rows *waits, struct wt_json *json)
{
	uint64_t origin = waits->file->origin;

	wt_json_object(json, "waits");
	wt_json_number(json, "turns", waits->counts.turns);
	wt_json_number(json, "waits", waits->counts.waits);
	wt_json_number(json, "without_wake", waits->counts.unwoken);
	wt_json_number(json, "probable", waits->counts.probable);
	wt_json_number(json, "contradictions", waits->counts.contradictions);
	wt_json_number(json, "untraced_idle_cpus", waits->blind);
	wt_json_number(json, "recorder_turns", waits->shadow.turns);
	wt_json_number(json, "recorder_running_ns", waits->shadow.running);
	wt_json_number(json, "start_raw_ns", origin);
	wt_json_number(json, "first_ns", waits->first > origin ? waits->first - origin : 0);
	wt_json_number(json, "last_ns", waits->last > origin ? waits->last - origin : 0);
	wt_json_end_object(json);
}

void wt_view_header_json(const struct wt_view_show *show, struct wt_json *json)
{
	put_log(show->facts, json);
	put_infos(show->facts, json);
	wt_json_text(json, "filter", show->where);
	wt_json_text(json, "from", show->from);
	wt_json_text(json, "to", show->to);
	put_losses(show->facts, json);
	put_tally(show->facts, json);
	put_inside(show->agg->filter, json);
	if (show->waits)
		put_waits(show->waits, json);
	if (show->regions) {
		wt_json_object(json, "regions");
		wt_json_number(json, "all", show->regions->all);
		wt_json_number(json, "unfinished", show->regions->unfinished);
		wt_json_number(json, "without_start", show->regions->unbegun);
		wt_json_number(json, "overlapping", show->regions->overlapping);
		wt_json_number(json, "in_doubt", show->regions->doubtful);
		wt_json_end_object(json);
	}
	if (wt_view_is_estimate(show))
		wt_json_bool(json, "estimate", true);
	if (show->proved)
		wt_json_number(json, "unproved_left_out", show->facts->unproved);
}

/* ---- tables ---- */

static bool put_row(struct wt_view_rows_json *rows, uint32_t row)
{
	const struct wt_view_agg *agg = rows->show->agg;

	for (uint32_t c = 0; c < agg->n_shown; c++) {
		struct wt_view_cell cell = wt_view_agg_cell(agg, row, c);

		wt_json_key(&rows->json, agg->columns[c].word);
		wt_view_cell_json(&cell, rows->json.out);
	}
	return agg->children.at[row + 1] > agg->children.at[row];
}

int wt_view_rows_json(struct wt_view_rows_json *rows, uint32_t node, struct wt_err *err)
{
	const struct wt_view_agg *agg = rows->show->agg;
	struct wt_json *json = &rows->json;
	uint32_t n, shown;
	const uint32_t *children = wt_view_agg_children(agg, node, &n);

	shown = wt_view_shown(rows->show, children, n);
	wt_json_array(json, "rows");
	for (uint32_t i = 0; i < shown; i++) {
		uint32_t row = children[i];

		wt_json_object(json, NULL);
		wt_json_object(json, "key");
		wt_view_key_json(agg->file, wt_view_agg_key(agg, row), agg->rows.nodes[row].id, json);
		wt_json_end_object(json);
		if (rows->put(rows, row) && wt_view_rows_json(rows, row, err))
			return -1;
		wt_json_end_object(json);
		if (wt_out_flow(rows->out, err))
			return -1;
	}
	wt_json_end_array(json);
	wt_json_number(json, "rows_not_shown", n - shown);
	return 0;
}

static void put_shape(const struct wt_view_agg *agg, struct wt_json *json)
{
	if (agg->focus == WT_FOCUS_NONE)
		wt_json_text(json, "stack_order", agg->order == WT_ORDER_ROOT ? "root" : "leaf");
	else
		wt_json_text(json, agg->focus == WT_FOCUS_CALLERS ? "callers_of" : "callees_of",
			     agg->focus_name);
}

static int put_table(struct wt_view_rows_json *printer, uint32_t root, struct wt_err *err)
{
	const struct wt_view_agg *agg = printer->show->agg;
	const char *source = wt_strings_get(&agg->file->texts, agg->rows.nodes[root].id, NULL);
	struct wt_json *json = &printer->json;

	wt_json_object(json, NULL);
	wt_json_text(json, "source", *source ? source : NULL);
	wt_json_number(json, "count", agg->rows.nodes[root].total);
	wt_json_bool(json, "partial",
		     wt_view_partial(printer->show->agg, root, printer->show->facts, &printer->show->events));
	wt_json_array(json, "group_by");
	for (uint32_t k = 0; k < agg->n_keys; k++)
		wt_json_text(json, NULL, agg->keys[k].word);
	wt_json_end_array(json);
	if (wt_view_agg_by_stack(agg))
		put_shape(agg, json);
	if (wt_view_rows_json(printer, root, err))
		return -1;
	wt_json_end_object(json);
	return 0;
}

int wt_view_json_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	struct wt_view_rows_json printer = {
		.show = show, .out = out, .json = wt_json(&out->buf), .put = put_row};

	wt_json_object(&printer.json, NULL);
	wt_json_text(&printer.json, "file", show->path);
	wt_view_header_json(show, &printer.json);
	wt_json_array(&printer.json, "tables");
	for (uint32_t i = 0; i < show->agg->children.n_roots; i++)
		if (put_table(&printer, show->agg->children.roots[i], err))
			return -1;
	wt_json_end_array(&printer.json);
	wt_json_end_document(&printer.json);
	return wt_out_flow(out, err);
}
