// SPDX-License-Identifier: MIT
/* What tables cost for whom: requests there is no room for, and tables in memory. */
#include "tests/unit/consumers/unwind/own_stack.h"

#include <signal.h>

#include "consumers/unwind/cache_directory.h"
#include "consumers/unwind/modules.h"
#include "tracecore/base/diag.h"

enum { OWN = 7, SOMEBODY = 1000, OTHER = 2000 };

static const char *directory;
static struct wt_modules modules;
static struct wt_space *space;
static const struct wt_range *program, *library;

/* The C library and the program: two files. */
static void choose_files(void)
{
	program = wt_space_look(space, (uintptr_t)choose_files);
	library = wt_space_look(space, (uintptr_t)getpid);
	assert_non_null(program);
	assert_non_null(library);
	assert_ptr_not_equal(program->image, library->image);
}

static int setup(void **state)
{
	struct wt_unwind_cache cache;

	(void)state;
	directory = own_directory();
	if (wt_unwind_cache_prepare(directory, 0, &cache, NULL) ||
	    wt_modules_init(&modules, &cache, 60 * WT_NSEC, NULL))
		return -1;
	wt_table_shares_begin(&modules.builder.shares, OWN, wt_clock_now());
	space = own_space(WITH_BUILD_IDS);
	choose_files();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_modules_deinit(&modules);
	wt_space_put(space, &images);
	wt_image_set_deinit(&images);
	images = (struct wt_image_set){0};
	own_remove(directory);
	return 0;
}

static struct wt_module *find(const struct wt_range *range)
{
	struct wt_module *module = wt_modules_find(&modules, range, (uint32_t)getpid());

	assert_non_null(module);
	return module;
}

static struct wt_table_share *share_of(uint32_t uid)
{
	return wt_table_share_of(&modules.builder.shares, uid, wt_clock_now());
}

/* Makes its table, on that account, with room for so much. */
static uint64_t make(const struct wt_range *range, uint32_t uid, uint64_t most)
{
	struct pollfd fd = {.events = POLLIN};
	struct wt_module *module = find(range);
	struct wt_table_share *share = share_of(uid);

	assert_int_equal(module->state, WT_MODULE_WANTED);
	module->uid = uid;
	share->time.bytes_most = most;
	while (module->state == WT_MODULE_WANTED) {
		fd.fd = modules.builder.fd;
		assert_true(poll(&fd, 1, 60000) > 0);
		wt_modules_serve(&modules);
	}
	return module->state == WT_MODULE_READY ? module->mapping.size : 0;
}

/* What is refused is tried again by time, not by each stack: a try reads /proc. */
static void a_refusal_lasts(void **state)
{
	struct wt_build_request request = {.id = 4095, .kind = WT_IMAGE_FILE, .path = "/nowhere"};
	uint64_t before = wt_clock_now();
	struct wt_module *module;

	(void)state;
	assert_int_equal(wt_builder_ask(&modules.builder, &request, 0), 0);
	kill(modules.builder.pid, SIGSTOP);
	while (!wt_builder_ask(&modules.builder, &request, 0))
		;
	module = find(program);
	assert_int_equal(module->state, WT_MODULE_NONE);
	assert_int_equal(module->refused, 1);
	assert_true(module->again > before);
	module->again = UINT64_MAX;
	for (int i = 0; i < 1000; i++)
		assert_ptr_equal(find(program), module);
	assert_int_equal(module->refused, 1);
	module->again = wt_clock_now();
	find(program);
	assert_int_equal(module->refused, 2);
	assert_true(module->again > before);
}

/* A user's tables make room for each other, and leave those of others alone. */
static void tables_have_a_share(void **state)
{
	uint64_t first, second;

	(void)state;
	first = make(program, SOMEBODY, UINT64_MAX);
	assert_true(first > 0);
	assert_int_equal(share_of(SOMEBODY)->time.bytes, first);
	second = make(library, SOMEBODY, UINT64_MAX);
	assert_int_equal(share_of(SOMEBODY)->time.bytes, first + second);
	assert_int_equal(modules.builder.shares.common.bytes, first + second);
	assert_int_equal(modules.table_bytes, first + second);
}

