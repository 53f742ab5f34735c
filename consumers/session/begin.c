// SPDX-License-Identifier: MIT
/* Begins a worker: with a new file and armed providers, or with the file and providers of a worker that
 * died. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/session/worker.h"
#include "providers/perf/written.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/rewrite/resume.h"

#define MAX_RINGS 4096
/* Longest time until commands are heard under a flood. */
#define LONG_ROUND_NS (WT_NSEC / 5)

_Static_assert(WT_UNSEEN_MOST <= WT_WRITTEN_MOST, "one question holds them");

/* Looks at mappings that nobody looked at when they were reported; done when a stack leads through them. */
static void look(uint32_t pid, struct wt_unseen_range *ranges, uint32_t n)
{
	struct wt_stretch stretches[WT_UNSEEN_MOST];

	for (uint32_t i = 0; i < n; i++)
		stretches[i] = (struct wt_stretch){.start = ranges[i].start, .end = ranges[i].end};
	wt_perf_look_written(pid, stretches, n);
	for (uint32_t i = 0; i < n; i++)
		ranges[i].is_files = stretches[i].written == WT_WRITTEN_NOT;
}

static enum wt_bytes look_at(uint32_t pid, uint64_t start, uint64_t end)
{
	switch (wt_perf_is_written(pid, start, end)) {
	case WT_WRITTEN_NOT:
		return WT_BYTES_FILES;
	case WT_WRITTEN:
		return WT_BYTES_OTHER;
	case WT_WRITTEN_UNSEEN:
		return WT_BYTES_UNSEEN;
	default:
		return WT_BYTES_GONE;
	}
}

/* Where no place can keep tables, stacks end where they were interrupted, and status says why. */
static void make_unwinder(struct wt_worker *worker)
{
	struct wt_session *session = worker->session;
	struct wt_unwinder_config config = {
		.shared = !session->spec.n_pids, .look = look, .watch = &worker->watch};
	struct wt_err err = WT_ERR_INIT;
	char spare[PATH_MAX];

	if (!session->spec.stack_bytes || session->spec.no_kernel)
		return;
	if (worker->generated) {
		config.generated = wt_generated_rule;
		config.generated_ctx = worker->generated;
	}
	if (snprintf(spare, sizeof(spare), "%s/unwind", session->place.spool) < (int)sizeof(spare))
		config.spare = spare;
	if (wt_unwinder_create(&config, &worker->unwinder, &err))
		wt_warn("user stacks cannot be walked: %s", err.text);
}

static int make_recorder(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	struct wt_recorder_config config = {
		.log = worker->log,
		.kinds = &session->kinds,
		.enabled = session->enabled,
		.self_pid = (uint32_t)getpid(),
		.self_pid2 = (uint32_t)session->keeper,
		.long_round = LONG_ROUND_NS,
		.shared = !session->spec.n_pids,
		.unseen = session->spec.no_kernel || session->spec.n_pids,
		.only_told = session->spec.n_pids,
		.life = wt_perf_life,
		.life_ctx = session->perf,
		.met = wt_programs_met,
		.met_ctx = session->programs,
		.written = wt_worker_written,
		.written_ctx = worker,
		.watch = &worker->watch,
	};
	static struct wt_source *sources[MAX_RINGS];
	size_t n;

	if (wt_perf_watches_writes(session->perf))
		config.look = look_at;
	config.moves = wt_perf_watches_moves(session->perf);
	worker->watch.began = wt_clock_now();
	worker->generated = wt_generated_create(config.shared);
	make_unwinder(worker);
	worker->uids.fd = -1;
	if (worker->unwinder) {
		config.unwind = wt_unwind;
		config.unwind_ctx = worker->unwinder;
	}
	if (worker->generated) {
		config.generated = wt_generated_image;
		config.generated_ctx = worker->generated;
	}
	if (wt_recorder_create(&config, &worker->rec, err) < 0 ||
	    wt_perf_sources(session->perf, sources, MAX_RINGS, &n, err) < 0)
		return -1;
	wt_perf_set_gate(session->perf, wt_recorder_gate, worker->rec);
	/* Done before there are any events, so that no event is older than the watch. */
	wt_worker_watch_owners(worker);
	for (size_t i = 0; i < n; i++)
		if (wt_recorder_add_source(worker->rec, sources[i], err) < 0)
			return -1;
	return session->programs ? wt_programs_begin(session->programs, worker->rec, err) : 0;
}

