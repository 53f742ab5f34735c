// SPDX-License-Identifier: MIT
#include "consumers/export/pause.h"

#include "consumers/analysis/wait_batch.h"

static void put_thread(const struct wt_pause_report *report, struct wt_json *json, uint32_t tid)
{
	const struct wt_log_process *process = NULL;
	const struct wt_log_thread *thread = wt_pause_thread(report->waits, tid, report->path.to, &process);

	wt_json_number(json, "tid", tid);
	if (thread)
		wt_json_bytes(json, "name", thread->name.p, thread->name.len);
	else
		wt_json_null(json, "name");
}

static void put_by(const struct wt_pause_report *report, struct wt_json *json, uint32_t by, uint32_t turn)
{
	if (by == WT_PAUSE_NONE)
		return;
	wt_json_object(json, "by");
	put_thread(report, json, by);
	if (turn != WT_PAUSE_NONE)
		wt_json_known(json, "priority", report->path.turns[turn].priority, WT_PAUSE_NONE);
	wt_json_end_object(json);
}

static void put_sums(struct wt_json *json, const char *key, const uint64_t sums[WT_PAUSE_STATES])
{
	wt_json_object(json, key);
	for (int state = 0; state < WT_PAUSE_STATES; state++)
		wt_json_number(json, wt_pause_states[state], sums[state]);
	wt_json_end_object(json);
}

static void put_lock(const struct wt_pause_report *report, struct wt_json *json,
		     const struct wt_pause_lock *lock)
{
	if (!lock->address)
		return;
	wt_json_object(json, "lock");
	wt_json_number(json, "address", lock->address);
	wt_json_text(json, "owner_is", wt_pause_word(report, WT_WAIT_OWNER_IS, lock->owner_is));
	if (lock->owner) {
		wt_json_object(json, "owner");
		put_thread(report, json, lock->owner);
		wt_json_number(json, "read_ns", lock->read);
		wt_json_end_object(json);
	}
	wt_json_end_object(json);
}

/* Where the thread of a turn waited. */
static int put_wait(const struct wt_pause_report *report, struct wt_json *json, uint32_t turn,
		    struct wt_err *err)
{
	const struct wt_pause_turn *of = &report->path.turns[turn];
	struct wt_buf function = {0};

	wt_json_text(json, "kind", wt_pause_word(report, WT_WAIT_KIND, of->kind));
	wt_json_text(json, "ready_by", wt_pause_word(report, WT_WAIT_READY_BY, of->ready_by));
	if (wt_pause_function(report, turn, &function, err))
		return -1;
	wt_json_text(json, "function", function.len ? wt_buf_cstr(&function) : NULL);
	wt_buf_deinit(&function);
	put_lock(report, json, &of->lock);
	return 0;
}

static int put_segment(const struct wt_pause_report *report, struct wt_json *json,
		       const struct wt_pause_segment *segment, struct wt_err *err)
{
	wt_json_object(json, NULL);
	wt_json_number(json, "from_ns", segment->from - report->path.from);
	wt_json_number(json, "length_ns", segment->to - segment->from);
	wt_json_number(json, "depth", segment->depth);
	put_thread(report, json, segment->tid);
	wt_json_text(json, "state", wt_pause_states[segment->state]);
	wt_json_text(json, "cause", wt_pause_causes[segment->cause]);
	put_by(report, json, segment->by, segment->by_turn);
	if (segment->probable)
		wt_json_bool(json, "probable", true);
	if (segment->turn != WT_PAUSE_NONE) {
		wt_json_known(json, "cpu", report->path.turns[segment->turn].cpu, WT_PAUSE_NONE);
		wt_json_known(json, "priority", report->path.turns[segment->turn].priority, WT_PAUSE_NONE);
		if (segment->state != WT_PAUSE_RUNNING && put_wait(report, json, segment->turn, err))
			return -1;
	}
	if (segment->depth) {
		wt_json_object(json, "woke");
		put_thread(report, json, report->path.turns[segment->waiter].tid);
		if (put_wait(report, json, segment->waiter, err))
			return -1;
		wt_json_end_object(json);
	}
	wt_json_end_object(json);
	return 0;
}

static void put_blame(const struct wt_pause_report *report, struct wt_json *json)
{
	wt_json_array(json, "blame");
	for (uint32_t i = 0; i < report->n_blame; i++) {
		const struct wt_pause_blame *row = &report->blame[i];

		wt_json_next_line(json);
		wt_json_object(json, NULL);
		put_thread(report, json, row->tid);
		wt_json_text(json, "state", wt_pause_states[row->state]);
		wt_json_text(json, "cause", wt_pause_causes[row->cause]);
		put_by(report, json, row->by, WT_PAUSE_NONE);
		wt_json_number(json, "length_ns", row->length);
		wt_json_number(json, "segments", row->segments);
		wt_json_number(json, "share_of_10000", row->share);
		wt_json_end_object(json);
	}
	wt_json_end_lines(json);
}

int wt_pause_json(const struct wt_pause_report *report, struct wt_json *json, struct wt_err *err)
{
	const struct wt_pause_path *path = &report->path;

	wt_json_next_line(json);
	wt_json_object(json, NULL);
	put_thread(report, json, path->tid);
	wt_json_number(json, "from_ns", path->from - report->file->origin);
	wt_json_number(json, "from_raw_ns", path->from);
	wt_json_number(json, "length_ns", path->to - path->from);
	wt_json_bool(json, "open", report->open);
	put_sums(json, "itself_ns", path->own);
	put_sums(json, "path_ns", path->sums);
	wt_json_number(json, "probable_ns", path->probable);
	wt_json_array(json, "segments");
	for (uint32_t i = 0; i < path->n_segments; i++) {
		wt_json_next_line(json);
		if (put_segment(report, json, &path->segments[i], err))
			return -1;
	}
	wt_json_end_lines(json);
	put_blame(report, json);
	wt_json_end_object(json);
	return 0;
}

static void put_word(struct wt_json *json, const char *key, const struct wt_pause_compare *compare,
		     uint32_t word)
{
	wt_json_text(json, key,
		     word == WT_PAUSE_NO_WORD ? NULL : wt_strings_get(&compare->words, word, NULL));
}

static void put_more(struct wt_json *json, const struct wt_pause_more *row)
{
	wt_json_signed(json, "more_ns", wt_pause_more_by(row));
	wt_json_number(json, "length_ns", row->length[0]);
	wt_json_number(json, "other_length_ns", row->length[1]);
	wt_json_number(json, "segments", row->segments[0]);
	wt_json_number(json, "other_segments", row->segments[1]);
}

void wt_pause_compare_json(const struct wt_pause_report *report, const struct wt_pause_compare *compare,
			   struct wt_json *json)
{
	wt_json_object(json, "compare");
	put_more(json, &compare->all);
	wt_json_array(json, "rows");
	for (uint32_t i = 0; i < compare->n; i++) {
		const struct wt_pause_reason *reason = &compare->rows[i].reason;

		wt_json_next_line(json);
		wt_json_object(json, NULL);
		put_more(json, &compare->rows[i]);
		wt_json_bool(json, "itself", reason->itself);
		put_word(json, "name", compare, reason->name);
		wt_json_text(json, "state", wt_pause_states[reason->state]);
		wt_json_text(json, "cause", wt_pause_causes[reason->cause]);
		put_word(json, "by", compare, reason->by);
		wt_json_text(json, "kind", wt_pause_word(report, WT_WAIT_KIND, reason->kind));
		put_word(json, "function", compare, reason->function);
		wt_json_end_object(json);
	}
	wt_json_end_lines(json);
	wt_json_end_object(json);
}
