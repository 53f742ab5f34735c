// SPDX-License-Identifier: MIT
#include "consumers/session/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/logfmt/read/reader.h"

/* Rings do not get fuller than this before what was read of them is written; thousandths. A batch costs the
 * same system calls whatever is in it, and packs the better the more there is. */
#define FILL_TO_FLUSH 200
/* Each CPU's ring asks to be read in its own time, and each time all are. As long as the fullest grows by
 * this much or less from one time to the next, and is not nearly idle, they are read together, by the clock.
 */
#define PACE_MS        40
#define PACE_MOST_GROW 250
#define PACE_MIN_GROW  20
/* While a stack waits for its table, and how long at the end. */
#define WAITING_MS   10
#define LAST_WAIT_NS (10 * WT_NSEC)
#define MAX_RINGS    4096
/* Between two rundowns while records are lost: at least, ns, and in times of what one takes. */
#define RUNDOWN_PAUSE (WT_NSEC / 10)
#define RUNDOWN_PART  20
/* Directories of users whose new rings wake the loop; those of more users are looked at by time. */
#define MAX_DIRECTORIES 256
/* As nice(1) counts. */
#define URGENT (-10)
/* The spool leaves this much of its file system free for others, of a small one an eighth. */
#define FREE_FLOOR (UINT64_C(64) << 20)
#define FREE_PART  8
/* No batch is larger, bytes. */
#define BATCH_MOST (UINT64_C(16) << 20)

static volatile sig_atomic_t asked_to_end;

static void on_sigterm(int sig)
{
	(void)sig;
	asked_to_end = 1;
}

int wt_worker_notice(struct wt_worker *worker, const char *event, const struct wt_buf *payload,
		     struct wt_err *err)
{
	struct wt_event ev = {
		.time = wt_clock_now(),
		.kind = wt_kinds_find(&worker->session->kinds, "wtrace", event),
		.cpu = WT_CPU_NONE,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.payload = payload->data,
		.payload_len = (uint32_t)payload->len,
	};

	if (payload->failed)
		return wt_fail_nomem(err);
	return wt_recorder_inject(worker->rec, &ev, err);
}

/* Growth stops where the disk would get too full: the file size limit turns that into a failed write. */
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
			" KiB to others, and what it cannot write is lost and counted; make room there, or "
			"begin "
			"again with WTRACE_SPOOL on another disk (%s)",
			worker->session->place.spool, worker->kept_free >> 10, why->text);
}

/* A disk that takes nothing, be it full or read-only, is said once and waited for; what it costs is counted.
 * Any other error stays one. */
static int bear_full_disk(struct wt_worker *worker, struct wt_err *err)
{
	if (err->code != WT_ERR_NOSPACE)
		return -1;
	worker->disk_times += !worker->disk_full;
	/* Each time that a little room came back would be a line. */
	if (!worker->disk_full && worker->disk_times == 1)
		say_full_disk(worker, err);
	worker->disk_full = true;
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

/* What others' events cost is theirs to pay. */
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
	int rc = wt_recorder_round(worker->rec, horizon, err);

	wt_recorder_pay(worker->rec, wt_clock_thread_cpu() - began + worker->unpaid);
	worker->unpaid = 0;
	return rc;
}

static int flush(struct wt_worker *worker, struct wt_err *err)
{
	if (!wt_recorder_pending(worker->rec))
		return 0;
	/* The end may use the reserve: what was lost has to be told. */
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

/* What goes wrong on the programs' side (a directory removed, foreign files) must not end the session. */
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
	struct wt_user *user = worker->session->user;

	return user && wt_user_look(user, err) ? user_trouble(worker, err) : 0;
}

/* Whether programs need room in their rings soon goes to *urgent. */
static int settle_rings(struct wt_worker *worker, bool *urgent, struct wt_err *err)
{
	struct wt_user *user = worker->session->user;

	*urgent = false;
	return user && wt_user_settle(user, urgent, err) ? user_trouble(worker, err) : 0;
}

