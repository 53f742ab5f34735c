// SPDX-License-Identifier: MIT
/* What the kernel tells of one user's processes is followed so far, and the rest is counted. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "consumers/record/side_shares.h"
#include "tracecore/base/clock.h"
#include "tracecore/event.h"

enum { OWN = 7, SOMEBODY = 1000, OTHER = 1001 };

static struct wt_side_shares shares;

static int setup(void **state)
{
	(void)state;
	wt_side_shares_begin(&shares, 1, OWN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_side_shares_deinit(&shares);
	return 0;
}

/* How many of n events of that moment are taken. */
static uint32_t taken(uint32_t uid, uint32_t n, uint64_t time)
{
	uint32_t ret = 0;

	for (uint32_t i = 0; i < n; i++)
		ret += wt_side_shares_take(&shares, uid, time);
	return ret;
}

static void test_a_share_fills_with_time(void **state)
{
	const uint32_t saved = WT_SIDE_RATE * WT_SIDE_SAVED;

	(void)state;
	assert_int_equal(taken(SOMEBODY, saved + 5, 100), saved);
	/* Time that goes back brings nothing; a thousandth of a second a thousandth of the rate. */
	assert_int_equal(taken(SOMEBODY, 5, 50), 0);
	assert_int_equal(taken(SOMEBODY, 50, 100 + WT_NSEC / 1000), WT_SIDE_RATE / 1000);
	/* No more is saved up than that, however long it takes. */
	assert_int_equal(taken(SOMEBODY, saved + 5, UINT64_MAX), saved);
	assert_int_equal(taken(OTHER, 5, 100), 5);
}

/* However many use up all that there is for all, somebody quiet is heard; and it is not much more than that.
 */
static void test_many_users(void **state)
{
	const uint32_t mine = WT_SIDE_RATE * WT_SIDE_SAVED;
	uint64_t all = 0;

	(void)state;
	for (uint32_t uid = 2000; uid < 2000 + 40; uid++)
		all += taken(uid, mine, 100);
	assert_true(all >= (uint64_t)mine * WT_SIDE_USERS);
	assert_true(all <= (uint64_t)mine * (WT_SIDE_USERS + 40 / 2 + 1));
	assert_int_equal(taken(2000, 10, 100), 0);
	assert_int_equal(taken(SOMEBODY, mine / 2, 100), mine / 2);
	assert_int_equal(taken(SOMEBODY, 10, 100), 0);
}

/* Of processes nobody knows the user of there is one, too. */
static void test_nobody_knows_whose(void **state)
{
	const uint32_t saved = WT_SIDE_RATE * WT_SIDE_SAVED;

	(void)state;
	assert_int_equal(taken(UINT32_MAX, saved, 100), saved);
	assert_int_equal(taken(UINT32_MAX, 5, 100), 0);
	assert_int_equal(taken(SOMEBODY, 5, 100), 5);
}

static void test_who_has_no_share(void **state)
{
	const uint32_t many = WT_SIDE_RATE * WT_SIDE_SAVED + 100;
	struct wt_side_shares none = {0};

	(void)state;
	assert_int_equal(taken(0, many, 100), many);
	assert_int_equal(taken(OWN, many, 100), many);
	for (uint32_t i = 0; i < many; i++)
		assert_true(wt_side_shares_take(&none, SOMEBODY, 100));
	assert_null(none.users.list);
}

static void expect_lost(const char *provider, const char *event, uint64_t count, uint64_t from, uint64_t to)
{
	struct wt_lost_payload lost;
	char text[64];

	assert_true(wt_side_shares_next(&shares, &lost, text, sizeof(text)));
	assert_int_equal(lost.provider.len, strlen(provider));
	assert_memory_equal(lost.provider.p, provider, lost.provider.len);
	assert_int_equal(lost.event.len, strlen(event));
	assert_memory_equal(lost.event.p, event, lost.event.len);
	assert_int_equal(lost.count, count);
	assert_int_equal(lost.from, from);
	assert_int_equal(lost.to, to);
	assert_int_equal(lost.cause, WT_LOSS_SHARE);
	assert_int_equal(lost.on_cpu, WT_CPU_NONE);
	assert_true(lost.exact);
}

static void test_what_is_left_out_is_lost_once(void **state)
{
	struct wt_lost_payload lost;
	char text[64];

	(void)state;
	assert_false(wt_side_shares_next(&shares, &lost, text, sizeof(text)));
	wt_side_shares_leave_out(&shares, SOMEBODY, 5, WT_SIDE_MAP, 30, true);
	wt_side_shares_leave_out(&shares, SOMEBODY, 6, WT_SIDE_MAP, 20, true);
	wt_side_shares_leave_out(&shares, SOMEBODY, 6, WT_SIDE_NAME, 25, true);
	wt_side_shares_leave_out(&shares, SOMEBODY, 6, WT_SIDE_NAME, 26, false);
	wt_side_shares_leave_out(&shares, UINT32_MAX, 6, WT_SIDE_NAME, 40, true);
	assert_true(shares.missing);
	expect_lost("proc_thread", "thread_name of a user nobody knows", 1, 40, 40);
	expect_lost("proc_thread", "thread_name of uid 1000", 1, 25, 25);
	expect_lost("loader", "image_load of uid 1000", 2, 20, 30);
	assert_false(wt_side_shares_next(&shares, &lost, text, sizeof(text)));
	assert_false(shares.missing);
	/* What nobody wanted in the log is left out all the same: its user is named. */
	assert_int_equal(shares.users.list->next->left_out, 4);
	assert_int_equal(shares.users.list->next->pid, 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_share_fills_with_time),
		TEST(test_many_users),
		TEST(test_nobody_knows_whose),
		TEST(test_who_has_no_share),
		TEST(test_what_is_left_out_is_lost_once),
	};

	return cmocka_run_group_tests_name("side_shares", tests, NULL, NULL);
}
