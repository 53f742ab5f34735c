/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A small log that every view test reads: two segments, samples of two sources with stacks, events of a
 * provider with fields of all forms, a loss, a blind span, a counter, a reused pid, the recorder itself.
 *
 * Code: main (0x100) calls work (0x200), which calls leaf (0x300) and itself; read (0x400) is in libc; 0x500
 * has no name; frame 5 is the kernel's do_sys. Stacks of a segment, innermost first: 1 main   2 work<main   3
 * leaf<work<main   4 work<work<main   5 leaf<work<work<main   6 read<main 7 0x500<main   8 do_sys<read<main
 */
#ifndef TESTS_UNIT_TOOLS_VIEW_VIEW_FIXTURE_H
#define TESTS_UNIT_TOOLS_VIEW_VIEW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/analysis/select.h"
#include "tools/view/show.h"
#include "consumers/export/words.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/schema/builtin.h"

#define FIXTURE_START UINT64_C(1000000000000)

static const char fixture_app[] =
	"{\"wtrace_manifest\":1,\"provider\":\"my-app\","
	"\"maps\":[{\"name\":\"ops\",\"kind\":\"value\",\"entries\":[{\"name\":\"read\",\"value\":1},"
	"{\"name\":\"write\",\"value\":2}]}],"
	"\"events\":[{\"id\":1,\"version\":0,\"name\":\"io\",\"level\":\"warning\",\"fields\":["
	"{\"name\":\"bytes\",\"type\":\"u64\"},{\"name\":\"op\",\"type\":\"u8\",\"map\":\"ops\"},"
	"{\"name\":\"path\",\"type\":\"string\"},{\"name\":\"delta\",\"type\":\"i32\"},"
	"{\"name\":\"ratio\",\"type\":\"f64\"},{\"name\":\"at\",\"type\":\"time\"},"
	"{\"name\":\"ports\",\"type\":\"u16\",\"count\":2}]}]}";

enum {
	FIXTURE_MAIN = 1,
	FIXTURE_WORK,
	FIXTURE_LEAF,
	FIXTURE_RECURSE,
	FIXTURE_RECURSE_LEAF,
	FIXTURE_READ,
	FIXTURE_NAMELESS,
	FIXTURE_SYSCALL
};
enum { FIXTURE_MAKE = 1, FIXTURE_CC, FIXTURE_SELF };

struct fixture {
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
	int fd;
	uint64_t time;
	uint32_t sample, io, lost, info, counted, cost;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_filter filter;
	struct wt_view_select select;
	struct wt_view_agg agg;
	struct wt_view_facts facts;
	struct wt_view_show show;
};

#define assert_ok(call, err)                                   \
	do {                                                   \
		if (call)                                      \
			fail_msg("%s: %s", #call, (err).text); \
	} while (0)

/* ---- writing ---- */

static inline void fixture_kinds(struct fixture *fix)
{
	static const struct wt_named sources[] = {{.name = (char *)(uintptr_t) "cpu-clock", .value = 0},
						  {.name = (char *)(uintptr_t) "cycles", .value = 1}};
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint32_t first;

	assert_ok(wt_builtin_provider("wtrace", &provider, &err), err);
	assert_ok(wt_kinds_add(&fix->kinds, provider, &first, &err), err);
	assert_ok(wt_builtin_provider("pmu-profile", &provider, &err), err);
	assert_ok(wt_provider_set_map(provider, "sources", sources, 2, &err), err);
	assert_ok(wt_kinds_add(&fix->kinds, provider, &first, &err), err);
	assert_ok(wt_manifest_parse(fixture_app, strlen(fixture_app), "my-app", &provider, &err), err);
	assert_ok(wt_kinds_add(&fix->kinds, provider, &first, &err), err);
	fix->sample = wt_kinds_find(&fix->kinds, "pmu-profile", "sample");
	fix->io = wt_kinds_find(&fix->kinds, "my-app", "io");
	fix->lost = wt_kinds_find(&fix->kinds, "wtrace", "lost");
	fix->info = wt_kinds_find(&fix->kinds, "wtrace", "info");
	fix->counted = wt_kinds_find(&fix->kinds, "wtrace", "counted");
	fix->cost = wt_kinds_find(&fix->kinds, "wtrace", "cost");
	assert_int_not_equal(fix->cost, WT_KIND_NONE);
}

static inline void fixture_process(struct fixture *fix, uint32_t pid, uint64_t start, const char *name)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_process row = {.pid = pid, .start_time = start, .name = wt_str(name)};

	row.self = !strcmp(name, "wtrace");
	assert_ok(wt_log_put_process(fix->writer, &row, &err), err);
}

static inline void fixture_thread(struct fixture *fix, uint32_t process, uint32_t tid, uint64_t start,
				  const char *name)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_thread row = {
		.process = process, .tid = tid, .start_time = start, .name = wt_str(name)};

	assert_ok(wt_log_put_thread(fix->writer, &row, &err), err);
}

