// SPDX-License-Identifier: MIT
/* Pauses as lines for flame graphs: from the thread of the pause down its wakers to the cause, and the ns. */
#include <stdlib.h>

#include "consumers/analysis/wait_batch.h"
#include "consumers/export/pause.h"
#include "tracecore/base/grow.h"

/* A frame that a thread is in. A ';' in a name would split it; a number at its end would be the sum. */
static void end_frame(struct wt_buf *line, size_t from)
{
	wt_foreign_no_separator(line, from, ';', ':');
	wt_foreign_no_numbers(line, from);
	wt_buf_put_u8(line, ';');
}

static void put_thread(const struct wt_pause_report *report, uint32_t tid, struct wt_buf *line)
{
	size_t from = line->len;

	wt_pause_name(report, tid, line);
	end_frame(line, from);
}

/* "[lock] run": what for, and where. */
static int put_wait(const struct wt_pause_report *report, const char *word, uint32_t turn,
		    struct wt_buf *line, struct wt_err *err)
{
	size_t from = line->len;
	struct wt_buf function = {0};

	if (wt_pause_function(report, turn, &function, err)) {
		wt_buf_deinit(&function);
		return -1;
	}
	wt_buf_printf(line, "[%s]%s%s", word, function.len ? " " : "",
		      function.len ? wt_buf_cstr(&function) : "");
	wt_buf_deinit(&function);
	end_frame(line, from);
	return 0;
}

/* The threads that wait, from that of the pause down. */
static int put_links(const struct wt_pause_report *report, uint32_t link, struct wt_buf *line,
		     struct wt_err *err)
{
	const struct wt_pause_path *path = &report->path;
	uint32_t n = 0, *up;
	int failed = 0;

	for (uint32_t l = link; l != WT_PAUSE_NONE; l = path->links[l].up)
		n++;
	up = calloc(n + (size_t)1, sizeof(*up));
	if (!up)
		return wt_fail_nomem(err);
	for (uint32_t l = link, i = n; l != WT_PAUSE_NONE; l = path->links[l].up)
		up[--i] = path->links[l].turn;
	for (uint32_t i = 0; i < n && !failed; i++) {
		const struct wt_pause_turn *turn = &path->turns[up[i]];
		bool began = turn->ready_by == WT_READY_BY_START;

		put_thread(report, turn->tid, line);
		failed = put_wait(report,
				  began ? "not begun" : wt_pause_word(report, WT_WAIT_KIND, turn->kind),
				  up[i], line, err);
	}
	free(up);
	return failed;
}

static int put_segment(const struct wt_pause_report *report, const struct wt_pause_segment *segment,
		       struct wt_buf *line, struct wt_err *err)
{
	bool waits = segment->state == WT_PAUSE_BLOCKED || segment->state == WT_PAUSE_UNKNOWN;
	size_t from;

	wt_buf_clear(line);
	if (put_links(report, segment->link, line, err))
		return -1;
	put_thread(report, segment->tid, line);
	if (put_wait(report, wt_pause_causes[segment->cause], waits ? segment->turn : WT_PAUSE_NONE, line,
		     err))
		return -1;
	line->len--;
	if (segment->by == WT_PAUSE_NONE)
		return 0;
	wt_buf_put_u8(line, ' ');
	from = line->len;
	wt_pause_name(report, segment->by, line);
	end_frame(line, from);
	line->len--;
	return 0;
}

int wt_pause_fold(const struct wt_pause_report *report, struct wt_pause_folded *folded, struct wt_err *err)
{
	struct wt_buf line = {0};
	int failed = 0;

	for (uint32_t i = 0; i < report->path.n_segments && !failed; i++) {
		const struct wt_pause_segment *segment = &report->path.segments[i];
		uint32_t id = WT_INTERN_NONE;
		bool fresh;

		failed = put_segment(report, segment, &line, err);
		if (failed)
			break;
		if (!line.failed)
			id = wt_strings_add(&folded->lines, line.data, line.len, &fresh);
		if (id == WT_INTERN_NONE) {
			failed = wt_fail_nomem(err);
			break;
		}
		failed = wt_grow(&folded->lengths, &folded->cap, id, 1, err);
		if (!failed)
			folded->lengths[id] = (fresh ? 0 : folded->lengths[id]) + segment->to - segment->from;
	}
	wt_buf_deinit(&line);
	return failed;
}

int wt_pause_folded_text(const struct wt_pause_folded *folded, struct wt_out *out, struct wt_err *err)
{
	for (uint32_t i = 0; i < folded->lines.count; i++) {
		wt_buf_printf(&out->buf, "%s %llu\n", wt_strings_get(&folded->lines, i, NULL),
			      (unsigned long long)folded->lengths[i]);
		if (wt_out_flow(out, err))
			return -1;
	}
	return 0;
}

void wt_pause_folded_deinit(struct wt_pause_folded *folded)
{
	wt_strings_deinit(&folded->lines);
	free(folded->lengths);
	*folded = (struct wt_pause_folded){0};
}