static int flush_and_drop(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_user *user = worker->session->user;

	/* Its own time: who asks for the status all the while has everything flushed, and nothing dropped. */
	worker->last_drop = wt_clock_now();
	if (flush(worker, err))
		return -1;
	if (user && !worker->stopping && !wt_recorder_pending(worker->rec) && wt_user_drop_ended(user, err))
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
	struct wt_user_sum sum;
	uint64_t most;

	if (!worker->session->user)
		return fill;
	wt_user_sum(worker->session->user, &sum);
	most = sum.rings.most_used > sum.rings.most_grown ? sum.rings.most_used : sum.rings.most_grown;
	return most > fill ? (uint32_t)most : fill;
}

void wt_worker_adapt(struct wt_worker *worker)
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
	wt_worker_adapt(ctx);
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

/* Following one piece of news is so many units of work, which who caused it pays. */
#define UNITS_NEWS 20
/* Without news until they are asked for again. */
#define UIDS_PAUSE (10 * WT_NSEC)

static uid_t charge(struct wt_worker *worker, const struct wt_uid_news *news)
{
	return wt_user_charge(worker->session->user, news->uid ? news->uid : news->euid, UNITS_NEWS);
}

static void tell_flood(struct wt_worker *worker)
{
	const struct wt_uid_count *most = wt_uid_flood_largest(&worker->uid_flood);
	char who[64] = "";

	if (most)
		snprintf(who, sizeof(who), ", uid %u %u times in the last second", most->uid, most->n);
	if (worker->uids_told && (!most || most->uid == worker->uids_named))
		return;
	worker->uids_told = true;
	worker->uids_named = most ? most->uid : 0;
	wt_warn("processes take other user ids faster than can be followed%s: for some seconds at a time "
		"it is not known whose a process was that ended at once",
		who);
}

/* Where news were lost nobody can say any more whose a process is that nobody looked at. */
static void stop_following(struct wt_worker *worker)
{
	tell_flood(worker);
	wt_recorder_watch_owners(worker->rec, 0);
	wt_uid_watch_close(&worker->uids);
	worker->uids_again = wt_clock_now() + UIDS_PAUSE;
}

static void take_owners(struct wt_worker *worker)
{
	struct wt_uid_watch *watch = &worker->uids;
	uint64_t lost = watch->lost;
	bool flood = false;
	struct wt_uid_news news;

	if (worker->uids_again && wt_clock_now() >= worker->uids_again)
		wt_worker_watch_owners(worker);
	if (watch->fd < 0)
		return;
	wt_uid_watch_begin(watch);
	while (!flood && wt_uid_watch_next(watch, &news)) {
		const struct wt_owner_news owner = {news.time, news.pid, news.uid, news.euid};

		flood = wt_uid_flood_add(&worker->uid_flood, charge(worker, &news), wt_clock_now());
		flood |= !wt_recorder_owner(worker->rec, &owner);
	}
	if (watch->lost != lost || flood)
		stop_following(worker);
}

int wt_worker_drain(struct wt_worker *worker, enum wt_worker_flush when, struct wt_err *err)
{
	/* First of all: a ring that appears behind the look holds nothing that old. */
	uint64_t now = wt_clock_now(), horizon = wt_recorder_horizon();
	bool urgent;
	int rc;

	if (look_for_rings(worker, err))
		return -1;
	take_owners(worker);
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
	wt_worker_adapt(worker);
	if (settle_rings(worker, &urgent, err))
		return -1;
	wt_recorder_hurry(worker->rec, urgent);
	if (now - worker->last_drop >= worker->session->spec.flush_ns)
		return flush_and_drop(worker, err);
	/* While stacks wait the rings need all the room there is. */
	urgent |= wt_recorder_waits(worker->rec) || worker->filled > FILL_TO_FLUSH;
	rc = when == WT_FLUSH_NOW || urgent ? flush(worker, err) : 0;
	worker->filled = wt_recorder_fill(worker->rec);
	return rc;
}

