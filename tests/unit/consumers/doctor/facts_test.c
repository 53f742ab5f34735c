// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/doctor/facts.h"

static char root[64];

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_parents(full);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static int new_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/wtrace-facts-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static struct wt_facts read_facts(void)
{
	struct wt_facts facts = {0};

	wt_facts_read(root, &facts);
	return facts;
}

static void settings_are_read(void **state)
{
	struct wt_facts facts;

	(void)state;
	put_file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	put_file("/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put_file("/proc/sys/kernel/perf_cpu_time_max_percent", "25\n");
	put_file("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put_file("/proc/sys/kernel/kptr_restrict", "2");
	facts = read_facts();
	assert_int_equal(facts.paranoid, -1);
	assert_int_equal(facts.max_sample_rate, 100000);
	assert_int_equal(facts.cpu_time_max_percent, 25);
	assert_int_equal(facts.mlock_kb, 516);
	assert_int_equal(facts.kptr_restrict, 2);
}

static void nothing_there_is_unknown_not_an_error(void **state)
{
	struct wt_facts facts = read_facts();

	(void)state;
	assert_true(facts.paranoid == WT_FACT_UNKNOWN);
	assert_true(facts.seccomp == WT_FACT_UNKNOWN);
	assert_true(facts.capabilities == 0);
	assert_string_equal(facts.pmus, "");
	assert_string_equal(facts.clocksource, "");
	assert_string_equal(facts.lockdown, "");
	assert_int_equal(facts.tracefs, WT_DIRECTORY_ABSENT);
	assert_false(facts.kernel_symbols || facts.container || facts.module || facts.debug_directory);
}

static void garbage_is_unknown(void **state)
{
	static const char *const bad[] = {"", "\n", "two\n", "2x\n", "99999999999999999999999\n", "-\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_file("/proc/sys/kernel/perf_event_paranoid", bad[i]);
		assert_true(read_facts().paranoid == WT_FACT_UNKNOWN);
	}
}

#define STATUS "Name:\tx\nNSpid:\t1\nCapEff:\t%s\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n"

static void capabilities_count_in_the_first_namespace_only(void **state)
{
	char text[256];
	struct wt_facts facts;

	(void)state;
	snprintf(text, sizeof(text), STATUS, "000001ffffffffff");
	put_file("/proc/self/status", text);
	put_file("/proc/self/uid_map", "         0          0 4294967295\n");
	facts = read_facts();
	assert_int_equal(facts.seccomp, 2);
	assert_true(wt_facts_can(&facts, WT_CAP_PERFMON));
	assert_true(wt_facts_can(&facts, WT_CAP_SYSLOG));
	put_file("/proc/self/uid_map", "         0       1000          1\n");
	facts = read_facts();
	assert_false(wt_facts_can(&facts, WT_CAP_PERFMON));
	put_file("/proc/self/uid_map", "nonsense\n");
	assert_true(read_facts().capabilities == 0);
}

static void one_capability_is_one_bit(void **state)
{
	char text[256];
	struct wt_facts facts;

	(void)state;
	snprintf(text, sizeof(text), STATUS, "0000004000000000");
	put_file("/proc/self/status", text);
	facts = read_facts();
	assert_true(wt_facts_can(&facts, WT_CAP_PERFMON));
	assert_false(wt_facts_can(&facts, WT_CAP_SYS_ADMIN));
	assert_false(wt_facts_can(&facts, WT_CAP_IPC_LOCK));
}

static void zeros_are_hidden_addresses(void **state)
{
	(void)state;
	put_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n0000000000000000 T _stext\n");
	assert_false(read_facts().kernel_symbols);
	put_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\n");
	assert_true(read_facts().kernel_symbols);
}

static void pmus_without_the_software_ones(void **state)
{
	(void)state;
	put_file("/sys/bus/event_source/devices/software/type", "1\n");
	put_file("/sys/bus/event_source/devices/tracepoint/type", "2\n");
	assert_string_equal(read_facts().pmus, "");
	put_file("/sys/bus/event_source/devices/armv8_pmuv3_0/type", "8\n");
	assert_string_equal(read_facts().pmus, "armv8_pmuv3_0");
	put_file("/sys/bus/event_source/devices/arm_dsu_0/type", "9\n");
	assert_string_equal(read_facts().pmus, "arm_dsu_0, armv8_pmuv3_0");
}

static void very_many_pmus_are_cut_at_a_name(void **state)
{
	struct wt_facts facts;

	(void)state;
	for (int i = 0; i < 200; i++) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/uncore_imc_%03d/type", i);
		put_file(path, "1\n");
	}
	facts = read_facts();
	assert_true(strlen(facts.pmus) < sizeof(facts.pmus));
	assert_int_equal(strlen(facts.pmus) % strlen("uncore_imc_000, "), strlen("uncore_imc_000"));
}

static void tracefs_seen_by_an_event(void **state)
{
	(void)state;
	put_file("/sys/kernel/debug/tracing/events/sched/sched_switch/format", "name: sched_switch\n");
	assert_int_equal(read_facts().tracefs, WT_DIRECTORY_ABSENT);
	assert_true(read_facts().tracefs_debugfs);
	put_file("/sys/kernel/tracing/events/sched/sched_switch/format", "name: sched_switch\n");
	assert_int_equal(read_facts().tracefs, WT_DIRECTORY_USABLE);
	assert_false(read_facts().tracefs_debugfs);
}

static void lockdown_in_brackets(void **state)
{
	(void)state;
	put_file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_string_equal(read_facts().lockdown, "integrity");
	put_file("/sys/kernel/security/lockdown", "none [integrity confidentiality\n");
	assert_string_equal(read_facts().lockdown, "");
	put_file("/sys/kernel/security/lockdown", "]none[\n");
	assert_string_equal(read_facts().lockdown, "");
}

static void other_marks(void **state)
{
	struct wt_facts facts;

	(void)state;
	put_file("/.dockerenv", "");
	put_file("/usr/lib/debug/.build-id/00/11.debug", "");
	put_file("/sys/module/wtrace/refcnt", "0\n");
	put_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	facts = read_facts();
	assert_true(facts.container && facts.debug_directory && facts.module);
	assert_string_equal(facts.clocksource, "tsc");
}

static void the_real_machine(void **state)
{
	struct wt_facts facts = {0};
	char path[64];

	(void)state;
	unsetenv("WTRACE_SPOOL");
	unsetenv("WTRACE_RUNTIME");
	wt_facts_read("", &facts);
	wt_facts_probe(&facts);
	assert_int_equal(facts.uid, geteuid());
	assert_true(facts.cpus >= 1);
	assert_true(facts.files_max >= 3);
	assert_true(facts.release[0]);
	snprintf(path, sizeof(path), "/var/tmp/wtrace-%u", geteuid());
	assert_string_equal(facts.spool.path, path);
	snprintf(path, sizeof(path), "/dev/shm/wtrace-%u", geteuid());
	assert_string_equal(facts.runtime.path, path);
}

static void directories_from_the_environment(void **state)
{
	struct wt_facts facts = {0};

	(void)state;
	setenv("WTRACE_SPOOL", root, 1);
	setenv("WTRACE_RUNTIME", "/nonexistent/directory", 1);
	wt_facts_probe(&facts);
	unsetenv("WTRACE_SPOOL");
	unsetenv("WTRACE_RUNTIME");
	assert_string_equal(facts.spool.path, root);
	assert_int_equal(facts.spool.state, WT_DIRECTORY_USABLE);
	assert_true(facts.spool.free_bytes >= 0);
	assert_int_equal(facts.runtime.state, WT_DIRECTORY_ABSENT);
	assert_true(facts.runtime.free_bytes == WT_FACT_UNKNOWN);
}

static void probe_with(const char *spool, struct wt_facts *facts)
{
	*facts = (struct wt_facts){0};
	setenv("WTRACE_SPOOL", spool, 1);
	wt_facts_probe(facts);
	unsetenv("WTRACE_SPOOL");
}

static void directories_that_sessions_would_make(void **state)
{
	struct wt_facts facts;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/new", root);
	probe_with(path, &facts);
	assert_int_equal(facts.spool.state, WT_DIRECTORY_USABLE);
	assert_true(facts.spool.free_bytes >= 0);
	snprintf(path, sizeof(path), "%s/link", root);
	assert_int_equal(symlink("/tmp", path), 0);
	probe_with(path, &facts);
	assert_int_equal(facts.spool.state, WT_DIRECTORY_CLOSED);
	put_file("/file", "");
	snprintf(path, sizeof(path), "%s/file", root);
	probe_with(path, &facts);
	assert_int_equal(facts.spool.state, WT_DIRECTORY_CLOSED);
	probe_with("relative-directory-of-no-name", &facts);
	assert_true(facts.spool.free_bytes >= 0);
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, new_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(settings_are_read),
		IN_ROOT(nothing_there_is_unknown_not_an_error),
		IN_ROOT(garbage_is_unknown),
		IN_ROOT(capabilities_count_in_the_first_namespace_only),
		IN_ROOT(one_capability_is_one_bit),
		IN_ROOT(zeros_are_hidden_addresses),
		IN_ROOT(pmus_without_the_software_ones),
		IN_ROOT(very_many_pmus_are_cut_at_a_name),
		IN_ROOT(tracefs_seen_by_an_event),
		IN_ROOT(lockdown_in_brackets),
		IN_ROOT(other_marks),
		IN_ROOT(the_real_machine),
		IN_ROOT(directories_from_the_environment),
		IN_ROOT(directories_that_sessions_would_make),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
