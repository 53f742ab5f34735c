// SPDX-License-Identifier: MIT
#include "tracecore/enable/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/enable/control_impl.h"

/* What one rule gives one event. */
static uint8_t given(struct wt_enable_rule rule, struct wt_abi_event event, const char *name,
		     const struct wt_rule_process *process)
{
	struct wt_rule_events events = {
		.events = &event, .names = name, .n = 1, .names_len = (uint32_t)strlen(name) + 1};
	struct wt_buf buf = {0};
	struct wt_rules rules;
	uint8_t one, all = 0;

	if (!rule.provider)
		rule.provider = "p";
	assert_int_equal(wt_rules_encode(&rule, 1, &buf, NULL), 0);
	rules = (struct wt_rules){.bytes = buf.data, .len = buf.len};
	assert_true(wt_rules_valid(&rules));
	one = wt_rules_event(&rules, "p", &events, 0, process);
	wt_rules_apply(&rules, "p", &events, process, &all);
	assert_int_equal(one, all);
	wt_buf_deinit(&buf);
	return one;
}

static void levels_as_etw(void **state)
{
	static const struct {
		uint8_t session, event;
		bool passes;
	} cases[] = {
		{4, 4, true},   {4, 3, true}, {4, 5, false}, {1, 2, false},    {0, 5, true},
		{0, 255, true}, {1, 0, true}, {0, 0, true},  {255, 255, true}, {5, 16, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(given((struct wt_enable_rule){.level = cases[i].session},
				       (struct wt_abi_event){.level = cases[i].event}, "e", NULL),
				 cases[i].passes);
}

static void keywords_as_etw(void **state)
{
	static const struct {
		uint64_t any, all, event;
		bool passes;
	} cases[] = {
		{1, 0, 1, true},
		{1, 0, 2, false},
		{3, 0, 2, true},
		{0, 0, 4, true},
		{0, 8, 4, true}, /* any 0: all is unused */
		{1, 0, 0, true},
		{1, 6, 0, true}, /* keyword 0 always passes */
		{1, 1, 1, true},
		{3, 4, 1, false},
		{3, 4, 5, true},
		{4, 6, 4, false},
		{4, 6, 6, true},
		{UINT64_C(1) << 63, 0, UINT64_C(1) << 63, true},
		{UINT64_MAX, 0, 0, true},
		{0, UINT64_MAX, 1, true},
		{UINT64_MAX, UINT64_MAX, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(given((struct wt_enable_rule){.any = cases[i].any, .all = cases[i].all},
				       (struct wt_abi_event){.keywords = cases[i].event}, "e", NULL),
				 cases[i].passes);
}

static void ids_go_in_or_out(void **state)
{
	static const uint16_t ids[] = {3, 65535};
	struct wt_enable_rule in = {.ids = ids, .n_ids = 2},
			      out = {.ids = ids, .n_ids = 2, .ids_are_out = true};

	(void)state;
	assert_int_equal(given(in, (struct wt_abi_event){.id = 3}, "e", NULL), WT_RULE_ON);
	assert_int_equal(given(in, (struct wt_abi_event){.id = 65535}, "e", NULL), WT_RULE_ON);
	assert_int_equal(given(in, (struct wt_abi_event){.id = 4}, "e", NULL), 0);
	assert_int_equal(given(out, (struct wt_abi_event){.id = 3}, "e", NULL), 0);
	assert_int_equal(given(out, (struct wt_abi_event){.id = 4}, "e", NULL), WT_RULE_ON);
	out.n_ids = 0;
	assert_int_equal(given(out, (struct wt_abi_event){.id = 4}, "e", NULL), WT_RULE_ON);
}

static void stacks_for_all_or_some(void **state)
{
	static const uint16_t ids[] = {7};
	struct wt_enable_rule all = {.stack = 1, .level = 2}, some = {.stack_ids = ids, .n_stack_ids = 1};

	(void)state;
	assert_int_equal(given(all, (struct wt_abi_event){.level = 1}, "e", NULL),
			 WT_RULE_ON | WT_RULE_STACK);
	assert_int_equal(given(all, (struct wt_abi_event){.level = 3}, "e", NULL), 0);
	assert_int_equal(given(some, (struct wt_abi_event){.id = 7}, "e", NULL), WT_RULE_ON | WT_RULE_STACK);
	assert_int_equal(given(some, (struct wt_abi_event){.id = 8}, "e", NULL), WT_RULE_ON);
}

static bool glob(const char *globs, const char *text)
{
	return wt_rule_glob((struct wt_rule_text){.p = globs, .len = (uint32_t)strlen(globs)}, text);
}

static void globs(void **state)
{
	(void)state;
	assert_true(glob("abc", "abc"));
	assert_false(glob("abc", "abcd"));
	assert_false(glob("abc", "ab"));
	assert_true(glob("a*c", "abbbc"));
	assert_true(glob("*", ""));
	assert_true(glob("a?c", "abc"));
	assert_false(glob("a?c", "ac"));
	assert_true(glob("x;a*", "abc"));
	assert_true(glob(";;a*;", "abc"));
	assert_false(glob(";", ""));
	assert_false(glob("", ""));
	assert_true(glob("*a*b*c", "xxaxxbxxbc"));
	assert_false(glob("*a*b*c", "xxaxxcxxb"));
	assert_false(glob("a*", "A"));
	assert_false(
		glob("**********************************b",
		     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void names_pass_by_glob(void **state)
{
	struct wt_enable_rule rule = {.names = "req*;done"};
	struct wt_abi_event event = {.id = 1};

	(void)state;
	assert_int_equal(given(rule, event, "request_start", NULL), WT_RULE_ON);
	assert_int_equal(given(rule, event, "done", NULL), WT_RULE_ON);
	assert_int_equal(given(rule, event, "undone", NULL), 0);
}

static void processes_pass_by_pid_and_exe(void **state)
{
	static const uint32_t pids[] = {12, 13};
	struct wt_rule_process us = {.pid = 13, .exe = "/usr/bin/python3"}, unknown = {.pid = 13, .exe = ""};
	struct wt_enable_rule rule = {.pids = pids, .n_pids = 2};
	struct wt_abi_event event = {.id = 1};

	(void)state;
	assert_int_equal(given(rule, event, "e", &us), WT_RULE_ON);
	us.pid = 14;
	assert_int_equal(given(rule, event, "e", &us), 0);
	assert_int_equal(given(rule, event, "e", NULL), WT_RULE_ON);
	rule = (struct wt_enable_rule){.exe = "py*;perl"};
	assert_int_equal(given(rule, event, "e", &us), WT_RULE_ON);
	assert_int_equal(given(rule, event, "e", &unknown), 0);
	rule.exe = "/usr/*/python3";
	assert_int_equal(given(rule, event, "e", &us), WT_RULE_ON);
	rule.exe = "bin/python3";
	assert_int_equal(given(rule, event, "e", &us), 0);
	rule = (struct wt_enable_rule){.exe = "python3", .pids = pids, .n_pids = 2};
	assert_int_equal(given(rule, event, "e", &us), 0);
}

static void providers_compare_without_case(void **state)
{
	(void)state;
	assert_int_equal(given((struct wt_enable_rule){.provider = "P"}, (struct wt_abi_event){0}, "e", NULL),
			 1);
	assert_int_equal(
		given((struct wt_enable_rule){.provider = "pp"}, (struct wt_abi_event){0}, "e", NULL), 0);
	assert_int_equal(given((struct wt_enable_rule){.provider = ""}, (struct wt_abi_event){0}, "e", NULL),
			 0);
}

static void several_rules_add_up(void **state)
{
	static const uint16_t one[] = {1}, two[] = {2};
	struct wt_enable_rule rules[] = {{.provider = "p", .ids = one, .n_ids = 1},
					 {.provider = "other"},
					 {.provider = "p", .ids = two, .n_ids = 1, .stack = 1}};
	struct wt_abi_event events[] = {{.id = 1}, {.id = 2}, {.id = 3}};
	struct wt_rule_events table = {.events = events, .names = "", .n = 3, .names_len = 1};
	uint8_t bits[3] = {0};
	struct wt_buf buf = {0};
	struct wt_rules view;

	(void)state;
	assert_int_equal(wt_rules_encode(rules, 3, &buf, NULL), 0);
	view = (struct wt_rules){.bytes = buf.data, .len = buf.len};
	wt_rules_apply(&view, "p", &table, NULL, bits);
	assert_int_equal(bits[0], WT_RULE_ON);
	assert_int_equal(bits[1], WT_RULE_ON | WT_RULE_STACK);
	assert_int_equal(bits[2], 0);
	wt_buf_deinit(&buf);
}

static void limits_are_refused(void **state)
{
	static uint32_t pids[9];
	static uint16_t ids[65];
	static char text[5000];
	const struct wt_enable_rule bad[] = {{.provider = "p", .pids = pids, .n_pids = 9},
					     {.provider = "p", .ids = ids, .n_ids = 65},
					     {.provider = "p", .stack_ids = ids, .n_stack_ids = 65},
					     {.provider = "p", .exe = text},
					     {.provider = "p", .names = text}};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf buf = {0};

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_rules_encode(&bad[i], 1, &buf, &err), -1);
		assert_int_equal(err.code, WT_ERR_LIMIT);
	}
	wt_buf_deinit(&buf);
}

/* Every byte flipped: refused, by checksum or by shape. */
static void a_changed_byte_is_seen(void **state)
{
	static const uint16_t ids[] = {1, 2};
	struct wt_enable_rule rule = {
		.provider = "provider", .ids = ids, .n_ids = 2, .exe = "x*", .names = "n"};
	struct wt_buf buf = {0};

	(void)state;
	assert_int_equal(wt_rules_encode(&rule, 1, &buf, NULL), 0);
	for (size_t i = 0; i < buf.len; i++) {
		struct wt_rules view = {.bytes = buf.data, .len = buf.len};

		buf.data[i] ^= 0x40;
		assert_false(wt_rules_valid(&view));
		buf.data[i] ^= 0x40;
		assert_true(wt_rules_valid(&view));
		view.len = i;
		assert_false(wt_rules_valid(&view));
	}
	wt_buf_deinit(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_as_etw),
		cmocka_unit_test(keywords_as_etw),
		cmocka_unit_test(ids_go_in_or_out),
		cmocka_unit_test(stacks_for_all_or_some),
		cmocka_unit_test(globs),
		cmocka_unit_test(names_pass_by_glob),
		cmocka_unit_test(processes_pass_by_pid_and_exe),
		cmocka_unit_test(providers_compare_without_case),
		cmocka_unit_test(several_rules_add_up),
		cmocka_unit_test(limits_are_refused),
		cmocka_unit_test(a_changed_byte_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
