// SPDX-License-Identifier: MIT
/* What one user's work costs another's. */
#include "tracecore/base/user_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* No time comes back while a test runs. */
enum { RATE = 0, MOST = 1000000, ALL_MOST = 2 * MOST };
/* Ids that no machine gives to anybody. */
#define FIRST UINT32_C(0xf0000000)

static struct wt_user_times times;

static int begin(void **state)
{
	(void)state;
	wt_user_times_init(&times, RATE, MOST, RATE, ALL_MOST);
	return 0;
}

static int end(void **state)
{
	(void)state;
	wt_user_times_deinit(&times);
	return 0;
}

static bool is_spent(uint32_t uid)
{
	return wt_user_time_is_spent(wt_user_times_of(&times, uid));
}

static void spend(uint32_t uid, uint64_t ns)
{
	struct wt_user_time *time = wt_user_times_of(&times, uid);

	assert_non_null(time);
	wt_allowance_spend(&time->allowance, ns);
}

static void each_has_its_own(void **state)
{
	(void)state;
	assert_null(wt_user_times_of(&times, 0));
	assert_null(wt_user_times_of(&times, geteuid()));
	assert_false(is_spent(geteuid()));
	spend(FIRST, MOST + 1);
	assert_true(is_spent(FIRST));
	assert_false(is_spent(FIRST + 1));
}

/* Whoever used little is served though nothing is left for all. */
static void a_quiet_one(void **state)
{
	(void)state;
	spend(FIRST, MOST);
	spend(FIRST + 1, MOST);
	spend(FIRST + 2, MOST * 2 / 3);
	spend(FIRST + 3, MOST / 3);
	assert_true(is_spent(FIRST + 2));
	assert_false(is_spent(FIRST + 3));
	assert_false(is_spent(FIRST + 4));
}

static void more_users_than_places(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * WT_USER_TIMES; i++)
		assert_non_null(wt_user_times_of(&times, FIRST + i));
	spend(FIRST + WT_USER_TIMES, MOST + 1);
	assert_true(is_spent(FIRST + WT_USER_TIMES + 1));
	assert_false(is_spent(FIRST));
}

/* All that /etc/subuid gives to somebody is that user's. */
static void ids_of_namespaces(void **state)
{
	(void)state;
	assert_int_equal(wt_subordinates_parse(&times.owners, "4026531840:4026581840:65536\n", ""), 0);
	spend(FIRST + 50000 + 7, MOST + 1);
	assert_true(is_spent(FIRST + 50000 + 8));
	assert_true(is_spent(FIRST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_has_its_own, begin, end),
		cmocka_unit_test_setup_teardown(a_quiet_one, begin, end),
		cmocka_unit_test_setup_teardown(more_users_than_places, begin, end),
		cmocka_unit_test_setup_teardown(ids_of_namespaces, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
