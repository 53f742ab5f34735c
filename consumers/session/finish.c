// SPDX-License-Identifier: MIT
#include <errno.h>
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

#include "consumers/symbols/symbols.h"
#include "consumers/unwind/cache_directory.h"
#include "consumers/session/deliver.h"
#include "consumers/session/ending.h"
#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/rewrite/compact.h"

/* Symbol tables kept while names are looked up: with the tables of one segment this stays below what a
 * recorder may take. */
#define SYMBOL_BYTES (UINT64_C(12) << 20)

/* The kernel's counters of all events, and what the file holds of each. */
struct counters {
	struct counter {
		char provider[WT_SCHEMA_MAX_NAME + 1], event[WT_SCHEMA_MAX_NAME + 1];
		uint64_t earlier;                  /* events in the file that workers before this one took */
		bool user;                         /* of a program's provider: all its events together */
		struct wt_counted_payload counted; /* its strings point to the two above */
	} * list;
	size_t n, cap;
	bool user;    /* what is added now is the programs' */
	bool period1; /* at least one */
	bool failed;
};

static void copy_str(char *ret, size_t size, const struct wt_str *from)
{
	snprintf(ret, size, "%.*s", (int)from->len, from->p ? from->p : "");
}

static void on_counter(void *ctx, const struct wt_counted_payload *counted)
{
	struct counters *counters = ctx;
	struct counter *counter;

	if (counters->n == counters->cap) {
		size_t cap = counters->cap ? counters->cap * 2 : 64;
		void *list = realloc(counters->list, cap * sizeof(*counters->list));

		if (!list) {
			counters->failed = true;
			return;
		}
		counters->list = list;
		counters->cap = cap;
	}
	counter = &counters->list[counters->n++];
	*counter = (struct counter){.counted = *counted, .user = counters->user};
	copy_str(counter->provider, sizeof(counter->provider), &counted->provider);
	copy_str(counter->event, sizeof(counter->event), &counted->event);
	counters->period1 |= counted->period1;
}

/* The counter an event of the file belongs to: by provider, event (or its source's name) and CPU. */
static struct counter *find_counter(struct counters *counters, const char *provider, const char *event,
				    uint32_t cpu)
{
	for (size_t i = 0; i < counters->n; i++) {
		struct counter *c = &counters->list[i];

		if (c->counted.on_cpu == cpu && (c->user || !strcmp(c->event, event)) &&
		    !strcmp(c->provider, provider))
			return c;
	}
	return NULL;
}

/* Only the kinds of providers that are counted. */
static int counted_as(void *ctx, const struct wt_kind *kind)
{
	const struct counters *counters = ctx;

	for (size_t i = 0; i < counters->n; i++)
		if (!strcmp(counters->list[i].provider, kind->provider->name))
			return wt_worker_counted_as(NULL, kind);
	return WT_LOG_TALLY_NOT;
}

static void take_tally(struct counters *counters, const struct wt_log_tally *tally)
{
	for (uint32_t i = 0; i < tally->keys.count; i++) {
		const struct wt_log_tally_line *line = &tally->lines[i];
		struct counter *counter = find_counter(counters, wt_log_tally_provider(tally, line),
						       wt_log_tally_name(tally, line), line->cpu);

		if (!counter)
			continue;
		counter->counted.written += line->events;
		counter->earlier += line->earlier;
	}
}

static int tally_file(const struct wt_worker *worker, struct counters *counters, struct wt_log_reader *file,
		      struct wt_log_tally *tally, struct wt_err *err)
{
	struct wt_log_tallying how = {.by = counted_as, .ctx = counters};
	int rc = 0;

	for (uint32_t i = 0; i < wt_log_info(file)->n_segments && !rc; i++) {
		how.earlier = wt_log_segment_number(file, i) < worker->first_segment;
		rc = wt_log_tally_segment(file, i, &how, tally, err);
	}
	return rc;
}

/* What can be read in the file, and what --max-file has dropped from it, was written. */
static int count_written(const struct wt_worker *worker, struct counters *counters, struct wt_err *err)
{
	struct wt_log_tally tally = {0};
	struct wt_log_reader *file;
	int rc;

	if (wt_log_open(worker->part, &file, err))
		return -1;
	rc = tally_file(worker, counters, file, &tally, err);
	wt_log_close(file);
	if (!rc) {
		take_tally(counters, &tally);
		take_tally(counters, &wt_log_writer_dropped(worker->log)->tally);
	}
	wt_log_tally_deinit(&tally);
	return rc;
}