static void the_oldest_makes_room(void **state)
{
	uint64_t first, second;

	(void)state;
	first = make(program, SOMEBODY, UINT64_MAX);
	second = make(library, SOMEBODY, UINT64_C(64) << 20);
	assert_true(second > 0);
	teardown(state);
	setup(state);
	assert_int_equal(make(program, SOMEBODY, UINT64_MAX), first);
	assert_int_equal(make(library, SOMEBODY, second > first ? second : first), second);
	assert_int_equal(modules.table_bytes, second);
	assert_int_equal(share_of(SOMEBODY)->time.bytes, second);
	assert_true(modules.removed > 0);
}

/* All together have a bound too; one that is larger than a user's share is not kept. */
static void all_have_a_share(void **state)
{
	uint64_t first, second;

	(void)state;
	first = make(program, SOMEBODY, UINT64_MAX);
	modules.builder.shares.common.bytes_most = first;
	second = make(library, OTHER, UINT64_MAX);
	assert_true(modules.builder.shares.common.bytes <= first);
	assert_int_equal(share_of(SOMEBODY)->time.bytes, 0);
	assert_int_equal(share_of(OTHER)->time.bytes, second);
	assert_int_equal(modules.table_bytes, second);
}

static void too_large_for_a_share(void **state)
{
	(void)state;
	assert_int_equal(make(program, SOMEBODY, 16), 0);
	assert_int_equal(modules.table_bytes, 0);
	assert_int_equal(share_of(SOMEBODY)->time.bytes, 0);
}

static void count_line(void *ctx, const char *line)
{
	*(unsigned *)ctx += strstr(line, "no unwind data for a module") != NULL;
}

/* Modules that lack a table for one reason are one warning. */
static void a_reason_is_said_once(void **state)
{
	unsigned said = 0;

	(void)state;
	wt_diag_redirect(count_line, &said);
	assert_int_equal(make(program, SOMEBODY, 16), 0);
	assert_int_equal(make(library, SOMEBODY, 16), 0);
	wt_diag_redirect(NULL, NULL);
	assert_int_equal(modules.failed, 2);
	assert_int_equal(said, 1);
}

/* However many users there are, each has a share; of processes nobody knows the user of there is one. */
static void each_user_has_one(void **state)
{
	struct wt_table_share *unknown = share_of(UINT32_MAX);

	(void)state;
	for (uint32_t uid = SOMEBODY; uid < SOMEBODY + 1000; uid++)
		assert_int_equal(share_of(uid)->user.uid, uid);
	wt_table_share_spend(share_of(SOMEBODY + 999), 3600 * WT_NSEC, "/a/file");
	wt_allowance_grant(&modules.builder.shares.common, WT_NSEC);
	assert_true(wt_table_share_is_spent(share_of(SOMEBODY + 999)));
	assert_false(wt_table_share_is_spent(share_of(SOMEBODY + 998)));
	assert_ptr_equal(share_of(UINT32_MAX), unknown);
	assert_null(share_of(OWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_refusal_lasts, setup, teardown),
		cmocka_unit_test_setup_teardown(tables_have_a_share, setup, teardown),
		cmocka_unit_test_setup_teardown(the_oldest_makes_room, setup, teardown),
		cmocka_unit_test_setup_teardown(all_have_a_share, setup, teardown),
		cmocka_unit_test_setup_teardown(too_large_for_a_share, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reason_is_said_once, setup, teardown),
		cmocka_unit_test_setup_teardown(each_user_has_one, setup, teardown),
	};

	return cmocka_run_group_tests_name("modules", tests, NULL, NULL);
}
