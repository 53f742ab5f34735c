// SPDX-License-Identifier: MIT
/* Ends a session: writes all produced events into the log, completes the log, and gives up the session's
 * name. */
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/record/roots.h"
#include "consumers/symbols/symbols.h"
#include "consumers/unwind/cache_directory.h"
#include "consumers/session/deliver.h"
#include "consumers/session/ending.h"
#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/rewrite/compact.h"

/* Bytes of symbol tables kept while names are looked up. With the tables of one segment this stays below the
 * recorder's bound. */
#define SYMBOL_BYTES (UINT64_C(12) << 20)

static int on_idle(void *ctx, const struct wt_event *event, struct wt_err *err)
{
	return wt_recorder_inject(((struct wt_worker *)ctx)->rec, event, err);
}

static int put_cost(struct wt_worker *worker, struct wt_err *err)
{
	const struct wt_log_stats *log = wt_log_writer_stats(worker->log);
	struct wt_buf payload = {0};
	int rc;

	wt_buf_put_u64(&payload, worker->session->started);
	wt_buf_put_u64(&payload, wt_worker_cpu(worker));
	wt_buf_put_u64(&payload, log->events);
	wt_buf_put_u64(&payload, log->bytes);
	rc = wt_worker_notice(worker, "cost", &payload, err);
	wt_buf_deinit(&payload);
	return rc;
}

/* Reports the programs that began without a full command line, with the reasons. */
static int put_programs(struct wt_worker *worker, struct wt_err *err)
{
	const struct wt_recorder_stats *stats = wt_recorder_stats(worker->rec);
	const char *why = wt_perf_lives_why(worker->session->perf);
	uint64_t lost = wt_perf_lives_lost(worker->session->perf);
	struct wt_buf text = {0};
	int rc;

	if (worker->session->spec.no_kernel || !(stats->execs + stats->ends))
		return 0;
	wt_buf_printf(&text,
		      "%" PRIu64 " began, of %" PRIu64 " the command line is known; %" PRIu64
		      " processes ended, of %" PRIu64 " it is known how",
		      stats->execs, stats->execs_caught, stats->ends, stats->ends_caught);
	if (why)
		wt_buf_printf(&text, " (without BPF: %s)", why);
	else if (lost)
		wt_buf_printf(&text, " (%" PRIu64 " records found no room)", lost);
	rc = text.failed ? wt_fail_nomem(err) : wt_worker_info(worker, "programs", wt_buf_cstr(&text), err);
	wt_buf_deinit(&text);
	return rc;
}

static enum wt_file_written watched(void *ctx, const struct wt_log_image *image, bool apart)
{
	struct wt_worker *worker = ctx;

	if (!apart)
		wt_file_watch_read(&worker->watch);
	return wt_file_watch_ask(&worker->watch, image->device, image->inode, image->mapped);
}

/* Without room for symbols the file is still readable. */
static int complete_file(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_symbols_options options = {.lines = true,
					     .inlines = true,
					     .debuginfod = worker->session->spec.debuginfod,
					     .max_bytes = SYMBOL_BYTES,
					     .watched = watched,
					     .watched_ctx = worker,
					     .shared = !worker->session->spec.n_pids};
	struct wt_unwind_cache cache;
	int roots[WT_ROOTS];
	int rc = wt_worker_status(worker, &worker->last, err);

	if (rc < 0)
		return -1;
	if (worker->session->programs)
		wt_programs_part(worker->session->programs);
	wt_uid_watch_close(&worker->uids);
	options.roots = roots;
	options.n_roots = wt_recorder_take_roots(worker->rec, roots, WT_ROOTS);
	wt_recorder_destroy(worker->rec);
	worker->rec = NULL;
	if (worker->unwinder)
		worker->builder_cpu = wt_unwinder_builder_cpu(worker->unwinder);
	wt_unwinder_destroy(worker->unwinder);
	worker->unwinder = NULL;
	if (worker->generated) {
		wt_generated_read(worker->generated, true);
		options.generated = wt_generated_name;
		options.generated_ctx = worker->generated;
	}
	malloc_trim(0);
	if (wt_unwind_cache_usual(&cache))
		options.cache = &cache;
	rc = wt_symbols_complete(&options, worker->part, &worker->session->kinds, worker->log, err);
	if (options.cache)
		wt_unwind_cache_close(&cache);
	if (worker->generated)
		wt_generated_tell(worker->generated);
	wt_generated_destroy(worker->generated);
	worker->generated = NULL;
	for (size_t i = 0; i < options.n_roots; i++)
		close(roots[i]);
	if (rc < 0 && err->code == WT_ERR_NOSPACE) {
		wt_warn("names of functions could not be written to the log (view takes them from this "
			"machine's files): %s",
			err->text);
		*err = (struct wt_err)WT_ERR_INIT;
		rc = 0;
	}
	return rc < 0 ? rc : wt_log_finish(worker->log, err);
}

/* Writes the complete log again with larger blocks. Without room or memory for that the log stays as it is.
 */
