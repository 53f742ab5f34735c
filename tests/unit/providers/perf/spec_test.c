// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "tests/unit/providers/perf/fake_directory.h"
#include "providers/perf/spec.h"

static struct wt_err err;

static int parse(const char *word, struct wt_perf_spec *ret)
{
	err = (struct wt_err)WT_ERR_INIT;
	return wt_perf_spec_parse(word, fake_root, ret, &err);
}

static int setup(void **state)
{
	if (fake_setup(state))
		return -1;
	return fake_write("core/type", "11\n") || fake_write("core/cpus", "1,3\n") ||
	       fake_write("core/format/event", "config:0-7,32-35\n") ||
	       fake_write("core/format/umask", "config:8-15\n") ||
	       fake_write("core/format/inv", "config:23\n") ||
	       fake_write("core/format/lat", "config1:0-15\n") ||
	       fake_write("core/format/deep", "config2:4-7\n") ||
	       fake_write("core/format/odd", "nonsense\n") ||
	       fake_write("core/events/misses", "event=0x2e,umask=0x41\n") ||
	       fake_write("core/events/asks", "event=?\n") || fake_write("core/events/loop", "loop\n") ||
	       fake_write("core/events/misses.unit", "lines\n") || fake_write("uncore/type", "12\n") ||
	       fake_write("uncore/cpumask", "0\n");
}

