/* SPDX-License-Identifier: MIT */
// Covers: consumers/reader/*.c
/* The reader library, as programs use it, over a hostile log: all events with all they have, then some of
 * them behind a time, of two logs as one trace, then the same file as it grows, and as that of a session that
 * goes on in another file. Checksums are put right first (mend.h). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consumers/session/place.h"
#include "consumers/reader/wtrace_reader.h"
#include "tests/fuzz/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_EVENTS = 20000, MOST_FRAMES = 8 };

static size_t sum; /* of what was read, so that it is */

static void text(const char *p)
{
	sum += p ? strlen(p) : 0;
}

static void look_at_type(const struct wtr_type *type)
{
	text(wtr_type_provider(type));
	text(wtr_type_name(type));
	text(wtr_type_help(type));
	text(wtr_type_level_name(type));
	sum += wtr_type_id(type) + wtr_type_version(type) + wtr_type_level(type) + wtr_type_opcode(type);
	sum += wtr_type_keywords(type) + wtr_type_guid(type)[15];
	for (uint32_t f = 0; f < wtr_type_n_fields(type); f++) {
		text(wtr_field_type_name(type, f));
		text(wtr_field_unit(type, f));
		text(wtr_field_help(type, f));
		text(wtr_field_map(type, f));
		text(wtr_field_value_name(type, f, f));
		sum += (size_t)wtr_field_radix(type, f) + (size_t)wtr_field_is_array(type, f) +
		       (size_t)wtr_field_is_bitmap(type, f) + wtr_field_type(type, f);
		if (wtr_type_field(type, wtr_field_name(type, f)) < 0)
			abort();
	}
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
		sum += wtr_frame_line(frame) + wtr_frame_function_offset(frame);
		for (uint32_t k = 0; k <= wtr_frame_n_inlined(frame); k++) {
			text(wtr_frame_inlined_function(frame, k));
			text(wtr_frame_inlined_call_file(frame, k));
			sum += wtr_frame_inlined_call_line(frame, k);
		}
		sum += (size_t)wtr_frame_is_kernel(frame);
		sum += wtr_frame_build_id(frame, &id) + wtr_frame_offset(frame);
	}
}

static void look_at(const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);
	uint32_t n = wtr_type_n_fields(type);

	look_at_type(type);
	sum += wtr_event_pid(event) + wtr_event_tid(event) + (size_t)wtr_event_cpu(event);
	sum += wtr_event_process_start(event) + (size_t)wtr_event_is_recorder(event) +
	       (size_t)wtr_event_is_claimed(event) + wtr_event_file(event);
	text(wtr_event_process(event));
	text(wtr_event_thread(event));
	text(wtr_event_exe(event));
	if (wtr_event_activity(event))
		sum += wtr_event_activity(event)[15];
	if (wtr_event_related(event))
		sum += wtr_event_related(event)[15];
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
	text(wtr_fact(trace, "no such fact"));
	sum += wtr_wall_time(trace, 1);
	wtr_each_loss(trace, on_loss, NULL);
}

/* Few events: every one of a trace, until enough are seen. */
static int count_down(void *ctx, const struct wtr_event *event)
{
	unsigned *left = ctx;

	text(wtr_type_name(wtr_event_type(event)));
	return --*left == 0;
}

/* The log and its first two thirds, of some events only; and a choice that comes too late. */
static void read_two(const char *path, const char *part)
{
	const char *const paths[] = {path, part};
	unsigned left = MOST_EVENTS;
	struct wtr_cursor *cursor;
	struct wtr_trace *trace;

	if (wtr_open_files(paths, 2, &trace)) {
		text(wtr_error_text());
		return;
	}
	wtr_set_symbols(trace, WTR_SYMBOLS_LOG);
	if (wtr_cursor_create(trace, &cursor))
		abort();
	wtr_select_event(cursor, "demo", "tick");
	wtr_select_event(cursor, "fixture", NULL);
	wtr_select_event(cursor, "wtrace", "lost");
	wtr_each(cursor, count_down, &left);
	if (wtr_select_cpu(cursor, 1) == WTR_OK || !wtr_error_text()[0])
		abort();
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
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

/* ---- a session: this process has its lock ---- */

static char directory[] = "/dev/shm/fuzz-reader-XXXXXX";
static struct wt_place place;

static void clean(void)
{
	wt_place_remove(&place);
	wt_place_close(&place);
	unlinkat(AT_FDCWD, place.spool, AT_REMOVEDIR);
	unlinkat(AT_FDCWD, place.runtime, AT_REMOVEDIR);
	rmdir(directory);
}

static void prepare(void)
{
	char path[sizeof(directory) + 16];

	if (place.name[0])
		return;
	if (!mkdtemp(directory))
		abort();
	snprintf(path, sizeof(path), "%s/run", directory);
	setenv("WTRACE_RUNTIME", path, 1);
	snprintf(path, sizeof(path), "%s/spool", directory);
	setenv("WTRACE_SPOOL", path, 1);
	if (wt_place_open("fuzz", &place, NULL) || wt_place_lock(&place, NULL))
		abort();
	atexit(clean);
}

static void put(int fd, const uint8_t *bytes, size_t size)
{
	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
}

/* The session has half of the log, then goes on in a file that begins with less or more of it, then ends. */
static void read_session(const uint8_t *bytes, size_t size)
{
	int fd = wt_place_create_part(&place, NULL), next = -1;
	struct wtr_cursor *cursor;
	struct wtr_trace *trace;
	char path[PATH_MAX];

	put(fd, bytes, size / 2);
	if (wtr_open_session("fuzz", &trace) == WTR_OK) {
		wtr_set_symbols(trace, WTR_SYMBOLS_LOG);
		if (wtr_cursor_create(trace, &cursor))
			abort();
		read_on(cursor, false);
		next = wt_place_create_packed(&place, NULL);
		put(next, bytes, size - (size ? bytes[size - 1] : 0) % (size / 4 + 1));
		if (wt_place_use_packed(&place, NULL))
			abort();
		for (int look = 0; look < 3; look++) /* a gap is told once */
			read_on(cursor, false);
		wtr_cursor_destroy(cursor);
		wtr_close(trace);
		close(next);
	}
	wt_place_part_path(&place, path);
	unlink(path);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	int fd = memfd_create("log", MFD_CLOEXEC), part = memfd_create("part", MFD_CLOEXEC);
	char path[32], part_path[32];

	if (!bytes || fd < 0 || part < 0)
		abort();
	prepare();
	memcpy(bytes, data, size);
	mend_log(bytes, size);
	put(fd, bytes, size);
	put(part, bytes, size * 2 / 3);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(part_path, sizeof(part_path), "/proc/self/fd/%d", part);
	read_whole(path);
	read_two(path, part_path);
	read_growing(fd, path, bytes, size);
	read_session(bytes, size);
	free(bytes);
	close(fd);
	close(part);
	return 0;
}