/** Images 1 to 3: a program, libc, the kernel. */
static inline void fixture_images(struct fixture *fix)
{
	const struct wt_log_image images[] = {{0},
					      {.kind = WT_IMAGE_FILE, .path = wt_str("/usr/bin/prog")},
					      {.kind = WT_IMAGE_FILE, .path = wt_str("/usr/lib/libc.so.6")},
					      {.kind = WT_IMAGE_KERNEL, .path = wt_str("[kernel.kallsyms]")}};
	struct wt_err err = WT_ERR_INIT;

	for (int i = 0; i < 4; i++)
		assert_ok(wt_log_put_image(fix->writer, &images[i], &err), err);
}

static inline void fixture_code(struct fixture *fix)
{
	static const struct wt_log_frame frames[] = {{1, 0x100}, {1, 0x200}, {1, 0x300},
						     {2, 0x400}, {1, 0x500}, {3, 0x600}};
	static const struct wt_log_stack stacks[] = {
		{0, 0, false, WT_STACK_FP},        {1, 1, false, WT_STACK_FP}, {2, 2, false, WT_STACK_FP},
		{2, 1, false, WT_STACK_FP},        {4, 2, false, WT_STACK_FP}, {1, 3, false, WT_STACK_FP},
		{1, 4, false, WT_STACK_TRUNCATED}, {6, 5, true, WT_STACK_FP}};
	struct wt_err err = WT_ERR_INIT;

	fixture_images(fix);
	for (int i = 0; i < 6; i++)
		assert_ok(wt_log_put_frame(fix->writer, &frames[i], &err), err);
	for (int i = 0; i < 8; i++)
		assert_ok(wt_log_put_stack(fix->writer, &stacks[i], &err), err);
}

static inline void fixture_symbols(struct fixture *fix, uint32_t segment)
{
	const struct wt_log_symbol rows[] = {
		{.name = wt_str("main"), .file = wt_str("prog.c"), .line = 10, .symbol_offset = 4},
		{.name = wt_str("work"), .file = wt_str("prog.c"), .line = 20},
		{.name = wt_str("leaf"), .file = wt_str("prog.c"), .line = 30},
		{.name = wt_str("read")},
		{.reason = WT_UNRESOLVED_NO_SYMBOLS},
		{.name = wt_str("do_sys")}};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_put_symbols(fix->writer, segment, 0, rows, 6, &err), err);
}

/** Rows of a segment; the second one's cc1 has the pid of the first, but is another process. */
static inline void fixture_rows(struct fixture *fix, uint64_t cc_start)
{
	fixture_process(fix, UINT32_MAX, 0, "?");
	fixture_process(fix, 100, FIXTURE_START + 10, "make");
	fixture_process(fix, 101, cc_start, "cc1");
	fixture_process(fix, 7, FIXTURE_START + 5, "wtrace");
	fixture_thread(fix, 0, UINT32_MAX, 0, "?");
	fixture_thread(fix, 1, 100, FIXTURE_START + 10, "make");
	fixture_thread(fix, 2, 101, cc_start, "cc1");
	fixture_thread(fix, 3, 7, FIXTURE_START + 5, "wtrace");
	fixture_code(fix);
}

