// SPDX-License-Identifier: MIT
#include "tracecore/schema/builtin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *provider, *path;
} files[] = {
	{"wtrace", "manifests/wtrace.json"},          {"proc_thread", "manifests/kernel_proc_thread.json"},
	{"loader", "manifests/kernel_loader.json"},   {"pmu-profile", "manifests/pmu_profile.json"},
	{"counters", "manifests/counters.json"},      {"windowsperf", "manifests/windowsperf.json"},
	{"cswitch", "manifests/kernel_cswitch.json"}, {"dispatcher", "manifests/kernel_dispatcher.json"},
};

#define N_FILES (sizeof(files) / sizeof(files[0]))

static void text_is_the_file_byte_for_byte(void **state)
{
	char buf[65536];

	(void)state;
	for (size_t i = 0; i < N_FILES; i++) {
		FILE *f = fopen(files[i].path, "rb");
		size_t n, len = 0;
		const char *text = wt_builtin_manifest(files[i].provider, &len);

		assert_non_null(f);
		n = fread(buf, 1, sizeof(buf), f);
		fclose(f);
		assert_non_null(text);
		assert_int_equal(len, n);
		assert_memory_equal(text, buf, n);
	}
}

static void every_name_parses_to_its_provider(void **state)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);

	(void)state;
	assert_int_equal(n, N_FILES);
	assert_string_equal(names[0], "wtrace");
	for (size_t i = 0; i < n; i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_provider *p = NULL;

		if (wt_builtin_provider(names[i], &p, &err))
			fail_msg("%s", err.text);
		assert_string_equal(p->name, names[i]);
		assert_true(p->n_events > 0);
		wt_provider_destroy(p);
	}
}

static void every_event_and_field_explains_itself(void **state)
{
	const char *const *names;
	size_t n = wt_builtin_names(&names);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct wt_provider *p = NULL;

		assert_int_equal(wt_builtin_provider(names[i], &p, NULL), 0);
		assert_non_null(p->help);
		for (uint32_t e = 0; e < p->n_events; e++) {
			assert_non_null(p->events[e].help);
			assert_true(p->events[e].keywords != 0);
			assert_true(p->events[e].task != 0);
			for (uint32_t f = 0; f < p->events[e].n_fields; f++)
				assert_non_null(p->events[e].fields[f].help);
		}
		wt_provider_destroy(p);
	}
}

static void names_compare_without_case_and_unknown_ones_are_refused(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_provider *p = NULL;
	size_t len;

	(void)state;
	assert_non_null(wt_builtin_manifest("LOADER", &len));
	assert_null(wt_builtin_manifest("loade", &len));
	assert_int_equal(wt_builtin_provider("nothing", &p, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_the_file_byte_for_byte),
		cmocka_unit_test(every_name_parses_to_its_provider),
		cmocka_unit_test(every_event_and_field_explains_itself),
		cmocka_unit_test(names_compare_without_case_and_unknown_ones_are_refused),
	};

	return cmocka_run_group_tests_name("builtin", tests, NULL, NULL);
}
