// SPDX-License-Identifier: MIT
#include "providers/perf/written.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/allowance.h"
#include "tracecore/base/proc.h"

#define PAGES 4

static size_t page;

/* A file of PAGES pages, mapped as asked for; all of it is read. */
static volatile char *map_file(int prot, int flags)
{
	char path[] = "/tmp/written-XXXXXX";
	int fd = mkstemp(path);
	volatile char *at;
	char sum = 0;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page)), 0);
	at = mmap(NULL, PAGES * page, prot, flags, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	for (size_t i = 0; i < PAGES; i++)
		sum = (char)(sum + at[i * page]);
	assert_int_equal(sum, 0);
	return at;
}

static bool is_written(pid_t pid, volatile char *at)
{
	enum wt_written written = wt_perf_is_written((uint32_t)pid, (uintptr_t)at,
						     (uintptr_t)at + PAGES * page);

	assert_true(written == WT_WRITTEN || written == WT_WRITTEN_NOT);
	return written == WT_WRITTEN;
}

static void protect(volatile char *at, size_t n, int prot)
{
	assert_int_equal(mprotect((void *)at, n * page, prot), 0);
}

static void test_written_before(void **state)
{
	volatile char *at = map_file(PROT_READ | PROT_WRITE, MAP_PRIVATE);

	(void)state;
	protect(at, PAGES, PROT_READ | PROT_EXEC);
	assert_false(is_written(getpid(), at));
	/* One page of it is enough. */
	protect(at + 2 * page, 1, PROT_READ | PROT_WRITE);
	at[2 * page] = 1;
	protect(at + 2 * page, 1, PROT_READ | PROT_EXEC);
	assert_true(is_written(getpid(), at));
	/* Of where it lies alone. */
	assert_false(wt_perf_is_written((uint32_t)getpid(), (uintptr_t)at, (uintptr_t)at + 2 * page));
	assert_true(
		wt_perf_is_written((uint32_t)getpid(), (uintptr_t)at + 2 * page, (uintptr_t)at + 3 * page));
	/* The file's again. */
	assert_int_equal(madvise((void *)at, PAGES * page, MADV_DONTNEED), 0);
	assert_int_equal(at[2 * page], 0);
	assert_false(is_written(getpid(), at));
	munmap((void *)at, PAGES * page);
}

/* What a debugger writes is not the process's. */
static void test_written_by_others(void **state)
{
	volatile char *at = map_file(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_false(is_written(getpid(), at));
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(uintptr_t)at), 1);
	close(fd);
	assert_int_equal(at[0], 'x');
	assert_false(is_written(getpid(), at));
	munmap((void *)at, PAGES * page);
}

/* A child has it from its parent; of one that has ended nothing is seen. */
static void test_of_a_child(void **state)
{
	volatile char *at = map_file(PROT_READ | PROT_WRITE, MAP_PRIVATE);
	pid_t child;

	(void)state;
	at[page] = 1;
	protect(at, PAGES, PROT_READ | PROT_EXEC);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	assert_true(is_written(child, at));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(wt_perf_is_written((uint32_t)child, (uintptr_t)at, (uintptr_t)at + page),
			 WT_WRITTEN_GONE);
	/* However often, although looks are limited. */
	for (int i = 0; i < 3 * WT_WRITTEN_LOOKS; i++)
		assert_int_equal(wt_perf_is_written((uint32_t)child, (uintptr_t)at, (uintptr_t)at + page),
				 WT_WRITTEN_GONE);
	munmap((void *)at, PAGES * page);
}

/* It has the page in its memory, so that there is something to see. */
static pid_t start_as(uid_t uid, volatile const char *page_of_file)
{
	pid_t child = fork();

	if (!child) {
		(void)*page_of_file;
		if (uid && setuid(uid))
			_exit(1);
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	return child;
}

/* Until it has that user's id, or has none to be had: then it has ended. */
static bool is_of(pid_t child, uid_t uid)
{
	while (wt_proc_uid((uint32_t)child) != uid)
		if (waitpid(child, NULL, WNOHANG) == child)
			return false;
	return true;
}

/* One user's processes use up that user's time, and nobody else's. */
static void test_time_of_users(void **state)
{
	volatile char *at = map_file(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	const uid_t users[] = {64126, 64126, 64127};
	pid_t children[3];
	uintptr_t start = (uintptr_t)at, last = start + page;

	(void)state;
	if (geteuid())
		skip();
	for (size_t i = 0; i < 3; i++) {
		children[i] = start_as(users[i], at);
		assert_true(is_of(children[i], users[i]));
	}
	assert_int_equal(wt_perf_is_written((uint32_t)children[0], start, last), WT_WRITTEN_NOT);
	wt_allowance_spend(wt_perf_written_time((uint32_t)children[0]), UINT64_C(3600000000000));
	assert_int_equal(wt_perf_is_written((uint32_t)children[0], start, last), WT_WRITTEN_UNSEEN);
	assert_int_equal(wt_perf_is_written((uint32_t)children[1], start, last), WT_WRITTEN_UNSEEN);
	assert_int_equal(wt_perf_is_written((uint32_t)children[2], start, last), WT_WRITTEN_NOT);
	(void)*at;
	assert_int_equal(wt_perf_is_written((uint32_t)getpid(), start, last), WT_WRITTEN_NOT);
	for (size_t i = 0; i < 3; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	munmap((void *)at, PAGES * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_before),
		cmocka_unit_test(test_written_by_others),
		cmocka_unit_test(test_of_a_child),
		cmocka_unit_test(test_time_of_users),
	};

	page = (size_t)sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
