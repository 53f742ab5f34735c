/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Logs whose every event is known: what log_faults and log_kills write and compare with.
 */
#ifndef TESTS_STRESS_LOG_WORK_H
#define TESTS_STRESS_LOG_WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/buf.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/write/writer.h"

static const char manifest[] =
	"{\"wtrace_manifest\":1,\"provider\":\"faults\",\"events\":[{\"id\":1,\"version\":0,\"name\":"
	"\"count\","
	"\"fields\":[{\"name\":\"n\",\"type\":\"u64\"},{\"name\":\"text\",\"type\":\"string\"}]}]}";
static const uint8_t session[16] = {1};

static unsigned points, bad;
static uint64_t seed = 4711;
static uint32_t n_cpus; /* events are theirs in turns */

static inline uint64_t random64(void)
{
	uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline void die(const char *what, const struct wt_err *err)
{
	printf("Bail out! %s: %s\n", what, err ? err->text : "");
	exit(1);
}

static inline void point(bool good, const char *name)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++points, name);
	fflush(stdout);
	bad += !good;
}

static inline struct wt_kinds make_kinds(void)
{
	struct wt_kinds kinds = {0};
	struct wt_provider *provider;
	struct wt_err err = WT_ERR_INIT;
	uint32_t first;

	if (wt_manifest_parse(manifest, strlen(manifest), "faults", &provider, &err) ||
	    wt_kinds_add(&kinds, provider, &first, &err))
		die("kinds", &err);
	return kinds;
}

enum { STACKS = 20 };

static inline void put_rows(struct wt_log_writer *log)
{
	struct wt_log_process process = {.pid = 7, .name = wt_str("faults"), .exe = wt_str("/bin/faults")};
	struct wt_log_thread thread = {.tid = 7, .name = wt_str("faults")};
	struct wt_log_image image = {.path = wt_str("/bin/faults")};
	struct wt_err err = WT_ERR_INIT;
	int rc = wt_log_put_process(log, &process, &err) || wt_log_put_thread(log, &thread, &err) ||
		 wt_log_put_image(log, &image, &err);

	for (uint32_t i = 0; i < STACKS && !rc; i++) {
		struct wt_log_frame frame = {.offset = i * 16};
		struct wt_log_stack stack = {.caller = i / 2, .frame = i, .status = WT_STACK_COMPLETE};

		rc = wt_log_put_frame(log, &frame, &err) || wt_log_put_stack(log, &stack, &err);
	}
	if (rc)
		die("rows", &err);
}

/* The text of event n. Kills have wide ones that zstd makes no smaller: a flush then takes long enough. */
enum { MOST_TEXT = 400 };
static uint32_t wide;

static inline uint32_t make_text(uint64_t n, char *ret)
{
	uint64_t x = n + 1;

	if (!wide)
		return (uint32_t)snprintf(ret, MOST_TEXT, "event %llu", (unsigned long long)(n * n % 1013));
	for (uint32_t i = 0; i < wide; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		ret[i] = (char)(x >> 56);
	}
	return wide;
}

static inline void put_event(struct wt_log_writer *log, uint64_t n, struct wt_buf *payload)
{
	struct wt_event event = {.time = 1000 + n * 10, .cpu = (uint32_t)(n % n_cpus)};
	struct wt_err err = WT_ERR_INIT;
	char text[MOST_TEXT];

	wt_buf_clear(payload);
	wt_buf_put_u64(payload, n);
	wt_buf_put_counted(payload, text, make_text(n, text));
	event.payload = payload->data;
	event.payload_len = (uint32_t)payload->len;
	if (wt_log_event(log, &event, 0, (uint32_t)(n % (STACKS + 1)), &err) < 0)
		die("event", &err);
}

/* Events come in the order they were written: each is one that was, behind the one before. */
struct reading {
	uint64_t next, end; /* numbers that may come */
	uint64_t seen, gaps;
	bool wrong;
};

static inline int check_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct reading *reading = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t n = batch->columns[0].values[i];
		const struct wt_log_column *text = &batch->columns[1];
		char wanted[MOST_TEXT];
		uint32_t len = make_text(n, wanted);
		bool good = n >= reading->next && n < reading->end && batch->time[i] == 1000 + n * 10 &&
			    batch->cpu[i] == n % n_cpus && text->offsets[i + 1] - text->offsets[i] == len &&
			    !memcmp(text->bytes + text->offsets[i], wanted, len);

		reading->wrong |= !good;
		reading->gaps += n != reading->next;
		reading->next = n + 1;
		reading->seen++;
	}
	return 0;
}

static inline struct reading read_events(struct wt_log_reader *reader, const struct wt_log_filter *filter,
					 uint64_t first, uint64_t end)
{
	struct reading reading = {.next = first, .end = end};
	struct wt_err err = WT_ERR_INIT;

	if (wt_log_scan(reader, filter, check_batch, &reading, &err))
		die("scan", &err);
	return reading;
}

static inline struct wt_log_reader *open_log(int fd)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;

	if (wt_log_open_fd(dup(fd), "log", &reader, &err))
		die("open", &err);
	return reader;
}

#endif
