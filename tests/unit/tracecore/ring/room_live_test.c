/* SPDX-License-Identifier: MIT */
/* Room is sure before it is touched: in a child, which would die of the signal. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* cmocka.h needs them before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/ring/room.h"

#define PAGE 4096u

static int memory_file(void)
{
	int fd = memfd_create("room", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The exit code of a child that does it; 128 + the signal that killed it. */
static int in_child(int (*what)(void))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(what());
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int beyond_the_limit(void)
{
	struct rlimit limit = {2 * PAGE, 2 * PAGE};
	int fd = memfd_create("room", MFD_CLOEXEC);

	if (setrlimit(RLIMIT_FSIZE, &limit) || wt_room_extend(fd, 2 * PAGE) || wt_room_take(fd, 0, 2 * PAGE))
		return 1;
	if (!wt_room_extend(fd, 2 * PAGE + 1) || errno != EFBIG)
		return 2;
	errno = 0;
	if (!wt_room_take(fd, PAGE, 2 * PAGE) || errno != EFBIG)
		return 3;
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	/* As long as it has to be already. */
	if (wt_room_take(fd, 0, 2 * PAGE))
		return 5;
	return wt_room_allowed(1) || !wt_room_allowed(0) ? 4 : 0;
}

static void a_limit_is_an_answer(void **state)
{
	(void)state;
	assert_int_equal(in_child(beyond_the_limit), 0);
}

static void a_file_never_gets_shorter(void **state)
{
	int fd = memory_file();
	struct stat st;

	(void)state;
	assert_int_equal(wt_room_take(fd, 9 * PAGE, PAGE), 0);
	assert_int_equal(wt_room_take(fd, 0, PAGE), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 10 * PAGE);
	assert_int_equal(st.st_blocks, 2 * PAGE / 512);
	close(fd);
}

static blkcnt_t after_first(int fd, uint64_t bytes)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(wt_room_take_first(fd, &st, bytes), 0);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_blocks * 512 / PAGE;
}

static void holes_are_filled_and_what_is_whole_is_left(void **state)
{
	int fd = memory_file();
	struct stat st;

	(void)state;
	assert_int_equal(wt_room_extend(fd, 3 * PAGE + 1), 0);
	assert_int_equal(pwrite(fd, "x", 1, PAGE), 1);
	assert_int_equal(after_first(fd, 2 * PAGE), 2);
	assert_int_equal(after_first(fd, 3 * PAGE + 1), 4);
	/* No call would do here. */
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(wt_room_take_first(-1, &st, 3 * PAGE + 1), 0);
	assert_int_not_equal(wt_room_take_first(-1, &st, 3 * PAGE + 2), 0);
	assert_int_equal(after_first(fd, 6 * PAGE), 6);
	close(fd);
}

/* Pages that are there already, pages to be made, and what lies behind the file's end. */
static void pages_are_populated_one_by_one(void **state)
{
	int fd = memory_file();
	struct stat st;
	uint8_t *at;

	(void)state;
	assert_int_equal(wt_room_extend(fd, 4 * PAGE), 0);
	assert_int_equal(pwrite(fd, "x", 1, PAGE), 1);
	at = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	assert_true(wt_room_populate_by_page(at, 4 * PAGE));
	assert_int_equal(at[PAGE], 'x');
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_blocks >= (blkcnt_t)(4 * PAGE / 512));
	assert_false(wt_room_populate_by_page(at, 5 * PAGE));
	munmap(at, 8 * PAGE);
	close(fd);
}

static char small[] = "/tmp/wt-room.XXXXXX";

static int in_a_full_file_system(void)
{
	char path[64];
	uint8_t *at;
	int fd;

	snprintf(path, sizeof(path), "%s/file", small);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || wt_room_extend(fd, 64 * PAGE) || wt_room_take(fd, 0, PAGE))
		return 1;
	at = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || wt_room_take(fd, 0, 64 * PAGE) == 0)
		return 2;
	if (wt_room_populate(at, 64 * PAGE) || wt_room_populate_by_page(at, 64 * PAGE))
		return 3;
	at[0] = 1;
	return wt_room_take(fd, 0, PAGE) ? 4 : 0;
}

static void a_full_file_system_is_an_answer(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(small));
	if (mount("room", small, "tmpfs", 0, "size=32k")) {
		rmdir(small);
		skip();
	}
	assert_int_equal(in_child(in_a_full_file_system), 0);
	assert_int_equal(umount2(small, MNT_DETACH), 0);
	rmdir(small);
}

static int with_closed_stdio(void)
{
	int first, high;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	first = open("/dev/null", O_RDONLY | O_CLOEXEC);
	high = wt_high_fd(first);
	if (first != 0 || high < 3 || fcntl(0, F_GETFD) >= 0 || !(fcntl(high, F_GETFD) & FD_CLOEXEC))
		return 1;
	if (wt_high_fd(high) != high)
		return 2;
	return wt_high_fd(-1) == -1 ? 0 : 3;
}

static int without_room_above(void)
{
	struct rlimit limit = {3, 3};

	close(0);
	if (setrlimit(RLIMIT_NOFILE, &limit) || wt_high_fd(open("/dev/null", O_RDONLY | O_CLOEXEC)) != -1)
		return 1;
	return errno == EMFILE ? 0 : 2;
}

static void descriptors_are_high(void **state)
{
	(void)state;
	assert_int_equal(in_child(with_closed_stdio), 0);
	assert_int_equal(in_child(without_room_above), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_an_answer),
		cmocka_unit_test(a_file_never_gets_shorter),
		cmocka_unit_test(holes_are_filled_and_what_is_whole_is_left),
		cmocka_unit_test(pages_are_populated_one_by_one),
		cmocka_unit_test(a_full_file_system_is_an_answer),
		cmocka_unit_test(descriptors_are_high),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
