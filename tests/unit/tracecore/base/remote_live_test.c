// SPDX-License-Identifier: MIT
/* Memory of another process, read with its help or directly. */
#include "tracecore/base/remote.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static uint8_t *memory;
static uint32_t page, child;

/* Three pages with content, and one that cannot be read. */
static int setup(void **state)
{
	(void)state;
	page = (uint32_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, 4 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	child = (uint32_t)fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (uint32_t i = 0; i < 3 * page; i++)
			memory[i] = (uint8_t)(i % 251);
		mprotect(memory + 3 * page, page, PROT_NONE);
		raise(SIGSTOP);
		_exit(0);
	}
	return waitpid((pid_t)child, NULL, WUNTRACED) == (pid_t)child ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	kill((pid_t)child, SIGKILL);
	waitpid((pid_t)child, NULL, 0);
	munmap(memory, 4 * (size_t)page);
	return 0;
}

static uint64_t at(uint32_t offset)
{
	return (uint64_t)(uintptr_t)memory + offset;
}

static void check_bytes(const uint8_t *bytes, uint32_t from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(bytes[i], (from + i) % 251);
}

static void up_to_a_page_that_cannot_be_read(void **state)
{
	uint8_t bytes[WT_REMOTE_BYTES];

	(void)state;
	assert_int_equal(wt_remote_read(child, at(page - 8), page, bytes), page);
	check_bytes(bytes, page - 8, page);
	assert_int_equal(wt_remote_read(child, at(2 * page + 100), 2 * page, bytes), page - 100);
	check_bytes(bytes, 2 * page + 100, page - 100);
	assert_int_equal(wt_remote_read(child, at(3 * page), 8, bytes), 0);
	assert_int_equal(wt_remote_read(child, UINT64_MAX - 4, 8, bytes), 0);
	assert_int_equal(wt_remote_read(child, at(0), 0, bytes), 0);
}

static void parts_follow_each_other(void **state)
{
	const struct wt_remote_part parts[] = {{at(2 * page - 4), 12}, {at(3 * page - 20), page}};
	uint8_t bytes[2 * WT_REMOTE_BYTES];

	(void)state;
	for (int direct = 0; direct < 2; direct++) {
		memset(bytes, 0, sizeof(bytes));
		assert_int_equal(wt_remote_read_parts(child, direct, parts, 2, bytes), 32);
		check_bytes(bytes, 2 * page - 4, 12);
		check_bytes(bytes + 12, 3 * page - 20, 20);
	}
}

static void no_more_than_fits(void **state)
{
	const struct wt_remote_part parts[WT_REMOTE_PARTS + 1] = {
		{at(0), WT_REMOTE_BYTES}, {at(0), 8}, {at(0), 8}, {at(0), 8}};
	static uint8_t bytes[2 * WT_REMOTE_BYTES];

	(void)state;
	assert_int_equal(wt_remote_read_parts(child, true, parts, 2, bytes), 0);
	assert_int_equal(wt_remote_read_parts(child, false, parts, 2, bytes), 0);
	assert_int_equal(wt_remote_read_parts(child, true, parts, WT_REMOTE_PARTS + 1, bytes), 0);
	assert_int_equal(wt_remote_read_parts(child, true, parts + 1, 3, bytes), 24);
	assert_int_equal(wt_remote_read(child, at(0), WT_REMOTE_BYTES, bytes), 3 * page);
}

static void who_is_trusted(void **state)
{
	(void)state;
	assert_true(wt_remote_is_trusted(child));
	assert_true(wt_remote_is_trusted(1));
	/* There is no such process. */
	assert_false(wt_remote_is_trusted(INT32_MAX));
}

#define REMOTE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REMOTE_TEST(up_to_a_page_that_cannot_be_read),
		REMOTE_TEST(parts_follow_each_other),
		REMOTE_TEST(no_more_than_fits),
		REMOTE_TEST(who_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
