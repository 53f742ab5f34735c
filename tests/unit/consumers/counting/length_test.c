// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumers/counting/length.h"

#define SECOND UINT64_C(1000000000)

static void lengths_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} right[] = {
		{"0", 0},
		{"1", SECOND},
		{"10", 10 * SECOND},
		{"1.5", SECOND * 3 / 2},
		{"0.25s", SECOND / 4},
		{"1.05", SECOND * 105 / 100},
		{"200ms", SECOND / 5},
		{"0.01ms", 10000},
		{"2m", 120 * SECOND},
		{"1.5h", 5400 * SECOND},
		{"1d", 86400 * SECOND},
		{"106751d", UINT64_C(106751) * 86400 * SECOND},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		uint64_t ns = 1;

		assert_true(wt_length_parse(right[i].text, &ns));
		assert_int_equal(ns, right[i].ns);
	}
}

static void others_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"-1",
		"+1",
		"01",
		"00",
		"1.",
		".5",
		"1.234",
		"1..2",
		"1 s",
		"1sm",
		"1S",
		"1ns",
		"s",
		"1e3",
		"0x10",
		"1,5",
		" 1",
		"1 ",
		"1.5x",
		"106752d",
		"200000h00",
		"99999999999999999999",
		"18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t ns = 77;

		if (wt_length_parse(wrong[i], &ns))
			fail_msg("'%s' is taken as %llu ns", wrong[i], (unsigned long long)ns);
		assert_int_equal(ns, 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_read),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
