/* SPDX-License-Identifier: MIT */
/* The reader library, as programs use it, over a hostile log: all events with all they have, then some of
 * them behind a time, then the same file as it grows. Checksums are put right first (mend.h). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consumers/reader/wtrace_reader.h"
#include "tests/fuzz/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EVENTS = 20000, MOST_FRAMES = 8 };

static size_t sum; /* of what was read, so that it is */

static void text(const char *p)
{
	sum += p ? strlen(p) : 0;
}

static void look_at_field(const struct wtr_event *event, uint32_t field)
{
	const struct wtr_type *type = wtr_event_type(event);
	const uint8_t *bytes;
	const char *shown;
	uint32_t n = 0;
	uint64_t u;
	int64_t i;
	double d;
	size_t len;

	text(wtr_field_name(type, field));
	if (wtr_get_text(event, field, &shown) == WTR_OK)
		text(shown);
	if (wtr_get_json(event, field, &shown) == WTR_OK)
		text(shown);
	if (wtr_get_bytes(event, field, &bytes, &len) == WTR_OK)
		for (size_t b = 0; b < len; b++)
			sum += bytes[b];
	if (wtr_get_string(event, field, &shown, &len) == WTR_OK && len)
		sum += (uint8_t)shown[len - 1];
	wtr_get_u64(event, field, &u);
	wtr_get_i64(event, field, &i);
	wtr_get_double(event, field, &d);
	wtr_get_count(event, field, &n);
	for (uint32_t e = 0; e <= n && e < MOST_FRAMES; e++) {
		wtr_get_element_u64(event, field, e, &u);
		wtr_get_element_i64(event, field, e, &i);
		wtr_get_element_double(event, field, e, &d);
		if (wtr_get_element_bytes(event, field, e, &bytes, &len) == WTR_OK && len)
			sum += bytes[len - 1];
	}
}

static void look_at_stack(const struct wtr_event *event)
{
	uint32_t depth = wtr_stack_depth(event);

	text(wtr_stack_status_name(wtr_stack_status(event)));
	for (uint32_t f = 0; f < depth && f < MOST_FRAMES; f++) {
		const struct wtr_frame *frame = wtr_stack_frame(event, f);
		const uint8_t *id;

		if (!frame)
			abort();
		text(wtr_frame_module(frame));
		text(wtr_frame_function(frame));
		text(wtr_frame_symbol(frame));
		text(wtr_frame_file(frame));
		text(wtr_frame_reason(frame));
		sum += wtr_frame_build_id(frame, &id) + wtr_frame_offset(frame);
	}
}

static void look_at(const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);
	uint32_t n = wtr_type_n_fields(type);

	text(wtr_type_provider(type));
	text(wtr_type_name(type));
	text(wtr_event_process(event));
	text(wtr_event_thread(event));
	text(wtr_event_exe(event));
	if (wtr_event_activity(event))
		sum += wtr_event_activity(event)[15];
	for (uint32_t f = 0; f <= n; f++)
		look_at_field(event, f);
	look_at_stack(event);
}

/* What is behind the cursor; time must not go back, but in a log that grows. */
static uint64_t read_on(struct wtr_cursor *cursor, bool in_order)
{
	const struct wtr_event *event;
	uint64_t last = 0, n;

	for (n = 0; n < MOST_EVENTS && wtr_next(cursor, &event) == WTR_OK; n++) {
		if (in_order && wtr_event_time(event) < last)
			abort();
		last = wtr_event_time(event);
		look_at(event);
	}
	return last;
}

static int on_loss(void *ctx, const struct wtr_loss *loss)
{
	(void)ctx;
	text(loss->provider);
	text(loss->event);
	text(loss->cause);
	return 0;
}

static void look_at_trace(struct wtr_trace *trace)
{
	struct wtr_damage damage = {.size = sizeof(damage)};
	struct wtr_info info = {.size = sizeof(info)};

	wtr_get_info(trace, &info);
	for (size_t i = 0; wtr_get_damage(trace, i, &damage) == WTR_OK; i++)
		text(damage.text);
	text(wtr_fact(trace, "host"));
	wtr_each_loss(trace, on_loss, NULL);
}

static void read_whole(const char *path)
{
	static const char *const fields[] = {"n", "text", "address"};
	struct wtr_cursor *cursor;
	struct wtr_trace *trace;
	uint64_t last;

	if (wtr_open(path, &trace))
		return;
	wtr_set_symbols(trace, WTR_SYMBOLS_LOG);
	look_at_trace(trace);
	if (wtr_cursor_create(trace, &cursor))
		abort();
	last = read_on(cursor, true);
	wtr_seek(cursor, last / 2);
	read_on(cursor, true);
	wtr_cursor_destroy(cursor);
	if (wtr_cursor_create(trace, &cursor))
		abort();
	wtr_select_fields(cursor, fields, 3);
	wtr_select_cpu(cursor, 0);
	wtr_select_pid(cursor, (uint32_t)last % 8);
	wtr_select_time(cursor, last / 4, last);
	read_on(cursor, true);
	wtr_cursor_destroy(cursor);
	look_at_trace(trace);
	wtr_close(trace);
}

static void read_growing(int fd, const char *path, const uint8_t *bytes, size_t size)
{
	struct wtr_cursor *cursor;
	struct wtr_trace *trace;
	size_t done = size / 2;

	if (ftruncate(fd, (off_t)done) || wtr_open_growing(path, &trace))
		return;
	wtr_set_symbols(trace, WTR_SYMBOLS_LOG);
	if (wtr_cursor_create(trace, &cursor))
		abort();
	for (size_t step = size / 6 + 1; read_on(cursor, false), done < size; done += step) {
		size_t n = step < size - done ? step : size - done;

		if (pwrite(fd, bytes + done, n, (off_t)done) != (ssize_t)n)
			abort();
	}
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	int fd = memfd_create("log", MFD_CLOEXEC);
	char path[32];

	if (!bytes || fd < 0)
		abort();
	memcpy(bytes, data, size);
	mend_log(bytes, size);
	if (pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_whole(path);
	read_growing(fd, path, bytes, size);
	free(bytes);
	close(fd);
	return 0;
}
