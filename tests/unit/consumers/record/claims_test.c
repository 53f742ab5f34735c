// SPDX-License-Identifier: MIT
/* Claims: what another user's program says it is, against the kernel and what was seen of processes. */
#include "consumers/record/claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"

static struct wt_claims claims;
static struct wt_image_set images;
static struct wt_tasks tasks;

static int setup(void **state)
{
	(void)state;
	claims = (struct wt_claims){0};
	images = (struct wt_image_set){0};
	wt_tasks_init(&tasks, &images, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_tasks_deinit(&tasks);
	return 0;
}

static struct wt_event claim(uint32_t pid, uint32_t uid)
{
	return (struct wt_event){.time = wt_clock_now(), .pid = pid, .tid = pid, .claimer = uid + 1};
}

/* A process that is there no more. */
static uint32_t gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

static void who_is_trusted_claims_nothing(void **state)
{
	struct wt_event event = {.pid = 1, .tid = 1};

	(void)state;
	assert_true(wt_claims_check(&claims, &tasks, &event));
}

static void the_kernel_says_whose_a_process_is(void **state)
{
	struct wt_event own = claim((uint32_t)getpid(), geteuid()), other = claim((uint32_t)getpid(), 4242);

	(void)state;
	assert_true(wt_claims_check(&claims, &tasks, &own));
	assert_false(wt_claims_check(&claims, &tasks, &other));
	assert_int_equal(claims.n_claimants, 1);
	assert_int_equal(claims.claimants[0].uid, 4242);
	assert_int_equal(claims.claimants[0].pid, getpid());
}

static void one_that_was_never_seen_is_nobody(void **state)
{
	struct wt_event event = claim(gone(), geteuid());

	(void)state;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	claims.unseen = true;
	assert_true(wt_claims_check(&claims, &tasks, &event));
}

static void one_that_has_gone_was_there_until_its_end(void **state)
{
	struct wt_event event = claim(gone(), geteuid());
	struct wt_process *process = wt_tasks_add_process(&tasks, event.pid);

	(void)state;
	assert_non_null(process);
	process->uid = geteuid();
	assert_true(wt_claims_check(&claims, &tasks, &event));
	wt_tasks_bury(&tasks, wt_tasks_thread(&tasks, event.pid), event.time);
	assert_true(wt_claims_check(&claims, &tasks, &event));
	event.time += WT_NSEC;
	assert_false(wt_claims_check(&claims, &tasks, &event));
}

static void one_that_was_another_users_is_so_when_it_has_gone(void **state)
{
	struct wt_event event = claim(gone(), geteuid());
	struct wt_process *process = wt_tasks_add_process(&tasks, event.pid);

	(void)state;
	assert_non_null(process);
	/* From the fork: it may have changed it since, and may be anybody's. */
	process->uid = geteuid() + 1;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].unproved, 1);
	assert_int_equal(claims.claimants[0].forged, 0);
	/* It did not: that would have been told. */
	claims.watched_from = 100;
	process->ids_from = process->ids_by = 100;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].forged, 1);
	process->claimer = event.claimer;
	assert_true(wt_claims_check(&claims, &tasks, &event));
	process->claimer = 0;
	process->uid = geteuid();
	assert_true(wt_claims_check(&claims, &tasks, &event));
	process->uid = geteuid() + 1;
	process->euid = geteuid();
	assert_true(wt_claims_check(&claims, &tasks, &event));
}

/* Whose a process was is proved only by ids of that time that were followed since. */
static void what_nobody_followed_proves_nothing(void **state)
{
	struct wt_event event = claim(gone(), geteuid());
	struct wt_process *process = wt_tasks_add_process(&tasks, event.pid);

	(void)state;
	assert_non_null(process);
	process->uid = process->euid = geteuid() + 1;
	process->ids_from = process->ids_by = 100;
	/* Nobody listens; somebody does, but only since then. */
	assert_false(wt_claims_check(&claims, &tasks, &event));
	claims.watched_from = 101;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	/* They were read behind the event. */
	claims.watched_from = 100;
	process->ids_by = event.time + 1;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].unproved, 3);
	assert_int_equal(claims.claimants[0].forged, 0);
	process->ids_by = event.time;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].forged, 1);
}

static void who_may_have_been_forgotten_is_not_accused(void **state)
{
	struct wt_event event = claim(gone(), geteuid());

	(void)state;
	claims.late = true;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	claims.late = false;
	claims.past = true;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].unproved, 2);
	assert_int_equal(claims.claimants[0].forged, 0);
	/* In a log that names no processes. */
	claims.unseen = true;
	assert_true(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(claims.claimants[0].unproved, 2);
}

static void who_was_believed_alive_is_remembered(void **state)
{
	struct wt_event event = claim((uint32_t)getpid(), geteuid());
	struct wt_process *process = wt_tasks_add_process(&tasks, event.pid);

	(void)state;
	assert_non_null(process);
	assert_true(wt_claims_check(&claims, &tasks, &event));
	assert_int_equal(process->claimer, event.claimer);
}

static void a_thread_is_of_one_process(void **state)
{
	struct wt_event event = claim((uint32_t)getpid(), geteuid());

	(void)state;
	assert_non_null(wt_tasks_add_process(&tasks, 999999));
	event.tid = 999999;
	assert_false(wt_claims_check(&claims, &tasks, &event));
	assert_non_null(wt_tasks_process(&tasks, 999999));
}

static void any_of_four_ids_will_do(void **state)
{
	(void)state;
	assert_true(wt_claims_status_has("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t9\n", 4));
	assert_false(wt_claims_status_has("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t9\n", 9));
	assert_false(wt_claims_status_has("Name:\tUid: 7\nUid:\t1\t2\n", 1));
	assert_false(wt_claims_status_has("", 0));
}

static void many_claimants_are_counted_together(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3 * WT_CLAIMANTS; i++) {
		struct wt_event event = claim((uint32_t)getpid(), 100000 + i);

		assert_false(wt_claims_check(&claims, &tasks, &event));
	}
	assert_int_equal(claims.n_claimants, WT_CLAIMANTS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(who_is_trusted_claims_nothing),
		TEST(the_kernel_says_whose_a_process_is),
		TEST(one_that_was_never_seen_is_nobody),
		TEST(one_that_has_gone_was_there_until_its_end),
		TEST(a_thread_is_of_one_process),
		TEST(any_of_four_ids_will_do),
		TEST(many_claimants_are_counted_together),
		TEST(one_that_was_another_users_is_so_when_it_has_gone),
		TEST(who_was_believed_alive_is_remembered),
		TEST(what_nobody_followed_proves_nothing),
		TEST(who_may_have_been_forgotten_is_not_accused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
