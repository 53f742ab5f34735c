// SPDX-License-Identifier: MIT
/* Children that stand still cost others nothing: what is sure of places, shares and ends. Time is the test's.
 */
#include "consumers/session/publishers.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/stray.h"

/* Ids that no file gives to somebody: each is an account of its own. */
enum { FIRST = 2000000001 };

static pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	assert_true(pid > 0);
	return pid;
}

static void wait_for_sleep(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
}

static pid_t add(struct wt_publishers *publishers, uint32_t uid, uint64_t now)
{
	pid_t pid = fork_sleeper();

	wait_for_sleep(pid);
	assert_true(wt_publishers_left(publishers, uid, now) > 0);
	wt_publishers_add(publishers, pid, uid, now);
	return pid;
}

/* Looks until that time, often. */
static uint64_t look_until(struct wt_publishers *publishers, uint64_t now, uint64_t end)
{
	for (; now < end; now += WT_NSEC / 20)
		wt_publishers_reap(publishers, now);
	return now;
}

static void no_stray_is_left(void)
{
	while (wt_strays())
		poll(NULL, 0, 1);
}

static void each_account_has_one(void **state)
{
	struct wt_publishers publishers = {0};
	uint64_t now = wt_clock_now();

	(void)state;
	for (uint32_t i = 0; i < WT_PUBLISHERS; i++) {
		add(&publishers, FIRST + i, now);
		assert_int_equal(wt_publishers_left(&publishers, FIRST + i, now), 0);
	}
	/* All places are taken; the session's own user has one more. */
	assert_int_equal(wt_publishers_left(&publishers, FIRST + WT_PUBLISHERS, now), 0);
	assert_true(wt_publishers_have_place(&publishers));
	add(&publishers, geteuid(), now);
	assert_int_equal(wt_publishers_left(&publishers, geteuid(), now), 0);
	assert_false(wt_publishers_have_place(&publishers));
	wt_publishers_end(&publishers);
	no_stray_is_left();
	assert_true(wt_publishers_have_place(&publishers));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_child_that_stands_still_is_ended(void **state)
{
	struct wt_publishers publishers = {0};
	uint64_t now = wt_clock_now();
	pid_t pid = add(&publishers, FIRST, now);

	(void)state;
	now = look_until(&publishers, now, now + WT_PUBLISHER_WAIT / 2);
	assert_int_equal(publishers.list[0].pid, pid);
	now = look_until(&publishers, now, now + WT_PUBLISHER_WAIT);
	assert_int_equal(publishers.list[0].pid, 0);
	no_stray_is_left();
	/* Its account rests, others do not. */
	assert_int_equal(wt_publishers_left(&publishers, FIRST, now), 0);
	assert_true(wt_publishers_left(&publishers, FIRST + 1, now) > 0);
	now += WT_PUBLISHER_REST;
	assert_true(wt_publishers_left(&publishers, FIRST, now) > 0);
	assert_true(wt_publishers_left(&publishers, FIRST, now) <
		    wt_publishers_left(&publishers, FIRST + 1, now));
	/* And twice as long the next time. */
	add(&publishers, FIRST, now);
	now = look_until(&publishers, now, now + WT_PUBLISHER_WAIT * 2);
	no_stray_is_left();
	assert_int_equal(wt_publishers_left(&publishers, FIRST, now + WT_PUBLISHER_REST), 0);
	assert_true(wt_publishers_left(&publishers, FIRST, now + 2 * WT_PUBLISHER_REST) > 0);
	wt_publishers_end(&publishers);
}

/* One that did its work makes up for one that was ended. */
static void work_that_is_done_counts(void **state)
{
	struct wt_publishers publishers = {0};
	uint64_t now = wt_clock_now();
	pid_t pid;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		add(&publishers, FIRST, now);
		now = look_until(&publishers, now, now + WT_PUBLISHER_WAIT * 2);
		no_stray_is_left();
		publishers.rests[0].until = 0;
	}
	assert_int_equal(publishers.rests[0].times, 2);
	pid = fork();
	if (!pid)
		_exit(0);
	wt_publishers_add(&publishers, pid, FIRST, now);
	while (publishers.list[0].pid) {
		wt_publishers_reap(&publishers, now);
		poll(NULL, 0, 1);
	}
	assert_int_equal(publishers.rests[0].times, 1);
	wt_publishers_end(&publishers);
}

/* A session that stood still itself does not know what its children did meanwhile. */
static void a_pause_of_the_session_is_no_waiting(void **state)
{
	struct wt_publishers publishers = {0};
	uint64_t now = wt_clock_now();
	pid_t pid = add(&publishers, FIRST, now);

	(void)state;
	wt_publishers_reap(&publishers, now + WT_PUBLISHER_MOST);
	assert_int_equal(publishers.list[0].pid, pid);
	wt_publishers_reap(&publishers, now + WT_PUBLISHER_MOST + 1);
	assert_int_equal(publishers.list[0].pid, 0);
	no_stray_is_left();
	wt_publishers_end(&publishers);
}

/* Children that are ended again and again use up what their account has. */
static void time_is_charged(void **state)
{
	struct wt_publishers publishers = {0};
	uint64_t now = wt_clock_now();
	unsigned n = 0;

	(void)state;
	for (; n < 100 && wt_publishers_left(&publishers, FIRST, now) > 0; n++) {
		add(&publishers, FIRST, now);
		now = look_until(&publishers, now, now + WT_PUBLISHER_WAIT + WT_NSEC / 2);
		no_stray_is_left();
		publishers.rests[0].until = 0;
	}
	assert_in_range(n, WT_PUBLISHER_SAVED / WT_PUBLISHER_WAIT,
			WT_PUBLISHER_SAVED / WT_PUBLISHER_WAIT + 1);
	assert_true(wt_publishers_left(&publishers, FIRST + 1, now) > 0);
	wt_publishers_end(&publishers);
}

/* A child that was forked while there were publishers is not their parent. */
static void children_of_another_process_are_forgotten(void **state)
{
	struct wt_publishers publishers = {0};
	pid_t pid = add(&publishers, FIRST, wt_clock_now()), child = fork();
	int status;

	(void)state;
	if (!child) {
		wt_publishers_end(&publishers);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	wt_publishers_end(&publishers);
	no_stray_is_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_account_has_one),
		cmocka_unit_test(a_child_that_stands_still_is_ended),
		cmocka_unit_test(work_that_is_done_counts),
		cmocka_unit_test(a_pause_of_the_session_is_no_waiting),
		cmocka_unit_test(time_is_charged),
		cmocka_unit_test(children_of_another_process_are_forgotten),
	};

	wt_diag_level(WT_DIAG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
