// SPDX-License-Identifier: MIT
#include "consumers/counting/drive.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "consumers/counting/targets.h"
#include "consumers/counting/unseen.h"
#include "consumers/session/workload.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

/* As a shell has it. */
enum { NO_COMMAND = 127 };

/* Intervals of reads during a run: short until it is known whether events take turns, then as long as
 * batches need. ns */
#define FIRST_LOOK   (10 * UINT64_C(1000000))
#define LONGEST_LOOK WT_NSEC
#define BATCH        (40 * UINT64_C(1000000))
/* The longest time until the end of a process is noticed. */
#define ALIVE_LOOK (50 * UINT64_C(1000000))

struct run {
	struct wt_count_drive *drive;
	const struct wt_count_job *job;
	struct wt_counting *counting;
	struct wt_workload work;
	uint64_t begun;  /* when counting began */
	uint64_t marked; /* and this count */
	uint64_t look;   /* ns between two reads on the way */
	bool over;       /* the command, the processes or the user ended it */
	bool reaped;     /* the command has ended */
	int status;
	struct wt_unseen unseen;
	uint32_t random;
	struct wt_err *err;
};

/* Varies the interval from read to read, so that no load keeps step with the reads. */
static uint64_t jitter(struct run *run, uint64_t around)
{
	run->random = run->random * 1664525u + 1013904223u;
	return around / 2 + (uint64_t)((double)around * (run->random >> 8) / (double)(1u << 24));
}

/* ---- waiting ---- */

static bool any_alive(const struct wt_counting_aim *aim)
{
	for (size_t i = 0; i < aim->n_pids; i++)
		if (wt_process_lives(aim->pids[i]))
			return true;
	for (size_t i = 0; i < aim->n_tids; i++)
		if (wt_thread_lives(aim->tids[i]))
			return true;
	return !aim->n_pids && !aim->n_tids;
}

static void hold(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
}

/* Waits until the given time, a signal, or the end of the targets. */
static void wait_alone(struct run *run, uint64_t until)
{
	const struct wt_counting_aim *aim = &run->job->aim;
	uint64_t now = wt_clock_now();
	sigset_t set;

	hold(&set);
	while (!run->over && now < until) {
		uint64_t left = until - now;
		struct timespec wait;

		if ((aim->n_pids || aim->n_tids) && left > ALIVE_LOOK)
			left = ALIVE_LOOK;
		wait = (struct timespec){(time_t)(left / WT_NSEC), (long)(left % WT_NSEC)};
		if (sigtimedwait(&set, NULL, &wait) > 0)
			run->drive->interrupted = run->over = true;
		else if (!any_alive(aim))
			run->over = true;
		now = wt_clock_now();
	}
}

static int wait_until(struct run *run, uint64_t until)
{
	int rc;

	if (!run->job->command) {
		wait_alone(run, until);
		return 0;
	}
	rc = wt_workload_await(&run->work, run->job->command[0], until, &run->status, run->err);
	if (rc < 0) {
		run->drive->code = NO_COMMAND;
		return -1;
	}
	run->over = run->reaped = rc == 0;
	return 0;
}

/* ---- counting ---- */

static int read_on_the_way(struct run *run)
{
	if (wt_counting_read(run->counting, run->err))
		return -1;
	if (wt_counting_multiplexed(run->counting))
		run->look = BATCH;
	else if (run->look < LONGEST_LOOK)
		run->look *= 2;
	return 0;
}

static uint64_t add(uint64_t time, uint64_t length)
{
	return length > UINT64_MAX - time ? UINT64_MAX : time + length;
}

/* Counts until the given time or the end of the run. */
static int count_until(struct run *run, uint64_t until)
{
	while (!run->over && wt_clock_now() < until) {
		uint64_t look = add(wt_clock_now(), jitter(run, run->look));

		if (wait_until(run, look < until ? look : until))
			return -1;
		if (!run->over && look < until && read_on_the_way(run))
			return -1;
	}
	return 0;
}

/* What follows begins here. */
static void mark(struct run *run)
{
	wt_counting_mark(run->counting);
	run->marked = wt_clock_now();
}

