// SPDX-License-Identifier: MIT
/* Who can write to a file is known, whether by a descriptor or by a mapping alone. */
#include "tracecore/base/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];
static int reader, writer;

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/wtwritersXXXXXX");
	writer = mkstemp(path);
	reader = open(path, O_RDONLY | O_CLOEXEC);
	return writer < 0 || reader < 0 || ftruncate(writer, 4096) ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	close(reader);
	return unlink(path);
}

/* User-mode emulation passes leases on; file systems may have none. */
static bool has_leases(void)
{
	char other[] = "/tmp/wtwritersXXXXXX";
	int fd = mkstemp(other), readable = open(other, O_RDONLY | O_CLOEXEC);
	bool has;

	close(fd);
	has = fcntl(readable, F_SETLEASE, F_RDLCK) == 0;
	close(readable);
	unlink(other);
	return has;
}

static void test_writers(void **state)
{
	bool has = has_leases();
	void *map;

	(void)state;
	errno = ENOTTY;
	assert_int_equal(wt_file_has_writer(reader), has);
	assert_int_equal(wt_path_has_writer(reader), has);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0);
	assert_true(map != MAP_FAILED);
	close(writer);
	assert_int_equal(wt_file_has_writer(reader), has);
	munmap(map, 4096);
	assert_false(wt_file_has_writer(reader));
	assert_false(wt_path_has_writer(reader));
	assert_int_equal(errno, ENOTTY);
	/* The lease has been given back. */
	writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(writer >= 0);
	close(writer);
}

/* A descriptor of a path alone says whose file it is, too. */
static void test_path(void **state)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	(void)state;
	assert_int_equal(wt_path_has_writer(fd), has_leases());
	close(writer);
	assert_false(wt_path_has_writer(fd));
	close(fd);
	assert_false(wt_path_has_writer(fd));
}

static void test_in_memory(void **state)
{
	int fd = memfd_create("writers", MFD_CLOEXEC), other = open("/proc/self/status", O_PATH | O_CLOEXEC);

	(void)state;
	assert_true(wt_file_is_in_memory(fd));
	assert_false(wt_file_is_in_memory(other));
	close(fd);
	close(other);
	assert_false(wt_file_is_in_memory(fd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_writers, begin, end),
		cmocka_unit_test_setup_teardown(test_path, begin, end),
		cmocka_unit_test(test_in_memory),
	};

	return cmocka_run_group_tests_name("writers", tests, NULL, NULL);
}
