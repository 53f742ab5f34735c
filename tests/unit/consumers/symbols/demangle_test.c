/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/symbols/symbols.h"

static void expect(const char *mangled, const char *want)
{
	struct wt_buf out = {0};

	wt_buf_puts(&out, "x");
	assert_int_equal(wt_demangle(mangled, &out), want != NULL);
	assert_memory_equal(out.data, "x", 1);
	if (want)
		assert_string_equal(wt_buf_cstr(&out) + 1, want);
	else
		assert_int_equal(out.len, 1);
	wt_buf_deinit(&out);
}

static void cpp_names(void **state)
{
	(void)state;
	expect("_ZN5outer3fooEi", "outer::foo(int)");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back(int const&)");
	expect("_ZN1AC1Ev", "A::A()");
	expect("_ZN1AplERKS_", "A::operator+(A const&)");
	expect("_Z3fooi.cold", "foo(int) [clone .cold]");
}

static void rust_names(void **state)
{
	(void)state;
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	       "3bar17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	expect("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect("_RNvMs_NtCs1234_7mycrate3modNtB4_5Thing6method", "<mycrate::mod::Thing>::method");
}

static void plain_names_stay(void **state)
{
	(void)state;
	expect("main", NULL);
	expect("", NULL);
	expect("_", NULL);
	expect("_Z", NULL);
	expect("_R", NULL);
	expect("_Zzz", NULL);
	expect("_ZN5outer", NULL);
	expect("_Read_it", NULL);
	expect("_\xff\xfe", NULL);
}

/** Each template argument doubles the one before: 30 steps would print a billion names. */
static void endless_names_are_refused(void **state)
{
	struct wt_buf name = {0}, out = {0};

	(void)state;
	wt_buf_puts(&name, "_Z1f1AI1B1BE");
	for (int i = 0; i < 30; i++) {
		char last = i < 9 ? (char)('1' + i) : (char)('A' + i - 9);

		wt_buf_printf(&name, "S_IS%c_S%c_E", last, last);
	}
	assert_false(wt_demangle(wt_buf_cstr(&name), &out));
	assert_int_equal(out.len, 0);
	wt_buf_deinit(&name);
	wt_buf_deinit(&out);
}

static void deep_names_are_refused(void **state)
{
	struct wt_buf name = {0}, out = {0};

	(void)state;
	wt_buf_puts(&name, "_Z1f");
	for (int i = 0; i < 15000; i++)
		wt_buf_puts(&name, "P");
	wt_buf_puts(&name, "i");
	assert_false(wt_demangle(wt_buf_cstr(&name), &out));
	for (int i = 0; i < 5000; i++)
		wt_buf_puts(&name, "P");
	assert_false(wt_demangle(wt_buf_cstr(&name), &out));
	wt_buf_deinit(&name);
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpp_names),
		cmocka_unit_test(rust_names),
		cmocka_unit_test(plain_names_stay),
		cmocka_unit_test(endless_names_are_refused),
		cmocka_unit_test(deep_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
