/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A log writer in memory that stands in for the real one: it keeps what it is given, checks that every id it
 * is handed was defined, and fails when told to. Included by one .c file per program: it defines wt_log_*.
 */
#ifndef TESTS_UNIT_CONSUMERS_FAKE_LOG_H
#define TESTS_UNIT_CONSUMERS_FAKE_LOG_H

#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/write/writer.h"

#define FAKE_ROWS (1 << 16)
#define FAKE_NAME 32

struct fake_event {
	uint64_t time;
	uint32_t kind, cpu, flags, thread, stack, segment;
	uint32_t payload_len;
	uint8_t payload[128]; /* the beginning */
};

struct wt_log_writer {
	struct fake_process {
		struct wt_log_process row;
		char name[FAKE_NAME], exe[FAKE_NAME];
	} processes[FAKE_ROWS];
	struct wt_log_thread threads[FAKE_ROWS];
	struct fake_image {
		struct wt_log_image row;
		char path[FAKE_NAME];
	} images[FAKE_ROWS];
	struct wt_log_frame frames[FAKE_ROWS];
	struct wt_log_stack stacks[FAKE_ROWS]; /* by id */
	uint32_t n_processes, n_threads, n_images, n_frames, n_stacks;
	struct fake_event events[FAKE_ROWS];
	uint32_t n_events, n_written; /* taken; of them flushed */
	struct wt_log_position positions[64];
	size_t n_positions;
	uint32_t segment, flushes;
	uint32_t violations; /* ids used before they were defined */
	/* What to do wrong: the code all calls of that kind fail with. */
	enum wt_code fail_rows, fail_event, fail_flush, fail_segment, fail_kinds;
	bool full;              /* the segment */
	uint32_t pending_limit; /* events; 0: none */
};

static struct wt_log_writer *fake_log_create(void)
{
	return calloc(1, sizeof(struct wt_log_writer));
}

static void fake_copy(char to[FAKE_NAME], struct wt_str from)
{
	uint32_t n = from.len < FAKE_NAME - 1 ? from.len : FAKE_NAME - 1;

	memset(to, 0, FAKE_NAME);
	if (n)
		memcpy(to, from.p, n);
}

static int fake_room(struct wt_log_writer *log, uint32_t n, struct wt_err *err)
{
	if (log->fail_rows)
		return wt_fail(err, log->fail_rows, "rows fail");
	if (n >= FAKE_ROWS - 1)
		abort();
	return 0;
}

int wt_log_put_process(struct wt_log_writer *log, const struct wt_log_process *row, struct wt_err *err)
{
	struct fake_process *to = &log->processes[log->n_processes];

	if (fake_room(log, log->n_processes, err))
		return -1;
	to->row = *row;
	fake_copy(to->name, row->name);
	fake_copy(to->exe, row->exe);
	log->n_processes++;
	return 0;
}

int wt_log_put_thread(struct wt_log_writer *log, const struct wt_log_thread *row, struct wt_err *err)
{
	if (fake_room(log, log->n_threads, err))
		return -1;
	log->violations += row->process >= log->n_processes;
	log->threads[log->n_threads++] = *row;
	return 0;
}

int wt_log_put_image(struct wt_log_writer *log, const struct wt_log_image *row, struct wt_err *err)
{
	struct fake_image *to = &log->images[log->n_images];

	if (fake_room(log, log->n_images, err))
		return -1;
	to->row = *row;
	fake_copy(to->path, row->path);
	log->n_images++;
	return 0;
}

int wt_log_put_frame(struct wt_log_writer *log, const struct wt_log_frame *row, struct wt_err *err)
{
	if (fake_room(log, log->n_frames, err))
		return -1;
	log->violations += row->image >= log->n_images;
	log->frames[log->n_frames++] = *row;
	return 0;
}

