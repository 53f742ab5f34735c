// SPDX-License-Identifier: MIT
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/doctor/findings.h"

static struct wt_check checks[WT_CHECKS_MAX];
static size_t n;

/* A machine where everything is as good as it gets, seen by root. */
static struct wt_facts good(void)
{
	return (struct wt_facts){
		.uid = 0,
		.capabilities = UINT64_MAX,
		.cpus = 8,
		.release = "6.1.0",
		.paranoid = 2,
		.max_sample_rate = 100000,
		.cpu_time_max_percent = 25,
		.mlock_kb = 516,
		.memlock = 8 << 20,
		.files = 1024,
		.files_max = 524288,
		.kernel_symbols = true,
		.pmus = "cpu",
		.tracefs = WT_DIRECTORY_USABLE,
		.rseq_size = 32,
		.debug_directory = true,
		.spool = {.path = "/var/tmp", .state = WT_DIRECTORY_USABLE, .free_bytes = INT64_C(1) << 34},
		.runtime = {.path = "/dev/shm", .state = WT_DIRECTORY_USABLE, .free_bytes = INT64_C(1) << 30},
		.clocksource = "tsc",
	};
}

static struct wt_facts user_at(int64_t paranoid)
{
	struct wt_facts facts = good();

	facts.uid = 1000;
	facts.capabilities = 0;
	facts.paranoid = paranoid;
	facts.perf.own_user = paranoid > 2 ? EACCES : 0;
	facts.perf.own_kernel = paranoid > 1 ? EACCES : 0;
	facts.perf.machine = paranoid > 0 ? EACCES : 0;
	facts.perf.cycles = facts.perf.lost_counts = facts.perf.own_user;
	return facts;
}

static const struct wt_check *check_of(const struct wt_facts *facts, const char *name)
{
	n = wt_checks_make(facts, checks);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(checks[i].name, name))
			return &checks[i];
	}
	fail_msg("no check named %s", name);
	return NULL;
}

static bool possible(const struct wt_facts *facts, const char **scope)
{
	n = wt_checks_make(facts, checks);
	return wt_checks_verdict(facts, checks, n, scope);
}

static void expect(const struct wt_facts *facts, const char *name, enum wt_check_state state,
		   const char *meaning, const char *fix)
{
	const struct wt_check *check = check_of(facts, name);

	assert_int_equal(check->state, state);
	assert_non_null(strstr(check->meaning, meaning));
	assert_string_equal(check->fix, fix);
}

static void a_good_machine_is_all_ok(void **state)
{
	struct wt_facts facts = good();
	const char *scope;

	(void)state;
	assert_true(possible(&facts, &scope));
	assert_string_equal(scope, "whole machine, kernel and user mode");
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(checks[i].name, "kernel module"))
			continue;
		assert_int_equal(checks[i].state, WT_CHECK_OK);
		assert_string_equal(checks[i].fix, "");
	}
}

static void every_check_says_what_it_found_and_means(void **state)
{
	struct wt_facts all[] = {good(), user_at(4), user_at(1), {0}};

	(void)state;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		n = wt_checks_make(&all[k], checks);
		for (size_t i = 0; i < n; i++) {
			assert_true(checks[i].value[0] != '\0');
			assert_true(checks[i].meaning[0] != '\0');
			assert_true(strlen(checks[i].meaning) < sizeof(checks[i].meaning) - 1);
		}
	}
}