static inline void fixture_put(struct fixture *fix, uint32_t kind, uint32_t thread, uint32_t stack,
			       uint32_t cpu, const struct wt_buf *payload)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.time = fix->time,
				 .kind = kind,
				 .cpu = cpu,
				 .flags = thread == FIXTURE_SELF ? WT_EVENT_SELF : 0,
				 .payload = payload->data,
				 .payload_len = (uint32_t)payload->len};

	fix->time += 1000000;
	if (wt_log_event(fix->writer, &event, thread, stack, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void fixture_sample(struct fixture *fix, uint32_t thread, uint32_t stack, uint8_t source,
				  uint32_t n)
{
	struct wt_buf payload = {0};

	wt_buf_put_u8(&payload, source);
	wt_buf_put_u64(&payload, source ? 100 : 1000);
	for (uint32_t i = 0; i < n; i++)
		fixture_put(fix, fix->sample, thread, stack, i & 1, &payload);
	wt_buf_deinit(&payload);
}

static inline void fixture_io(struct fixture *fix, uint64_t bytes, uint8_t op, const char *path,
			      int32_t delta, double ratio)
{
	struct wt_buf payload = {0};

	wt_buf_put_u64(&payload, bytes);
	wt_buf_put_u8(&payload, op);
	wt_buf_put_counted(&payload, path, strlen(path));
	wt_buf_put_u32(&payload, (uint32_t)delta);
	wt_buf_put(&payload, &ratio, 8);
	wt_buf_put_u64(&payload, fix->time);
	wt_buf_put_u16(&payload, 80);
	wt_buf_put_u16(&payload, 443);
	fixture_put(fix, fix->io, FIXTURE_MAKE, 0, WT_CPU_NONE, &payload);
	wt_buf_deinit(&payload);
}

static inline void fixture_loss(struct fixture *fix, uint64_t count, bool exact)
{
	struct wt_lost_payload lost = {.provider = wt_str("pmu-profile"),
				       .event = wt_str("sample"),
				       .cause = WT_LOSS_RING_FULL,
				       .count = count,
				       .exact = exact,
				       .from = fix->time,
				       .to = fix->time + 2000000};
	struct wt_buf payload = {0};

	wt_lost_put(&payload, &lost);
	fixture_put(fix, fix->lost, 0, 0, WT_CPU_NONE, &payload);
	wt_buf_deinit(&payload);
}

static inline void fixture_counted(struct fixture *fix, uint64_t produced, uint64_t written, uint64_t lost)
{
	struct wt_counted_payload counted = {.provider = wt_str("my-app"),
					     .event = wt_str("io"),
					     .produced = produced,
					     .written = written,
					     .lost = lost,
					     .period1 = 1};
	struct wt_buf payload = {0};

	wt_counted_put(&payload, &counted);
	fixture_put(fix, fix->counted, 0, 0, WT_CPU_NONE, &payload);
	wt_buf_deinit(&payload);
}

static inline void fixture_info(struct fixture *fix, const char *key, const char *value)
{
	struct wt_buf payload = {0};

	wt_buf_put_counted(&payload, key, strlen(key));
	wt_buf_put_counted(&payload, value, strlen(value));
	fixture_put(fix, fix->info, 0, 0, WT_CPU_NONE, &payload);
	wt_buf_deinit(&payload);
}

/* Blocks of that many events say between which values their fields lie; 0: as a recorder's do. */
static inline void fixture_begin_ranged(struct fixture *fix, uint32_t ranged)
{
	static const uint8_t id[16] = {1};
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_options options = {.ranged = ranged};

	*fix = (struct fixture){.fd = memfd_create("view", MFD_CLOEXEC), .time = FIXTURE_START};
	assert_true(fix->fd >= 0);
	fixture_kinds(fix);
	assert_ok(wt_log_create(fix->fd, &fix->kinds, id, &options, &fix->writer, &err), err);
}

static inline void fixture_begin(struct fixture *fix)
{
	fixture_begin_ranged(fix, 0);
}

static inline void fixture_next_segment(struct fixture *fix)
{
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_flush(fix->writer, NULL, 0, &err), err);
	assert_ok(wt_log_next_segment(fix->writer, &err), err);
}

/** The log described above: 20 + 10 cpu-clock samples, 4 of cycles, 5 io events. */
static inline void fixture_write(struct fixture *fix)
{
	fixture_begin(fix);
	fixture_rows(fix, FIXTURE_START + 20);
	fixture_info(fix, "host", "box");
	fixture_info(fix, "event", "cpu-clock at 997 Hz");
	fixture_sample(fix, FIXTURE_MAKE, FIXTURE_LEAF, 0, 6);
	fixture_sample(fix, FIXTURE_MAKE, FIXTURE_WORK, 0, 2);
	fixture_sample(fix, FIXTURE_CC, FIXTURE_RECURSE_LEAF, 0, 4);
	fixture_sample(fix, FIXTURE_CC, FIXTURE_READ, 0, 3);
	fixture_sample(fix, FIXTURE_CC, FIXTURE_NAMELESS, 0, 2);
	fixture_sample(fix, FIXTURE_SELF, FIXTURE_SYSCALL, 0, 3);
	fixture_sample(fix, FIXTURE_MAKE, FIXTURE_MAIN, 1, 4);
	fixture_io(fix, 10, 1, "/a", -1, 0.5);
	fixture_io(fix, 20, 2, "/b,\"c\"", -2, 1.5);
	fixture_io(fix, 30, 1, "/a", 3, 2.5);
	fixture_loss(fix, 5, true);
	fixture_next_segment(fix);
	fixture_rows(fix, FIXTURE_START + 500000);
	fixture_sample(fix, FIXTURE_CC, FIXTURE_LEAF, 0, 8);
	fixture_sample(fix, FIXTURE_MAKE, FIXTURE_SYSCALL, 0, 2);
	fixture_io(fix, 40, 2, "x\n\x1b[31m", 4, 3.5);
	fixture_io(fix, 1000, 9, "", 5, 4.5);
	fixture_loss(fix, 0, false);
	fixture_counted(fix, 5, 5, 0);
}

static inline void fixture_finish(struct fixture *fix)
{
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_flush(fix->writer, NULL, 0, &err), err);
	for (uint32_t i = 0; i <= wt_log_segment(fix->writer); i++)
		fixture_symbols(fix, i);
	assert_ok(wt_log_finish(fix->writer, &err), err);
}

