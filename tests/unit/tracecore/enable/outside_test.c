// SPDX-License-Identifier: MIT
/* What the text of /proc/PID/status says of the calls a process may make. */
#include "tracecore/enable/outside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracecore/abi/wt_enable.h"
#include "tracecore/ring/standing.h"

#define FREE   WT_STANDING_KNOWN
#define BOUND  (WT_STANDING_KNOWN | WT_STANDING_NO_CALLS)
#define STRICT (BOUND | WT_STANDING_NO_CLOCK)

static void the_text_tells(void **state)
{
	static const struct {
		const char *status;
		uint32_t filters;
		unsigned standing;
	} cases[] = {
		{"Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n", 0, FREE},
		{"Name:\tx\nThreads:\t1\n", 0, FREE},
		{"Name:\tx\nSeccomp:\t1\nSeccomp_filters:\t0\n", 0, STRICT},
		{"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n", 1, FREE},
		{"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t2\n", 1, BOUND},
		{"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n", WT_ABI_FILTERS_UNKNOWN, BOUND},
		{"Name:\tx\nSeccomp:\t2\n", 0, BOUND},
		/* Cut. */
		{"", 0, BOUND},
		{"Name:\tx\nGroups:\t1 2 3", 0, BOUND},
		{"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1", 1, BOUND},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(wt_outside_judge(cases[i].status, cases[i].filters), cases[i].standing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
