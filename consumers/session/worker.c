// SPDX-License-Identifier: MIT
#include "consumers/session/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "consumers/session/keeper.h"
#include "tracecore/base/diag.h"

/* Each CPU's ring wakes the worker at its own time, and each time all rings are read. As long as the fullest
 * grows by this much or less between two reads, and is not nearly idle, the rings are read together, by the
 * clock. */
#define PACE_MS        40
#define PACE_MOST_GROW 250
#define PACE_MIN_GROW  20
/* Sleep while a stack waits for its table. */
#define WAITING_MS 10
/* Stacks of waits are read on in threads that still wait. */
#define STILL_WAITS_MS 20
#define MAX_RINGS      4096
/* Least pause between two rundowns while records are lost: ns, and as a multiple of a rundown's time. */
#define RUNDOWN_PAUSE (WT_NSEC / 10)
#define RUNDOWN_PART  20
/* Most directories of users whose new rings wake the loop; those of more users are looked at by time. */
#define MAX_DIRECTORIES 256
/* As nice(1) counts. */
#define URGENT (-10)

static volatile sig_atomic_t asked_to_end;

static void on_sigterm(int sig)
{
	(void)sig;
	asked_to_end = 1;
}

static int on_cpu_change(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n)
{
	struct wt_worker *worker = ctx;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = online ? wt_recorder_add_source(worker->rec, sources[i], &err)
			    : wt_recorder_remove_source(worker->rec, sources[i], &err);
	wt_buf_put_u32(&payload, cpu);
	wt_buf_put_u8(&payload, online);
	if (rc == 0)
		rc = wt_worker_notice(worker, "cpu", &payload, &err);
	wt_buf_deinit(&payload);
	if (rc < 0)
		wt_warn("CPU %u %s: %s", cpu, online ? "came" : "went", err.text);
	return rc;
}

/* After lost sideband records, mappings of processes are unknown until they are read again: at once, but
 * only for a part of the time. After lost records of names, only names are read. */
static int run_down_again(struct wt_worker *worker, struct wt_err *err)
{
	uint64_t now = wt_clock_now(), took;
	bool names;
	int rc;

	if (now < worker->next_rundown)
		return 0;
	names = wt_recorder_wants_names(worker->rec);
	if (wt_recorder_wants_rundown(worker->rec))
		rc = wt_worker_rundown(worker, WT_RUNDOWN_START, err);
	else if (names)
		rc = wt_worker_rundown_names(worker, err);
	else
		return 0;
	took = (wt_clock_now() - now) * RUNDOWN_PART;
	worker->next_rundown = now + (took < RUNDOWN_PAUSE ? RUNDOWN_PAUSE : took);
	return rc;
}

/* Checks once a second: CPUs that come and go, processes with mappings held back. */
static int look_around(struct wt_worker *worker, struct wt_err *err)
{
	uint64_t now = wt_clock_now();

	if (run_down_again(worker, err))
		return -1;
	if (now - worker->last_look < WT_NSEC)
		return 0;
	worker->last_look = now;
	if (wt_perf_hotplug(worker->session->perf, on_cpu_change, worker, err) < 0)
		return -1;
	return wt_worker_rundown_missed(worker, err);
}

/* The descriptors that the loop polls, in this order. */
struct wait {
	struct pollfd fds[4 + WT_SESSION_CLIENTS + MAX_DIRECTORIES + MAX_RINGS];
	size_t n;
	size_t tie;             /* index of the tie to the command whose end ends the session */
	size_t first_ring;      /* index of the kernel's first ring */
	int hung_up[MAX_RINGS]; /* rings of ended tasks: they would wake poll again and again */
	size_t n_hung_up;
};

static bool has_hung_up(const struct wait *wait, int fd)
{
	for (size_t i = 0; i < wait->n_hung_up; i++)
		if (wait->hung_up[i] == fd)
			return true;
	return false;
}

