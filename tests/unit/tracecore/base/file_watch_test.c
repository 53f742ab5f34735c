// SPDX-License-Identifier: MIT
/* A writer that came and went is noticed, however it wrote, and one that is there is not taken for one that
 * went. */
#include "tracecore/base/file_watch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"

enum { DEVICE = 8, INODE = 77 };

static struct wt_file_watch watch;
static char path[64];
static int fd;

static int begin(void **state)
{
	int made;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/wtwatchXXXXXX");
	made = mkstemp(path);
	if (made < 0 || ftruncate(made, 4096) || close(made))
		return -1;
	fd = open(path, O_PATH | O_CLOEXEC);
	watch.began = wt_clock_now();
	return fd < 0 ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	wt_file_watch_deinit(&watch);
	close(fd);
	unlink(path);
	return 0;
}

static enum wt_file_written ask(uint64_t since)
{
	wt_file_watch_read(&watch);
	return wt_file_watch_ask(&watch, DEVICE, INODE, since);
}

static void *map_for_writing(void)
{
	int writer = open(path, O_RDWR | O_CLOEXEC);
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0);

	assert_true(map != MAP_FAILED);
	close(writer);
	return map;
}

static void a_file_nobody_writes_to(void **state)
{
	uint64_t since = wt_clock_now();

	(void)state;
	assert_int_equal(ask(since), WT_FILE_NOT_WATCHED);
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	assert_int_equal(ask(since), WT_FILE_NOT_WRITTEN);
	close(open(path, O_RDONLY | O_CLOEXEC));
	assert_int_equal(ask(since), WT_FILE_NOT_WRITTEN);
	/* Nobody knows what was before. */
	assert_int_equal(ask(watch.began - 1), WT_FILE_WRITTEN);
	assert_int_equal(wt_file_watch_ask(&watch, DEVICE, INODE + 1, since), WT_FILE_NOT_WATCHED);
	assert_int_equal(wt_file_watch_ask(&watch, DEVICE + 1, INODE, since), WT_FILE_NOT_WATCHED);
}

static void a_writer_by_a_mapping(void **state)
{
	uint64_t since = wt_clock_now();
	void *map;

	(void)state;
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	map = map_for_writing();
	/* The mapping holds it, although the descriptor is closed. */
	assert_int_equal(ask(since), WT_FILE_NOT_WRITTEN);
	munmap(map, 4096);
	assert_int_equal(ask(since), WT_FILE_WRITTEN);
	assert_int_equal(ask(since), WT_FILE_WRITTEN);
}

static void what_is_mapped_later_is_known_again(void **state)
{
	uint64_t before = wt_clock_now(), after;

	(void)state;
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	munmap(map_for_writing(), 4096);
	assert_int_equal(ask(before), WT_FILE_WRITTEN);
	after = wt_clock_now();
	/* The watch has ended. */
	assert_int_equal(ask(after), WT_FILE_WRITTEN);
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	assert_int_equal(ask(after), WT_FILE_NOT_WRITTEN);
	assert_int_equal(ask(before), WT_FILE_WRITTEN);
	munmap(map_for_writing(), 4096);
	assert_int_equal(ask(after), WT_FILE_WRITTEN);
}

static void a_removed_file_is_forgotten(void **state)
{
	uint64_t since = wt_clock_now();

	(void)state;
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	wt_file_watch_add(&watch, fd, DEVICE, INODE);
	assert_int_equal(watch.n_files, 1);
	assert_int_equal(watch.n_numbers, 1);
	unlink(path);
	/* The last one who has it keeps it. */
	close(fd);
	fd = -1;
	assert_int_equal(ask(since), WT_FILE_NOT_WATCHED);
	assert_int_equal(watch.n_files, 0);
	assert_int_equal(watch.n_numbers, 0);
}

static void many_files_each_know_of_their_own(void **state)
{
	enum { N = 40 };
	uint64_t since = wt_clock_now();
	char names[N][64];

	(void)state;
	for (int i = 0; i < N; i++) {
		int made;

		snprintf(names[i], sizeof(names[i]), "/tmp/wtwatchXXXXXX");
		made = mkstemp(names[i]);
		assert_true(made >= 0);
		close(made);
		made = open(names[i], O_PATH | O_CLOEXEC);
		wt_file_watch_add(&watch, made, DEVICE + (uint64_t)(i % 3), (uint64_t)(i * 7 % N));
		close(made);
	}
	for (int i = 0; i < N; i += 3)
		close(open(names[i], O_WRONLY | O_CLOEXEC));
	wt_file_watch_read(&watch);
	for (int i = 0; i < N; i++) {
		assert_int_equal(
			wt_file_watch_ask(&watch, DEVICE + (uint64_t)(i % 3), (uint64_t)(i * 7 % N), since),
			i % 3 ? WT_FILE_NOT_WRITTEN : WT_FILE_WRITTEN);
		unlink(names[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_nobody_writes_to, begin, end),
		cmocka_unit_test_setup_teardown(a_writer_by_a_mapping, begin, end),
		cmocka_unit_test_setup_teardown(what_is_mapped_later_is_known_again, begin, end),
		cmocka_unit_test_setup_teardown(a_removed_file_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(many_files_each_know_of_their_own, begin, end),
	};

	return cmocka_run_group_tests_name("file watch", tests, NULL, NULL);
}
