// SPDX-License-Identifier: MIT
/* Owners: news of user ids wait for the events of their time. */
#include "consumers/record/owners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct wt_owners owners;
static struct wt_image_set images;
static struct wt_tasks tasks;

static int setup(void **state)
{
	(void)state;
	owners = (struct wt_owners){0};
	images = (struct wt_image_set){0};
	wt_tasks_init(&tasks, &images, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_owners_deinit(&owners);
	wt_tasks_deinit(&tasks);
	return 0;
}

static void note(uint64_t time, uint32_t pid, uint32_t uid)
{
	const struct wt_owner_news news = {time, pid, uid, uid + 1};

	assert_true(wt_owners_note(&owners, &news));
}

static void news_wait_for_their_time(void **state)
{
	struct wt_process *process = wt_tasks_add_process(&tasks, 7);
	uint64_t changes = tasks.changes;

	(void)state;
	process->claimer = 9;
	note(100, 7, 5);
	note(200, 7, 6);
	wt_owners_settle(&owners, &tasks, 99);
	assert_int_equal(process->uid, UINT32_MAX);
	wt_owners_settle(&owners, &tasks, 100);
	assert_int_equal(process->uid, 5);
	assert_int_equal(process->euid, 6);
	assert_int_equal(process->ids_from, 100);
	assert_int_equal(process->ids_by, 100);
	assert_int_equal(process->claimer, 0);
	assert_int_not_equal(tasks.changes, changes);
	wt_owners_settle(&owners, &tasks, 300);
	assert_int_equal(process->uid, 6);
	assert_int_equal(owners.n, 0);
}

static void who_has_the_pid_since_is_another(void **state)
{
	struct wt_process *process = wt_tasks_add_process(&tasks, 7);

	(void)state;
	process->start_time = 150;
	process->exact_start = true;
	note(100, 7, 5);
	note(100, 8, 5);
	wt_owners_settle(&owners, &tasks, 300);
	assert_int_equal(process->uid, UINT32_MAX);
	assert_null(wt_tasks_process(&tasks, 8));
}

static void none_is_taken_before_its_process_is_known(void **state)
{
	const struct wt_owner_news more = {1000, 7, 5, 5};
	struct wt_process *process;

	(void)state;
	note(1000, 7, 4);
	for (uint32_t i = 1; i < WT_OWNERS_WAITING; i++)
		note(1000, 9, i);
	/* What has no room is lost, which is said. */
	assert_false(wt_owners_note(&owners, &more));
	assert_int_equal(owners.n, WT_OWNERS_WAITING);
	process = wt_tasks_add_process(&tasks, 7);
	assert_int_equal(process->uid, UINT32_MAX);
	wt_owners_settle(&owners, &tasks, 1000);
	assert_int_equal(process->uid, 4);
	assert_int_equal(owners.n, 0);
	assert_true(wt_owners_note(&owners, &more));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(news_wait_for_their_time),
		TEST(who_has_the_pid_since_is_another),
		TEST(none_is_taken_before_its_process_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
