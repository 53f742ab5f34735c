// SPDX-License-Identifier: MIT
/* Keeps a log below its limit by dropping its oldest segments. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/rewrite/trim.h"

/* Approximate number of segments of a log of --max-file; about half of them are dropped at once. */
#define SEGMENTS 16
/* Most pending bytes, as a part of the file. */
#define PENDING 32

struct wt_log_options wt_worker_log_options(const struct wt_session *session)
{
	struct wt_log_options options = {0};
	uint64_t most = session->spec.max_file;

	if (most && most / SEGMENTS < WT_LOG_SEGMENT_BYTES)
		options.segment_bytes = most / SEGMENTS;
	if (most && most / PENDING < WT_LOG_PENDING_BYTES)
		options.pending_bytes = most / PENDING;
	return options;
}

static int publish(void *ctx, struct wt_err *err)
{
	return wt_place_use_packed(ctx, err);
}

int wt_worker_counted_as(void *ctx, const struct wt_kind *kind)
{
	(void)ctx;
	/* All sources share one event, so they are counted separately. */
	return strcmp(kind->provider->name, "pmu-profile") || !kind->event->n_fields ? WT_LOG_TALLY_EVENT : 0;
}

int wt_worker_tell_trimmed(struct wt_worker *worker, struct wt_err *err)
{
	uint64_t started = worker->session->started;
	uint64_t span = worker->kept_from > started ? worker->kept_from - started : 0;
	char text[160];

	if (!worker->trim_untold)
		return 0;
	worker->trim_untold = false;
	snprintf(text, sizeof(text),
		 "the first %" PRIu64 ".%03" PRIu64 " s are not kept: --max-file dropped %" PRIu64
		 " segments (not lost)",
		 span / WT_NSEC, span % WT_NSEC / 1000000, wt_log_writer_dropped(worker->log)->segments);
	/* Dropping the first segment also drops its description of the session. */
	if (wt_worker_put_infos(worker, err) < 0)
		return -1;
	return wt_worker_info(worker, "note", text, err);
}

static void drop_oldest(struct wt_worker *worker, int fd)
{
	struct wt_place *place = &worker->session->place;
	struct wt_log_trimming how = {.keep = worker->session->spec.max_file / 2,
				      .into = fd,
				      .publish = publish,
				      .ctx = place,
				      .by = wt_worker_counted_as};
	struct wt_log_trimmed trimmed;
	struct wt_err err = WT_ERR_INIT;
	int rc = wt_log_trim(worker->log, &how, &trimmed, &err);

	if (rc < 0 && !worker->trim_failed)
		wt_warn("the log grows beyond --max-file: %s", err.text);
	worker->trim_failed = rc < 0;
	if (rc) {
		wt_place_drop_packed(place);
		return;
	}
	worker->kept_from = trimmed.kept_from;
	if (worker->first_time)
		worker->first_time = trimmed.kept_from;
	worker->trim_untold = true;
}

void wt_worker_trim(struct wt_worker *worker)
{
	uint64_t most = worker->session->spec.max_file;
	struct wt_err err = WT_ERR_INIT;
	int fd;

	if (!most || wt_log_writer_stats(worker->log)->bytes <= most - most / 8)
		return;
	fd = wt_place_create_packed(&worker->session->place, &err);
	if (fd < 0) {
		if (!worker->trim_failed)
			wt_warn("the log grows beyond --max-file: %s", err.text);
		worker->trim_failed = true;
		return;
	}
	drop_oldest(worker, fd);
	close(fd);
}
