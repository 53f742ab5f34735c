// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/session/report.h"
#include "tracecore/kernel_events.h"

/* The text of a session that has stopped, malloc'd. */
static char *stopped(uint64_t n)
{
	struct wt_status_row row = {.provider = "my-app", .event = "io", .cause = WT_LOSS_DISK, .count = n};
	struct wt_status status = {
		.spool = "run.etl", .events = n, .lost = n, .takeovers = n, .rows = &row, .n_rows = 1};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	wt_report(out, &status, WT_REPORT_STOPPED, false);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void one_is_not_many(void **state)
{
	char *one = stopped(1), *two = stopped(2);

	(void)state;
	assert_non_null(strstr(one, "run.etl: 1 event over "));
	assert_non_null(strstr(one, "disk full or slow: 1 event\n"));
	assert_non_null(strstr(one, "was killed 1 time and replaced"));
	assert_non_null(strstr(two, "run.etl: 2 events over "));
	assert_non_null(strstr(two, "disk full or slow: 2 events\n"));
	assert_non_null(strstr(two, "was killed 2 times and replaced"));
	free(one);
	free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_not_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
