// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracecore/base/table.h"

static void columns_are_as_wide_as_needed(void **state)
{
	struct wt_table table = {.n_cells = 0};
	struct wt_buf out = {0};

	(void)state;
	wt_table_column(&table, "counter value", true);
	wt_table_column(&table, "event name", false);
	wt_table_column(&table, "event idx", false);
	wt_table_column(&table, "event note", false);
	wt_table_count(&table, 23859193503.0);
	wt_table_cell(&table, "cycle");
	wt_table_cell(&table, "fixed");
	wt_table_cell(&table, "e");
	wt_table_count(&table, 8877337489.0);
	wt_table_cell(&table, "%s_%s", "inst", "spec_with_a_name");
	wt_table_cell(&table, "0x%x", 0x1b);
	wt_table_cell(&table, "g0,imix");
	wt_table_print(&table, &out);
	assert_string_equal(wt_buf_cstr(&out),
			    "         counter value  event name             event idx  event note\n"
			    "         =============  ==========             =========  ==========\n"
			    "        23,859,193,503  cycle                  fixed      e\n"
			    "         8,877,337,489  inst_spec_with_a_name  0x1b       g0,imix\n");
	assert_int_equal(table.n_columns, 0);
	wt_table_deinit(&table);
	wt_buf_deinit(&out);
}

static void commas(void **state)
{
	static const struct {
		double count;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{-1000, "-1,000"},
		{-100, "-100"},
		{123456, "123,456"},
		{1234567.6, "1,234,568"},
		{18446744073709551615.0, "18,446,744,073,709,551,616"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_buf out = {0};

		wt_commas(cases[i].count, &out);
		assert_string_equal(wt_buf_cstr(&out), cases[i].text);
		wt_buf_deinit(&out);
	}
}

static void foreign_names_are_escaped(void **state)
{
	struct wt_table table = {.n_cells = 0};
	struct wt_buf out = {0};

	(void)state;
	wt_table_column(&table, "a", false);
	wt_table_column(&table, "b", true);
	wt_table_cell(&table, "x\033[31m\n");
	wt_table_cell(&table, "\xc3\xa4");
	wt_table_print(&table, &out);
	assert_string_equal(wt_buf_cstr(&out), "        a            b\n"
					       "        =            =\n"
					       "        x\\x1b[31m\\n  \xc3\xa4\n");
	wt_table_deinit(&table);
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_needed),
		cmocka_unit_test(commas),
		cmocka_unit_test(foreign_names_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
