// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/region_losses.h"

static void add(struct wt_region_losses *losses, const char *provider, uint64_t from, uint64_t to)
{
	assert_int_equal(wt_region_losses_add(losses, provider, strlen(provider), from, to, NULL), 0);
}

static void gaps_touch_at_their_ends(void **state)
{
	struct wt_region_losses losses = {0};

	(void)state;
	add(&losses, "app", 300, 400);
	add(&losses, "app", 100, 200);
	add(&losses, "app", 150, 250);
	add(&losses, "app", 500, 450); /* a span that ends before it begins is one moment */
	wt_region_losses_settle(&losses);
	assert_int_equal(losses.by_provider[0].n, 3);
	assert_false(wt_region_losses_touch(&losses, "app", 0, 99));
	assert_true(wt_region_losses_touch(&losses, "app", 0, 100));
	assert_true(wt_region_losses_touch(&losses, "app", 250, 260));
	assert_false(wt_region_losses_touch(&losses, "app", 251, 299));
	assert_true(wt_region_losses_touch(&losses, "app", 0, 1000));
	assert_true(wt_region_losses_touch(&losses, "app", 320, 330));
	assert_false(wt_region_losses_touch(&losses, "app", 401, 499));
	assert_true(wt_region_losses_touch(&losses, "app", 500, 500));
	assert_false(wt_region_losses_touch(&losses, "app", 501, UINT64_MAX));
	wt_region_losses_deinit(&losses);
}

static bool concerns(const char *lost, const char *provider)
{
	struct wt_region_losses losses = {0};
	bool touch;

	add(&losses, lost, 1, 2);
	wt_region_losses_settle(&losses);
	touch = wt_region_losses_touch(&losses, provider, 0, 9);
	wt_region_losses_deinit(&losses);
	return touch;
}

static void whose_losses(void **state)
{
	struct wt_region_losses losses = {.anywhere = true};

	(void)state;
	assert_true(concerns("app", "app"));
	assert_true(concerns("pmu-profile,linux:raw_syscalls", "linux:raw_syscalls"));
	assert_false(concerns("pmu-profile,linux:raw_syscalls", "app"));
	assert_false(concerns("pmu-profile", "pmu"));
	assert_false(concerns("loader,proc_thread", "linux:sched"));
	assert_true(concerns("", "app"));
	assert_true(concerns("0x17", "app"));
	assert_true(wt_region_losses_touch(&losses, "app", 0, 0));
}

static void rule(struct wt_region_rules *rules, const char *text, uint64_t time)
{
	assert_int_equal(wt_region_rules_take(rules, text, strlen(text), time, NULL), 0);
}

/* What nobody asked for meanwhile is missing like what was lost. */
static void rules_that_change(void **state)
{
	struct wt_region_losses losses = {0};
	struct wt_region_rules *rules = &losses.rules;

	(void)state;
	rule(rules, "App: all keywords, all levels", 10);
	rule(rules, "other: keywords 0x1, all levels", 11);
	rule(rules, "App: changes", 20); /* to what it was */
	rule(rules, "App: all keywords, all levels", 21);
	rule(rules, "no rule", 22);
	assert_false(wt_region_losses_touch(&losses, "app", 0, 100));
	assert_false(wt_region_losses_is_part(&losses, "app"));
	assert_true(wt_region_losses_is_part(&losses, "other"));
	rule(rules, "App: off", 30);
	rule(rules, "App: all keywords, all levels", 40);
	rule(rules, "App: changes", 50);
	rule(rules, "App: all keywords, level 3", 52);
	rule(rules, "App: off", 70);
	assert_int_equal(wt_region_rules_settle(rules, NULL), 0);
	assert_false(wt_region_losses_touch(&losses, "app", 0, 29));
	assert_true(wt_region_losses_touch(&losses, "app", 29, 30));
	assert_true(wt_region_losses_touch(&losses, "app", 33, 34));
	assert_false(wt_region_losses_touch(&losses, "app", 41, 49));
	assert_true(wt_region_losses_touch(&losses, "app", 51, 51));
	assert_false(wt_region_losses_touch(&losses, "app", 53, 69));
	assert_true(wt_region_losses_touch(&losses, "app", 71, 71));
	assert_false(wt_region_losses_touch(&losses, "other", 0, UINT64_MAX));
	assert_true(wt_region_losses_is_part(&losses, "app"));
	wt_region_losses_deinit(&losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_touch_at_their_ends),
		cmocka_unit_test(whose_losses),
		cmocka_unit_test(rules_that_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