/* Lets the builder work for a while. */
static void await_table(struct wt_worker *worker)
{
	struct pollfd fd = {.fd = wt_unwinder_fd(worker->unwinder), .events = POLLIN};

	poll(&fd, 1, WAITING_MS);
	serve_unwinder(worker);
}

/* Everything the sources have; stacks wait for their tables as long as is reasonable. */
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

/* Behind the first of the last rounds: what it leaves is taken by nobody any more. */
static int tell_rest(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_user *user = worker->session->user;

	return user && wt_user_tell_rest(user, err) ? user_trouble(worker, err) : 0;
}

int wt_worker_drain_all(struct wt_worker *worker, struct wt_err *err)
{
	bool urgent;

	if (worker->unwinder)
		wt_unwinder_set_patience(worker->unwinder, LAST_WAIT_NS);
	/* What the first round finds may be followed by what was lost on the way: that is told and taken too.
	 */
	for (int i = 0; i < 2; i++) {
		if (look_for_rings(worker, err))
			return -1;
		take_owners(worker);
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

/* Where sideband records were lost nothing is known of what processes map until it is read again: at once,
 * and for no more than a part of the time. Where those of names were, names alone are. */
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

/* Things looked at once a second: CPUs that come and go, processes of which mappings were kept back. */
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

int wt_worker_renew_keeper(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;

	send(session->pair_fd, &(char){WT_PAIR_DONE}, 1, MSG_NOSIGNAL);
	close(session->pair_fd);
	session->pair_fd = -1;
	return wt_session_spawn_keeper(session, err);
}

static int replace_keeper(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;

	close(session->pair_fd);
	session->pair_fd = -1;
	return wt_session_spawn_keeper(session, err);
}

/* What the loop polls, in this order. */
struct wait {
	struct pollfd fds[4 + WT_SESSION_CLIENTS + MAX_DIRECTORIES + MAX_RINGS];
	size_t n;
	size_t tie;             /* index of the command the session ends with */
	size_t first_ring;      /* index of the kernel's first ring */
	int hung_up[MAX_RINGS]; /* rings of tasks that are gone: they would wake poll for ever */
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
	if (worker->session->user) {
		int directories[MAX_DIRECTORIES];
		size_t n_directories = wt_user_poll_fds(worker->session->user, directories, MAX_DIRECTORIES);

		for (size_t i = 0; i < n_directories; i++)
			wait->fds[wait->n++] = (struct pollfd){.fd = directories[i], .events = POLLIN};
	}
	if (worker->unwinder)
		wait->fds[wait->n++] = (struct pollfd){.fd = wt_unwinder_fd(worker->unwinder),
						       .events = POLLIN};
	wait->tie = wait->n;
	wait->fds[wait->n++] = (struct pollfd){.fd = worker->session->tie_fd};
	wait->first_ring = wait->n;
	/* Rings that wait for a table would wake the loop all the time; what tells of all processes must not
	 * overflow meanwhile. */
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

/* Programs do not wake the worker: it comes as often as they write, and once a second to look around. */
static int sleep_ms(const struct wt_worker *worker)
{
	uint64_t flush_ns = worker->session->spec.flush_ns;
	int most = (int)((flush_ns < WT_NSEC ? flush_ns : WT_NSEC) / 1000000);
	int wish = worker->session->user ? wt_user_timeout(worker->session->user) : most;
	uint64_t vary = wt_perf_vary(worker->session->perf) / 1000000 + 1;

	if (worker->behind)
		return 0;
	if (vary < (uint64_t)most)
		most = (int)vary;
	if (wt_recorder_waits(worker->rec))
		return WAITING_MS;
	if (worker->paced)
		most = PACE_MS;
	return wish < most ? wish : most;
}

/* Once a second, what status compares with to tell of rates. */
static void note_pace(struct wt_worker *worker)
{
	const struct wt_log_stats *log = wt_log_writer_stats(worker->log);
	struct wt_worker_pace now = {.time = wt_clock_now(), .events = log->events, .bytes = log->bytes};
	struct wt_user_sum sum;

	if (now.time - worker->pace[1].time < WT_NSEC)
		return;
	if (worker->session->user) {
		wt_user_sum(worker->session->user, &sum);
		now.ring_bytes = sum.rings.written;
	}
	worker->pace[0] = worker->pace[1];
	worker->pace[1] = now;
}

static int turn(struct wt_worker *worker, struct wait *wait, struct wt_err *err)
{
	bool ready = worker->paced;

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
	if (wait->fds[1].revents && replace_keeper(worker, err) < 0)
		return -1;
	for (int i = 0; i < WT_SESSION_CLIENTS; i++)
		if (worker->session->clients[i] >= 0 && wait->fds[2 + i].revents)
			wt_worker_serve(worker, i);
	/* Behind them: who comes may take the place of one that was polled. */
	if (wait->fds[0].revents)
		wt_worker_accept(worker);
	worker->abandoned = wait->fds[wait->tie].revents != 0 && worker->session->stop_client < 0;
	worker->stopping |= asked_to_end || worker->abandoned;
	return look_around(worker, err);
}

int wt_worker_info(struct wt_worker *worker, const char *key, const char *value, struct wt_err *err)
{
	struct wt_buf payload = {0};
	int rc;

	wt_buf_put_counted(&payload, key, strlen(key));
	wt_buf_put_counted(&payload, value, strlen(value));
	rc = wt_worker_notice(worker, "info", &payload, err);
	wt_buf_deinit(&payload);
	return rc;
}

/* A background process has no terminal: its diagnostics become events and lines of status. */
static void on_diagnostic(void *ctx, const char *line)
{
	struct wt_worker *worker = ctx;
	struct wt_err ignored = WT_ERR_INIT;

	if (worker->n_lines < WT_WORKER_LINES && (worker->lines[worker->n_lines] = strdup(line)))
		worker->n_lines++;
	if (worker->rec)
		wt_worker_info(worker, "diagnostic", line, &ignored);
}

static int loop(struct wt_worker *worker, struct wt_err *err)
{
	struct wait *wait = calloc(1, sizeof(*wait));
	int rc = wait ? 0 : wt_fail_nomem(err);

	while (rc == 0 && !worker->stopping)
		rc = turn(worker, wait, err) ? -1 : wt_worker_rundown_due(worker, err);
	free(wait);
	return rc;
}

/* Each program's ring takes a descriptor: what a shell allows is soon used up. */
static void raise_open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* What waits in the rings is lost when they are full: where that is allowed (root, RLIMIT_NICE) the one who
 * empties them goes before those who fill them. */
static void go_first(void)
{
	int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	/* Priorities count among the processes of a terminal or service first, then those groups among each
	 * other. */
	if (group >= 0) {
		dprintf(group, "%d", URGENT);
		close(group);
	}
	if (setpriority(PRIO_PROCESS, 0, URGENT) < 0)
		wt_debug("the worker's priority stays as it is: %s", strerror(errno));
}

int wt_worker_run(struct wt_session *session, enum wt_worker_mode mode)
{
	struct wt_worker worker = {.session = session};
	struct sigaction action = {.sa_handler = on_sigterm};
	struct wt_err err = WT_ERR_INIT;
	int rc;

	prctl(PR_SET_NAME, "wtrace-worker");
	sigaction(SIGTERM, &action, NULL);
	raise_open_files();
	go_first();
	session->worker = getpid();
	wt_diag_redirect(on_diagnostic, &worker);
	wt_place_part_path(&session->place, worker.part);
	worker.last_drop = worker.last_look = wt_clock_now();
	rc = mode == WT_WORKER_FIRST ? wt_worker_begin(&worker, &err) : wt_worker_take_over(&worker, &err);
	if (rc < 0 && session->report_fd >= 0) {
		unlink(worker.part);
		wt_place_remove(&session->place);
		return wt_session_report_failure(session, &err);
	}
	if (rc == 0)
		rc = loop(&worker, &err);
	if (rc == 0)
		rc = wt_worker_finish(&worker, &err);
	wt_map_turns_destroy(worker.turns);
	wt_diag_redirect(NULL, NULL);
	return rc < 0;
}