/* The only counter of its provider on its CPU. */
static bool is_alone(const struct counters *counters, const struct counter *counter)
{
	size_t n = 0;

	for (size_t i = 0; i < counters->n; i++)
		n += !counters->list[i].user && counters->list[i].counted.on_cpu == counter->counted.on_cpu &&
		     !strcmp(counters->list[i].provider, counter->provider);
	return n == 1;
}

/* The loss is of what the kernel counted here. Samples of all sources are one event: which source's were lost
 * is known where there is one. */
static bool is_of(const struct counters *counters, const struct counter *counter,
		  const struct wt_recorder_loss *loss)
{
	return loss->cpu == counter->counted.on_cpu &&
	       !strncmp(loss->provider, counter->provider, sizeof(loss->provider) - 1) &&
	       (!strncmp(loss->event, counter->event, sizeof(loss->event) - 1) ||
		(!strcmp(loss->provider, "pmu-profile") && !strcmp(loss->event, "sample") &&
		 is_alone(counters, counter)));
}

/* What the recorder had taken from the rings and could not write: the kernel knows of no loss. */
static void settle_kernel_counters(const struct wt_worker *worker, struct counters *counters)
{
	const struct wt_recorder_loss *losses;
	size_t n = wt_recorder_losses(worker->rec, &losses);

	for (size_t i = 0; i < counters->n; i++)
		for (size_t j = 0; j < n && !counters->list[i].user; j++)
			if (losses[j].taken && is_of(counters, &counters->list[i], &losses[j]))
				counters->list[i].counted.lost += losses[j].taken;
}

static uint64_t sum_losses(const struct wt_recorder_loss *losses, size_t n, const struct counter *counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (losses[i].cpu == counter->counted.on_cpu &&
		    !strncmp(losses[i].provider, counter->provider, sizeof(losses[i].provider) - 1))
			sum += losses[i].count;
	return sum;
}

/* What programs wrote or lost, as it was counted when it was taken from their rings, against the file. */
static void settle_user_counters(const struct wt_worker *worker, struct counters *counters)
{
	const struct wt_recorder_loss *losses;
	size_t n = wt_recorder_losses(worker->rec, &losses);

	for (size_t i = 0; i < counters->n; i++) {
		struct counter *c = &counters->list[i];

		if (!c->user)
			continue;
		c->counted.lost = sum_losses(losses, n, c);
		c->counted.produced += c->earlier +
				       sum_losses(worker->earlier_losses, worker->n_earlier_losses, c);
	}
}

static int put_counters(struct wt_worker *worker, struct counters *counters, struct wt_err *err)
{
	struct wt_buf payload = {0};
	int rc = 0;

	worker->exact = true;
	for (size_t i = 0; rc == 0 && i < counters->n; i++) {
		struct counter *c = &counters->list[i];

		c->counted.provider = (struct wt_str){c->provider, (uint32_t)strlen(c->provider)};
		c->counted.event = (struct wt_str){c->event, (uint32_t)strlen(c->event)};
		if (c->user && !c->counted.produced && !c->counted.written && !c->counted.lost)
			continue;
		if (c->counted.period1 && c->counted.produced != c->counted.written + c->counted.lost) {
			worker->exact = false;
			wt_warn("%s %s on CPU %u: %llu were counted, %llu are written and %llu lost",
				c->provider, c->event, c->counted.on_cpu,
				(unsigned long long)c->counted.produced,
				(unsigned long long)c->counted.written, (unsigned long long)c->counted.lost);
		}
		wt_buf_clear(&payload);
		wt_counted_put(&payload, &c->counted);
		rc = wt_worker_notice(worker, "counted", &payload, err);
	}
	wt_buf_deinit(&payload);
	return rc;
}

/* Sets what the kernel counted against what the file holds; both go into the file. */
static int settle_counters(struct wt_worker *worker, struct wt_err *err)
{
	struct counters counters = {0};
	int rc = wt_perf_counters(worker->session->perf, on_counter, &counters, err);

	if (rc == 0 && worker->session->user) {
		counters.user = true;
		wt_user_counters(worker->session->user, on_counter, &counters);
	}
	if (rc == 0 && counters.failed)
		rc = wt_fail_nomem(err);
	if (rc == 0 && counters.period1)
		rc = count_written(worker, &counters, err);
	if (rc == 0) {
		settle_kernel_counters(worker, &counters);
		settle_user_counters(worker, &counters);
		rc = put_counters(worker, &counters, err);
	}
	free(counters.list);
	return rc;
}

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