static void pack_file(struct wt_worker *worker)
{
	const struct wt_place *place = &worker->session->place;
	struct wt_err ignored;
	struct stat st;
	int fd = wt_place_create_packed(place, &ignored);

	if (fd < 0)
		return;
	if (!wt_log_compact(worker->session->log_fd, fd, &ignored) && !fstat(fd, &st) &&
	    !wt_place_use_packed(place, &ignored))
		worker->packed_bytes = (uint64_t)st.st_size;
	else
		wt_place_drop_packed(place);
	close(fd);
}

static void answer_stop(struct wt_worker *worker, const char *kept, int rc, struct wt_err *err)
{
	struct wt_status status;

	if (worker->session->stop_client < 0)
		return;
	if (rc == 0 && wt_worker_status(worker, &status, err) == 0) {
		snprintf(status.spool, sizeof(status.spool), "%s", kept);
		wt_worker_send_status(worker->session->stop_client, WT_MSG_STOP, &status, err);
		wt_status_deinit(&status);
	} else {
		wt_wire_send_error(worker->session->stop_client, err);
	}
	close(worker->session->stop_client);
	worker->session->stop_client = -1;
}

/* From here on the reserve of the disk may be used. */
static void unlimit_spool(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_FSIZE, &limit);
	}
}

/* Takes the last state of the programs; then no more of their events. A failure is only reported, and the
 * session ends nevertheless. */
static void end_programs(struct wt_worker *worker)
{
	struct wt_err err = WT_ERR_INIT;

	if (!worker->session->programs)
		return;
	wt_programs_last(worker->session->programs);
	if (wt_programs_copy_state(worker->session->programs, &err) < 0)
		wt_warn("the list of registered programs could not be written to the log: %s", err.text);
	if (wt_programs_end(worker->session->programs, &err) < 0)
		wt_warn("programs' providers: %s", err.text);
}

static void remove_rings(struct wt_worker *worker)
{
	struct wt_err err = WT_ERR_INIT;

	if (worker->session->programs && wt_programs_remove(worker->session->programs, &err) < 0)
		wt_warn("buffers of programs could not be removed: %s", err.text);
}

/* Returns the path of the finished log as far as it is known here; empty: in the spool. */
static const char *target_of(const struct wt_worker *worker)
{
	const char *output = worker->session->spec.output;

	return worker->stop_target[0] ? worker->stop_target : output ? output : "";
}

/* Commands that have connected in the meantime need not wait for the end. */
static void refuse_others(struct wt_worker *worker)
{
	struct wt_session *session = worker->session;

	wt_ending_begin(session, target_of(worker));
	for (int i = 0; i < WT_SESSION_CLIENTS; i++) {
		struct pollfd asks = {.fd = session->clients[i], .events = POLLIN};

		if (session->clients[i] >= 0 && poll(&asks, 1, 0) == 1)
			wt_ending_refuse(session, session->clients[i], target_of(worker));
		else if (session->clients[i] >= 0)
			close(session->clients[i]);
		session->clients[i] = -1;
	}
}

/* The command that would have moved the log to its target has ended. */
static void deliver_abandoned(const struct wt_worker *worker, const char *kept)
{
	const struct wt_spec *spec = &worker->session->spec;
	struct wt_err ignored = WT_ERR_INIT;

	if (worker->abandoned && spec->output)
		wt_deliver(kept, spec->output, wt_replace_by(spec->force), &ignored);
}

int wt_worker_finish(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	char kept[PATH_MAX] = "";
	int rc;

	worker->stopping = true;
	refuse_others(worker);
	unlimit_spool();
	end_programs(worker);
	/* While switches are still recorded: what waits now, and left no CPU, has waited all the time. */
	rc = wt_worker_rundown_waits(worker, err);
	if (rc == 0)
		rc = wt_perf_disarm(session->perf, err);
	if (rc == 0)
		rc = wt_perf_idle(session->perf, on_idle, worker, err);
	if (rc == 0)
		rc = wt_worker_rundown(worker, WT_RUNDOWN_END, err);
	if (rc == 0)
		rc = wt_worker_drain_all(worker, err);
	if (rc == 0)
		rc = put_programs(worker, err);
	if (rc == 0)
		rc = wt_worker_settle_counters(worker, err);
	if (rc == 0)
		rc = put_cost(worker, err);
	if (rc == 0)
		rc = wt_worker_drain_all(worker, err);
	if (rc == 0)
		rc = complete_file(worker, err);
	if (rc == 0)
		pack_file(worker);
	if (rc == 0)
		remove_rings(worker);
	/* From here on the file is as complete as it will get: nobody needs to take over. */
	send(session->pair_fd, &(char){WT_PAIR_DONE}, 1, MSG_NOSIGNAL);
	if (wt_place_keep_part(&session->place, kept, err) < 0)
		rc = -1;
	else if (rc == 0)
		deliver_abandoned(worker, kept);
	if (rc < 0)
		wt_fail_prefix(err, "the log is not complete; the written part is in %s",
			       kept[0] ? kept : worker->part);
	wt_place_remove(&session->place);
	answer_stop(worker, kept, rc, err);
	return rc;
}