static void fill_wait(const struct wt_worker *worker, struct wait *wait)
{
	static int rings[MAX_RINGS];
	size_t n = wt_perf_poll_fds(worker->session->perf, rings, MAX_RINGS);

	wait->n = 0;
	wait->fds[wait->n++] = (struct pollfd){.fd = worker->session->listen_fd, .events = POLLIN};
	wait->fds[wait->n++] = (struct pollfd){.fd = worker->session->pair_fd, .events = POLLIN};
	for (int i = 0; i < WT_SESSION_CLIENTS; i++)
		wait->fds[wait->n++] = (struct pollfd){.fd = worker->session->clients[i], .events = POLLIN};
	if (worker->session->programs) {
		int directories[MAX_DIRECTORIES];
		size_t n_directories = wt_programs_poll_fds(worker->session->programs, directories,
							    MAX_DIRECTORIES);

		for (size_t i = 0; i < n_directories; i++)
			wait->fds[wait->n++] = (struct pollfd){.fd = directories[i], .events = POLLIN};
	}
	if (worker->unwinder)
		wait->fds[wait->n++] = (struct pollfd){.fd = wt_unwinder_fd(worker->unwinder),
						       .events = POLLIN};
	wait->tie = wait->n;
	wait->fds[wait->n++] = (struct pollfd){.fd = worker->session->tie_fd};
	wait->first_ring = wait->n;
	/* Rings that wait for a table would wake the loop all the time. The sideband of all processes must
	 * not overflow in the meantime. */
	if (worker->paced || wt_recorder_waits(worker->rec))
		n = wt_perf_poll_sideband(worker->session->perf, rings, MAX_RINGS);
	for (size_t i = 0; i < n && i < MAX_RINGS; i++)
		if (!has_hung_up(wait, rings[i]))
			wait->fds[wait->n++] = (struct pollfd){.fd = rings[i], .events = POLLIN};
}

/* True when a ring has passed its watermark. */
static bool rings_ready(struct wait *wait)
{
	bool ready = false;

	for (size_t i = wait->first_ring; i < wait->n; i++) {
		short got = wait->fds[i].revents;

		ready |= got != 0;
		if ((got & (POLLHUP | POLLERR | POLLNVAL)) && wait->n_hung_up < MAX_RINGS)
			wait->hung_up[wait->n_hung_up++] = wait->fds[i].fd;
	}
	return ready;
}

/* Programs do not wake the worker: it comes at the pace of their writes, and at least once a second. */
static int sleep_ms(const struct wt_worker *worker)
{
	uint64_t flush_ns = worker->session->spec.flush_ns;
	int most = (int)((flush_ns < WT_NSEC ? flush_ns : WT_NSEC) / 1000000);
	int wish = worker->session->programs ? wt_programs_timeout(worker->session->programs) : most;
	uint64_t vary = wt_perf_vary(worker->session->perf) / 1000000 + 1;

	if (worker->behind)
		return 0;
	if (vary < (uint64_t)most)
		most = (int)vary;
	if (wt_recorder_waits(worker->rec))
		return WAITING_MS;
	if (worker->paced)
		most = PACE_MS;
	if (wt_perf_reads_waits(worker->session->perf) && most > STILL_WAITS_MS)
		most = STILL_WAITS_MS;
	return wish < most ? wish : most;
}

/* Once a second, notes the figures from which status computes rates. */
static void note_pace(struct wt_worker *worker)
{
	const struct wt_log_stats *log = wt_log_writer_stats(worker->log);
	struct wt_worker_pace now = {.time = wt_clock_now(), .events = log->events, .bytes = log->bytes};
	struct wt_programs_sum sum;

	if (now.time - worker->pace[1].time < WT_NSEC)
		return;
	if (worker->session->programs) {
		wt_programs_sum(worker->session->programs, &sum);
		now.ring_bytes = sum.rings.written;
	}
	worker->pace[0] = worker->pace[1];
	worker->pace[1] = now;
}

