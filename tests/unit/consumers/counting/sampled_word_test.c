// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/counting/sampled_word.h"
#include "tests/unit/providers/perf/fake_directory.h"

static const struct wt_pmu_event big_events[] = {
	{.name = "arm_dsu.l3d_cache", .pmu = "arm_dsu", .config = 0x2b},
	{.name = "ld_spec", .config = 0x70},
	{.name = "missing", .pmu = "no_such_pmu", .config = 1},
	{.name = "offcore", .config = 0xb7, .config1 = 0x10},
	{.name = "sup_only", .config = 0x30, .no_user = true},
};
static const struct wt_pmu_event little_events[] = {{.name = "ld_spec", .config = 0x8b}};
static const struct wt_pmu_model big = {.name = "big", .vendor = "v", .events = big_events, .n_events = 5};
static const struct wt_pmu_model little = {
	.name = "little", .vendor = "v", .events = little_events, .n_events = 1};
static struct wt_cores cores; /* of one kind */
static struct wt_cores mixed; /* of two */
static char taken[512];

static int setup(void **state)
{
	if (fake_setup(state) || fake_write("arm_dsu_0/type", "22\n") ||
	    fake_write("arm_dsu_0/cpumask", "0\n"))
		return -1;
	cores = (struct wt_cores){.n = 1, .devices = fake_root};
	cores.types[0] = (struct wt_core_type){.name = "big", .pmu = -1, .model = &big};
	mixed = (struct wt_cores){.n = 2, .devices = fake_root};
	mixed.types[0] = (struct wt_core_type){.name = "p_big", .pmu = 10, .model = &big};
	mixed.types[1] = (struct wt_core_type){.name = "p_little", .pmu = 11, .model = &little};
	return 0;
}

static int take(void *ctx, const char *word, struct wt_err *err)
{
	size_t len = strlen(taken);

	(void)ctx;
	(void)err;
	snprintf(taken + len, sizeof(taken) - len, "%s ", word);
	return 0;
}

static void becomes(const struct wt_cores *where, const char *word, const char *wanted)
{
	struct wt_err err = WT_ERR_INIT;

	taken[0] = '\0';
	assert_int_equal(wt_sampled_word(word, where, take, NULL, &err), 0);
	assert_string_equal(taken, wanted);
}

static void names_of_the_model(void **state)
{
	(void)state;
	becomes(&cores, "ld_spec:100000", "ld_spec=r70:100000 ");
	becomes(&cores, "LD_SPEC:0x10", "ld_spec=r70:0x10 ");
	becomes(&cores, "ld_spec", "ld_spec=r70 ");
	becomes(&cores, "cycle:5", "cycle=cycles:5 ");
	becomes(&cores, "offcore:7", "offcore=cpu/config=0xb7,config1=0x10,config2=0x0/:7 ");
	becomes(&mixed, "ld_spec:9",
		"ld_spec=p_big/config=0x70,config1=0x0,config2=0x0/:9 "
		"ld_spec=p_little/config=0x8b,config1=0x0,config2=0x0/:9 ");
	becomes(&mixed, "cycle", "cycle=cycles ");
}

static void counters_of_the_model(void **state)
{
	static const char *const rows[][2] = {
		{"ld_spec", "ld_spec=r70 "},
		{"LD_SPEC", "ld_spec=r70 "},
		{"cycle", "cycle=cycles "},
		{"ld_spec:5", "ld_spec=r70:5 "}, /* who counts refuses the period */
		{"sched:sched_switch", "sched:sched_switch "},
		{"page-faults", "page-faults "},
		{"ld_spce", "ld_spce "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_err err = WT_ERR_INIT;

		taken[0] = '\0';
		assert_int_equal(wt_counter_word(rows[i][0], &cores, take, NULL, &err), 0);
		assert_string_equal(taken, rows[i][1]);
	}
}

static void refused_as_counters(void **state)
{
	static const struct {
		const struct wt_cores *where;
		const char *word, *says;
	} rows[] = {
		{&cores, "arm_dsu.l3d_cache", "outside the cores, and cannot be counted into a log"},
		{&cores, "sup_only", "in one mode alone"},
		{&mixed, "ld_spec", "by another number on each kind of core"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_err err = WT_ERR_INIT;

		taken[0] = '\0';
		assert_int_equal(wt_counter_word(rows[i].word, rows[i].where, take, NULL, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_non_null(strstr(err.text, rows[i].says));
		assert_string_equal(taken, "");
	}
}

/* Words of wt_perf_spec_parse, and what nobody knows: who samples says what is wrong with it. */
static void other_words(void **state)
{
	static const char *const words[] = {"cycles:u",    "cpu-clock:12x", "r70:5",   "pmu/event=1/:7",
					    "mine=r70:12", "ld_spce:5",     "{a,b}:3", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "%s ", words[i]);
		becomes(&cores, words[i], wanted);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *word, *says;
	} rows[] = {
		{"arm_dsu.l3d_cache:5", "outside the cores"},
		{"sup_only:5", "in one mode alone"},
		{"missing:5", "belongs to the PMU 'no_such_pmu'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_err err = WT_ERR_INIT;

		taken[0] = '\0';
		assert_int_equal(wt_sampled_word(rows[i].word, &cores, take, NULL, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_non_null(strstr(err.text, rows[i].says));
		assert_string_equal(taken, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_model),
		cmocka_unit_test(other_words),
		cmocka_unit_test(refused),
		cmocka_unit_test(counters_of_the_model),
		cmocka_unit_test(refused_as_counters),
	};

	return cmocka_run_group_tests_name("counting/sampled_word", tests, setup, fake_teardown);
}
