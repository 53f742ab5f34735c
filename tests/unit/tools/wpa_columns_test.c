// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tools/wpa_columns.h"

static void test_lists(void **state)
{
	static const struct {
		const char *typed, *keys, *columns;
		bool any;
	} all[] = {
		{"ReadyingProcess,NewThreadStack,Ready", "waker_process,stack", "ready", true},
		{"New Process,New Thread Id,Waits (us),Ready (us) Max,Count:Waits", "process,tid",
		 "blocked,max:ready,waits", true},
		{"CPU Usage (in view),Time Since Last,longest", "", "running,sum:waited,longest", true},
		{"New Prev Wait Reason,Cpu,Last Switch-Out Time", "kind,cpu", "first", true},
		/* This program's own words keep their meaning. */
		{"ready,waits,count,cpu", "", "ready,waits,count,cpu", false},
		{"Nonsense,ready", "", "Nonsense,ready", false},
		{"READYING THREAD,,Nonsense", "waker", "Nonsense", true},
		{"AVeryLongWordThatIsNoColumnOfAnyTableOfAnyProgramThatAnybodyEverWroteForWindows", "",
		 "AVeryLongWordThatIsNoColumnOfAnyTableOfAnyProgramThatAnybodyEverWroteForWindows", false},
		{"Ready (us", "", "ready", true},
		{"", "", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct wt_buf keys = {0}, columns = {0};
		bool any = wt_wpa_columns(all[i].typed, &keys, &columns);

		assert_string_equal(wt_buf_cstr(&keys), all[i].keys);
		assert_string_equal(wt_buf_cstr(&columns), all[i].columns);
		assert_int_equal(any, all[i].any);
		wt_buf_deinit(&keys);
		wt_buf_deinit(&columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