static int hand_out(struct run *run)
{
	struct wt_count_result result;
	const struct wt_count_job *job = run->job;
	uint64_t now;

	if (wt_counting_read(run->counting, run->err))
		return -1;
	now = wt_clock_now();
	if (run->reaped)
		wt_unseen_tell(&run->unseen, run->job->command[0], wt_counting_cpu_time(run->counting));
	if (wt_count_result_of(run->counting, job->list, job->metrics, job->cores, job->by,
			       (double)(now - run->marked), &result, run->err))
		return -1;
	return run->drive->take(run->drive->ctx, run->counting, &result,
				(double)(now - run->begun) / (double)WT_NSEC, run->err);
}

static int count_once(struct run *run)
{
	if (count_until(run, add(run->begun, run->job->length)))
		return -1;
	if (!run->over && wt_counting_stop(run->counting, run->err))
		return -1;
	return hand_out(run);
}

/* The gap between two counts; counts of the gap are dropped. */
static int wait_gap(struct run *run, uint64_t until)
{
	if (wait_until(run, until))
		return -1;
	return run->over ? 0 : wt_counting_read(run->counting, run->err);
}

/* Each count begins at its time on the clock, however long it took to write the previous one. A run that
 * is late by more than one count starts a new schedule. */
static int count_again(struct run *run)
{
	const struct wt_count_job *job = run->job;
	uint64_t from = run->begun;

	for (uint64_t i = 0; !job->n_counts || i < job->n_counts; i++) {
		if (i && job->gap && wait_gap(run, from))
			return -1;
		if (i && run->over)
			return 0;
		if (i && job->gap)
			mark(run);
		if (wt_clock_now() > add(from, job->length))
			from = wt_clock_now();
		if (count_until(run, add(from, job->length)) || hand_out(run))
			return -1;
		if (run->over)
			return 0;
		mark(run);
		from = add(add(from, job->length), job->gap);
	}
	return 0;
}

/* ---- beginning and end ---- */

static int open_run(struct run *run)
{
	struct wt_counting_aim aim = run->job->aim;

	if (run->job->command) {
		wt_unseen_begin(&run->unseen);
		if (wt_workload_fork(run->job->command, &run->work, run->err))
			return -1;
		/* Counts whole CPUs while the command runs, or the command alone. */
		aim.child = wt_cpuset_count(&aim.cpus) ? 0 : run->work.pid;
	}
	if (wt_counting_open(&aim, run->job->list, run->job->cores, &run->counting, run->err))
		return -1;
	if (aim.child)
		wt_unseen_watch(&run->unseen, aim.child);
	return 0;
}

static int begin(struct run *run)
{
	if (wt_counting_start(run->counting, run->err))
		return -1;
	run->begun = run->marked = wt_clock_now();
	wt_debug("counting");
	return run->job->command ? wt_workload_release(&run->work, run->job->command[0], run->err) : 0;
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A command is ended when its time is over. A command that outlives its timeline goes on, and so does a
 * command whose counts cannot be written. */
static int end_command(struct run *run, bool failed)
{
	if (!run->job->command || run->work.go_fd >= 0)
		return 0;
	if (!run->reaped && !failed && run->job->ends_command)
		kill(run->work.pid, SIGTERM);
	if (!run->reaped && wait_until(run, UINT64_MAX))
		return -1;
	run->drive->code = exit_code(run->status);
	if (WIFSIGNALED(run->status) && (WTERMSIG(run->status) == SIGINT || WTERMSIG(run->status) == SIGHUP))
		run->drive->interrupted = true;
	return 0;
}

int wt_count_drive(struct wt_count_drive *drive, struct wt_err *err)
{
	struct run run = {.drive = drive,
			  .job = &drive->job,
			  .work = WT_WORKLOAD_NONE,
			  .look = FIRST_LOOK,
			  .random = (uint32_t)getpid(),
			  .err = err};
	int rc = open_run(&run) || begin(&run) ? -1 : 0;

	if (!rc)
		rc = drive->job.timeline ? count_again(&run) : count_once(&run);
	if (drive->code != NO_COMMAND && end_command(&run, rc != 0))
		rc = -1;
	wt_counting_close(run.counting);
	wt_unseen_end(&run.unseen);
	wt_workload_close(&run.work);
	return rc;
}
