// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/enable/fixture.h"

#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void everything_passes_without_filters(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){0});
	errno = 77;
	assert_true(wt_enable_admits(p, 0, 0));
	assert_int_equal(errno, 77);
	assert_int_equal(p->verdicts[0].admits, WT_ENABLE_EVERYTHING);
	assert_true(wt_enable_admits(p, 0, 2));
	assert_false(wt_enable_admits(p, 1, 0));
	fixture_stop(&session);
	assert_false(wt_enable_admits(p, 0, 0));
	wt_enable_unregister(p);
}

static void the_pid_decides_again_after_fork(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	uint32_t pid = (uint32_t)getpid();
	pid_t child;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){.pids = &pid, .n_pids = 1});
	assert_int_equal(wt_enable_bytes(p)[0], 1);
	assert_true(wt_enable_admits(p, 0, 0));
	assert_true(wt_enable_admits(p, 0, 0));
	child = fixture_fork();
	if (child == 0)
		_exit(wt_enable_admits(p, 0, 0) || wt_enable_admits(p, 0, 0));
	assert_int_equal(fixture_reap(child), 0);
	assert_true(wt_enable_admits(p, 0, 0));
	pid = 1;
	fixture_want(session.control, (struct wt_enable_rule){.pids = &pid, .n_pids = 1});
	assert_int_equal(wt_enable_bytes(p)[0], 1);
	assert_false(wt_enable_admits(p, 0, 0));
	assert_int_equal(p->verdicts[0].admits, WT_ENABLE_NOTHING);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

static void the_executable_decides(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	fixture_want(session.control, (struct wt_enable_rule){.exe = "no;admit_t?st"});
	assert_true(wt_enable_admits(p, 0, 0));
	fixture_want(session.control, (struct wt_enable_rule){.exe = exe});
	assert_true(wt_enable_admits(p, 0, 0));
	fixture_want(session.control, (struct wt_enable_rule){.exe = "admit"});
	assert_false(wt_enable_admits(p, 0, 0));
	fixture_stop(&session);
	wt_enable_unregister(p);
}

/* One rule lets this process's event 2 pass, the other somebody else's event 1. */
static void rules_that_differ_decide_by_event(void **state)
{
	static const uint16_t one[] = {1}, two[] = {2};
	uint32_t self = (uint32_t)getpid(), other = 1;
	struct wt_enable_rule rules[] = {
		{.provider = "test-app", .pids = &other, .n_pids = 1, .ids = one, .n_ids = 1},
		{.provider = "test-app", .pids = &self, .n_pids = 1, .ids = two, .n_ids = 1}};
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(wt_control_set_rules(session.control, rules, 2, NULL), 0);
		assert_int_equal(wt_enable_bytes(p)[0], 1);
		for (unsigned i = 0; i < 2; i++) {
			assert_false(wt_enable_admits(p, 0, 0));
			assert_true(wt_enable_admits(p, 0, 1));
			assert_false(wt_enable_admits(p, 0, 2));
		}
		assert_int_equal(p->verdicts[0].admits, WT_ENABLE_BY_EVENT);
		rules[0].stack = 1;
	}
	fixture_stop(&session);
	wt_enable_unregister(p);
}

/* Rules that cannot be read let nothing pass, and are not asked for again until they change. */
static void damaged_rules_let_nothing_pass(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	uint64_t stamp;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){0});
	stamp = wt_enable_stamp(0);
	assert_int_equal(unlinkat(session.directory, "s.rules-1", 0), 0);
	assert_false(wt_enable_admits(p, 0, 0));
	assert_int_equal(p->verdicts[0].stamp, stamp);
	fixture_want(session.control, (struct wt_enable_rule){0});
	assert_true(wt_enable_admits(p, 0, 0));
	fixture_stop(&session);
	wt_enable_unregister(p);
}

static unsigned asked;

/* In place of the C library's: counts questions about the counter. */
int prctl(int option, ...)
{
	unsigned long more[4];
	va_list args;

	va_start(args, option);
	for (unsigned i = 0; i < 4; i++)
		more[i] = va_arg(args, unsigned long);
	va_end(args);
	asked += option == PR_GET_TSC;
	return (int)syscall(SYS_prctl, option, more[0], more[1], more[2], more[3]);
}

/* No descriptor is left: each event is wanted, and most of them find it out without a question to the kernel.
 */
static void rules_that_cannot_be_read_cost_few_calls(void **state)
{
	struct fixture_session session = fixture_session("s");
	struct wt_enable_provider *p = fixture_register(&fixture_desc);
	struct rlimit limit, none;
	unsigned admitted = 0;

	(void)state;
	fixture_want(session.control, (struct wt_enable_rule){0});
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	asked = 0;
	for (unsigned i = 0; i < 100; i++)
		admitted += wt_enable_admits(p, 0, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(admitted, 100);
	assert_in_range(asked, 0, 1);
	fixture_stop(&session);
	wt_enable_unregister(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything_passes_without_filters, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(the_pid_decides_again_after_fork, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(the_executable_decides, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rules_that_differ_decide_by_event, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(damaged_rules_let_nothing_pass, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(rules_that_cannot_be_read_cost_few_calls, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
