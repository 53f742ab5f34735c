// SPDX-License-Identifier: MIT
#include "consumers/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumers/session/keeper.h"
#include "consumers/session/programs.h"
#include "tracecore/base/diag.h"
#include "tracecore/schema/builtin.h"

/* How long `start` waits for the worker's report: the rundown of a large machine takes seconds. */
#define ARM_TIMEOUT_MS 120000

/* Programs' providers work without the kernel where its events are not permitted; then only names of code
 * are missing. */
static int plan_kernel(struct wt_session *session, struct wt_perf_request *request, struct wt_err *err)
{
	int rc = wt_perf_plan(request, &session->kinds, &session->perf, err);

	if (!rc || !session->spec.only_programs ||
	    (err->code != WT_ERR_PERMISSION && err->code != WT_ERR_UNSUPPORTED))
		return rc;
	wt_note("only programs' own events are recorded: %s", err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	session->spec.no_kernel = request->nothing = true;
	return wt_perf_plan(request, &session->kinds, &session->perf, err);
}

static int plan(struct wt_session *session, struct wt_err *err)
{
	static char names[WT_SPEC_MAX][256];
	struct wt_perf_tracepoint tracepoints[WT_SPEC_MAX];
	struct wt_perf_request request;
	struct wt_provider *core;
	uint32_t first;

	if (wt_spec_resolve(&session->spec, err) < 0 || wt_builtin_provider("wtrace", &core, err) < 0 ||
	    wt_kinds_add(&session->kinds, core, &first, err) < 0)
		return -1;
	wt_spec_perf_request(&session->spec, &request, tracepoints, names);
	if (plan_kernel(session, &request, err) < 0)
		return -1;
	return wt_spec_enabled_kinds(&session->spec, &session->kinds, &session->enabled, err);
}

/* Takes the name and handles the files of a dead session of that name. */
static int take_place(struct wt_session *session, struct wt_err *err)
{
	struct wt_place *place = &session->place;
	char kept[PATH_MAX];
	int rc;

	if (wt_place_open(session->spec.session, place, err) < 0)
		return -1;
	rc = wt_place_lock(place, err);
	if (rc < 0)
		return -1;
	if (rc == 1)
		return wt_fail(err, WT_ERR_EXISTS,
			       "session '%s' is already running: 'wtrace stop%s%s' ends it, or choose "
			       "another name with "
			       "--session NAME",
			       place->name, strcmp(place->name, WT_SESSION_DEFAULT) ? " --session " : "",
			       strcmp(place->name, WT_SESSION_DEFAULT) ? place->name : "");
	if (wt_place_drop_empty_part(place))
		wt_warn("an earlier session '%s' died before it had written anything", place->name);
	if (wt_place_has_part(place)) {
		if (wt_place_keep_part(place, kept, err) < 0)
			return -1;
		wt_warn("an earlier session '%s' died; its log is kept in %s", place->name, kept);
	}
	session->log_fd = wt_place_create_part(place, err);
	if (session->log_fd < 0)
		return -1;
	session->listen_fd = wt_place_listen(place, err);
	return session->listen_fd < 0 ? -1 : 0;
}

static void give_up_place(struct wt_session *session)
{
	char part[PATH_MAX];

	if (session->place.lock_fd < 0)
		return;
	if (session->programs && wt_programs_end(session->programs, NULL) < 0)
		wt_debug("the programs' side of the session is not wholly given up");
	wt_place_part_path(&session->place, part);
	if (session->log_fd >= 0)
		unlink(part);
	wt_place_remove(&session->place);
}

static void session_deinit(struct wt_session *session)
{
	int *fds[] = {&session->log_fd, &session->listen_fd, &session->pair_fd, &session->report_fd,
		      &session->tie_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	wt_perf_destroy(session->perf);
	wt_programs_destroy(session->programs);
	free(session->enabled);
	wt_kinds_deinit(&session->kinds);
	wt_place_close(&session->place);
	wt_spec_deinit(&session->spec);
}

/* The child's side of both forks: drops the terminal and signals meant for the command. */
static void become_background(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (chdir("/") < 0)
		wt_debug("cannot change to /");
}

/* Tells the waiting command why the session could not start, and the keeper that this is no accident. */
static int report_failure(struct wt_session *session, const struct wt_err *why)
{
	wt_wire_send_error(session->report_fd, why);
	if (session->pair_fd >= 0)
		send(session->pair_fd, &(char){WT_PAIR_DONE}, 1, MSG_NOSIGNAL);
	return 1;
}

/* The worker did not get to its first status: nothing of the session is left. */
static int fail_start(struct wt_session *session, const struct wt_err *why)
{
	char part[PATH_MAX];

	wt_place_part_path(&session->place, part);
	unlink(part);
	wt_place_remove(&session->place);
	return report_failure(session, why);
}

enum role { KEEPER, WORKER };

/* Runs either process to its end and returns the exit code. A keeper whose worker has died is the next
 * worker; a keeper forked by a worker starts here, too. */
static int live(struct wt_session *session, enum role role)
{
	enum wt_worker_mode mode = WT_WORKER_FIRST;

	for (;;) {
		struct wt_err err = WT_ERR_INIT;
		int rc; /* 1: this process is a new keeper */

		if (role == KEEPER) {
			enum wt_keeper_end end = wt_keeper_run(session);

			if (end != WT_KEEPER_TAKES_OVER)
				return end == WT_KEEPER_GIVES_UP;
			mode = WT_WORKER_TAKES_OVER;
			rc = wt_keeper_fork(session, &err);
			if (rc < 0)
				session->keeper = 0;
		} else {
			rc = wt_worker_run(session, mode, &err);
			if (rc < 0 && session->report_fd >= 0)
				return fail_start(session, &err);
			if (rc <= 0)
				return rc < 0;
		}
		role = rc > 0 ? KEEPER : WORKER;
	}
}

/* First background process: becomes the keeper after forking the worker. */
static int run_background(struct wt_session *session)
{
	struct wt_err err = WT_ERR_INIT;
	int pair[2];
	pid_t pid;

	become_background();
	session->keeper = getpid();
	if (wt_perf_map(session->perf, &err) < 0 || wt_wire_pair(pair, &err) < 0)
		return report_failure(session, &err);
	pid = fork();
	if (pid < 0) {
		wt_fail_errno(&err, "cannot fork the session's worker");
		return report_failure(session, &err);
	}
	session->pair_fd = pair[pid == 0];
	close(pair[pid != 0]);
	session->worker = pid ? pid : getpid();
	if (pid == 0)
		return wt_perf_map(session->perf, &err) < 0 ? report_failure(session, &err)
							    : live(session, WORKER);
	close(session->report_fd);
	session->report_fd = -1;
	return live(session, KEEPER);
}

static int wait_armed(int report_fd, struct wt_status *armed, struct wt_err *err)
{
	uint8_t *buffer = malloc(WT_WIRE_MAX);
	enum wt_msg_type type;
	struct wt_cursor body;
	int rc = -1;

	if (!buffer)
		return wt_fail_nomem(err);
	rc = wt_wire_receive(report_fd, ARM_TIMEOUT_MS, buffer, &type, &body, err);
	if (rc == 1)
		rc = wt_fail(err, WT_ERR_SYSTEM, "the session's worker ended before it was ready");
	if (rc == 0)
		rc = wt_status_decode(&body, armed, err);
	free(buffer);
	return rc;
}

static int fork_session(struct wt_session *session, struct wt_status *armed, struct wt_err *err)
{
	int report[2], tie[2] = {-1, -1};
	pid_t pid;
	int rc;

	if (wt_wire_pair(report, err) < 0 || (session->spec.tied && wt_wire_pair(tie, err) < 0))
		return -1;
	/* What loading BPF programs left behind would be in both processes. */
	malloc_trim(0);
	pid = fork();
	if (pid == 0) {
		close(report[0]);
		close(tie[0]);
		session->tie_fd = tie[1];
		session->report_fd = report[1];
		_exit(run_background(session));
	}
	/* This process keeps its end of the tie until it ends. */
	close(report[1]);
	close(tie[1]);
	rc = pid < 0 ? wt_fail_errno(err, "cannot fork the session") : wait_armed(report[0], armed, err);
	close(report[0]);
	return rc;
}

int wt_session_launch(struct wt_spec *spec, struct wt_status *armed, struct wt_err *err)
{
	struct wt_session session = {.log_fd = -1,
				     .listen_fd = -1,
				     .pair_fd = -1,
				     .report_fd = -1,
				     .tie_fd = -1,
				     .stop_client = -1};
	struct wt_clockset clock;
	int rc;

	for (int i = 0; i < WT_SESSION_CLIENTS; i++)
		session.clients[i] = -1;
	session.place = (struct wt_place){.runtime_fd = -1, .spool_fd = -1, .lock_fd = -1};
	session.spec = *spec;
	*spec = (struct wt_spec){0};
	wt_clock_sample(&clock);
	session.started_realtime = clock.realtime;
	wt_clock_pair(&session.start_tick, &session.started);
	rc = getrandom(session.id, sizeof(session.id), 0) == sizeof(session.id)
		     ? 0
		     : wt_fail_errno(err, "no random bytes");
	if (rc == 0)
		rc = plan(&session, err);
	if (rc == 0)
		rc = take_place(&session, err);
	if (rc == 0 && wt_spec_has_programs(&session.spec))
		rc = wt_programs_open(&session, &session.programs, err);
	if (rc == 0)
		rc = wt_perf_open(session.perf, err);
	if (rc == 0)
		rc = fork_session(&session, armed, err);
	if (rc < 0)
		give_up_place(&session);
	session_deinit(&session);
	return rc;
}
