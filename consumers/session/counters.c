// SPDX-License-Identifier: MIT
/* Compares, at the end, the number of produced events with the events in the log and the losses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/read/tally.h"

/* The kernel's counters of all events, with the numbers in the file. */
struct counters {
	struct counter {
		char provider[WT_SCHEMA_MAX_NAME + 1], event[WT_SCHEMA_MAX_NAME + 1];
		uint64_t earlier;                  /* events in the file that earlier workers took */
		bool programs;                     /* of a program's provider: all its events together */
		struct wt_counted_payload counted; /* its strings point to the two above */
	} * list;
	size_t n, cap;
	bool programs; /* counters added from now on are the programs' */
	bool period1;  /* at least one */
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

	if (wt_grow(&counters->list, &counters->cap, counters->n, 1, NULL)) {
		counters->failed = true;
		return;
	}
	counter = &counters->list[counters->n++];
	*counter = (struct counter){.counted = *counted, .programs = counters->programs};
	copy_str(counter->provider, sizeof(counter->provider), &counted->provider);
	copy_str(counter->event, sizeof(counter->event), &counted->event);
	counters->period1 |= counted->period1;
}

/* Returns the counter for an event of the file: by provider, event (or the name of its source) and CPU. */
static struct counter *find_counter(struct counters *counters, const char *provider, const char *event,
				    uint32_t cpu)
{
	for (size_t i = 0; i < counters->n; i++) {
		struct counter *c = &counters->list[i];

		if (c->counted.on_cpu == cpu && (c->programs || !strcmp(c->event, event)) &&
		    !strcmp(c->provider, provider))
			return c;
	}
	return NULL;
}

/* Counts only kinds of providers that have counters. */
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

/* Events count as written when they are readable in the file or were dropped from it by --max-file. */
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

/* True for the only counter of its provider on its CPU. */
static bool is_alone(const struct counters *counters, const struct counter *counter)
{
	size_t n = 0;

	for (size_t i = 0; i < counters->n; i++)
		n += !counters->list[i].programs &&
		     counters->list[i].counted.on_cpu == counter->counted.on_cpu &&
		     !strcmp(counters->list[i].provider, counter->provider);
	return n == 1;
}

/* True when the loss is of events that the kernel counted here. Samples of all sources are one event, so the
 * source of lost samples is known only where there is a single source. */
static bool is_of(const struct counters *counters, const struct counter *counter,
		  const struct wt_recorder_loss *loss)
{
	return loss->cpu == counter->counted.on_cpu &&
	       !strncmp(loss->provider, counter->provider, sizeof(loss->provider) - 1) &&
	       (!strncmp(loss->event, counter->event, sizeof(loss->event) - 1) ||
		(!strcmp(loss->provider, "pmu-profile") && !strcmp(loss->event, "sample") &&
		 is_alone(counters, counter)));
}

/* Adds events that the recorder took from the rings and could not write: the kernel does not count these as
 * lost. */
static void settle_kernel_counters(const struct wt_worker *worker, struct counters *counters)
{
	const struct wt_recorder_loss *losses;
	size_t n = wt_recorder_losses(worker->rec, &losses);

	for (size_t i = 0; i < counters->n; i++)
		for (size_t j = 0; j < n && !counters->list[i].programs; j++)
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

/* Compares the events that programs wrote or lost, as counted when their rings were read, with the file. */
static void settle_user_counters(const struct wt_worker *worker, struct counters *counters)
{
	const struct wt_recorder_loss *losses;
	size_t n = wt_recorder_losses(worker->rec, &losses);

	for (size_t i = 0; i < counters->n; i++) {
		struct counter *c = &counters->list[i];

		if (!c->programs)
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

		c->counted.provider = wt_str(c->provider);
		c->counted.event = wt_str(c->event);
		if (c->programs && !c->counted.produced && !c->counted.written && !c->counted.lost)
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

int wt_worker_settle_counters(struct wt_worker *worker, struct wt_err *err)
{
	struct counters counters = {0};
	int rc = wt_perf_counters(worker->session->perf, on_counter, &counters, err);

	if (rc == 0 && worker->session->programs) {
		counters.programs = true;
		wt_programs_counters(worker->session->programs, on_counter, &counters);
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
