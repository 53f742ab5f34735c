// SPDX-License-Identifier: MIT
#include "tools/pause_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "consumers/analysis/wait_batch.h"
#include "consumers/analysis/wait_kind.h"

typedef unsigned long long ull;

enum {
	BLAMED = 20, /* rows of blame, before the rest is one row */
	LINES = 40,  /* that a path has before its shortest segments are put together */
	DEEPEST = 8, /* indentation beyond this adds nothing */
	NS_A_MS = 1000000,
	NS_A_S = 1000000000
};

static void put_ms(uint64_t ns, int width, struct wt_buf *out)
{
	wt_buf_printf(out, "%*llu.%06llu", width, (ull)(ns / NS_A_MS), (ull)(ns % NS_A_MS));
}

static void put_thread(const struct wt_pause_report *report, uint32_t tid, struct wt_buf *out)
{
	wt_pause_thread_text(report->waits, tid, report->path.to, out);
}

static void put_sums(const char *name, const uint64_t sums[WT_PAUSE_STATES], const char *what,
		     struct wt_buf *out)
{
	wt_buf_printf(out, "%-9s ", name);
	for (int state = 0; state < WT_PAUSE_STATES; state++) {
		wt_buf_printf(out, "%s%s ", state ? ", " : "", wt_pause_states[state]);
		put_ms(sums[state], 0, out);
	}
	wt_buf_printf(out, " ms: %s\n", what);
}

static void put_head(const struct wt_pause_report *report, const char *name, struct wt_buf *out)
{
	const struct wt_pause_path *path = &report->path;
	const struct wt_log_process *process = NULL;

	wt_buf_printf(out, "%-9s %u of %u: ", name, report->number, report->of);
	put_thread(report, path->tid, out);
	if (wt_pause_thread(report->waits, path->tid, path->to, &process)) {
		wt_buf_puts(out, " of ");
		wt_text_escape(out, process->name.p, process->name.len);
		wt_buf_printf(out, " (%u)", process->pid);
	}
	wt_buf_printf(out, ", from %.9f s, %s", (double)(path->from - report->file->origin) / 1e9,
		      report->open ? ">= " : "");
	put_ms(path->to - path->from, 0, out);
	wt_buf_printf(out, " ms%s\n", report->open ? ": it reaches over an end of the record" : "");
	put_sums("itself", path->own, "what this thread did", out);
	put_sums("path", path->sums, "what it waited for, to the end", out);
}

/* ---- the path ---- */

static int longest_first(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a < *b) - (*a > *b);
}

/* Segments shorter than this are put together; 0: each has a line. */
static int find_shortest(const struct wt_pause_report *report, bool all, uint64_t *ret, struct wt_err *err)
{
	const struct wt_pause_path *path = &report->path;
	uint64_t *lengths;

	*ret = 0;
	if (all || path->n_segments <= LINES)
		return 0;
	lengths = calloc(path->n_segments, sizeof(*lengths));
	if (!lengths)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < path->n_segments; i++)
		lengths[i] = path->segments[i].to - path->segments[i].from;
	qsort(lengths, path->n_segments, sizeof(*lengths), longest_first);
	*ret = lengths[LINES - 1];
	free(lengths);
	return 0;
}

static void put_line(const struct wt_pause_report *report, uint64_t from, uint64_t to, uint32_t depth,
		     const char *state, struct wt_buf *out)
{
	put_ms(from - report->path.from, 8, out);
	put_ms(to - from, 8, out);
	wt_buf_printf(out, "  %-8s %*s", state, 2 * (int)(depth < DEEPEST ? depth : DEEPEST), "");
}

static int put_where(const struct wt_pause_report *report, uint32_t turn, struct wt_buf *out,
		     struct wt_err *err)
{
	struct wt_buf function = {0};

	if (wt_pause_function(report, turn, &function, err))
		return -1;
	if (function.len)
		wt_buf_printf(out, " in %s", wt_buf_cstr(&function));
	wt_buf_deinit(&function);
	return 0;
}

/* What was read while it waited. */
static void put_lock(const struct wt_pause_report *report, const struct wt_pause_turn *turn,
		     struct wt_buf *out)
{
	const struct wt_pause_lock *lock = &turn->lock;

