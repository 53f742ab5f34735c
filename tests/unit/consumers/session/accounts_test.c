// SPDX-License-Identifier: MIT
/* Accounts of users: subordinate ids belong to whoever owns them. */
#include "consumers/session/accounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char passwd[] =
	"root:x:0:0:root:/root:/bin/sh\nanna:x:1000:1000::/home/anna:/bin/sh\nbad\nbert:x:1001:";

static void ids_belong_to_their_owner(void **state)
{
	struct wt_subordinates found = {0};

	(void)state;
	assert_int_equal(
		wt_subordinates_parse(&found, "anna:100000:65536\n1001:200000:10\nbert:300000:5", passwd), 0);
	assert_int_equal(found.n, 3);
	assert_int_equal(wt_subordinates_owner(&found, 99999), 99999);
	assert_int_equal(wt_subordinates_owner(&found, 100000), 1000);
	assert_int_equal(wt_subordinates_owner(&found, 165535), 1000);
	assert_int_equal(wt_subordinates_owner(&found, 165536), 165536);
	assert_int_equal(wt_subordinates_owner(&found, 200009), 1001);
	assert_int_equal(wt_subordinates_owner(&found, 300004), 1001);
	free(found.list);
}

/* Users of a directory service have ranges and no line in /etc/passwd. */
static void an_unknown_user_has_one_account(void **state)
{
	struct wt_subordinates found = {0};

	(void)state;
	assert_int_equal(
		wt_subordinates_parse(
			&found, "carl:7000:5\nanna:100000:5\ncarl:9000:10\ncarla:8000:1\nca:8500:1", passwd),
		0);
	assert_int_equal(found.n, 5);
	assert_int_equal(wt_subordinates_owner(&found, 7004), 7000);
	assert_int_equal(wt_subordinates_owner(&found, 9009), 7000);
	assert_int_equal(wt_subordinates_owner(&found, 8000), 8000);
	assert_int_equal(wt_subordinates_owner(&found, 8500), 8500);
	free(found.list);
}

static void lines_that_make_no_sense_are_left_out(void **state)
{
	static const char *const lines[] = {
		"",
		"\n\n",
		":",
		"anna",
		"anna:",
		"anna:1",
		"anna:1:",
		"anna:1:0",
		"anna:x:1",
		"anna:1:x",
		"anna:-1:5",
		"::\n::\n",
		"anna:1:1x",
		"anna\n:1:1",
		"anna:99999999999:1",
		"anna:1:99999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct wt_subordinates found = {0};

		assert_int_equal(wt_subordinates_parse(&found, lines[i], passwd), 0);
		assert_int_equal(found.n, 0);
		free(found.list);
	}
}

static void one_account_for_all_ids(void **state)
{
	struct wt_accounts accounts = {0};

	(void)state;
	wt_allowance_init(&accounts.common, WT_ACCOUNTS_RATE, WT_ACCOUNTS_MOST, WT_ACCOUNTS_BYTES, 5);
	assert_int_equal(wt_subordinates_parse(&accounts.subordinates, "anna:100000:65536", passwd), 0);
	assert_ptr_equal(wt_accounts_of(&accounts, 100001), wt_accounts_of(&accounts, 1000));
	assert_ptr_equal(wt_accounts_of(&accounts, 100001), wt_accounts_of(&accounts, 165535));
	assert_ptr_not_equal(wt_accounts_of(&accounts, 1001), wt_accounts_of(&accounts, 1000));
	assert_int_equal(accounts.n, 2);
	assert_ptr_equal(wt_accounts_of(&accounts, 1001)->allowance.common, &accounts.common);
	wt_accounts_close(&accounts);
	wt_accounts_fill(&accounts, 1000000000);
	assert_true(wt_allowance_is_spent(&wt_accounts_of(&accounts, 1000)->allowance));
	wt_accounts_grant(&accounts);
	assert_false(wt_allowance_is_spent(&wt_accounts_of(&accounts, 1000)->allowance));
	wt_accounts_deinit(&accounts);
}

/* Rule after rule: each copies the state records of a directory that has no ring. */
static void state_records_are_paid_once(void **state)
{
	struct wt_allowance a;
	uint32_t taken = 0;

	(void)state;
	wt_allowance_init(&a, WT_ACCOUNT_RATE, WT_ACCOUNT_MOST, WT_ACCOUNT_BYTES, 0);
	for (uint64_t i = 0; i < 100; i++) {
		wt_allowance_begin(&a);
		for (taken = 0; wt_account_takes_state(&a, &taken);)
			;
		wt_allowance_end(&a);
		assert_int_equal(taken, WT_ACCOUNT_STATES);
		assert_int_equal(a.refused, i + 1);
		wt_allowance_fill(&a, (i + 1) * 10000000000);
	}
	assert_int_equal(a.work, 0);
	/* Nothing is left: none is taken. */
	a.left = 0;
	wt_allowance_begin(&a);
	taken = 0;
	assert_false(wt_account_takes_state(&a, &taken));
	wt_allowance_end(&a);
	assert_true(wt_account_takes_state(NULL, &taken));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_belong_to_their_owner),
		cmocka_unit_test(an_unknown_user_has_one_account),
		cmocka_unit_test(lines_that_make_no_sense_are_left_out),
		cmocka_unit_test(one_account_for_all_ids),
		cmocka_unit_test(state_records_are_paid_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