/* Returns 1 when this process is a new keeper, forked during the turn. */
static int turn(struct wt_worker *worker, struct wait *wait, struct wt_err *err)
{
	bool ready = worker->paced;
	int rc = 0;

	fill_wait(worker, wait);
	if (poll(wait->fds, wait->n, sleep_ms(worker)) < 0) {
		if (errno != EINTR)
			return wt_fail_errno(err, "cannot wait for the rings");
		worker->stopping |= asked_to_end;
		return 0;
	}
	note_pace(worker);
	ready |= rings_ready(wait);
	if (wt_worker_drain(worker, WT_FLUSH_WHEN_DUE, err) < 0)
		return -1;
	worker->paced = ready && !worker->behind && worker->grown >= PACE_MIN_GROW &&
			worker->grown <= PACE_MOST_GROW;
	if (wait->fds[1].revents)
		rc = wt_keeper_replace(worker->session, err);
	for (int i = 0; !rc && i < WT_SESSION_CLIENTS; i++)
		if (worker->session->clients[i] >= 0 && wait->fds[2 + i].revents)
			rc = wt_worker_serve(worker, i);
	if (rc)
		return rc;
	/* Accepted last, because a new connection may take the slot of one that was polled. */
	if (wait->fds[0].revents)
		wt_worker_accept(worker);
	worker->abandoned = wait->fds[wait->tie].revents != 0 && worker->session->stop_client < 0;
	worker->stopping |= asked_to_end || worker->abandoned;
	return look_around(worker, err);
}

/* A background process has no terminal: its diagnostics become events and lines of status. */
static void on_diagnostic(void *ctx, const char *line)
{
	struct wt_worker *worker = ctx;
	struct wt_err ignored = WT_ERR_INIT;

	/* Diagnostics from the completion of the log go to the command that stops the session. */
	if (worker->n_lines < WT_WORKER_LINES &&
	    asprintf(&worker->lines[worker->n_lines], "%s%s", worker->rec ? "" : "wtrace: ", line) >= 0)
		worker->n_lines++;
	if (worker->rec)
		wt_worker_info(worker, "diagnostic", line, &ignored);
}

static int loop(struct wt_worker *worker, struct wt_err *err)
{
	struct wait *wait = calloc(1, sizeof(*wait));
	int rc = wait ? 0 : wt_fail_nomem(err);

	while (rc == 0 && !worker->stopping) {
		rc = turn(worker, wait, err);
		if (!rc)
			rc = wt_worker_rundown_due(worker, err);
	}
	free(wait);
	return rc;
}

/* Each program's ring takes a descriptor, and a shell's limit is soon used up. */
static void raise_open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Waiting events are lost when their rings are full. Where that is permitted (root, RLIMIT_NICE), the worker
 * therefore gets a higher priority than the programs that fill the rings. */
static void go_first(void)
{
	int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	/* Priorities count among the processes of a terminal or service first, then among those groups. */
	if (group >= 0) {
		dprintf(group, "%d", URGENT);
		close(group);
	}
	if (setpriority(PRIO_PROCESS, 0, URGENT) < 0)
		wt_debug("the worker's priority stays as it is: %s", strerror(errno));
}

int wt_worker_run(struct wt_session *session, enum wt_worker_mode mode, struct wt_err *err)
{
	struct wt_worker worker = {.session = session};
	struct sigaction action = {.sa_handler = on_sigterm};
	int rc;

	prctl(PR_SET_NAME, "wtrace-worker");
	sigaction(SIGTERM, &action, NULL);
	raise_open_files();
	go_first();
	session->worker = getpid();
	wt_diag_redirect(on_diagnostic, &worker);
	wt_place_part_path(&session->place, worker.part);
	worker.last_drop = worker.last_look = wt_clock_now();
	rc = mode == WT_WORKER_FIRST ? wt_worker_begin(&worker, err) : wt_worker_take_over(&worker, err);
	if (rc == 0)
		rc = loop(&worker, err);
	if (rc == 0)
		rc = wt_worker_finish(&worker, err);
	wt_map_turns_destroy(worker.turns);
	wt_file_watch_deinit(&worker.watch);
	wt_diag_redirect(NULL, NULL);
	return rc;
}
