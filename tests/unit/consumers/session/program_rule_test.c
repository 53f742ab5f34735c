// SPDX-License-Identifier: MIT
#include "consumers/session/program_rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/schema/builtin.h"

static int filter(struct wt_program_rule *rule, const char *text, struct wt_err *err)
{
	char copy[2048];

	*rule = (struct wt_program_rule){0};
	memcpy(rule->provider, "my-app", sizeof("my-app"));
	snprintf(copy, sizeof(copy), "%s", text);
	return wt_program_rule_filter(rule, copy, err);
}

static void filters_are_read(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_program_rule rule;
	struct wt_enable_rule view;

	(void)state;
	assert_int_equal(filter(&rule, "pid=12,13;exe=py*,sh;id=!3,4;event=req*;all=io|0x4;stack=7", &err),
			 0);
	view = wt_program_rule_view(&rule);
	assert_string_equal(view.provider, "my-app");
	assert_int_equal(view.n_pids, 2);
	assert_int_equal(view.pids[1], 13);
	assert_string_equal(view.exe, "py*;sh");
	assert_int_equal(view.n_ids, 2);
	assert_true(view.ids_are_out);
	assert_string_equal(view.names, "req*");
	assert_int_equal(view.stack_ids[0], 7);
	assert_string_equal(rule.all_keywords, "io|0x4");
	assert_int_equal(filter(&rule, "exe=a;exe=b", &err), 0);
	assert_string_equal(rule.exe, "a;b");
	view = wt_program_rule_view(&rule);
	assert_null(view.names);
	assert_null(view.ids);
}

static void wrong_filters_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *say;
	} wrong[] = {
		{"pid", "KEY=VALUE"},
		{"pid=", "KEY=VALUE"},
		{"pit=3", "did you mean 'pid'"},
		{"pid=x", "not a number"},
		{"pid=-1", "not a number"},
		{"pid=1,2,3,4,5,6,7,8,9", "more than 8"},
		{"id=65536", "to 65535"},
		{"id=1;id=!2", "either"},
		{"all=a;all=b", "one list"},
		{"id=1,,2", "not a number"},
		{"", "KEY=VALUE"},
	};
	struct wt_program_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wt_err err = WT_ERR_INIT;

		assert_int_equal(filter(&rule, wrong[i].text, &err), -1);
		if (!strstr(err.text, wrong[i].say))
			fail_msg("'%s' gave: %s", wrong[i].text, err.text);
	}
}

static void keywords_are_numbers_or_names(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *provider;
	uint64_t mask = 7;

	(void)state;
	assert_int_equal(wt_builtin_provider("wtrace", &provider, &err), 0);
	assert_int_equal(wt_program_rule_keywords("x", NULL, "0x3|0x10", &mask, &err), 0);
	assert_int_equal(mask, 0x13);
	assert_int_equal(wt_program_rule_keywords("x", NULL, "loss", &mask, &err), -1);
	assert_non_null(strstr(err.text, "no program has registered provider x"));
	assert_int_equal(wt_program_rule_keywords("x", provider, "LOSS|0x100", &mask, &err), 0);
	assert_int_equal(mask & 0x100, 0x100);
	assert_true(mask & ~UINT64_C(0x100));
	assert_int_equal(wt_program_rule_keywords("x", provider, "los", &mask, &err), -1);
	assert_non_null(strstr(err.text, "did you mean 'loss'"));
	assert_int_equal(wt_program_rule_keywords("x", provider, "0x3z", &mask, &err), -1);
	wt_provider_destroy(provider);
}

static void names_of_programs_providers(void **state)
{
	(void)state;
	assert_true(wt_program_provider_name("my-app"));
	assert_true(wt_program_provider_name("_x.1"));
	assert_false(wt_program_provider_name(""));
	assert_false(wt_program_provider_name("-x"));
	assert_false(wt_program_provider_name("a b"));
	assert_false(wt_program_provider_name("a/b"));
	assert_false(wt_program_provider_name("linux:sched"));
	assert_false(wt_program_provider_name("Loader"));
	assert_false(wt_program_provider_name("wtrace"));
}

/* A rule survives the wire; a cut or changed message is refused or gives a rule that keeps its bounds. */
static void the_wire_is_checked(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_program_rule rule, got;
	struct wt_buf out = {0};
	struct wt_cursor cur;

	(void)state;
	assert_int_equal(filter(&rule, "pid=12;exe=py*;id=3,4;event=req*;stack=7", &err), 0);
	rule.any = 5;
	rule.level = 4;
	wt_program_rule_encode(&rule, &out);
	cur = wt_cursor(out.data, out.len);
	assert_int_equal(wt_program_rule_decode(&cur, &got, &err), 0);
	assert_memory_equal(&got, &rule, sizeof(got));
	for (size_t n = 0; n < out.len; n++) {
		cur = wt_cursor(out.data, n);
		assert_int_equal(wt_program_rule_decode(&cur, &got, &err), -1);
	}
	for (size_t i = 0; i < out.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			out.data[i] ^= (uint8_t)(1 << bit);
			cur = wt_cursor(out.data, out.len);
			if (!wt_program_rule_decode(&cur, &got, &err)) {
				assert_true(got.n_pids <= WT_PROGRAM_RULE_PIDS &&
					    got.n_ids <= WT_PROGRAM_RULE_IDS);
				assert_true(wt_program_provider_name(got.provider));
			}
			out.data[i] ^= (uint8_t)(1 << bit);
		}
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_are_read),
		cmocka_unit_test(wrong_filters_say_what_is_wrong),
		cmocka_unit_test(keywords_are_numbers_or_names),
		cmocka_unit_test(names_of_programs_providers),
		cmocka_unit_test(the_wire_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