	if (!lock->address)
		return;
	wt_buf_printf(out, ", at lock 0x%llx", (ull)lock->address);
	if (!lock->owner)
		return;
	wt_buf_puts(out, " of ");
	put_thread(report, lock->owner, out);
	wt_buf_printf(out, " when read at %llu.%09llu s (%s)", (ull)(lock->read / NS_A_S),
		      (ull)(lock->read % NS_A_S), wt_pause_word(report, WT_WAIT_OWNER_IS, lock->owner_is));
}

/* After CPU_TAKEN the thread that had the CPU is to follow. */
static void put_cause(uint8_t cause, struct wt_buf *out)
{
	static const char *const texts[WT_PAUSE_CAUSES] = {
		[WT_PAUSE_RAN] = "ran",
		[WT_PAUSE_CPU_TAKEN] = "ready, and its next CPU was with ",
		[WT_PAUSE_CPU_FREE] = "ready, and no thread of the log had its next CPU",
		[WT_PAUSE_NO_CPU] = "ready, and it got no CPU in the log",
		[WT_PAUSE_TIMER] = "waited for a timer",
		[WT_PAUSE_DISK] = "waited for a disk",
		[WT_PAUSE_NETWORK] = "waited for the network",
		[WT_PAUSE_INTERRUPT] = "waited, and an interrupt woke it",
		[WT_PAUSE_IDLE] = "waited, and an idle CPU woke it",
		[WT_PAUSE_OPEN] = "waited beyond the end",
		[WT_PAUSE_NOT_KNOWN] = "not known: events may be missing",
		[WT_PAUSE_NO_TURN] = "not known: the log does not tell of it then",
		[WT_PAUSE_CONTRADICTION] = "not known: its waker cannot have woken it then",
	};

	wt_buf_puts(out, texts[cause]);
}

static void put_why(const struct wt_pause_report *report, uint8_t cause, uint32_t by, struct wt_buf *out)
{
	put_cause(cause, out);
	if (cause == WT_PAUSE_CPU_TAKEN)
		put_thread(report, by, out);
}

/* Of who had the CPU, where it is not that of the thread. */
static void put_priorities(const struct wt_pause_report *report, const struct wt_pause_segment *segment,
			   struct wt_buf *out)
{
	const struct wt_pause_turn *turns = report->path.turns;
	uint32_t its, own;

	if (segment->cause != WT_PAUSE_CPU_TAKEN || segment->turn == WT_PAUSE_NONE)
		return;
	its = turns[segment->by_turn].priority;
	own = turns[segment->turn].priority;
	if (its != own && its != WT_PAUSE_NONE && own != WT_PAUSE_NONE)
		wt_buf_printf(out, " of %s priority (%u, not %u)", its < own ? "higher" : "lower", its, own);
}

static int put_segment(const struct wt_pause_report *report, const struct wt_pause_segment *segment,
		       struct wt_buf *out, struct wt_err *err)
{
	const struct wt_pause_turn *turns = report->path.turns;
	bool waits = segment->state == WT_PAUSE_BLOCKED ||
		     (segment->cause == WT_PAUSE_NOT_KNOWN && segment->turn != WT_PAUSE_NONE);

	put_line(report, segment->from, segment->to, segment->depth, wt_pause_states[segment->state], out);
	put_thread(report, segment->tid, out);
	wt_buf_puts(out, ": ");
	put_why(report, segment->cause, segment->by, out);
	put_priorities(report, segment, out);
	if (segment->state == WT_PAUSE_READY && segment->turn != WT_PAUSE_NONE)
		wt_buf_printf(out, "; %s",
			      wt_pause_word(report, WT_WAIT_READY_BY, turns[segment->turn].ready_by));
	if (waits) {
		if (put_where(report, segment->turn, out, err))
			return -1;
		put_lock(report, &turns[segment->turn], out);
	}
	if (segment->depth) {
		const struct wt_pause_turn *waiter = &turns[segment->waiter];

		wt_buf_puts(out, "; then it woke ");
		put_thread(report, waiter->tid, out);
		if (waiter->kind != WT_KIND_OF_NO_WAIT) {
			wt_buf_printf(out, ", which waited (%s)",
				      wt_pause_word(report, WT_WAIT_KIND, waiter->kind));
			if (put_where(report, segment->waiter, out, err))
				return -1;
			put_lock(report, waiter, out);
		}
	}
	wt_buf_put_u8(out, '\n');
	return 0;
}

