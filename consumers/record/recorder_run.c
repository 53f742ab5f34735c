// SPDX-License-Identifier: MIT
/* Takes many similar events at once: runs and strips. */
#include "consumers/record/recorder_state.h"

#include <string.h>

/* Returns an event of the run in the form of a single event. */
static struct wt_event single(const struct wt_run *run, uint32_t i)
{
	const struct wt_run_event *from = &run->events[i];

	return (struct wt_event){
		.time = from->time,
		.kind = from->kind,
		.cpu = run->cpu,
		.pid = from->pid,
		.tid = from->tid,
		.claimer = run->claimer,
		.payload = from->payload,
		.payload_len = from->payload_len,
	};
}

static bool are_alike(const struct wt_run_event *a, const struct wt_run_event *b)
{
	return a->kind == b->kind && a->tid == b->tid && a->pid == b->pid;
}

/* Returns how many events from i on have one kind and one thread. */
static uint32_t alike(const struct wt_run *run, uint32_t i)
{
	uint32_t n = 1;

	while (i + n < run->n && are_alike(&run->events[i], &run->events[i + n]))
		n++;
	return n;
}

/* True for events that the recorder only hands on, and that the log takes. */
static bool is_plain(const struct wt_recorder *rec, uint32_t kind)
{
	return kind < rec->n_kinds && rec->roles[kind].is == WT_ROLE_NONE &&
	       wt_recorder_is_wanted(rec, kind) && !wt_recorder_is_blocked(rec);
}

/* The times of similar events: one time every `stride` bytes. */
struct times {
	const uint64_t *first;
	size_t stride;
};

static uint64_t time_of(const struct times *times, uint32_t i)
{
	return *(const uint64_t *)(const void *)((const char *)times->first + i * times->stride);
}

/* The thread of the events, and their row in the ledger. */
struct booking {
	struct wt_who *who;
	uint32_t row, flags;
};

static uint32_t flags_of(const struct wt_recorder *rec, const struct wt_event *event)
{
	if (event->claimer)
		return WT_EVENT_CLAIMED;
	return wt_selves_has(&rec->selves, event->pid) ? WT_EVENT_SELF : 0;
}

/* Returns false when the events have to be taken one by one. */
static bool look_up(struct wt_recorder *rec, const struct wt_event *first, struct booking *booking)
{
	struct wt_err why;

	booking->flags = flags_of(rec, first);
	return is_plain(rec, first->kind) && !wt_recorder_expects(rec, first->pid) &&
	       !wt_recorder_name_thread(rec, first, &booking->who, &why) &&
	       !wt_ledger_row(&rec->ledger, first->kind, first->cpu, &booking->row, &why);
}

/* Books the n events that the log has taken with the result rc. The next event of another CPU may be as
 * early as the first of these; events earlier than those taken before are late. 1: flush. */
static int book(struct wt_recorder *rec, const struct booking *booking, const struct times *times, uint32_t n,
		int rc)
{
	uint64_t first = time_of(times, 0), last;
	uint32_t late = 0;

	if (!n)
		return 0;
	last = time_of(times, n - 1);
	wt_ledger_book_run(&rec->ledger, booking->row, n, first, last);
	while (late < n && time_of(times, late) < rec->last_time)
		late++;
	rec->stats.events += n;
	rec->stats.late += late;
	if (first > rec->last_time)
		rec->last_time = first;
	if (wt_tasks_overdue(&rec->identity.tasks, last))
		wt_tasks_trim(&rec->identity.tasks, last);
	return rc || wt_recorder_is_crowded(rec);
}

/* Takes events of one kind and one thread; *taken is 0 when the first has to be taken alone. Returns 0; 1:
 * flush. */
static int take_alike(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken)
{
	const struct times times = {&run->events[0].time, sizeof(run->events[0])};
	struct wt_event first = single(run, 0);
	struct booking booking;
	struct wt_err why;
	int rc = 0;

	*taken = 0;
	if (look_up(rec, &first, &booking))
		rc = wt_log_run(rec->config.log, run, booking.who->row, booking.flags, taken, &why);
	return book(rec, &booking, &times, *taken, rc);
}

