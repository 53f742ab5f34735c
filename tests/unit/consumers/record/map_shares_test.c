// SPDX-License-Identifier: MIT
/* What processes of one user have mapped fills a share of the tables, and no more. */
#include "tests/unit/consumers/identity_fixture.h"

/* The n-th mapping of a file of its own, pages apart. */
static enum wt_news map_one(uint32_t pid, uint32_t n, const char *path)
{
	return image(WT_IMAGE_LOAD, pid, UINT64_C(0x100000000) + n * UINT64_C(0x2000), 0x1000, path);
}

static const struct wt_space *mapped_of(uint32_t pid)
{
	return wt_tasks_process(&id.tasks, pid)->space;
}

static const struct wt_map_share *share_of_uid(uint32_t uid)
{
	return wt_map_shares_of(&id.shares, uid);
}

/* rundown() makes processes of uid 1000. */
static void test_one_process_fills_its_share(void **state)
{
	(void)state;
	wt_map_shares_begin(&id.shares, BOUND, 7);
	rundown(10, "many", 1, 1);
	for (uint32_t i = 0; i < WT_MAPPINGS_MOST + 100; i++)
		assert_int_equal(map_one(10, i, "/lib/a"), i < WT_MAPPINGS_MOST ? WT_NEWS : WT_NEWS_LEFT_OUT);
	assert_int_equal(mapped_of(10)->n, WT_MAPPINGS_MOST);
	assert_true(mapped_of(10)->left_out);
	assert_int_equal(share_of_uid(1000)->user.left_out, 100);
	assert_int_equal(share_of_uid(1000)->user.pid, 10);
	/* What is mapped anew in the same place is known; elsewhere what lay there is not told any more. */
	assert_int_equal(map_one(10, 5, "/lib/b"), WT_NEWS);
	assert_memory_equal(wt_space_look(mapped_of(10), 0x100000000 + 5 * 0x2000)->image->path, "/lib/b", 6);
	assert_int_equal(image(WT_IMAGE_LOAD, 10, 0x100000000 + 7 * 0x2000, 0x800, "/lib/b"),
			 WT_NEWS_LEFT_OUT);
	assert_null(wt_space_look(mapped_of(10), 0x100000000 + 7 * 0x2000));
	/* A new program begins anew. */
	proc(WT_PROC_EXEC, 10, 1, "new", 2);
	assert_false(mapped_of(10)->left_out);
	assert_int_equal(map_one(10, 0, "/lib/a"), WT_NEWS);
	assert_int_equal(mapped_of(10)->n, 1);
}

/* Neither the number of its processes nor long names give a user more; others have theirs. */
static void test_one_user_fills_its_share(void **state)
{
	char path[2000];
	size_t before = id.images.bytes;

	(void)state;
	wt_map_shares_begin(&id.shares, BOUND, 7);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = 0;
	for (uint32_t pid = 10; pid < 40; pid++) {
		rundown(pid, "many", 1, 1);
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(path, 20, "/%u/%u", pid, i);
			path[strlen(path)] = 'x';
			assert_int_not_equal(map_one(pid, i, path), WT_NEWS_LOST);
		}
	}
	assert_true(share_of_uid(1000)->user.left_out > 10000);
	assert_true(share_of_uid(1000)->bytes <= id.shares.most_one);
	assert_true(share_of_uid(1000)->bytes > id.shares.most_one - 4096);
	/* Nobody's user (fork told no ids), and root. */
	proc(WT_PROC_START, 50, 2, "other", 2);
	assert_int_equal(map_one(50, 0, "/lib/a"), WT_NEWS);
	assert_int_equal(mapped_of(50)->n, 1);
	for (uint32_t pid = 10; pid < 40; pid++)
		proc(WT_PROC_STOP, pid, 1, "", 3);
	wt_tasks_trim(&id.tasks, 4 + WT_TASK_GRACE);
	assert_int_equal(share_of_uid(1000)->bytes, 0);
	assert_true(id.images.bytes < before + 100000);
}

/* A child that maps something has a copy of all, which counts; without room for it, nothing is known of it.
 */
static void test_copies_count(void **state)
{
	uint64_t one;

	(void)state;
	wt_map_shares_begin(&id.shares, BOUND, 7);
	rundown(10, "many", 1, 1);
	for (uint32_t i = 0; i < 4000; i++)
		map_one(10, i, "/lib/a");
	one = share_of_uid(1000)->bytes;
	for (uint32_t pid = 11; pid < 200; pid++) {
		proc(WT_PROC_START, pid, 10, "many", 2);
		map_one(pid, 4000, "/lib/a");
	}
	assert_true(share_of_uid(1000)->bytes <= id.shares.most_one);
	assert_true(share_of_uid(1000)->bytes > id.shares.most_one - one);
	assert_int_equal(mapped_of(11)->n, 4001);
	assert_int_equal(mapped_of(199)->n, 0);
	assert_true(mapped_of(199)->left_out);
	assert_int_equal(mapped_of(10)->n, 4000);
	assert_false(mapped_of(10)->left_out);
}

static void test_own_user_has_no_share(void **state)
{
	(void)state;
	wt_map_shares_begin(&id.shares, BOUND, 1000);
	rundown(10, "many", 1, 1);
	for (uint32_t i = 0; i < 2 * WT_MAPPINGS_MOST; i++)
		map_one(10, i, "/lib/a");
	assert_int_equal(mapped_of(10)->n, 2 * WT_MAPPINGS_MOST);
	assert_null(share_of_uid(1000));
	assert_null(share_of_uid(0));
}

/* However many have no known user: they have one share together. */
static void test_nobody_knows_whose(void **state)
{
	(void)state;
	wt_map_shares_begin(&id.shares, BOUND, 7);
	assert_non_null(share_of_uid(UINT32_MAX));
	assert_ptr_equal(wt_map_shares_of(&id.shares, UINT32_MAX), share_of_uid(UINT32_MAX));
	assert_ptr_not_equal(wt_map_shares_of(&id.shares, 1000), share_of_uid(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_process_fills_its_share),
		TEST(test_one_user_fills_its_share),
		TEST(test_copies_count),
		TEST(test_own_user_has_no_share),
		TEST(test_nobody_knows_whose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
