// SPDX-License-Identifier: MIT
#include "consumers/recorder_state.h"

/* The run's event as it would come alone. */
static struct wt_event single(const struct wt_run *run, uint32_t i)
{
	const struct wt_run_event *from = &run->events[i];

	return (struct wt_event){
		.time = from->time,
		.kind = from->kind,
		.cpu = run->cpu,
		.pid = from->pid,
		.tid = from->tid,
		.payload = from->payload,
		.payload_len = from->payload_len,
	};
}

/* How many events from i on are of one kind and one thread. */
static uint32_t alike(const struct wt_run *run, uint32_t i)
{
	const struct wt_run_event *first = &run->events[i];
	uint32_t n = 1;

	while (i + n < run->n && run->events[i + n].kind == first->kind &&
	       run->events[i + n].tid == first->tid && run->events[i + n].pid == first->pid)
		n++;
	return n;
}

/* Events the recorder does not understand itself, and that the log takes. */
static bool is_plain(const struct wt_recorder *rec, uint32_t kind)
{
	return kind < rec->n_kinds && rec->roles[kind].is == WT_ROLE_NONE &&
	       wt_recorder_is_wanted(rec, kind) && !wt_recorder_is_blocked(rec);
}

/* The next event of another CPU may be as early as the run's first: what comes before that is late. */
static void count(struct wt_recorder *rec, const struct wt_run *run, uint32_t n)
{
	uint64_t first = run->events[0].time, last = run->events[n - 1].time;

	rec->stats.events += n;
	for (uint32_t i = 0; i < n && run->events[i].time < rec->last_time; i++)
		rec->stats.late++;
	if (first > rec->last_time)
		rec->last_time = first;
	if (wt_tasks_overdue(&rec->identity.tasks, last))
		wt_tasks_trim(&rec->identity.tasks, last);
}

/* Events of one kind and one thread; *taken is 0 when the first has to be taken alone. 0; 1: flush. */
static int take_alike(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken)
{
	struct wt_event first = single(run, 0);
	struct wt_who *who;
	struct wt_err why;
	uint32_t row;
	int rc;

	*taken = 0;
	if (!is_plain(rec, first.kind) || wt_recorder_name_thread(rec, &first, &who, &why) ||
	    wt_ledger_row(&rec->ledger, first.kind, first.cpu, &row, &why))
		return 0;
	rc = wt_log_run(rec->config.log, run, who->row,
			wt_recorder_is_self(rec, first.pid) ? WT_EVENT_SELF : 0, taken, &why);
	if (!*taken)
		return 0;
	wt_ledger_book_run(&rec->ledger, row, *taken, first.time, run->events[*taken - 1].time);
	count(rec, run, *taken);
	return rc || wt_recorder_is_crowded(rec);
}

int wt_recorder_take_run(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken,
			 struct wt_err *err)
{
	int rc = wt_recorder_settle(rec, err);

	*taken = 0;
	while (!rc && *taken < run->n) {
		struct wt_run part = {
			.events = run->events + *taken, .n = alike(run, *taken), .cpu = run->cpu};
		uint32_t n;

		rc = take_alike(rec, &part, &n);
		if (!n) {
			struct wt_event event = single(&part, 0);

			rc = wt_recorder_take(rec, &event, err);
			n = 1;
		}
		*taken += n;
	}
	return rc;
}
