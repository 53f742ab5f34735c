/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "consumers/symbols/file_proof.h"
#include "tracecore/base/clock.h"

static const char source[] = "int __attribute__((noinline)) first(int a)\n{\n\treturn a * 3;\n}\n"
			     "int second(int a)\n{\n\treturn first(a) + 1;\n}\n"
			     "int main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn second(argc);\n}\n";

static const char manifest[] = "{\"wtrace_manifest\":1,\"provider\":\"p\",\"events\":["
			       "{\"id\":1,\"version\":0,\"name\":\"bare\",\"fields\":[]}]}";

static uint64_t first_at, second_at;

static int build(void **state)
{
	struct segment loads[16];
	size_t n_loads;
	struct nm nm;

	if (fixture_setup(state) < 0)
		return -1;
	write_file("e.c", source);
	run("mkdir debug && gcc -O1 -g -o one e.c && cp one two && strip two");
	nm = nm_functions("", "one");
	n_loads = segments("one", loads, 16);
	for (size_t i = 0; i < nm.n; i++) {
		if (!strcmp(nm.rows[i].name, "first"))
			first_at = offset_of(loads, n_loads, nm.rows[i].start);
		if (!strcmp(nm.rows[i].name, "second"))
			second_at = offset_of(loads, n_loads, nm.rows[i].start);
	}
	free(nm.rows);
	return first_at && second_at ? 0 : -1;
}

struct log {
	int fd;
	struct wt_kinds kinds;
	struct wt_log_writer *writer;
};

#define ok(call, err)                                          \
	do {                                                   \
		if (call)                                      \
			fail_msg("%s: %s", #call, (err).text); \
	} while (0)

static void log_begin(struct log *log)
{
	struct wt_log_options options = {0};
	struct wt_provider *provider;
	struct wt_err err = WT_ERR_INIT;
	uint8_t id[16] = {1};
	uint32_t first;

	*log = (struct log){.fd = memfd_create("log", MFD_CLOEXEC)};
	assert_true(log->fd >= 0);
	ok(wt_manifest_parse(manifest, strlen(manifest), "p", &provider, &err), err);
	ok(wt_kinds_add(&log->kinds, provider, &first, &err), err);
	ok(wt_log_create(log->fd, &log->kinds, id, &options, &log->writer, &err), err);
}

static void log_end(struct log *log)
{
	wt_log_writer_destroy(log->writer);
	wt_kinds_deinit(&log->kinds);
	close(log->fd);
}

static struct wt_log_reader *read_log(const struct log *log)
{
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", log->fd);
	ok(wt_log_open(path, &reader, &err), err);
	return reader;
}

/** The unknown rows, then an event that uses the frame last put, so that all is written. */
static void put_rows(struct log *log, const struct wt_log_image *images, size_t n_images,
		     const struct wt_log_frame *frames, size_t n_frames)
{
	struct wt_log_process process = {.name = wt_str("?")};
	struct wt_log_thread thread = {.name = wt_str("?")};
	struct wt_event event = {.time = 1, .cpu = WT_CPU_NONE};
	struct wt_err err = WT_ERR_INIT;

	ok(wt_log_put_process(log->writer, &process, &err), err);
	ok(wt_log_put_thread(log->writer, &thread, &err), err);
	for (size_t i = 0; i < n_images; i++)
		ok(wt_log_put_image(log->writer, &images[i], &err), err);
	for (size_t i = 0; i < n_frames; i++) {
		struct wt_log_stack stack = {.frame = (uint32_t)i};

		ok(wt_log_put_frame(log->writer, &frames[i], &err), err);
		ok(wt_log_put_stack(log->writer, &stack, &err), err);
	}
	assert_true(wt_log_event(log->writer, &event, 0, (uint32_t)n_frames, &err) >= 0);
	ok(wt_log_flush(log->writer, NULL, 0, &err), err);
}

static void embed(struct log *log)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_reader *reader = read_log(log);
	struct wt_packages lacking = {0};
	struct wt_listener nobody = {0};
	struct wt_err err = WT_ERR_INIT;

	ok(wt_symbols_embed(symbols, reader, log->writer, &lacking, &nobody, false, &err), err);
	wt_log_close(reader);
	wt_packages_deinit(&lacking);
	wt_symbols_destroy(symbols);
}

static void check(const struct wt_log_segment *segment, uint32_t frame, const char *name, uint32_t offset,
		  uint8_t reason)
{
	const struct wt_log_symbol *row = &segment->symbols[frame];

	assert_true(frame < segment->n_frames);
	assert_str(row->name, name);
	assert_int_equal(row->reason, reason);
	assert_int_equal(row->symbol_offset, offset);
}

/** The file as it is now, mapped when it was long at rest. */
static struct wt_log_image mapped_image(const char *path)
{
	struct wt_log_image image = file_image(path);
	struct wt_file_facts facts;

	wt_file_facts_at(path, -1, &facts);
	image.device = facts.device;
	image.inode = facts.inode;
	image.mapped = wt_clock_now() + WT_NSEC;
	return image;
}

