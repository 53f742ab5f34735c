// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/inventory/turns.h"

enum { MOST = 64 };

static struct wt_count_way ways[MOST];
static struct wt_count_event events[MOST];

/* "a {b c} (d e)": groups in braces, a metric's in parentheses; "s" of software, "y" the core's cycles. */
static struct wt_count_list list_of(const char *text)
{
	struct wt_count_list list = {.events = events};
	bool loose = false;
	int group = WT_COUNT_NO_GROUP;

	for (; *text; text++) {
		if (*text == '{' || *text == '(') {
			group = list.n_groups++;
			loose = *text == '(';
		} else if (*text == '}' || *text == ')') {
			group = WT_COUNT_NO_GROUP;
			loose = false;
		} else if (*text != ' ') {
			ways[list.n].spec = (struct wt_perf_spec){.type = *text == 's'   ? WT_SPEC_SOFTWARE
									  : *text == 'y' ? WT_SPEC_HARDWARE
											 : WT_SPEC_RAW};
			events[list.n] = (struct wt_count_event){
				.ways = &ways[list.n], .n_ways = 1, .group = group, .loose = loose};
			snprintf(events[list.n].name, sizeof(events[list.n].name), "%c", *text);
			list.n++;
		}
	}
	return list;
}

/* "ab|bc|ca": what counts in each turn. */
static void check(const char *text, size_t counters, bool apart, const char *wanted)
{
	struct wt_count_list list = list_of(text);
	struct wt_turns turns;
	char found[4096];
	size_t at = 0;

	assert_int_equal(wt_turns_find(&list, counters, apart, &turns, NULL), 0);
	for (size_t t = 0; t < turns.n; t++) {
		if (t)
			found[at++] = '|';
		for (size_t u = 0; u < turns.n_units; u++)
			for (size_t i = 0; turns.counts[t * turns.n_units + u] && i < turns.units[u].n; i++)
				found[at++] = list.events[turns.units[u].first + i].name[0];
	}
	found[at] = 0;
	assert_string_equal(found, wanted);
	wt_turns_deinit(&turns);
}

static void all_fit(void **state)
{
	(void)state;
	check("abcd", 4, false, "abcd");
	check("{ab}{cd}", 4, false, "abcd");
	check("", 4, false, "");
	check("sss", 0, false, "");
}

static void each_begins_a_turn(void **state)
{
	(void)state;
	check("abc", 2, false, "ab|bc|ac");
	check("abcdef", 4, false, "abcd|bcde|cdef|adef|abef|abcf");
}

static void groups_stay_together(void **state)
{
	(void)state;
	check("{ab}{cd}", 3, false, "ab|cd");
	check("a{bcd}e", 4, false, "abcd|bcde|ae");
	/* An event that does not fit ends the turn, even where a later one would fit. */
	check("ab{cd}e", 3, false, "ab|bcd|cde|abe");
}

static void cycles_and_software_take_none(void **state)
{
	(void)state;
	check("yab", 2, true, "yab");
	check("yab", 2, false, "ya|ab|yb");
	check("{yas}b", 1, true, "yas|b");
	check("ysab", 2, true, "yab");
	/* There is one counter for cycles alone; another event of cycles takes one for any event. */
	check("yya", 1, true, "yy|ya|ya");
}

/* What each unit has in stat, in percent. */
static void check_in_stat(const char *text, size_t counters, size_t ghosts, const char *wanted)
{
	struct wt_count_list list = list_of(text);
	struct wt_turns turns;
	char found[400];
	size_t at = 0;

	assert_int_equal(wt_turns_find(&list, counters, false, &turns, NULL), 0);
	assert_int_equal(turns.n_ghosts, ghosts);
	for (size_t u = 0; u < turns.n_units; u++)
		at += (size_t)snprintf(found + at, sizeof(found) - at, "%s%.2f", u ? " " : "",
				       turns.units[u].in_stat * 100);
	assert_string_equal(found, wanted);
	wt_turns_deinit(&turns);
}

/* stat's additional events: none for fewer than four units, then 0 to one for each four, all alike likely. */
static void stat_adds_events(void **state)
{
	(void)state;
	check_in_stat("abcd", 4, 0, "100.00 100.00 100.00 100.00");
	check_in_stat("abc", 2, 0, "66.67 66.67 66.67");
	/* 2 of 4 turns, and 2 of 5. */
	check_in_stat("abcd", 2, 1, "45.00 45.00 45.00 45.00");
	/* Without x, ab, c and d count in 2 of 4 turns, e in 3. With x before ab they do in 2, 2, 2 and 3 of
	 * 5; before c in 2, 2, 3, 3; before d in 2, 2, 3, 3; before e in 2, 2, 2, 3. */
	check_in_stat("{ab}cde", 3, 1, "45.00 45.00 50.00 67.50");
}

static void what_never_fits(void **state)
{
	struct wt_count_list list;
	struct wt_turns turns;

	(void)state;
	check("{abc}d", 2, false, "d");
	check("(abc)d", 2, false, "ab|bc|cd|ad");
	list = list_of("{abc}d");
	assert_int_equal(wt_turns_find(&list, 2, false, &turns, NULL), 0);
	assert_int_equal(turns.n_units, 1);
	assert_int_equal(turns.n_too_large, 1);
	assert_int_equal(turns.units[0].turns, 1);
	assert_int_equal(turns.units[1].n, 3);
	wt_turns_deinit(&turns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fit),
		cmocka_unit_test(each_begins_a_turn),
		cmocka_unit_test(groups_stay_together),
		cmocka_unit_test(cycles_and_software_take_none),
		cmocka_unit_test(stat_adds_events),
		cmocka_unit_test(what_never_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
