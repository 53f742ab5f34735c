// SPDX-License-Identifier: MIT
/* Names are looked for in each user's files for a while, in root's as long as it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "consumers/symbols/name_shares.h"

enum { OWN = 7, SOMEBODY = 1000, OTHER = 1001, THIRD = 1002 };

static struct wt_name_shares shares;
static struct wt_name_share *share;

static bool allow(uint32_t uid, uint64_t size)
{
	return wt_name_shares_allow_file(&shares, uid, size, &share);
}

static void test_each_has_a_share(void **state)
{
	(void)state;
	wt_name_shares_begin(&shares, OWN);
	for (int i = 0; i < 3; i++) {
		assert_true(allow(i ? OWN : 0, UINT64_MAX));
		assert_null(share);
		wt_name_share_spend(&shares, share, UINT64_MAX);
	}
	assert_false(allow(SOMEBODY, WT_NAMES_FILE + 1));
	assert_true(allow(SOMEBODY, WT_NAMES_FILE));
	wt_name_share_spend(&shares, share, WT_NAMES_TIME);
	assert_false(allow(SOMEBODY, 1));
	assert_int_equal(share->left_out, 2);
	assert_true(allow(OTHER, 1));
	wt_name_share_spend(&shares, share, WT_NAMES_TIME_ALL - WT_NAMES_TIME);
	assert_false(allow(THIRD, 1));
	assert_true(allow(0, 1));
	wt_name_shares_tell(&shares);
}

static void test_many_users(void **state)
{
	(void)state;
	wt_name_shares_begin(&shares, OWN);
	for (uint32_t uid = 1000; uid < 1000 + 2 * WT_NAMES_USERS; uid++)
		assert_true(allow(uid, 1));
	assert_int_equal(shares.n, WT_NAMES_USERS);
	assert_ptr_equal(share, &shares.users[WT_NAMES_USERS - 1]);
}

static void test_without_shares(void **state)
{
	struct wt_name_shares none = {0};

	(void)state;
	assert_true(wt_name_shares_allow_file(&none, SOMEBODY, UINT64_MAX, &share));
	assert_null(share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_a_share),
		cmocka_unit_test(test_many_users),
		cmocka_unit_test(test_without_shares),
	};

	return cmocka_run_group_tests_name("name_shares", tests, NULL, NULL);
}