static void every_segment_gets_its_names(void **state)
{
	const char *one = in_directory("one"), *two = in_directory("two");
	const struct wt_log_image none = {0}, anon = {.kind = WT_IMAGE_ANON}, gone = file_image("/nowhere/x");
	const struct wt_log_image here[] = {none, mapped_image(one), anon, mapped_image(two)};
	const struct wt_log_image there[] = {none, gone, mapped_image(one)};
	const struct wt_log_frame frames[] = {{1, first_at}, {0, 77},       {1, second_at + 2},
					      {2, 5},        {3, first_at}, {1, first_at}};
	const struct wt_log_frame others[] = {{1, 1}, {2, second_at}, {2, UINT64_MAX}, {2, first_at + 1}};
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	struct log log;
	struct stat before, after;

	(void)state;
	log_begin(&log);
	put_rows(&log, here, 4, frames, 6);
	ok(wt_log_next_segment(log.writer, &err), err);
	put_rows(&log, there, 3, others, 4);
	embed(&log);

	reader = read_log(&log);
	assert_int_equal(wt_log_info(reader)->n_segments, 2);
	ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_int_equal(segment->n_frames, 6);
	check(segment, 0, "first", 0, WT_RESOLVED);
	assert_true(segment->symbols[0].line >= 1 && segment->symbols[0].line <= 3);
	check(segment, 1, "", 0, WT_UNRESOLVED_NO_IMAGE);
	check(segment, 2, "second", 2, WT_RESOLVED);
	check(segment, 3, "", 0, WT_UNRESOLVED_ANON);
	assert_true(segment->symbols[4].reason == WT_UNRESOLVED_NO_SYMBOLS);
	check(segment, 5, "first", 0, WT_RESOLVED);
	ok(wt_log_load_segment(reader, 1, &segment, &err), err);
	check(segment, 0, "", 0, WT_UNRESOLVED_NO_FILE);
	check(segment, 1, "second", 0, WT_RESOLVED);
	check(segment, 2, "", 0, WT_UNRESOLVED_NO_MATCH);
	check(segment, 3, "first", 1, WT_RESOLVED);
	wt_log_close(reader);

	assert_int_equal(fstat(log.fd, &before), 0);
	embed(&log);
	assert_int_equal(fstat(log.fd, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	ok(wt_log_finish(log.writer, &err), err);
	log_end(&log);
}

/** More frames than one block of symbols, of images that take turns. */
static void many_frames(void **state)
{
	enum { N = 40000 };
	const struct wt_log_image none = {0}, images[] = {none, mapped_image(in_directory("one")), none};
	struct wt_log_frame *frames = calloc(N, sizeof(*frames));
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	struct log log;

	(void)state;
	assert_non_null(frames);
	for (uint32_t i = 0; i < N; i++)
		frames[i] = (struct wt_log_frame){i % 2, i % 2 ? first_at + i % 3 : i};
	log_begin(&log);
	put_rows(&log, images, 3, frames, N);
	embed(&log);
	reader = read_log(&log);
	ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_int_equal(segment->n_frames, N);
	for (uint32_t i = 0; i < N; i++)
		check(segment, i, i % 2 ? "first" : "", i % 2 ? i % 3 : 0,
		      i % 2 ? WT_RESOLVED : WT_UNRESOLVED_NO_IMAGE);
	wt_log_close(reader);
	log_end(&log);
	free(frames);
}

/* Files that are not what they were give no names: neither at stop nor with a line. */
static void other_files_give_no_names(void **state)
{
	const char *one = in_directory("one");
	struct wt_log_image images[] = {
		{0},
		mapped_image(one),
		mapped_image(one),
		mapped_image(one),
		file_image(one),
		mapped_image(one),
		mapped_image(one),
		mapped_image(one),
	};
	const struct wt_log_frame frames[] = {{1, first_at}, {2, first_at}, {3, first_at}, {4, first_at},
					      {5, first_at}, {6, first_at}, {7, first_at}};
	struct wt_file_facts facts;
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	struct log log;

	(void)state;
	images[2].inode++;
	images[3].mapped -= 3600 * WT_NSEC;
	wt_file_facts_at(one, -1, &facts);
	images[5].changed = facts.change;
	images[6].changed = facts.change - 1;
	images[7].changed = WT_LOG_IMAGE_GONE;
	log_begin(&log);
	put_rows(&log, images, 8, frames, 7);
	embed(&log);
	reader = read_log(&log);
	ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	check(segment, 0, "first", 0, WT_RESOLVED);
	check(segment, 1, "", 0, WT_UNRESOLVED_REPLACED);
	check(segment, 2, "", 0, WT_UNRESOLVED_CHANGED);
	check(segment, 3, "", 0, WT_UNRESOLVED_UNPROVED);
	check(segment, 4, "first", 0, WT_RESOLVED);
	check(segment, 5, "", 0, WT_UNRESOLVED_REPLACED);
	check(segment, 6, "", 0, WT_UNRESOLVED_UNPROVED);
	wt_log_close(reader);
	log_end(&log);
}

static void nothing_to_do(void **state)
{
	struct log log;
	struct stat before, after;

	(void)state;
	log_begin(&log);
	assert_int_equal(fstat(log.fd, &before), 0);
	embed(&log);
	assert_int_equal(fstat(log.fd, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	log_end(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_segment_gets_its_names),
		cmocka_unit_test(many_frames),
		cmocka_unit_test(other_files_give_no_names),
		cmocka_unit_test(nothing_to_do),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