/* Without room for symbols the file is still readable. */
static int complete_file(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_symbols_options options = {
		.lines = true, .max_bytes = SYMBOL_BYTES, .shared = !worker->session->spec.n_pids};
	struct wt_unwind_cache cache;
	int rc = wt_worker_status(worker, &worker->last, err);

	if (rc < 0)
		return -1;
	if (worker->session->user)
		wt_user_part(worker->session->user);
	wt_uid_watch_close(&worker->uids);
	wt_recorder_destroy(worker->rec);
	worker->rec = NULL;
	if (worker->unwinder)
		worker->builder_cpu = wt_unwinder_builder_cpu(worker->unwinder);
	wt_unwinder_destroy(worker->unwinder);
	worker->unwinder = NULL;
	malloc_trim(0);
	if (wt_unwind_cache_usual(&cache))
		options.cache = &cache;
	rc = wt_symbols_complete(&options, worker->part, &worker->session->kinds, worker->log, err);
	if (options.cache)
		wt_unwind_cache_close(&cache);
	if (rc < 0 && err->code == WT_ERR_NOSPACE) {
		wt_warn("symbols are not in the file: %s", err->text);
		*err = (struct wt_err)WT_ERR_INIT;
		rc = 0;
	}
	return rc < 0 ? rc : wt_log_finish(worker->log, err);
}

/* The complete log again with larger blocks. Without room or memory for that it stays as it is. */
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
	struct wt_buf message = {0};

	if (worker->session->stop_client < 0)
		return;
	if (rc == 0 && wt_worker_status(worker, &status, err) == 0) {
		snprintf(status.spool, sizeof(status.spool), "%s", kept);
		wt_worker_answer_status(worker->session->stop_client, WT_MSG_STOP, &status, err);
		wt_status_deinit(&status);
	} else {
		wt_wire_begin(&message, WT_MSG_ERROR);
		wt_buf_put_u32(&message, err->code);
		wt_buf_put_counted(&message, err->text, strlen(err->text));
		wt_wire_send(worker->session->stop_client, &message, NULL);
		wt_buf_deinit(&message);
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

/* The last state of the programs, then no more events of theirs. What cannot be taken back is said: the
 * session ends all the same. */
static void end_user(struct wt_worker *worker)
{
	struct wt_err err = WT_ERR_INIT;

	if (!worker->session->user)
		return;
	wt_user_last(worker->session->user);
	if (wt_user_copy_state(worker->session->user, &err) < 0)
		wt_warn("state records of programs: %s", err.text);
	if (wt_user_end(worker->session->user, &err) < 0)
		wt_warn("programs' providers: %s", err.text);
}

static void remove_rings(struct wt_worker *worker)
{
	struct wt_err err = WT_ERR_INIT;

	if (worker->session->user && wt_user_remove(worker->session->user, &err) < 0)
		wt_warn("rings of programs remain: %s", err.text);
}

/* Where the log will be, as far as it is known here; empty: in the spool. */
static const char *target_of(const struct wt_worker *worker)
{
	const char *output = worker->session->spec.output;

	return worker->stop_target[0] ? worker->stop_target : output ? output : "";
}

/* Who has come in the meantime need not wait for the end. */
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

/* The command that would have brought the log to its place is gone. */
static void deliver_abandoned(const struct wt_worker *worker, const char *kept)
{
	const struct wt_spec *spec = &worker->session->spec;
	struct wt_err ignored = WT_ERR_INIT;

	if (worker->abandoned && spec->output)
		wt_deliver(kept, spec->output, spec->force ? WT_REPLACE_ANYTHING : WT_REPLACE_NOTHING,
			   &ignored);
}

int wt_worker_finish(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	char kept[PATH_MAX] = "";
	int rc;

	worker->stopping = true;
	refuse_others(worker);
	unlimit_spool();
	end_user(worker);
	rc = wt_perf_disarm(session->perf, err);
	if (rc == 0)
		rc = wt_perf_idle(session->perf, on_idle, worker, err);
	if (rc == 0)
		rc = wt_worker_rundown(worker, WT_RUNDOWN_END, err);
	if (rc == 0)
		rc = wt_worker_drain_all(worker, err);
	if (rc == 0)
		rc = settle_counters(worker, err);
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
	/* From here on the file is as whole as it will get: nobody needs to take over. */
	send(session->pair_fd, &(char){WT_PAIR_DONE}, 1, MSG_NOSIGNAL);
	if (wt_place_keep_part(&session->place, kept, err) < 0)
		rc = -1;
	else if (rc == 0)
		deliver_abandoned(worker, kept);
	if (rc < 0)
		wt_fail_prefix(err, "the log is not complete, what was written is in %s",
			       kept[0] ? kept : worker->part);
	wt_place_remove(&session->place);
	answer_stop(worker, kept, rc, err);
	return rc;
}
