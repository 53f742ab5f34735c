// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/session/spec_options.h"
#include "tracecore/base/diag.h"

/* Parses a command line given as words ended by NULL and settles it. */
static int parse(struct wt_spec *spec, struct wt_err *err, ...)
{
	char *argv[32] = {"start"};
	int argc = 1, rc;
	va_list ap;

	va_start(ap, err);
	for (char *word; (word = va_arg(ap, char *));)
		argv[argc++] = word;
	va_end(ap);
	wt_spec_init(spec);
	spec->child = true; /* so that the test may run as anyone */
	rc = wt_options_parse(argc, argv, wt_spec_options, NULL, spec, err);
	return rc < 0 ? -1 : wt_spec_settle(spec, err);
}

static const struct wt_spec_provider *provider(const struct wt_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_providers; i++)
		if (!strcmp(spec->providers[i].name, name))
			return &spec->providers[i];
	return NULL;
}

static void default_is_profile_with_what_it_needs(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, NULL), 0);
	assert_int_equal(spec.n_providers, 3);
	assert_non_null(provider(&spec, "pmu-profile"));
	assert_true(provider(&spec, "loader")->added);
	assert_true(provider(&spec, "proc_thread")->added);
	assert_false(provider(&spec, "pmu-profile")->stack);
	assert_string_equal(spec.session, "default");
	wt_spec_deinit(&spec);
}

/* Processes that write nothing are nobody's question there; with stacks their images are. */
static void programs_alone_need_no_events_of_processes(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, "-p", "my-program", NULL), 0);
	assert_int_equal(spec.n_providers, 1);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, "-p", "my-program,proc_thread", NULL), 0);
	assert_false(provider(&spec, "proc_thread")->added);
	wt_spec_deinit(&spec);
	if (geteuid() != 0)
		return;
	assert_int_equal(parse(&spec, &err, "-p", "my-program", "--stackwalk", NULL), 0);
	assert_true(provider(&spec, "proc_thread")->added);
	wt_spec_deinit(&spec);
}

static void full_provider_syntax(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, "-p",
			       "PROFILE:0x3:info:stack,linux:sched:sched_switch::5,Loader:image", NULL),
			 0);
	assert_true(provider(&spec, "pmu-profile")->stack);
	assert_int_equal(provider(&spec, "pmu-profile")->level, 4);
	assert_string_equal(provider(&spec, "pmu-profile")->keywords, "0x3");
	assert_string_equal(provider(&spec, "linux:sched")->event, "sched_switch");
	assert_int_equal(provider(&spec, "linux:sched")->level, 5);
	assert_null(provider(&spec, "linux:sched")->keywords);
	assert_string_equal(provider(&spec, "loader")->keywords, "image");
	assert_false(provider(&spec, "loader")->added);
	wt_spec_deinit(&spec);
}

static void stackwalk_lists(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, "-p", "pmu-profile,linux:sched:sched_switch",
			       "--stackwalk=sched_switch", NULL),
			 0);
	assert_true(provider(&spec, "linux:sched")->stack);
	assert_false(provider(&spec, "pmu-profile")->stack);
	wt_spec_deinit(&spec);
	assert_int_equal(
		parse(&spec, &err, "-p", "pmu-profile,linux:sched:sched_switch", "--stackwalk", NULL), 0);
	assert_true(provider(&spec, "linux:sched")->stack);
	assert_true(provider(&spec, "pmu-profile")->stack);
	assert_false(provider(&spec, "loader")->stack);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, "--stackwalk=pmu-profil", NULL), -1);
	assert_non_null(strstr(err.text, "pmu-profile"));
	wt_spec_deinit(&spec);
}

static void scope_and_numbers(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t size;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, "--pid", "12,13", "--cpu=0,2-4", "-F4999", "--buffer-size", "8M",
			       "-e", "cycles:1000", NULL),
			 0);
	assert_int_equal(spec.n_pids, 2);
	assert_int_equal(spec.pids[1], 13);
	assert_int_equal(spec.n_cpus, 4);
	assert_int_equal(spec.cpus[3], 4);
	assert_int_equal(spec.frequency, 4999);
	assert_int_equal(spec.buffer_bytes, 8 << 20);
	assert_string_equal(spec.events[0], "cycles:1000");
	wt_spec_deinit(&spec);
	assert_int_equal(wt_parse_size("512K", &size, &err), 0);
	assert_int_equal(size, 512 * 1024);
	assert_int_equal(wt_parse_size("99999999999G", &size, &err), -1);
	assert_int_equal(wt_parse_size("-1", &size, &err), -1);
	assert_int_equal(wt_parse_size("1KB", &size, &err), -1);
}

/* 0, or -1 with the reason in err->text. */
static int resolve(struct wt_err *err, char *option, char *value, char *filter)
{
	struct wt_spec spec;
	int rc = parse(&spec, err, "-p", "user:my-program", option, value, filter ? "--filter" : NULL, filter,
		       NULL);

	assert_int_equal(rc, 0);
	spec.child = false;
	rc = wt_spec_resolve(&spec, err);
	wt_spec_deinit(&spec);
	return rc;
}

