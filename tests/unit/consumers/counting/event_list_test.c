// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/counting/event_list.h"
#include "providers/perf/counter.h"
#include "tests/unit/providers/perf/fake_directory.h"

static const struct wt_pmu_event big_events[] = {
	{.name = "arm_dmc620.clkdiv2_rdwr", .pmu = "arm_dmc620", .config2 = 0x290},
	{.name = "arm_dsu.l3d_cache", .pmu = "arm_dsu", .config = 0x2b},
	{.name = "inst_spec", .config = 0x1b},
	{.name = "mem_reads", .pmu = "unc", .config = 0x12},
	{.name = "sup_only", .config = 0x30, .no_user = true},
};
static const struct wt_pmu_event little_events[] = {{.name = "inst_spec", .config = 0x8b}};
static const struct wt_pmu_model big = {.name = "big", .vendor = "v", .events = big_events, .n_events = 5};
static const struct wt_pmu_model little = {
	.name = "little", .vendor = "v", .events = little_events, .n_events = 1};
static struct wt_cores cores; /* of one kind */
static struct wt_cores mixed; /* of two */
static struct wt_count_list list;

static int setup(void **state)
{
	if (fake_setup(state) || fake_write("unc_0/type", "20\n") || fake_write("unc_0/cpumask", "0\n") ||
	    fake_write("unc_0/format/event", "config:0-7\n") ||
	    fake_write("unc_0/events/reads", "event=0x7\n") || fake_write("unc_1/type", "21\n") ||
	    fake_write("unc_1/cpumask", "4\n") || fake_write("unc_1/format/event", "config:0-7\n") ||
	    fake_write("unc_1/events/reads", "event=0x7\n") || fake_write("arm_dsu_0/type", "22\n") ||
	    fake_write("arm_dmc620_1000a0/type", "23\n") || fake_write("arm_dmc620_10008c/type", "24\n") ||
	    fake_write("arm_dmc620_ab/type", "25\n"))
		return -1;
	cores = (struct wt_cores){.n = 1, .devices = fake_root};
	cores.types[0] = (struct wt_core_type){.name = "big", .pmu = -1, .model = &big};
	wt_cpuset_parse("0-7", &cores.types[0].cpus);
	mixed = (struct wt_cores){.n = 2, .devices = fake_root};
	mixed.types[0] = (struct wt_core_type){.name = "p_big", .pmu = 10, .model = &big};
	mixed.types[1] = (struct wt_core_type){.name = "p_little", .pmu = 11, .model = &little};
	wt_cpuset_parse("0-3", &mixed.types[0].cpus);
	wt_cpuset_parse("4-7", &mixed.types[1].cpus);
	return 0;
}

static int empty(void **state)
{
	(void)state;
	wt_count_list_deinit(&list);
	return 0;
}

static void add_to(const struct wt_cores *where, const char *text)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_count_list_add(&list, text, where, "/nowhere", &err))
		fail_msg("'%s': %s", text, err.text);
}

static void refuse(const char *text, const char *word)
{
	struct wt_err err = WT_ERR_INIT;
	size_t n = list.n;
	int groups = list.n_groups;

	if (!wt_count_list_add(&list, text, &cores, "/nowhere", &err))
		fail_msg("'%s' is taken", text);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, word))
		fail_msg("'%s': %s", text, err.text);
	assert_int_equal(list.n, n);
	assert_int_equal(list.n_groups, groups);
}

static void words_and_groups(void **state)
{
	static const int groups[] = {-1, 0, 0, -1, -1, 1, 1, 1};

	(void)state;
	add_to(&cores, "cycles,{page-faults,R1B},{minor-faults},Task-Clock,{INST_SPEC,cs,LLC-loads}");
	assert_int_equal(list.n, 8);
	assert_int_equal(list.n_groups, 2);
	for (size_t i = 0; i < list.n; i++)
		assert_int_equal(list.events[i].group, groups[i]);
	assert_int_equal(list.events[2].ways[0].spec.type, WT_SPEC_RAW);
	assert_int_equal(list.events[2].ways[0].spec.config, 0x1b);
	assert_int_equal(list.events[4].ways[0].spec.type, WT_SPEC_SOFTWARE);
	assert_int_equal(list.events[5].ways[0].spec.config, 0x1b);
	assert_string_equal(list.events[5].name, "inst_spec");
	assert_string_equal(wt_count_event_class(&list.events[0]), "hw");
	assert_string_equal(wt_count_event_class(&list.events[4]), "sw");
}

/* perf's S is about samples: a count is the same without it. */
static void mode_of_samples(void **state)
{
	(void)state;
	add_to(&cores, "{cycles,page-faults}:S,cycles:Su");
	assert_int_equal(list.n, 3);
	assert_int_equal(list.events[0].exclude, 0);
	assert_int_equal(list.events[0].group, list.events[1].group);
	assert_int_equal(list.events[2].exclude, WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR);
}

static void modes(void **state)
{
	(void)state;
	add_to(&cores, "cycles:u,cycles:k,cycles:uk,cycles:h,cycles:G,{page-faults:k,cycles}:u,sup_only");
	assert_int_equal(list.events[0].exclude, WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR);
	assert_int_equal(list.events[1].exclude, WT_NOT_IN_USER | WT_NOT_IN_HYPERVISOR);
	assert_int_equal(list.events[2].exclude, WT_NOT_IN_HYPERVISOR);
	assert_int_equal(list.events[3].exclude, WT_NOT_IN_USER | WT_NOT_IN_KERNEL);
	assert_int_equal(list.events[4].exclude, WT_NOT_IN_HOST);
	assert_int_equal(list.events[5].exclude, WT_NOT_IN_USER | WT_NOT_IN_HYPERVISOR);
	assert_int_equal(list.events[6].exclude, WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR);
	assert_int_equal(list.events[7].exclude, WT_NOT_IN_USER);
	assert_string_equal(list.events[0].name, "cycles:u");
}