static void paranoid_levels_for_a_user(void **state)
{
	static const struct {
		int64_t level;
		enum wt_check_state state;
		const char *fix, *scope;
	} rows[] = {
		{4, WT_CHECK_MISSING, "sudo sysctl kernel.perf_event_paranoid=2", NULL},
		{3, WT_CHECK_MISSING, "sudo sysctl kernel.perf_event_paranoid=2", NULL},
		{2, WT_CHECK_LIMITED, "sudo sysctl kernel.perf_event_paranoid=1",
		 "your own processes, user mode only"},
		{1, WT_CHECK_LIMITED, "sudo sysctl kernel.perf_event_paranoid=-1",
		 "your own processes, kernel and user mode"},
		{0, WT_CHECK_LIMITED, "sudo sysctl kernel.perf_event_paranoid=-1",
		 "your own processes, kernel and user mode"},
		{-1, WT_CHECK_OK, "", "your own processes, kernel and user mode"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wt_facts facts = user_at(rows[i].level);
		const char *scope;

		expect(&facts, "perf_event_paranoid", rows[i].state, "", rows[i].fix);
		assert_int_equal(possible(&facts, &scope), rows[i].scope != NULL);
		if (rows[i].scope)
			assert_string_equal(scope, rows[i].scope);
	}
}

static void perfmon_lifts_paranoid(void **state)
{
	struct wt_facts facts = user_at(4);

	(void)state;
	facts.capabilities = UINT64_C(1) << WT_CAP_PERFMON;
	facts.perf = (struct wt_perf_abilities){0};
	expect(&facts, "perf_event_paranoid", WT_CHECK_OK, "does not bind you", "");
	expect(&facts, "perf_event_open", WT_CHECK_LIMITED, "the whole machine is for root", "");
	facts.uid = 0;
	expect(&facts, "perf_event_open", WT_CHECK_OK, "work", "");
	facts.perf.machine = EACCES;
	expect(&facts, "perf_event_open", WT_CHECK_LIMITED, "this root lacks CAP_PERFMON", "");
}

static void switches_are_of_all_or_of_own_threads(void **state)
{
	struct wt_facts facts = user_at(2);

	(void)state;
	expect(&facts, "context switches", WT_CHECK_LIMITED, "who wakes them", "");
	facts = user_at(4);
	expect(&facts, "context switches", WT_CHECK_MISSING, "is refused", "");
	facts.perf = (struct wt_perf_abilities){0};
	expect(&facts, "context switches", WT_CHECK_OK, "who ends them", "");
}

static void refusal_names_its_wall(void **state)
{
	struct wt_facts facts = good();
	const char *scope;

	(void)state;
	facts.perf = (struct wt_perf_abilities){ENOSYS, ENOSYS, ENOSYS, ENOSYS, ENOSYS, ""};
	expect(&facts, "perf_event_open", WT_CHECK_MISSING, "CONFIG_PERF_EVENTS", "");
	assert_false(possible(&facts, &scope));
	facts.seccomp = 2;
	expect(&facts, "perf_event_open", WT_CHECK_MISSING, "seccomp filter",
	       "start the container with --security-opt seccomp=unconfined --cap-add PERFMON");
	facts.seccomp = 0;
	facts.perf.own_user = EACCES;
	expect(&facts, "perf_event_open", WT_CHECK_MISSING, "security module", "");
	facts = user_at(3);
	expect(&facts, "perf_event_open", WT_CHECK_MISSING, "perf_event_paranoid above 2",
	       "sudo sysctl kernel.perf_event_paranoid=2");
}

static void no_pmu_means_cpu_clock(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.pmus[0] = '\0';
	facts.perf.cycles = ENOENT;
	expect(&facts, "hardware counters", WT_CHECK_LIMITED, "samples cpu-clock instead", "");
	assert_non_null(strstr(check_of(&facts, "hardware counters")->value, "PMUs: none"));
}

static void tracefs_states(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.tracefs = WT_DIRECTORY_ABSENT;
	expect(&facts, "tracefs", WT_CHECK_MISSING, "cannot be recorded",
	       "mount -t tracefs nodev /sys/kernel/tracing");
	facts.tracefs = WT_DIRECTORY_CLOSED;
	facts.uid = 1000;
	facts.gid = 1001;
	expect(&facts, "tracefs", WT_CHECK_LIMITED, "by you",
	       "sudo mount -o remount,mode=750,gid=1001 /sys/kernel/tracing && sudo sysctl "
	       "kernel.perf_event_paranoid=-1");
	facts.paranoid = -1;
	expect(&facts, "tracefs", WT_CHECK_LIMITED, "by you",
	       "sudo mount -o remount,mode=750,gid=1001 /sys/kernel/tracing");
}

static void limits(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.max_sample_rate = 500;
	expect(&facts, "sample rate", WT_CHECK_LIMITED, "997",
	       "sysctl kernel.perf_event_max_sample_rate=100000");
	facts.cpu_time_max_percent = 1;
	expect(&facts, "sampling time", WT_CHECK_LIMITED, "blind",
	       "sysctl kernel.perf_cpu_time_max_percent=25");
	facts.cpu_time_max_percent = 0;
	expect(&facts, "sampling time", WT_CHECK_OK, "", "");
	facts.files_max = 100;
	expect(&facts, "open files", WT_CHECK_LIMITED, "wants 128 on 8 CPUs", "ulimit -Hn 128  (as root)");
	facts.files_max = facts.files = WT_FACT_UNLIMITED;
	expect(&facts, "open files", WT_CHECK_OK, "", "");
	facts = user_at(2);
	facts.mlock_kb = 64;
	expect(&facts, "locked memory", WT_CHECK_LIMITED, "small",
	       "sudo sysctl kernel.perf_event_mlock_kb=516");
	facts.memlock = WT_FACT_UNLIMITED;
	assert_non_null(strstr(check_of(&facts, "locked memory")->value, "RLIMIT_MEMLOCK unlimited"));
	facts.paranoid = -1;
	expect(&facts, "locked memory", WT_CHECK_OK, "", "");
}

static void hidden_kernel_symbols(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.kernel_symbols = false;
	facts.kptr_restrict = 2;
	expect(&facts, "kernel symbols", WT_CHECK_LIMITED, "without names", "sysctl kernel.kptr_restrict=0");
	facts = user_at(2);
	facts.kernel_symbols = false;
	expect(&facts, "kernel symbols", WT_CHECK_LIMITED, "hidden from you",
	       "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
}

static void directories_decide_too(void **state)
{
	struct wt_facts facts = good();
	const char *scope;

	(void)state;
	facts.spool.free_bytes = 1 << 20;
	expect(&facts, "spool directory", WT_CHECK_LIMITED, "little room", "export WTRACE_SPOOL=DIRECTORY");
	assert_true(possible(&facts, &scope));
	facts.spool.state = WT_DIRECTORY_CLOSED;
	expect(&facts, "spool directory", WT_CHECK_MISSING, "no session", "export WTRACE_SPOOL=DIRECTORY");
	assert_false(possible(&facts, &scope));
	facts = good();
	facts.runtime.state = WT_DIRECTORY_ABSENT;
	expect(&facts, "runtime directory", WT_CHECK_MISSING, "no session",
	       "export WTRACE_RUNTIME=DIRECTORY");
	assert_false(possible(&facts, &scope));
}

static void spoiled_directory_of_a_user(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.odd_directories = 2;
	facts.odd_uid = 1001;
	snprintf(facts.odd_part, sizeof(facts.odd_part), "/dev/shm/wtrace-1001/state");
	expect(&facts, "runtime directory", WT_CHECK_LIMITED,
	       "uid 1001 or root should remove /dev/shm/wtrace-1001/state", "");
}

static void confinement(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	snprintf(facts.lockdown, sizeof(facts.lockdown), "none");
	expect(&facts, "confinement", WT_CHECK_OK, "nothing", "");
	facts.seccomp = 2;
	expect(&facts, "confinement", WT_CHECK_LIMITED, "filtered", "");
	facts.container = true;
	expect(&facts, "confinement", WT_CHECK_LIMITED, "pid namespace", "");
	snprintf(facts.lockdown, sizeof(facts.lockdown), "confidentiality");
	expect(&facts, "confinement", WT_CHECK_LIMITED, "to root too", "");
}

static void old_kernels_and_slow_clocks(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	facts.perf.lost_counts = EINVAL;
	expect(&facts, "loss counts", WT_CHECK_LIMITED, "6.0", "");
	expect(&facts, "BPF", WT_CHECK_OK, "proved", "");
	snprintf(facts.perf.no_bpf, sizeof(facts.perf.no_bpf), "no rights");
	expect(&facts, "BPF", WT_CHECK_LIMITED, "probable", "");
	snprintf(facts.clocksource, sizeof(facts.clocksource), "hpet");
	expect(&facts, "clock", WT_CHECK_LIMITED, "slow", "");
	facts.rseq_size = 0;
	expect(&facts, "rseq", WT_CHECK_LIMITED, "ring per thread", "");
	facts.debug_directory = false;
	expect(&facts, "debug files", WT_CHECK_LIMITED, "stripped", "apt-get install libc6-dbg");
}

static void the_module_is_said_to_be_missing_plainly(void **state)
{
	struct wt_facts facts = good();

	(void)state;
	expect(&facts, "kernel module", WT_CHECK_MISSING, "not in this version", "");
	assert_false(check_of(&facts, "kernel module")->needed);
}

static void text_of(const struct wt_facts *facts, void (*put)(const struct wt_findings *, struct wt_buf *),
		    struct wt_buf *out)
{
	struct wt_findings findings = {.facts = facts, .checks = checks};

	findings.n = wt_checks_make(facts, checks);
	findings.possible = wt_checks_verdict(facts, checks, findings.n, &findings.scope);
	put(&findings, out);
}

static void report_as_text(void **state)
{
	struct wt_facts facts = good();
	struct wt_buf out = {0};

	(void)state;
	text_of(&facts, wt_findings_text, &out);
	assert_non_null(strstr(wt_buf_cstr(&out), "ok       perf_event_open      whole machine"));
	assert_non_null(
		strstr(wt_buf_cstr(&out), "\nRecording is possible for you (uid 0): whole machine, "));
	wt_buf_clear(&out);
	facts = user_at(3);
	facts.spool.state = WT_DIRECTORY_CLOSED;
	text_of(&facts, wt_findings_text, &out);
	assert_non_null(
		strstr(wt_buf_cstr(&out), "to change it: sudo sysctl kernel.perf_event_paranoid=2\n"));
	assert_non_null(strstr(wt_buf_cstr(&out),
			       "\nRecording is not possible for you (uid 1000): perf_event_open, spool "
			       "directory.\n"));
	wt_buf_deinit(&out);
}

static void report_as_json(void **state)
{
	struct wt_facts facts = user_at(3);
	struct wt_buf out = {0};

	(void)state;
	snprintf(facts.spool.path, sizeof(facts.spool.path), "/tmp/a\"b\n\033[31m");
	text_of(&facts, wt_findings_json, &out);
	assert_non_null(
		strstr(wt_buf_cstr(&out), "{\"uid\":1000,\"recording\":false,\"scope\":null,\"checks\":["));
	assert_non_null(strstr(wt_buf_cstr(&out), "\"state\":\"missing\",\"needed\":true"));
	assert_non_null(strstr(wt_buf_cstr(&out), "\"fix\":null"));
	assert_non_null(strstr(wt_buf_cstr(&out), "/tmp/a\\\"b\\n"));
	assert_null(strchr(wt_buf_cstr(&out), '\033'));
	wt_buf_clear(&out);
	text_of(&facts, wt_findings_text, &out);
	assert_null(strchr(wt_buf_cstr(&out), '\033'));
	wt_buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_machine_is_all_ok),
		cmocka_unit_test(every_check_says_what_it_found_and_means),
		cmocka_unit_test(paranoid_levels_for_a_user),
		cmocka_unit_test(perfmon_lifts_paranoid),
		cmocka_unit_test(switches_are_of_all_or_of_own_threads),
		cmocka_unit_test(refusal_names_its_wall),
		cmocka_unit_test(no_pmu_means_cpu_clock),
		cmocka_unit_test(tracefs_states),
		cmocka_unit_test(limits),
		cmocka_unit_test(hidden_kernel_symbols),
		cmocka_unit_test(directories_decide_too),
		cmocka_unit_test(spoiled_directory_of_a_user),
		cmocka_unit_test(confinement),
		cmocka_unit_test(old_kernels_and_slow_clocks),
		cmocka_unit_test(the_module_is_said_to_be_missing_plainly),
		cmocka_unit_test(report_as_text),
		cmocka_unit_test(report_as_json),
	};

	return cmocka_run_group_tests_name("checks", tests, NULL, NULL);
}