/* Programs write from here on. */
static int arm_programs(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_programs *programs = worker->session->programs;

	if (!programs)
		return 0;
	wt_programs_first_tables(programs);
	return wt_programs_arm(programs, err) || wt_programs_copy_state(programs, err) ? -1 : 0;
}

int wt_worker_begin(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	struct wt_log_options options = wt_worker_log_options(session);
	const struct wt_perf_note *notes;
	struct wt_status status;
	int rc;

	if (wt_log_create(session->log_fd, &session->kinds, session->id, &options, &worker->log, err) < 0 ||
	    make_recorder(worker, err) < 0 || wt_perf_arm_sideband(session->perf, err) < 0)
		return -1;
	if (wt_worker_put_infos(worker, err) < 0 || wt_worker_rundown(worker, WT_RUNDOWN_START, err) < 0 ||
	    wt_perf_arm(session->perf, err) < 0 || arm_programs(worker, err) < 0)
		return -1;
	worker->armed_after = wt_clock_now() - session->started;
	worker->armed_notes = wt_perf_notes(session->perf, &notes);
	if (wt_worker_drain(worker, WT_FLUSH_NOW, err) < 0 || wt_worker_status(worker, &status, err) < 0)
		return -1;
	rc = wt_worker_send_status(session->report_fd, WT_MSG_STATUS, &status, err);
	wt_status_deinit(&status);
	close(session->report_fd);
	session->report_fd = -1;
	/* The waiting command may have been interrupted; the session runs nevertheless. */
	return rc < 0 && err->sys_errno != EPIPE ? -1 : 0;
}

static int keep_losses(struct wt_worker *worker, struct wt_err *err)
{
	const struct wt_recorder_loss *losses;
	size_t n = wt_recorder_losses(worker->rec, &losses);

	worker->earlier_losses = calloc(n + 1, sizeof(*losses));
	if (!worker->earlier_losses)
		return wt_fail_nomem(err);
	if (n)
		memcpy(worker->earlier_losses, losses, n * sizeof(*losses));
	worker->n_earlier_losses = n;
	return 0;
}

/* Keeps the rings' losses that the log reports already: they are not reported again, and they still count. */
static int take_losses(struct wt_worker *worker, struct wt_err *err)
{
	if (keep_losses(worker, err))
		return -1;
	return wt_programs_take_losses(worker->session->programs, worker->part, err);
}

/* The dead recorder's events still count in status and summary. */
static int count_earlier(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_log_reader *reader;

	if (wt_log_open(worker->part, &reader, err) < 0)
		return -1;
	worker->earlier_events = wt_log_info(reader)->events;
	/* The last segment, just begun, is this worker's. */
	worker->earlier_segments = wt_log_info(reader)->n_segments - 1;
	worker->first_time = wt_log_info(reader)->first_time;
	worker->kept_from = worker->first_time;
	/* The dead recorder may have died before it reported this. */
	worker->trim_untold = wt_log_writer_dropped(worker->log)->segments != 0;
	wt_log_close(reader);
	return 0;
}

/* The worker may have replaced the file that the keeper knows by another. */
static int reopen_part(struct wt_worker *worker, struct wt_err *err)
{
	int fd = open(worker->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s", worker->part);
	if (dup3(fd, worker->session->log_fd, O_CLOEXEC) < 0)
		rc = wt_fail_errno(err, "cannot go on with %s", worker->part);
	close(fd);
	return rc;
}

int wt_worker_take_over(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	struct wt_log_options options = wt_worker_log_options(session);
	struct wt_log_position *positions = NULL;
	size_t n = 0;
	int rc;

	if (reopen_part(worker, err) < 0 ||
	    wt_log_resume(session->log_fd, &session->kinds, &options, &worker->log, &positions, &n, err) < 0)
		return -1;
	worker->first_segment = wt_log_segment(worker->log);
	rc = count_earlier(worker, err);
	if (rc == 0)
		rc = wt_programs_adopt(session, &session->programs, err);
	if (rc == 0)
		rc = make_recorder(worker, err);
	if (rc == 0)
		rc = wt_recorder_take_over(worker->rec, worker->part, positions, n, err);
	free(positions);
	if (rc == 0 && session->programs)
		rc = take_losses(worker, err);
	if (rc == 0)
		rc = wt_worker_info(worker, "take-over",
				    "the recording process was killed; its keeper went on", err);
	return rc;
}
