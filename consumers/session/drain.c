// SPDX-License-Identifier: MIT
/* One turn of recording: moves the sources' events through the recorder into the log, as the disk allows. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"

/* When a ring is fuller than this, the events read are written; thousandths. A batch takes a fixed number of
 * system calls, and larger batches compress better. */
#define FILL_TO_FLUSH 200
/* How long one wait for a stack's table takes, and how long all of them may take at the end. */
#define WAITING_MS   10
#define LAST_WAIT_NS (10 * WT_NSEC)
/* The spool leaves this much of its file system free for others; on a small file system, an eighth. */
#define FREE_FLOOR (UINT64_C(64) << 20)
#define FREE_PART  8
/* No batch is larger, bytes. */
#define BATCH_MOST (UINT64_C(16) << 20)

/* Stops growth before the disk gets too full: the file size limit makes such a write fail. */
static void limit_spool(struct wt_worker *worker)
{
	uint64_t used = wt_log_writer_stats(worker->log)->bytes;
	struct rlimit limit;
	struct statvfs fs;
	uint64_t free_bytes, floor;

	if (fstatvfs(worker->session->log_fd, &fs) < 0 || getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	floor = (uint64_t)fs.f_blocks * fs.f_frsize / FREE_PART;
	floor = floor < FREE_FLOOR ? floor : FREE_FLOOR;
	worker->kept_free = free_bytes < floor + BATCH_MOST ? floor : 0;
	limit.rlim_cur = used + (free_bytes > floor ? free_bytes - floor : 0);
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void say_full_disk(const struct wt_worker *worker, const struct wt_err *why)
{
	if (!worker->kept_free)
		wt_warn("%s", why->text);
	else
		wt_warn("the disk of %s is nearly full: the session leaves the last %" PRIu64
			" KiB to others, and counts the events that it cannot write as lost; make room "
			"there, or begin again with WTRACE_SPOOL on another disk (%s)",
			worker->session->place.spool, worker->kept_free >> 10, why->text);
}

/* A disk that takes no data, whether full or read-only, is reported once and waited for; events lost by that
 * are counted. Any other error remains an error. */
static int bear_full_disk(struct wt_worker *worker, struct wt_err *err)
{
	if (err->code != WT_ERR_NOSPACE)
		return -1;
	worker->disk_times += !worker->disk_full;
	/* A line each time that a little room came back would be too many. */
	if (!worker->disk_full && worker->disk_times == 1)
		say_full_disk(worker, err);
	worker->disk_full = true;
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

/* Users pay for the flush of their events. */
static int flush_paid(struct wt_worker *worker, struct wt_err *err)
{
	uint64_t began = wt_clock_thread_cpu();
	int rc = wt_recorder_flush(worker->rec, err);

	worker->unpaid += wt_clock_thread_cpu() - began;
	return rc;
}

static int round_paid(struct wt_worker *worker, uint64_t horizon, struct wt_err *err)
{
	uint64_t began = wt_clock_thread_cpu();
	int rc;

	wt_perf_lives_drain(worker->session->perf);
	/* What is mapped in this round may be newer. */
	wt_file_watch_read(&worker->watch);
	/* A report of generated code is read before samples of that code are taken. */
	if (worker->generated)
		wt_generated_read(worker->generated, false);
	rc = wt_recorder_round(worker->rec, horizon, err);
	wt_recorder_pay(worker->rec, wt_clock_thread_cpu() - began + worker->unpaid);
	worker->unpaid = 0;
	return rc;
}

static int flush(struct wt_worker *worker, struct wt_err *err)
{
	if (!wt_recorder_pending(worker->rec))
		return 0;
	/* The end may use the reserve, because the losses have to be reported. */
	if (!worker->stopping)
		limit_spool(worker);
	if (flush_paid(worker, err) == 0) {
		if (worker->disk_full && worker->disk_times == 1)
			wt_note("the log can be written again");
		worker->disk_full = false;
		return 0;
	}
	return bear_full_disk(worker, err);
}

/* A failure on the programs' side (a directory removed, foreign files) must not end the session. */
static int user_trouble(struct wt_worker *worker, struct wt_err *err)
{
	if (err->code == WT_ERR_NOMEM)
		return -1;
	if (strcmp(worker->trouble, err->text))
		wt_warn("%s", err->text);
	snprintf(worker->trouble, sizeof(worker->trouble), "%s", err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

static int look_for_rings(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_programs *programs = worker->session->programs;

	return programs && wt_programs_look(programs, err) ? user_trouble(worker, err) : 0;
}

/* Sets *urgent when programs need room in their rings soon. */
static int settle_rings(struct wt_worker *worker, bool *urgent, struct wt_err *err)
{
	struct wt_programs *programs = worker->session->programs;

	*urgent = false;
	return programs && wt_programs_settle(programs, urgent, err) ? user_trouble(worker, err) : 0;
}

static int flush_and_drop(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_programs *programs = worker->session->programs;

	/* Drops have their own time: frequent requests for status flush everything but drop nothing. */
	worker->last_drop = wt_clock_now();
	if (flush(worker, err))
		return -1;
	if (programs && !worker->stopping && !wt_recorder_pending(worker->rec) &&
	    wt_programs_drop_ended(programs, err))
		return user_trouble(worker, err);
	return 0;
}

static void serve_unwinder(struct wt_worker *worker)
{
	if (worker->unwinder)
		wt_unwinder_serve(worker->unwinder);
}

static uint32_t fullest(const struct wt_worker *worker)
{
	uint32_t fill = wt_recorder_fill(worker->rec);
	struct wt_programs_sum sum;
	uint64_t most;

	if (!worker->session->programs)
		return fill;
	wt_programs_sum(worker->session->programs, &sum);
	most = sum.rings.most_used > sum.rings.most_grown ? sum.rings.most_used : sum.rings.most_grown;
	return most > fill ? (uint32_t)most : fill;
}

/* Compresses the log as well as the load allows. */
static void adapt(struct wt_worker *worker)
{
	struct wt_effort_load load = {
		.now = wt_clock_now(), .cpu = wt_clock_process_cpu(), .fill = fullest(worker)};

	if (!worker->effort.decided)
		wt_effort_init(&worker->effort, &load, worker->session->spec.max_file);
	if (wt_effort_decide(&worker->effort, &load))
		wt_log_set_level(worker->log, wt_effort_level(&worker->effort));
}

void wt_worker_written(void *ctx)
{
	wt_worker_trim(ctx);
	adapt(ctx);
}

static void note_growth(struct wt_worker *worker)
{
	uint32_t fill = wt_recorder_fill(worker->rec);

	worker->grown = fill > worker->filled ? fill - worker->filled : 0;
	worker->filled = fill;
}

static void tell_claimants(struct wt_worker *worker)
{
	uint32_t n;
	struct wt_claimant *list = wt_recorder_claimants(worker->rec, &n);

	wt_claims_tell(list, n);
}

int wt_worker_drain(struct wt_worker *worker, enum wt_worker_flush when, struct wt_err *err)
{
	/* Read first, so that a ring which appears after the look holds no event older than the horizon. */
	uint64_t now = wt_clock_now(), horizon = wt_recorder_horizon();
	bool urgent;
	int rc;

	if (look_for_rings(worker, err))
		return -1;
	wt_worker_follow_owners(worker);
	serve_unwinder(worker);
	rc = round_paid(worker, horizon, err);
	if (rc < 0 && bear_full_disk(worker, err))
		return -1;
	worker->behind = rc > 0;
	tell_claimants(worker);
	wt_recorder_tell_left_out(worker->rec, false);
	if (wt_worker_tell_trimmed(worker, err))
		return -1;
	note_growth(worker);
	adapt(worker);
	if (settle_rings(worker, &urgent, err))
		return -1;
	wt_recorder_hurry(worker->rec, urgent);
	if (now - worker->last_drop >= worker->session->spec.flush_ns)
		return flush_and_drop(worker, err);
	/* While stacks wait, the rings need all the room there is. */
	urgent |= wt_recorder_waits(worker->rec) || worker->filled > FILL_TO_FLUSH;
	rc = when == WT_FLUSH_NOW || urgent ? flush(worker, err) : 0;
	worker->filled = wt_recorder_fill(worker->rec);
	return rc;
}

/* Waits a short time for the builder. */
static void await_table(struct wt_worker *worker)
{
	struct pollfd fd = {.fd = wt_unwinder_fd(worker->unwinder), .events = POLLIN};

	poll(&fd, 1, WAITING_MS);
	serve_unwinder(worker);
}

/* Takes everything the sources have; stacks wait for their tables for a limited time. */
static int take_all(struct wt_worker *worker, struct wt_err *err)
{
	uint64_t began = wt_clock_now();

	for (;;) {
		int rc = round_paid(worker, UINT64_MAX, err);

		if (rc < 0 && err->code != WT_ERR_NOSPACE)
			return -1;
		*err = (struct wt_err)WT_ERR_INIT;
		if (rc)
			continue;
		if (!wt_recorder_waits(worker->rec))
			return 0;
		if (wt_clock_now() - began > LAST_WAIT_NS)
			wt_recorder_hurry(worker->rec, true);
		else
			await_table(worker);
	}
}

/* Called after the first of the last rounds: nobody takes the events that this round leaves. */
static int tell_rest(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_programs *programs = worker->session->programs;

	return programs && wt_programs_tell_rest(programs, err) ? user_trouble(worker, err) : 0;
}

int wt_worker_drain_all(struct wt_worker *worker, struct wt_err *err)
{
	bool urgent;

	if (worker->unwinder)
		wt_unwinder_set_patience(worker->unwinder, LAST_WAIT_NS);
	/* The first round may lose events on the way; the losses are reported and taken in the second round.
	 */
	for (int i = 0; i < 2; i++) {
		if (look_for_rings(worker, err))
			return -1;
		wt_worker_follow_owners(worker);
		if (take_all(worker, err))
			return -1;
		if (settle_rings(worker, &urgent, err))
			return -1;
		if (i == 0 && tell_rest(worker, err))
			return -1;
		tell_claimants(worker);
		wt_recorder_tell_left_out(worker->rec, true);
	}
	return wt_worker_drain(worker, WT_FLUSH_NOW, err);
}