static int put_path(const struct wt_pause_report *report, bool all, struct wt_out *out, struct wt_err *err)
{
	const struct wt_pause_path *path = &report->path;
	uint64_t least;

	if (find_shortest(report, all, &least, err))
		return -1;
	wt_buf_puts(&out->buf, "\n       at ms      length ms  state    thread: why\n");
	for (uint32_t i = 0, end; i < path->n_segments; i = end) {
		const struct wt_pause_segment *segment = &path->segments[i];

		for (end = i;
		     end < path->n_segments && path->segments[end].to - path->segments[end].from < least;)
			end++;
		if (end > i + 1) {
			put_line(report, segment->from, path->segments[end - 1].to, 0, "...", &out->buf);
			wt_buf_printf(&out->buf, "%u shorter segments\n", end - i);
			continue;
		}
		end = i + 1;
		if (put_segment(report, segment, &out->buf, err) || wt_out_flow(out, err))
			return -1;
	}
	return 0;
}

/* ---- blame ---- */

static void put_row(uint32_t share, uint64_t length, uint64_t segments, struct wt_buf *out)
{
	wt_buf_printf(out, "%8u.%02u %%", share / 100, share % 100);
	put_ms(length, 8, out);
	wt_buf_printf(out, " %9llu  ", (ull)segments);
}

/* The rows from `from` on, added up. */
static void put_sum(const struct wt_pause_report *report, uint32_t from, const char *name, struct wt_buf *out)
{
	uint64_t length = 0, segments = 0;
	uint32_t share = 0;

	for (uint32_t i = from; i < report->n_blame; i++) {
		share += report->blame[i].share;
		length += report->blame[i].length;
		segments += report->blame[i].segments;
	}
	put_row(share, length, segments, out);
	wt_buf_puts(out, name);
}

static void put_blame(const struct wt_pause_report *report, bool all, struct wt_buf *out)
{
	uint32_t n = all || report->n_blame <= BLAMED ? report->n_blame : BLAMED;

	wt_buf_puts(out, "\n       share      length ms  segments  blame\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_pause_blame *row = &report->blame[i];

		put_row(row->share, row->length, row->segments, out);
		put_thread(report, row->tid, out);
		wt_buf_puts(out, ": ");
		put_why(report, row->cause, row->by, out);
		wt_buf_put_u8(out, '\n');
	}
	if (n < report->n_blame) {
		put_sum(report, n, "", out);
		wt_buf_printf(out, "%u others: --all shows them\n", report->n_blame - n);
	}
	put_sum(report, 0, "all\n", out);
}

/* ---- certainty ---- */

/* which: of two pauses; empty: there is one. */
static void put_certainty(const struct wt_pause_report *report, const char *which, struct wt_buf *out)
{
	uint64_t unknown = report->path.sums[WT_PAUSE_UNKNOWN], probable = report->path.probable;

	wt_buf_printf(out, "certain   %s%sall of it", which, *which ? ": " : "");
	if (!unknown && !probable)
		wt_buf_puts(out, ": no event that tells of it is known to be missing");
	else
		wt_buf_puts(out, " but ");
	if (unknown) {
		put_ms(unknown, 0, out);
		wt_buf_puts(out, " ms, which is unknown above");
	}
	if (probable) {
		wt_buf_puts(out, unknown ? ", and " : "");
		put_ms(probable, 0, out);
		wt_buf_puts(out, " ms, which is probable: an earlier wake may be missing");
	}
	if (!report->waits->wakes)
		wt_buf_puts(out, report->waits->own ? "; a user without rights sees no wakes: record as root"
						    : "; the log has no wakes: -p dispatcher records them");
	if (report->waits->blind && (unknown || probable))
		wt_buf_printf(out, "; switches of the idle thread are missing on %u of the CPUs",
			      report->waits->blind);
	wt_buf_put_u8(out, '\n');
}

int wt_pause_text(const struct wt_pause_report *report, bool all, struct wt_out *out, struct wt_err *err)
{
	if (report->number > 1)
		wt_buf_put_u8(&out->buf, '\n');
	put_head(report, "pause", &out->buf);
	if (put_path(report, all, out, err))
		return -1;
	put_blame(report, all, &out->buf);
	wt_buf_put_u8(&out->buf, '\n');
	put_certainty(report, "", &out->buf);
	return wt_out_flow(out, err);
}

/* ---- two pauses ---- */

