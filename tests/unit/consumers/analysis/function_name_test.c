// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/function_name.h"

static bool is(const char *text, const char *name)
{
	return wt_function_is(text, strlen(text), name, strlen(name));
}

static void a_function_is_named_with_its_parameters_or_without(void **state)
{
	(void)state;
	assert_true(is("main", "main"));
	assert_true(is("compute()", "compute"));
	assert_true(is("compute()", "compute()"));
	assert_true(is("compute(int, char const*)", "compute"));
	assert_true(is("ns::thing::compute(int) const", "ns::thing::compute"));
	assert_true(is("ns::thing::compute(int) const &", "ns::thing::compute"));
	assert_true(is("run(void (*)(int), int)", "run"));
	assert_true(is("thing::operator()(int)", "thing::operator()"));
	assert_true(is("(anonymous namespace)::compute(int)", "(anonymous namespace)::compute"));
	assert_true(is("", ""));
}

static void another_one_is_not(void **state)
{
	(void)state;
	assert_false(is("main", "mai"));
	assert_false(is("main", "main()"));
	assert_false(is("compute(int)", "comp"));
	assert_false(is("compute(int)", "compute(int"));
	assert_false(is("compute(int)", "compute("));
	assert_false(is("thing::operator()(int)", "thing::operator"));
	assert_false(is("compute(int) [clone .cold]", "compute"));
	assert_false(is("ns::compute()", "compute"));
	assert_false(is("run(void (*)(int), int)", "run(void (*)"));
	assert_false(is("()", ""));
	assert_false(is(")", ""));
	assert_false(is("x)", "x"));
	assert_false(is("", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_named_with_its_parameters_or_without),
		cmocka_unit_test(another_one_is_not),
	};

	return cmocka_run_group_tests_name("function_name", tests, NULL, NULL);
}
