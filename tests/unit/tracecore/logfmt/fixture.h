/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the log tests share: a provider with every type, files in memory, and a model of what was written.
 */
#ifndef TESTS_UNIT_TRACECORE_LOGFMT_FIXTURE_H
#define TESTS_UNIT_TRACECORE_LOGFMT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/write/writer.h"

static const char fixture_manifest[] =
	"{\"wtrace_manifest\":1,\"provider\":\"fixture\",\"events\":["
	"{\"id\":1,\"version\":0,\"name\":\"sample\",\"fields\":["
	"{\"name\":\"source\",\"type\":\"u8\"},{\"name\":\"period\",\"type\":\"u64\"}]},"
	"{\"id\":2,\"version\":0,\"name\":\"every\",\"fields\":["
	"{\"name\":\"a\",\"type\":\"u8\"},{\"name\":\"b\",\"type\":\"u16\"},{\"name\":\"c\",\"type\":\"u32\"}"
	","
	"{\"name\":\"d\",\"type\":\"u64\"},{\"name\":\"e\",\"type\":\"i8\"},{\"name\":\"f\",\"type\":\"i16\"}"
	","
	"{\"name\":\"g\",\"type\":\"i32\"},{\"name\":\"h\",\"type\":\"i64\"},{\"name\":\"i\",\"type\":"
	"\"f32\"},"
	"{\"name\":\"j\",\"type\":\"f64\"},{\"name\":\"k\",\"type\":\"bool\"},{\"name\":\"l\",\"type\":"
	"\"pointer\"},"
	"{\"name\":\"m\",\"type\":\"time\"},{\"name\":\"n\",\"type\":\"string\"},{\"name\":\"o\",\"type\":"
	"\"binary\"},"
	"{\"name\":\"p\",\"type\":\"uuid\"},{\"name\":\"q\",\"type\":\"ipv4\"},{\"name\":\"r\",\"type\":"
	"\"ipv6\"},"
	"{\"name\":\"s\",\"type\":\"sockaddr\"},{\"name\":\"t\",\"type\":\"u16\",\"count\":4},"
	"{\"name\":\"u\",\"type\":\"i32\",\"count\":\"variable\"},{\"name\":\"v\",\"type\":\"u8\",\"count\":"
	"300}]},"
	"{\"id\":3,\"version\":0,\"name\":\"bare\",\"fields\":[]}]}";

static const char fixture_manifest2[] =
	"{\"wtrace_manifest\":1,\"provider\":\"second\",\"events\":["
	"{\"id\":1,\"version\":0,\"name\":\"text\",\"fields\":[{\"name\":\"text\",\"type\":\"string\"}]}]}";

enum { KIND_SAMPLE, KIND_EVERY, KIND_BARE, KIND_TEXT, KIND_COUNT };

static const uint8_t fixture_session[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

#define assert_ok(call, err)                                   \
	do {                                                   \
		if (call)                                      \
			fail_msg("%s: %s", #call, (err).text); \
	} while (0)

static inline void fixture_kinds(struct wt_kinds *kinds)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	*kinds = (struct wt_kinds){0};
	assert_ok(wt_manifest_parse(fixture_manifest, strlen(fixture_manifest), "fixture", &provider, &err),
		  err);
	assert_ok(wt_kinds_add(kinds, provider, &first, &err), err);
	assert_ok(wt_manifest_parse(fixture_manifest2, strlen(fixture_manifest2), "second", &provider, &err),
		  err);
	assert_ok(wt_kinds_add(kinds, provider, &first, &err), err);
	assert_int_equal(kinds->n, KIND_COUNT);
}

/** An empty file in memory. */
static inline int fixture_file(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static inline uint64_t fixture_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline void fixture_put_random(struct wt_buf *out, uint64_t *seed, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wt_buf_put_u8(out, (uint8_t)fixture_random(seed));
}

/** A random payload of the kind. Strings repeat often, so that dictionaries are made. */
static inline void fixture_payload(uint32_t kind, uint64_t *seed, struct wt_buf *out)
{
	uint64_t r = fixture_random(seed);
	char text[64];

	wt_buf_clear(out);
	snprintf(text, sizeof(text), "text %u", (unsigned)(r >> 40) % (r & 1 ? 5 : 5000));
	if (kind == KIND_SAMPLE) {
		wt_buf_put_u8(out, r & 3);
		wt_buf_put_u64(out, r & 16 ? r : 1000000);
	} else if (kind == KIND_TEXT) {
		wt_buf_put_counted(out, text, strlen(text));
	} else if (kind == KIND_EVERY) {
		/* a..m: 1+2+4+8 + 1+2+4+8 + 4+8 + 1 + 8 + 8 bytes */
		if (r & 2) {
			fixture_put_random(out, seed, 59);
			out->data[30] = 0; /* no NaN: widening would change its bits */
			out->data[33] = 0x40;
		} else {
			for (int i = 0; i < 59; i++)
				wt_buf_put_u8(out, i == 0);
		}
		wt_buf_put_counted(out, text, strlen(text));
		wt_buf_put_counted(out, "\0\xff", r >> 8 & 3 ? 2 : 0);
		fixture_put_random(out, seed, 16 + 4 + 16);
		wt_buf_put_counted(out, text, r >> 16 & 7);
		fixture_put_random(out, seed, 8);
		wt_buf_put_u16(out, r >> 20 & 3);
		fixture_put_random(out, seed, (r >> 20 & 3) * 4);
		for (int i = 0; i < 300; i++)
			wt_buf_put_u8(out, (uint8_t)i);
	}
}

/** Adds provider "late" with one event {text}, as a session does when a program registers; version makes
 * different schemas. */
static inline void fixture_add_late(struct wt_kinds *kinds, int version)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	struct wt_buf json = {0};
	uint32_t first;

	wt_buf_printf(&json,
		      "{\"wtrace_manifest\":1,\"provider\":\"late\",\"events\":[{\"id\":%d,\"version\":0,"
		      "\"name\":\"text\",\"fields\":[{\"name\":\"text%d\",\"type\":\"string\"}]}]}",
		      version, version);
	assert_ok(wt_manifest_parse((const char *)json.data, json.len, "late", &provider, &err), err);
	assert_ok(wt_kinds_append(kinds, provider, &first, &err), err);
	wt_buf_deinit(&json);
}

/** An event of one string, "N" for time N. */
static inline void fixture_text_event(struct wt_log_writer *log, uint32_t kind, uint64_t time,
				      const uint8_t *activity, const uint8_t *related)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.time = time, .kind = kind, .activity = activity, .related = related};
	struct wt_buf payload = {0};
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)time);
	wt_buf_put_counted(&payload, text, strlen(text));
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	assert_ok(wt_log_event(log, &event, 0, 0, &err), err);
	wt_buf_deinit(&payload);
}