/* ---- reading ---- */

static inline void fixture_open(struct fixture *fix)
{
	struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_open_fd(dup(fix->fd), "test", &fix->log, &err), err);
	assert_ok(wt_view_file_init(&fix->file, fix->log, &options, &err), err);
	fix->filter.file = fix->agg.file = &fix->file;
	fix->select = (struct wt_view_select){.file = &fix->file, .mode = WT_SELECT_SAMPLES};
	fix->agg.filter = &fix->filter;
	wt_view_facts_init(&fix->facts, &fix->file);
	fix->show = (struct wt_view_show){.path = "test.etl", .agg = &fix->agg, .facts = &fix->facts};
}

static inline void fixture_setup(struct fixture *fix)
{
	fixture_write(fix);
	fixture_finish(fix);
	fixture_open(fix);
}

static inline void fixture_close(struct fixture *fix)
{
	wt_view_agg_deinit(&fix->agg);
	wt_view_facts_deinit(&fix->facts);
	wt_view_filter_deinit(&fix->filter);
	wt_view_select_deinit(&fix->select);
	wt_view_file_deinit(&fix->file);
	wt_log_close(fix->log);
	wt_log_writer_destroy(fix->writer);
	wt_kinds_deinit(&fix->kinds);
	close(fix->fd);
}

static inline int fixture_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct fixture *fix = ctx;

	if (wt_view_agg_batch(&fix->agg, batch, err))
		return -1;
	return wt_view_facts_tally(&fix->facts, batch, fix->agg.leaves, err);
}

/** Keys and columns as lists of words, NULL at the end. */
static inline void fixture_run(struct fixture *fix, const char *const *keys, const char *const *columns,
			       const char *sort, const char *where)
{
	struct wt_log_filter range = {.want = wt_view_select_want, .ctx = &fix->select};
	struct wt_err err = WT_ERR_INIT;

	for (; *keys; keys++)
		assert_ok(wt_view_agg_add_key(&fix->agg, *keys, &err), err);
	for (; *columns; columns++)
		assert_ok(wt_view_agg_add_column(&fix->agg, *columns, &err), err);
	assert_ok(wt_view_agg_set_sort(&fix->agg, sort, &err), err);
	if (where)
		assert_ok(wt_view_filter_where(&fix->filter, where, NULL, &err), err);
	assert_ok(wt_view_facts_read(&fix->facts, &err), err);
	assert_ok(wt_log_scan(fix->log, &range, fixture_batch, fix, &err), err);
	assert_ok(wt_view_agg_finish(&fix->agg, &err), err);
}

#define WORDS(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static inline void fixture_tree(const struct fixture *fix, uint32_t node, int depth, struct wt_buf *out)
{
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(&fix->agg, node, &n);

	for (uint32_t i = 0; i < n; i++) {
		for (int d = 0; d < depth; d++)
			wt_buf_put_u8(out, '.');
		wt_view_key_text(&fix->file, wt_view_agg_key(&fix->agg, children[i]),
				 fix->agg.rows.nodes[children[i]].id, out);
		for (uint32_t c = 0; c < fix->agg.n_shown; c++) {
			struct wt_view_cell cell = wt_view_agg_cell(&fix->agg, children[i], c);

			wt_buf_put_u8(out, ' ');
			wt_view_cell_text(&cell, out);
		}
		wt_buf_put_u8(out, '\n');
		fixture_tree(fix, children[i], depth + 1, out);
	}
}

/** All rows as lines "KEY CELL CELL...", a dot per level, tables headed by "= SOURCE". */
static inline void fixture_expect(const struct fixture *fix, const char *want)
{
	struct wt_buf out = {0};

	for (uint32_t i = 0; i < fix->agg.children.n_roots; i++) {
		uint32_t root = fix->agg.children.roots[i];

		wt_buf_printf(&out, "= %s\n",
			      wt_strings_get(&fix->file.texts, fix->agg.rows.nodes[root].id, NULL));
		fixture_tree(fix, root, 0, &out);
	}
	assert_string_equal(wt_buf_cstr(&out), want);
	wt_buf_deinit(&out);
}

/** Writes the show through one of the renderers and returns what came out; free it. */
static inline char *fixture_render(struct fixture *fix, int (*render)(const struct wt_view_show *,
								      struct wt_out *, struct wt_err *))
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_out out = {0};
	char *text = NULL;
	size_t len = 0;

	out.stream = open_memstream(&text, &len);
	assert_non_null(out.stream);
	assert_ok(render(&fix->show, &out, &err), err);
	assert_ok(wt_out_end(&out, &err), err);
	fclose(out.stream);
	return text;
}

#endif
