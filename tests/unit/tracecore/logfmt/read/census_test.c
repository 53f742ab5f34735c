// SPDX-License-Identifier: MIT
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/logfmt/fixture.h"

#include "tracecore/base/bytes.h"
#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/read/census.h"

__asm__(".section .rodata\n.balign 8\n.globl golden_types\ngolden_types:\n.incbin "
	"\"tests/golden/types.wtl\"\n"
	".globl golden_types_end\ngolden_types_end:\n.byte 0\n.previous\n");
extern const uint8_t golden_types[], golden_types_end[];

static int file_of(const uint8_t *bytes, size_t len)
{
	int fd = fixture_file();

	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static uint64_t sum_of(const struct wt_log_census *census)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < census->n; i++)
		sum += census->lines[i].bytes;
	return sum;
}

static const struct wt_log_census_line *find(const struct wt_log_census *census, const char *provider,
					     const char *event)
{
	for (uint32_t i = 0; i < census->n; i++)
		if (!strcmp(wt_log_census_provider(census, &census->lines[i]), provider) &&
		    !strcmp(wt_log_census_event(census, &census->lines[i]), event))
			return &census->lines[i];
	return NULL;
}

/* Every byte is in one line, also of a file that was cut anywhere. */
static void test_every_byte_counts(void **state)
{
	size_t len = (size_t)(golden_types_end - golden_types);

	(void)state;
	for (size_t cut = 64; cut <= len; cut += 8) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_log_census census;
		struct wt_log_reader *log;

		assert_ok(wt_log_open_fd(file_of(golden_types, cut), "cut", &log, &err), err);
		assert_ok(wt_log_census_take(log, &census, &err), err);
		assert_int_equal(sum_of(&census), cut);
		if (cut == len) {
			const struct wt_log_census_line *line = find(&census, "fixture", "every");

			assert_non_null(line);
			assert_int_equal(line->count, 20);
			assert_ptr_equal(line, &census.lines[1]);
			assert_null(find(&census, "fixture", "nothing"));
		}
		wt_log_census_deinit(&census);
		wt_log_close(log);
	}
}

static bool is_sound(const uint8_t *bytes, size_t len)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log;
	bool sound;

	if (wt_log_open_fd(file_of(bytes, len), "damaged", &log, &err))
		return false;
	assert_ok(wt_log_verify(log, 1, NULL, &err), err);
	sound = !wt_log_info(log)->n_damages && wt_log_info(log)->complete;
	wt_log_close(log);
	return sound;
}

/* The padding behind blocks is no byte of theirs: readers may ignore it. */
static void mark_padding(const uint8_t *bytes, size_t len, bool *padding)
{
	size_t at = 64;

	while (at + sizeof(struct wt_disk_block_header) < len) {
		struct wt_disk_block_header header;

		assert_null(wt_log_block_header(bytes + at, &header));
		for (size_t i = at + sizeof(header) + header.stored_size;
		     i < at + wt_log_block_extent(&header); i++)
			padding[i] = true;
		at += wt_log_block_extent(&header);
	}
}

/* A single wrong byte, wherever it is, does not go unnoticed. */
static void test_every_byte_is_checked(void **state)
{
	size_t len = (size_t)(golden_types_end - golden_types);
	uint8_t *bytes = malloc(len);
	bool *padding = calloc(len, sizeof(*padding));

	(void)state;
	assert_true(bytes && padding);
	memcpy(bytes, golden_types, len);
	mark_padding(bytes, len, padding);
	assert_true(is_sound(bytes, len));
	for (size_t i = 0; i < len; i += extent_step(7)) {
		bytes[i] ^= 0x40;
		if (is_sound(bytes, len) != padding[i])
			fail_msg("byte %zu of %zu: damage %s", i, len, padding[i] ? "invented" : "not seen");
		bytes[i] ^= 0x40;
	}
	free(padding);
	free(bytes);
}

static void count_progress(void *ctx, uint64_t done, uint64_t total)
{
	uint64_t *last = ctx;

	assert_true(done > *last && done <= total);
	*last = done;
}

static void test_progress_rises(void **state)
{
	size_t len = (size_t)(golden_types_end - golden_types);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log;
	uint64_t last = 0;

	(void)state;
	assert_ok(wt_log_open_fd(file_of(golden_types, len), "types", &log, &err), err);
	assert_ok(wt_log_verify(log, 1, &(struct wt_listener){count_progress, &last}, &err), err);
	assert_true(last > 0);
	wt_log_close(log);
}

/* Two segments of many blocks. */
static int many_blocks(void)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_kinds kinds = {0};
	struct wt_log_writer *log;
	int fd = fixture_file();

	fixture_add_late(&kinds, 1);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	for (uint32_t i = 0; i < 200; i++) {
		if (i == 100)
			assert_ok(wt_log_next_segment(log, &err), err);
		if (i % 100 == 0)
			fixture_rows(log);
		fixture_text_event(log, 0, 1 + i, NULL, NULL);
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	return fd;
}

/* What verifying finds, as text. */
static char *findings(int fd, uint32_t threads)
{
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_info *info;
	struct wt_log_reader *log;
	struct wt_buf out = {0};
	uint64_t last = 0;

	assert_ok(wt_log_open_fd(dup(fd), "many", &log, &err), err);
	assert_ok(wt_log_verify(log, threads, &(struct wt_listener){count_progress, &last}, &err), err);
	info = wt_log_info(log);
	wt_buf_printf(&out, "%u damages, %u events\n", info->n_damages, (unsigned)info->events);
	for (uint32_t i = 0; i < info->n_damages && i < WT_LOG_DAMAGES; i++)
		wt_buf_printf(&out, "%llu %s\n", (unsigned long long)wt_log_damages(log)[i].offset,
			      wt_log_damages(log)[i].what);
	wt_log_close(log);
	wt_buf_put_u8(&out, 0);
	return (char *)out.data;
}

/* More damages than are kept with their text, and none. */
static void test_threads_find_the_same(void **state)
{
	int fd = many_blocks();
	off_t size = lseek(fd, 0, SEEK_END);
	char *one = findings(fd, 1);

	(void)state;
	assert_string_equal(one, "0 damages, 200 events\n");
	for (int round = 0; round < 2; round++) {
		for (uint32_t threads = 2; threads <= 16; threads *= 2) {
			char *more = findings(fd, threads);

			assert_string_equal(more, one);
			free(more);
		}
		free(one);
		for (off_t at = size / 8; !round && at < size * 7 / 8; at += 331) {
			uint8_t byte;

			assert_int_equal(pread(fd, &byte, 1, at), 1);
			byte ^= 0x40;
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		}
		one = findings(fd, 1);
	}
	assert_true(strtoul(one, NULL, 10) > WT_LOG_DAMAGES);
	free(one);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte_counts),
		cmocka_unit_test(test_every_byte_is_checked),
		cmocka_unit_test(test_progress_rises),
		cmocka_unit_test(test_threads_find_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