static uint64_t size_of(int64_t more)
{
	return more < 0 ? 0 - (uint64_t)more : (uint64_t)more;
}

static void put_more(int64_t more, int width, struct wt_buf *out)
{
	char text[48];

	snprintf(text, sizeof(text), "%c%llu.%06llu", more < 0 ? '-' : '+', (ull)(size_of(more) / NS_A_MS),
		 (ull)(size_of(more) % NS_A_MS));
	wt_buf_printf(out, "%*s", width, text);
}

static void put_more_row(const struct wt_pause_more *row, struct wt_buf *out)
{
	put_more(wt_pause_more_by(row), 16, out);
	for (int side = 0; side < 2; side++)
		put_ms(row->length[side], 8, out);
	for (int side = 0; side < 2; side++)
		wt_buf_printf(out, " %6llu", (ull)row->segments[side]);
	wt_buf_puts(out, "  ");
}

static void put_reason(const struct wt_pause_report *report, const struct wt_pause_compare *compare,
		       const struct wt_pause_reason *reason, struct wt_buf *out)
{
	bool waits = reason->state == WT_PAUSE_BLOCKED || reason->state == WT_PAUSE_UNKNOWN;

	wt_buf_printf(
		out, "%s: ", reason->itself ? "itself" : wt_strings_get(&compare->words, reason->name, NULL));
	put_cause(reason->cause, out);
	if (reason->cause == WT_PAUSE_CPU_TAKEN)
		wt_buf_puts(out, wt_strings_get(&compare->words, reason->by, NULL));
	if (!waits && !reason->itself)
		wt_buf_printf(out, "; then it woke one that waited (%s)",
			      wt_pause_word(report, WT_WAIT_KIND, reason->kind));
	if (reason->function != WT_PAUSE_NO_WORD)
		wt_buf_printf(out, " in %s", wt_strings_get(&compare->words, reason->function, NULL));
}

/* Differences of a smaller size are put together; 0: each has a line. */
static int find_least_more(const struct wt_pause_compare *compare, bool all, uint64_t *ret,
			   struct wt_err *err)
{
	uint64_t *sizes;

	*ret = 0;
	if (all || compare->n <= BLAMED)
		return 0;
	sizes = calloc(compare->n, sizeof(*sizes));
	if (!sizes)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < compare->n; i++)
		sizes[i] = size_of(wt_pause_more_by(&compare->rows[i]));
	qsort(sizes, compare->n, sizeof(*sizes), longest_first);
	*ret = sizes[BLAMED - 1];
	free(sizes);
	return 0;
}

static int put_comparison(const struct wt_pause_report *report, const struct wt_pause_compare *compare,
			  bool all, struct wt_buf *out, struct wt_err *err)
{
	struct wt_pause_more rest = {0};
	uint64_t least;

	if (find_least_more(compare, all, &least, err))
		return -1;
	wt_buf_puts(out, "\n         more ms        pause ms        other ms     segments  why\n");
	for (uint32_t i = 0, others = 0; i < compare->n; i++) {
		const struct wt_pause_more *row = &compare->rows[i];
		bool small = size_of(wt_pause_more_by(row)) < least;

		for (int side = 0; small && side < 2; side++) {
			rest.length[side] += row->length[side];
			rest.segments[side] += row->segments[side];
		}
		others += small;
		/* The small ones stand together, between those that are more and those that are less. */
		if (small && i + 1 < compare->n && size_of(wt_pause_more_by(row + 1)) < least)
			continue;
		put_more_row(small ? &rest : row, out);
		if (small)
			wt_buf_printf(out, "%u others: --all shows them", others);
		else
			put_reason(report, compare, &row->reason, out);
		wt_buf_put_u8(out, '\n');
	}
	put_more_row(&compare->all, out);
	wt_buf_puts(out, "all\n");
	return 0;
}

int wt_pause_compare_text(const struct wt_pause_report reports[2], const struct wt_pause_compare *compare,
			  bool all, struct wt_out *out, struct wt_err *err)
{
	put_head(&reports[0], "pause", &out->buf);
	put_head(&reports[1], "other", &out->buf);
	if (put_comparison(&reports[0], compare, all, &out->buf, err))
		return -1;
	wt_buf_put_u8(&out->buf, '\n');
	put_certainty(&reports[0], "pause", &out->buf);
	put_certainty(&reports[1], "other", &out->buf);
	return wt_out_flow(out, err);
}