static void names(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("cycles", &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_HARDWARE);
	assert_int_equal(spec.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(spec.period, 0);
	assert_string_equal(spec.name, "cycles");
	assert_int_equal(parse("CPU-Clock:1000000", &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_int_equal(spec.period, 1000000);
	assert_string_equal(spec.name, "CPU-Clock");
	assert_int_equal(parse("L1-dcache-load-misses", &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(spec.config, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_int_equal(parse("dTLB-prefetches", &spec), 0);
	assert_int_equal(spec.config, PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_PREFETCH << 8);
}

static void raw_events(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("r08", &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_RAW);
	assert_int_equal(spec.config, 8);
	assert_int_equal(parse("rFFc0:77", &spec), 0);
	assert_int_equal(spec.config, 0xffc0);
	assert_int_equal(spec.period, 77);
	assert_int_equal(parse("rffffffffffffffff", &spec), 0);
	assert_true(spec.config == UINT64_MAX);
	assert_int_equal(parse("r10000000000000000", &spec), -1);
	assert_int_equal(parse("rxyz", &spec), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
}

static void pmu_terms(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("core/event=0x1a5,umask=3,inv,lat=9,deep=5/:1234", &spec), 0);
	assert_int_equal(spec.type, 11);
	assert_true(spec.config == (0xa5 | UINT64_C(1) << 32 | 3 << 8 | 1 << 23));
	assert_int_equal(spec.config1, 9);
	assert_int_equal(spec.config2, 0x50);
	assert_int_equal(spec.period, 1234);
	assert_string_equal(spec.name, "core/event=0x1a5,umask=3,inv,lat=9,deep=5/");
	assert_true(wt_cpuset_has(&spec.cpus, 1) && wt_cpuset_has(&spec.cpus, 3));
	assert_int_equal(wt_cpuset_count(&spec.cpus), 2);
	assert_int_equal(parse("uncore//", &spec), 0);
	assert_int_equal(wt_cpuset_count(&spec.cpus), 1);
}

static void pmu_named_events(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("core/misses/", &spec), 0);
	assert_int_equal(spec.config, 0x412e);
	assert_int_equal(parse("core/misses,umask=0/", &spec), 0);
	assert_int_equal(spec.config, 0x2e);
	assert_int_equal(parse("core/config=0xffff00000001,config1=7,umask=2/", &spec), 0);
	assert_true(spec.config == UINT64_C(0xffff00000201) && spec.config1 == 7);
	assert_int_equal(parse("core/config=x/", &spec), -1);
	assert_non_null(strstr(err.text, "config=x is not a number"));
	assert_int_equal(parse("core/event=1,name=mine/", &spec), -1);
	assert_non_null(strstr(err.text, "leave out name=mine"));
	assert_int_equal(parse("core/asks/", &spec), -1);
	assert_string_equal(err.text, "event 'core/asks/' needs a value: add event=NUMBER");
	assert_int_equal(parse("core/loop/", &spec), -1);
}

static void names_of_ones_own(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("ld_spec=r70:100000", &spec), 0);
	assert_string_equal(spec.name, "ld_spec");
	assert_true(spec.type == PERF_TYPE_RAW && spec.config == 0x70 && spec.period == 100000);
	assert_int_equal(parse("mine=core/event=0x1,lat=9/:5", &spec), 0);
	assert_string_equal(spec.name, "mine");
	assert_true(spec.type == 11 && spec.config == 1 && spec.config1 == 9 && spec.period == 5);
	assert_int_equal(parse("mine=cycels", &spec), -1);
	assert_non_null(strstr(err.text, "did you mean 'cycles'"));
	assert_int_equal(parse("=cycles", &spec), -1);
	assert_int_equal(parse("mine=", &spec), -1);
	assert_string_equal(err.text, "event 'mine=' is not of the form NAME=EVENT");
}

static void words_of_specs(void **state)
{
	static const char *const words[] = {"cycles", "page-faults", "L1-dcache-load-misses", "r8b",
					    "core/config=0x70,config1=0x5,config2=0x0/"};
	struct wt_perf_spec spec, again;
	char word[128];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(parse(words[i], &spec), 0);
		assert_true(wt_perf_spec_word(&spec, "core", word, sizeof(word)));
		assert_string_equal(word, words[i]);
		assert_int_equal(parse(word, &again), 0);
		assert_true(again.type == spec.type && again.config == spec.config);
	}
	assert_false(wt_perf_spec_word(&spec, "core", word, 8));
}

static void mistakes_name_the_way_out(void **state)
{
	struct wt_perf_spec spec;

	(void)state;
	assert_int_equal(parse("cycels", &spec), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(err.text, "unknown event 'cycels'; did you mean 'cycles'?");
	assert_int_equal(parse("cor/event=1/", &spec), -1);
	assert_string_equal(err.text, "event 'cor/event=1/': unknown PMU 'cor'; did you mean 'core'?");
	assert_int_equal(parse("intel_pt//", &spec), -1);
	assert_non_null(
		strstr(err.text, "the CPU's own traces (Arm SPE, Intel PT, CoreSight) are not recorded"));
	assert_int_equal(parse("core/evnt=1/", &spec), -1);
	assert_string_equal(err.text, "event 'core/evnt=1/': unknown term 'evnt'; did you mean 'event'?");
	assert_int_equal(parse("core/zzzzzz=1/", &spec), -1);
	assert_string_equal(err.text,
			    "event 'core/zzzzzz=1/': unknown term 'zzzzzz'; known: deep, event, inv, "
			    "lat, odd, umask");
	assert_int_equal(parse("core/event=1000000/", &spec), -1);
	assert_non_null(strstr(err.text, "does not fit its bits (config:0-7,32-35)"));
	assert_int_equal(parse("core/event=ten/", &spec), -1);
	assert_non_null(strstr(err.text, "is not a number"));
	assert_int_equal(parse("core/odd=1/", &spec), -1);
	assert_int_equal(err.code, WT_ERR_UNSUPPORTED);
}

static void malformed_words(void **state)
{
	static const char *const bad[] = {
		"",
		"cycles:",
		"cycles:0",
		"cycles:-1",
		"cycles:1k",
		"/event=1/",
		"core/event=1",
		"core/",
		"core/event=1/x",
		"../core/event=1/",
		"core/=1/",
		"core/,/",
		"core/../../x/",
		"cycles:9223372036854775808",
	};
	struct wt_perf_spec spec;
	char lengthy[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i], &spec), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_true(err.text[0]);
	}
	memset(lengthy, 'x', sizeof(lengthy));
	lengthy[sizeof(lengthy) - 1] = 0;
	assert_int_equal(parse(lengthy, &spec), -1);
}

struct listed {
	size_t n, core;
	bool terms, unit_file;
};

static void count(void *ctx, const char *group, const char *name, const char *help)
{
	struct listed *listed = ctx;

	listed->n++;
	assert_true(name[0] && help && group[0]);
	listed->core += !strcmp(name, "core/misses/");
	listed->terms |= !strcmp(name, "core/TERM=VALUE,.../") && strstr(help, "umask");
	listed->unit_file |= strstr(name, "misses.unit") != NULL;
}

static void lists(void **state)
{
	struct listed listed = {0};

	(void)state;
	wt_perf_spec_each(count, &listed);
	assert_int_equal(listed.n, 20 + 42);
	wt_perf_pmu_each(fake_root, count, &listed);
	assert_int_equal(listed.core, 1);
	assert_true(listed.terms);
	assert_false(listed.unit_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(raw_events),
		cmocka_unit_test(pmu_terms),
		cmocka_unit_test(pmu_named_events),
		cmocka_unit_test(names_of_ones_own),
		cmocka_unit_test(words_of_specs),
		cmocka_unit_test(mistakes_name_the_way_out),
		cmocka_unit_test(malformed_words),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests_name("perf/spec", tests, setup, fake_teardown);
}
