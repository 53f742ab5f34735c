// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumers/sample/symbol.h"

static void patterns_fit_as_in_wperf(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} cases[] = {
		{NULL, "x_mul:python3", true},      {"x_mul", "x_mul:python3", true},
		{"X_MUL", "x_mul:python3", true},   {"x_mul:python3", "x_mul:python3", true},
		{"x_mu", "x_mul:python3", false},   {"^x_", "x_mul:python3", true},
		{"^mul", "x_mul:python3", false},   {"mul$", "x_mul:python3", true},
		{"x_$", "x_mul:python3", false},    {"python3$", "x_mul:python3", true},
		{"^x_mul$", "x_mul:python3", true}, {"^x_mu$", "x_mul:python3", false},
		{"ns::f", "ns::f:lib.so", true},    {"longer_than_it", "short", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(wt_sample_symbol_fits(cases[i].pattern, cases[i].text), cases[i].fits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(patterns_fit_as_in_wperf)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
