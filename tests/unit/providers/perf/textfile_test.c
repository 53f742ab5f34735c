// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <errno.h>

#include "providers/perf/textfile.h"

static void cpu_lists(void **state)
{
	struct wt_cpuset set;

	(void)state;
	assert_int_equal(wt_cpuset_parse("0-3,8", &set), 0);
	assert_int_equal(wt_cpuset_count(&set), 5);
	assert_int_equal(wt_cpuset_end(&set), 9);
	assert_true(wt_cpuset_has(&set, 3));
	assert_false(wt_cpuset_has(&set, 4));
	assert_int_equal(wt_cpuset_parse("", &set), 0);
	assert_int_equal(wt_cpuset_count(&set), 0);
	assert_int_equal(wt_cpuset_end(&set), 0);
	assert_int_equal(wt_cpuset_parse("8191", &set), 0);
	assert_int_equal(wt_cpuset_end(&set), 8192);
}

static void bad_cpu_lists(void **state)
{
	static const char *const bad[] = {
		"a", "1-", "-1", "3-1", "1,", ",1", "1;2", "8192", "0-8192", "1-2-3", "99999999999999999999"};
	struct wt_cpuset set;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wt_cpuset_parse(bad[i], &set), -1);
}

static void numbers(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(wt_text_u64("0x1F", &v) && v == 0x1f);
	assert_true(wt_text_u64("18446744073709551615", &v) && v == UINT64_MAX);
	assert_false(wt_text_u64("18446744073709551616", &v));
	assert_false(wt_text_u64("", &v));
	assert_false(wt_text_u64("-1", &v));
	assert_false(wt_text_u64(" 1", &v));
	assert_false(wt_text_u64("0x", &v));
	assert_false(wt_text_u64("0x-1", &v));
	assert_false(wt_text_u64("12k", &v));
}

static void files(void **state)
{
	char path[] = "/tmp/wtrace-text-XXXXXX", text[16];
	struct wt_buf buf = {0};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "-3 \n", 4), 4);
	assert_int_equal(wt_text_read(path, text, sizeof(text)), 2);
	assert_string_equal(text, "-3");
	assert_int_equal(wt_text_number(path, 7), -3);
	assert_int_equal(write(fd, "0123456789abcdef", 16), 16);
	assert_int_equal(wt_text_read(path, text, sizeof(text)), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(wt_text_number(path, 7), 7);
	assert_int_equal(wt_text_read_all(path, &buf, 20), 0);
	assert_int_equal(buf.len, 20);
	wt_buf_deinit(&buf);
	close(fd);
	unlink(path);
	assert_int_equal(wt_text_read(path, text, sizeof(text)), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(bad_cpu_lists),
		cmocka_unit_test(numbers),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("perf/textfile", tests, NULL, NULL);
}