static void other_pmus(void **state)
{
	(void)state;
	add_to(&cores, "unc_0/event=0x10/,unc_1/reads/,unc/reads/,unc/event=3/u,mem_reads,{unc_0/event=1/"
		       ",unc_0/event=2/}");
	assert_int_equal(list.n, 7);
	assert_int_equal(list.events[0].ways[0].spec.type, 20);
	assert_int_equal(list.events[0].ways[0].spec.config, 0x10);
	assert_true(list.events[0].ways[0].spec.shared);
	assert_int_equal(list.events[1].n_ways, 1);
	assert_int_equal(list.events[2].n_ways, 2);
	assert_int_equal(list.events[2].ways[0].spec.config, 7);
	assert_int_equal(list.events[2].ways[0].spec.type + list.events[2].ways[1].spec.type, 41);
	assert_true(list.events[3].modes);
	assert_string_equal(list.events[3].name, "unc/event=3/:u");
	assert_int_equal(list.events[4].n_ways, 2);
	assert_int_equal(list.events[4].ways[1].spec.config, 0x12);
	assert_string_equal(wt_count_event_class(&list.events[4]), "pmu");
}

/* wperf's words for PMUs that this machine has, and units with hexadecimal numbers. */
static void classes_of_wperf(void **state)
{
	(void)state;
	add_to(&cores, "/dsu/l3d_cache,/DSU/L3D_CACHE,/dmc_clkdiv2/rdwr");
	assert_int_equal(list.n, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(list.events[i].name, "arm_dsu.l3d_cache");
		assert_int_equal(list.events[i].n_ways, 1);
		assert_int_equal(list.events[i].ways[0].spec.type, 22);
		assert_int_equal(list.events[i].ways[0].spec.config, 0x2b);
	}
	assert_int_equal(list.events[2].n_ways, 2);
	assert_int_equal(list.events[2].ways[0].spec.type + list.events[2].ways[1].spec.type, 47);
	assert_int_equal(list.events[2].ways[0].spec.config2, 0x290);
}

static void kinds_of_cores(void **state)
{
	(void)state;
	add_to(&mixed, "inst_spec,cycles,r5,page-faults,sup_only");
	assert_int_equal(list.events[0].n_ways, 2);
	assert_int_equal(list.events[0].ways[0].spec.type, 10);
	assert_int_equal(list.events[0].ways[0].spec.config, 0x1b);
	assert_int_equal(list.events[0].ways[1].spec.type, 11);
	assert_int_equal(list.events[0].ways[1].spec.config, 0x8b);
	assert_int_equal(list.events[1].ways[1].spec.config, UINT64_C(11) << 32);
	assert_int_equal(list.events[2].ways[1].spec.type, 11);
	assert_true(wt_cpuset_has(&list.events[2].ways[1].spec.cpus, 4));
	assert_int_equal(list.events[3].n_ways, 1);
	assert_int_equal(list.events[3].ways[0].core, -1);
	assert_int_equal(list.events[4].n_ways, 1);
	assert_int_equal(list.events[4].ways[0].core, 0);
}

static void wrong_words(void **state)
{
	(void)state;
	add_to(&cores, "{cycles,page-faults}");
	refuse("", "an event is missing");
	refuse(",", "an event is missing");
	refuse("cycles,", "an event is missing");
	refuse("{}", "an event is missing");
	refuse("{cycles,}", "an event is missing");
	refuse("{cycles,{page-faults}}", "braces");
	refuse("{cycles{page-faults}}", "braces");
	refuse("{cycles", "'}' is missing");
	refuse("cycles}", "'}'");
	refuse("{cycles}x", "'x' is not expected");
	refuse("core_0/inst_spec/", "-c 0 -e 'inst_spec'");
	refuse("{cycles}:", "no mode");
	refuse("{cycles}:q", "':q' is no mode");
	refuse("cycles:pp", "mode 'p' belongs to sampling");
	refuse("{cycles,cycles}:D", "mode 'D' of perf is not known here; leave it out");
	refuse("cycles:100000", "is a period");
	refuse("cyclse", "did you mean 'cycles'");
	refuse("inst_spc", "did you mean 'inst_spec'");
	refuse("unc_0/evnt=1/", "did you mean 'event'");
	refuse("unc_2/event=1/", "unknown PMU 'unc_2'");
	refuse("unc_0/event=1", "PMU/TERM=VALUE");
	refuse("unc_0/event=0x100/", "does not fit");
	refuse("/dsu/l4d_cache", "wtrace list events 'dsu'");
	refuse("unc_0/event=1/x", "no mode");
	refuse("////", "another tool");
	refuse("a//////b", "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(words_and_groups, empty),
		cmocka_unit_test_teardown(modes, empty),
		cmocka_unit_test_teardown(mode_of_samples, empty),
		cmocka_unit_test_teardown(other_pmus, empty),
		cmocka_unit_test_teardown(classes_of_wperf, empty),
		cmocka_unit_test_teardown(kinds_of_cores, empty),
		cmocka_unit_test_teardown(wrong_words, empty),
	};

	return cmocka_run_group_tests(tests, setup, fake_teardown);
}
