// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "providers/perf/abilities.h"

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void more_allowed_means_less_is_too(void **state)
{
	struct wt_perf_abilities found;

	(void)state;
	wt_perf_abilities(&found);
	assert_true(found.own_kernel != 0 || found.own_user == 0);
	assert_true(found.lost_counts != 0 || found.own_user == 0);
	assert_true(found.cycles != 0 || found.own_user == 0);
	if (found.own_user == ENOSYS)
		assert_true(found.machine == ENOSYS && found.cycles == ENOSYS);
}

static void nothing_stays_open(void **state)
{
	struct wt_perf_abilities found;
	unsigned before = open_files();

	(void)state;
	wt_perf_abilities(&found);
	assert_int_equal(open_files(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_allowed_means_less_is_too),
		cmocka_unit_test(nothing_stays_open),
	};

	return cmocka_run_group_tests_name("abilities", tests, NULL, NULL);
}