/* Takes at least one event of the part, unless this fails. */
static int take_part(struct wt_recorder *rec, const struct wt_run *part, uint32_t *taken, struct wt_err *err)
{
	int rc = take_alike(rec, part, taken);
	struct wt_event event;

	if (*taken)
		return rc;
	event = single(part, 0);
	*taken = 1;
	return wt_recorder_take(rec, &event, err);
}

/* True for events of several kinds or threads that the recorder only hands on. */
static bool is_mixed(const struct wt_recorder *rec, const struct wt_run *run)
{
	if (alike(run, 0) == run->n)
		return false;
	for (uint32_t i = 0; i < run->n; i++)
		if ((!i || run->events[i].kind != run->events[i - 1].kind) &&
		    !is_plain(rec, run->events[i].kind))
			return false;
	return true;
}

/* Takes all of a mixed run, similar events together wherever they are in it. In the log a kind's events of
 * one CPU have their own blocks, so that only their order among themselves matters. */
static int take_mixed(struct wt_recorder *rec, const struct wt_run *run, struct wt_err *err)
{
	struct wt_run_event events[WT_RUN_MAX], rest[WT_RUN_MAX];
	uint32_t n = run->n;
	int rc = 0, flush = 0;

	memcpy(rest, run->events, n * sizeof(*rest));
	while (n && rc >= 0) {
		struct wt_run part = {.events = events, .cpu = run->cpu, .claimer = run->claimer};
		uint32_t left = 0, taken;

		events[part.n++] = rest[0];
		for (uint32_t i = 1; i < n; i++) {
			if (are_alike(&events[0], &rest[i]))
				events[part.n++] = rest[i];
			else
				rest[left++] = rest[i];
		}
		for (n = left; part.n && rc >= 0; part.events += taken, part.n -= taken) {
			rc = take_part(rec, &part, &taken, err);
			flush |= rc;
		}
	}
	return rc < 0 ? rc : flush;
}

int wt_recorder_take_run(struct wt_recorder *rec, const struct wt_run *run, uint32_t *taken,
			 struct wt_err *err)
{
	int rc = wt_recorder_settle(rec, err);

	*taken = 0;
	if (!rc && is_mixed(rec, run)) {
		*taken = run->n;
		return take_mixed(rec, run, err);
	}
	while (!rc && *taken < run->n) {
		struct wt_run part = {.events = run->events + *taken,
				      .n = alike(run, *taken),
				      .cpu = run->cpu,
				      .claimer = run->claimer};
		uint32_t n;

		rc = take_part(rec, &part, &n, err);
		*taken += n;
	}
	return rc;
}

/* Returns the strip's first event in the form of a single event. */
static struct wt_event head(const struct wt_strip *strip)
{
	return (struct wt_event){
		.time = strip->times[0],
		.kind = strip->kind,
		.cpu = strip->cpu,
		.pid = strip->pid,
		.tid = strip->tid,
		.claimer = strip->claimer,
		.payload = strip->payload,
		.payload_len = strip->payload_len,
	};
}

/* Takes events of the strip; *taken is 0 when the first has to be taken alone. Returns 0; 1: flush. */
static int take_some(struct wt_recorder *rec, const struct wt_strip *strip, uint32_t *taken)
{
	const struct times times = {strip->times, sizeof(strip->times[0])};
	struct wt_event first = head(strip);
	struct booking booking;
	struct wt_err why;
	int rc = 0;

	*taken = 0;
	if (look_up(rec, &first, &booking))
		rc = wt_log_strip(rec->config.log, strip, booking.who->row, booking.flags, taken, &why);
	return book(rec, &booking, &times, *taken, rc);
}

int wt_recorder_take_strip(struct wt_recorder *rec, const struct wt_strip *strip, uint32_t *taken,
			   struct wt_err *err)
{
	int rc = wt_recorder_settle(rec, err);
	struct wt_strip rest = *strip;

	*taken = 0;
	while (!rc && rest.n) {
		uint32_t n;

		rc = take_some(rec, &rest, &n);
		if (!n) {
			struct wt_event event = head(&rest);

			rc = wt_recorder_take(rec, &event, err);
			n = 1;
		}
		*taken += n;
		wt_strip_skip(&rest, n);
	}
	return rc;
}
