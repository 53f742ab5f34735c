// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/write_all.h"

enum { LARGE = 1 << 20 };

static void at_the_position_and_at_an_offset(void **state)
{
	int fd = memfd_create("write_all", MFD_CLOEXEC);
	char text[8] = "";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(wt_write_all(fd, "abc", 3), 0);
	assert_int_equal(wt_write_all(fd, "def", 3), 0);
	assert_int_equal(wt_write_all_at(fd, "XY", 2, 1), 0);
	assert_int_equal(wt_write_all(fd, NULL, 0), 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "aXYdef");
	close(fd);
}

struct reader {
	int fd;
	size_t got;
	bool same;
};

static void *read_all(void *arg)
{
	struct reader *reader = arg;
	uint8_t bytes[4096];
	ssize_t n;

	while ((n = read(reader->fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++, reader->got++)
			reader->same = reader->same && bytes[i] == (uint8_t)(reader->got % 251);
	return NULL;
}

/* A pipe has room for less, and takes what it has room for. */
static void a_pipe_takes_pieces(void **state)
{
	uint8_t *bytes = malloc(LARGE);
	struct reader reader = {.same = true};
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < LARGE; i++)
		bytes[i] = (uint8_t)(i % 251);
	assert_int_equal(pipe(ends), 0);
	reader.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
	assert_int_equal(wt_write_all(ends[1], bytes, LARGE), 0);
	close(ends[1]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(reader.got, LARGE);
	assert_true(reader.same);
	close(ends[0]);
	free(bytes);
}

static void a_failure_has_its_reason(void **state)
{
	int ends[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(wt_write_all(full, "a", 1), -1);
	assert_int_equal(errno, ENOSPC);
	close(full);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	while (!wt_write_all(ends[1], "0123456789", 10))
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(wt_write_all_at(ends[1], "a", 1, 0), -1);
	assert_int_equal(errno, ESPIPE);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_position_and_at_an_offset),
		cmocka_unit_test(a_pipe_takes_pieces),
		cmocka_unit_test(a_failure_has_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