/* What the kernel restricts does not hold for programs: it is not ignored in silence. */
static void programs_are_restricted_by_their_filters(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(resolve(&err, "--cpu", "0", NULL), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "cpu == 0"));
	assert_int_equal(resolve(&err, "--pid", "1", NULL), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "--filter 'my-program:pid=1'"));
	assert_int_equal(resolve(&err, "--pid", "1", "my-program:pid=1"), 0);
}

static int resolve_name(struct wt_err *err, char *name)
{
	struct wt_spec spec;

	*err = (struct wt_err)WT_ERR_INIT;
	assert_int_equal(parse(&spec, err, "-p", name, NULL), 0);
	assert_int_equal(spec.n_providers, 1);
	if (!wt_spec_resolve(&spec, err)) {
		wt_spec_deinit(&spec);
		return 0;
	}
	wt_spec_deinit(&spec);
	return -1;
}

/* Nothing would ever come of them. */
static void names_of_other_things_are_refused(void **state)
{
	static const struct {
		char *name, *say;
	} others[] = {
		{"cpu-clock", "-e cpu-clock "},
		{"DISK_IO", "-p linux:block:block_rq_issue"},
		{"file_io", "user:file_io"},
		{"REGISTRY", "nothing like it"},
		{"Microsoft-Windows-Kernel-Process", "-p proc_thread"},
		{"Microsoft-Windows-DNS-Client", "wtrace list"},
		{"1", "--pid 1 "},
	};
	struct wt_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(resolve_name(&err, others[i].name), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_non_null(strstr(err.text, others[i].say));
	}
	assert_int_equal(resolve_name(&err, "registry"), 0);
	assert_int_equal(resolve_name(&err, "user:DISK_IO"), 0);
	assert_int_equal(resolve_name(&err, "my-program-1"), 0);
}

static void bad_words_are_usage_errors(void **state)
{
	static char *const bad[][2] = {
		{"-p", "pmu-profil"},   {"-p", "SPE"},
		{"-p", "linux:sched"},  {"-p", "loader:0:loud"},
		{"-p", "loader:0:4:x"}, {"-p", "loader:0:4:stack:y"},
		{"-p", "loader,,x"},    {"-F", "0"},
		{"-F", "fast"},         {"--pid", "me"},
		{"--cpu", "3-1"},       {"--buffer-size", "big"},
		{"--stakwalk", "x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_spec spec;

		assert_int_equal(parse(&spec, &err, bad[i][0], bad[i][1], NULL), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_true(err.text[0] != 0);
		wt_spec_deinit(&spec);
	}
}

static void refused(const char *why, const char *option, const char *more, const char *stacks)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	assert_int_equal(parse(&spec, &err, option, more ? more : stacks, more ? stacks : NULL, NULL), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, why));
	wt_spec_deinit(&spec);
}

static void ways_to_walk_stacks(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_spec spec;

	(void)state;
	assert_int_equal(parse(&spec, &err, "--stackwalk", "--unwind=tables", NULL), 0);
	assert_int_equal(spec.stack_bytes, WT_PERF_STACK_CHOSEN);
	assert_true(spec.stack_must);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, "--stackwalk", "--stack-bytes", "2001", NULL), 0);
	assert_int_equal(spec.stack_bytes, 2008);
	assert_true(spec.stack_must);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, "--stackwalk", NULL), 0);
	assert_int_equal(spec.stack_bytes, WT_PERF_STACK_CHOSEN);
	assert_false(spec.stack_must);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, NULL), 0);
	assert_int_equal(spec.stack_bytes, 0);
	wt_spec_deinit(&spec);
	assert_int_equal(parse(&spec, &err, "--unwind=fp", "-p", "linux:sched:sched_switch:::stack", NULL),
			 0);
	assert_int_equal(spec.stack_bytes, 0);
	wt_spec_deinit(&spec);
	refused("did you mean 'tables'", "--unwind=table", NULL, "--stackwalk");
	refused("not between 1 and", "--stack-bytes=0", NULL, "--stackwalk");
	refused("not between 1 and", "--stack-bytes=64K", NULL, "--stackwalk");
	refused("none is copied", "--unwind=fp", "--stack-bytes=8K", "--stackwalk");
	refused("no stacks are recorded", "--unwind=fp", NULL, NULL);
	refused("no stacks are recorded", "--stack-bytes=8K", NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_is_profile_with_what_it_needs),
		cmocka_unit_test(programs_alone_need_no_events_of_processes),
		cmocka_unit_test(full_provider_syntax),
		cmocka_unit_test(stackwalk_lists),
		cmocka_unit_test(scope_and_numbers),
		cmocka_unit_test(programs_are_restricted_by_their_filters),
		cmocka_unit_test(names_of_other_things_are_refused),
		cmocka_unit_test(bad_words_are_usage_errors),
		cmocka_unit_test(ways_to_walk_stacks),
	};

	wt_diag_level(WT_DIAG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