/** Puts the payload of event i of a batch together again. */
static inline void fixture_repack(const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out)
{
	const struct wt_event_desc *desc = batch->segment->kinds.kinds[batch->kind].event;

	wt_buf_clear(out);
	for (uint32_t f = 0; f < desc->n_fields; f++) {
		struct wt_value value;
		float single;

		assert_int_equal(wt_log_value(batch, i, f, &value), 0);
		if (batch->columns[f].values && desc->fields[f].type == WT_TYPE_F32) {
			single = (float)value.f;
			wt_buf_put(out, &single, 4);
		} else if (batch->columns[f].values) {
			wt_buf_put(out, &batch->columns[f].values[i], wt_type_width(desc->fields[f].type));
		} else {
			const uint32_t *at = &batch->columns[f].offsets[i];

			if (wt_type_width(desc->fields[f].type) == 0)
				wt_buf_put_u16(out, (uint16_t)(at[1] - at[0]));
			wt_buf_put(out, batch->columns[f].bytes + at[0], at[1] - at[0]);
		}
	}
	assert_false(out->failed);
}

/** The four first rows every test needs: process 0, 1, thread 0, 1, image 0, 1. */
static inline void fixture_rows(struct wt_log_writer *log)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_process unknown = {.name = wt_str("?")};
	struct wt_log_process process = {.pid = 10,
					 .parent_pid = 1,
					 .start_time = 99,
					 .name = wt_str("proc"),
					 .exe = wt_str("/bin/proc"),
					 .self = true};
	struct wt_log_thread thread0 = {.name = wt_str("?")};
	struct wt_log_thread thread = {.process = 1, .tid = 11, .start_time = 100, .name = wt_str("thr")};
	struct wt_log_image image0 = {0};
	struct wt_log_image image = {.kind = WT_IMAGE_FILE,
				     .device = 8,
				     .inode = UINT64_C(1) << 40,
				     .build_id = wt_str("0123456789"),
				     .path = wt_str("/bin/proc")};

	assert_ok(wt_log_put_process(log, &unknown, &err), err);
	assert_ok(wt_log_put_process(log, &process, &err), err);
	assert_ok(wt_log_put_thread(log, &thread0, &err), err);
	assert_ok(wt_log_put_thread(log, &thread, &err), err);
	assert_ok(wt_log_put_image(log, &image0, &err), err);
	assert_ok(wt_log_put_image(log, &image, &err), err);
}

/** One more frame and a stack on it, below `caller`. Returns nothing: ids count up. */
static inline void fixture_stack(struct wt_log_writer *log, uint64_t offset, uint32_t frame, uint32_t caller)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_frame row = {.image = 1, .offset = offset};
	struct wt_log_stack stack = {
		.caller = caller, .frame = frame, .kernel = frame & 1, .status = WT_STACK_COMPLETE};

	assert_ok(wt_log_put_frame(log, &row, &err), err);
	assert_ok(wt_log_put_stack(log, &stack, &err), err);
}

static inline struct wt_log_reader *fixture_open(int fd)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;

	assert_ok(wt_log_open_fd(dup(fd), "test", &reader, &err), err);
	return reader;
}

#endif
