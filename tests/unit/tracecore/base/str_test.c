// SPDX-License-Identifier: MIT
#include "tracecore/base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_texts(void **state)
{
	const char text[] = "abc";
	struct wt_str whole = wt_str(text), part = wt_str_of(text, 2), none = wt_str(NULL),
		      no = wt_str_of(NULL, 9);

	(void)state;
	assert_ptr_equal(whole.p, text);
	assert_int_equal(whole.len, 3);
	assert_ptr_equal(part.p, text);
	assert_int_equal(part.len, 2);
	assert_non_null(none.p);
	assert_int_equal(none.len, 0);
	assert_non_null(no.p);
	assert_int_equal(no.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