int wt_log_put_stack(struct wt_log_writer *log, const struct wt_log_stack *row, struct wt_err *err)
{
	if (fake_room(log, log->n_stacks, err))
		return -1;
	log->violations += row->frame >= log->n_frames || row->caller > log->n_stacks;
	log->stacks[++log->n_stacks] = *row;
	return 0;
}

int wt_log_adopt_kinds(struct wt_log_writer *log, struct wt_err *err)
{
	return log->fail_kinds ? wt_fail(err, log->fail_kinds, "kinds fail") : 0;
}

int wt_log_event(struct wt_log_writer *log, const struct wt_event *event, uint32_t thread, uint32_t stack,
		 struct wt_err *err)
{
	struct fake_event *to = &log->events[log->n_events];

	if (log->fail_event)
		return wt_fail(err, log->fail_event, "events fail");
	if (log->n_events == FAKE_ROWS)
		abort();
	log->violations += thread >= log->n_threads || stack > log->n_stacks;
	*to = (struct fake_event){.time = event->time,
				  .kind = event->kind,
				  .cpu = event->cpu,
				  .flags = event->flags,
				  .thread = thread,
				  .stack = stack,
				  .segment = log->segment,
				  .payload_len = event->payload_len};
	if (event->payload_len)
		memcpy(to->payload, event->payload, event->payload_len < 128 ? event->payload_len : 128);
	log->n_events++;
	return log->pending_limit && log->n_events - log->n_written >= log->pending_limit;
}

int wt_log_run(struct wt_log_writer *log, const struct wt_run *run, uint32_t thread, uint32_t flags,
	       uint32_t *taken, struct wt_err *err)
{
	int rc = 0;

	for (*taken = 0; *taken < run->n && !rc; (*taken)++) {
		const struct wt_run_event *from = &run->events[*taken];
		struct wt_event event = {.time = from->time,
					 .kind = from->kind,
					 .cpu = run->cpu,
					 .flags = flags,
					 .payload = from->payload,
					 .payload_len = from->payload_len};

		rc = wt_log_event(log, &event, thread, 0, err);
		if (rc < 0)
			return *taken ? 0 : -1;
	}
	return rc;
}

int wt_log_strip(struct wt_log_writer *log, const struct wt_strip *strip, uint32_t thread, uint32_t flags,
		 uint32_t *taken, struct wt_err *err)
{
	struct wt_strip rest = *strip;
	int rc = 0;

	for (*taken = 0; rest.n && !rc; wt_strip_skip(&rest, 1), (*taken)++) {
		struct wt_event event = {.time = rest.times[0],
					 .kind = rest.kind,
					 .cpu = rest.cpu,
					 .flags = flags,
					 .payload = rest.payload,
					 .payload_len = rest.payload_len};

		rc = wt_log_event(log, &event, thread, 0, err);
		if (rc < 0)
			return *taken ? 0 : -1;
	}
	return rc;
}

int wt_log_flush(struct wt_log_writer *log, const struct wt_log_position *positions, size_t n,
		 struct wt_err *err)
{
	if (log->fail_flush)
		return wt_fail(err, log->fail_flush, "flush fails");
	if (log->n_events == log->n_written)
		return 0;
	log->n_positions = n < 64 ? n : 64;
	if (n)
		memcpy(log->positions, positions, log->n_positions * sizeof(*positions));
	log->n_written = log->n_events;
	log->flushes++;
	return 0;
}

uint64_t wt_log_drop_pending(struct wt_log_writer *log)
{
	uint32_t n = log->n_events - log->n_written;

	log->n_events = log->n_written;
	return n;
}

bool wt_log_segment_full(const struct wt_log_writer *log)
{
	return log->full;
}

int wt_log_next_segment(struct wt_log_writer *log, struct wt_err *err)
{
	if (log->fail_segment)
		return wt_fail(err, log->fail_segment, "segment fails");
	log->violations += log->n_events != log->n_written;
	log->n_processes = log->n_threads = log->n_images = log->n_frames = log->n_stacks = 0;
	log->segment++;
	log->full = false;
	return 0;
}

#endif
