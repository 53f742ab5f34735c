// SPDX-License-Identifier: MIT
/* The builder's places for requests are shared out between users as its time is. */
#include "tests/unit/consumers/unwind/own_stack.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "consumers/unwind/builder.h"
#include "consumers/unwind/cache_directory.h"

enum { OWN = 7, SOMEBODY = 1000, N_GREEDY = 40, OTHER = 2000 };

static const char *directory;
static struct wt_unwind_cache cache;
static struct wt_builder builder;
static struct wt_build_answer answer;

static int setup(void **state)
{
	(void)state;
	directory = own_directory();
	if (wt_unwind_cache_prepare(directory, 0, &cache, NULL))
		return -1;
	wt_builder_init(&builder, &cache, 60 * WT_NSEC);
	wt_table_shares_begin(&builder.shares, OWN, wt_clock_now());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_builder_deinit(&builder);
	wt_unwind_cache_close(&cache);
	own_remove(directory);
	return 0;
}

static struct wt_build_request own_request(uint32_t id)
{
	struct wt_build_request request = {.id = id, .kind = WT_IMAGE_FILE};
	struct stat st;

	assert_true(readlink("/proc/self/exe", request.path, sizeof(request.path) - 1) > 0);
	assert_int_equal(stat(request.path, &st), 0);
	request.inode = st.st_ino;
	return request;
}

/* Asks for a user without time left until there is no room for more; returns how many were taken. */
static uint32_t fill_room(uint32_t first_id, uint32_t user)
{
	struct wt_build_request request = own_request(first_id);
	uint32_t n = 0;

	wt_table_share_spend(wt_table_share_of(&builder.shares, user, wt_clock_now()), 3600 * WT_NSEC,
			     "/a/file");
	while (n < 10000 && !wt_builder_ask(&builder, &request, user)) {
		request.id++;
		n++;
	}
	assert_in_range(n, 1, 9999);
	return n;
}

static void ask_as(uint32_t id, uint32_t user)
{
	struct wt_build_request request = own_request(id);

	assert_int_equal(wt_builder_ask(&builder, &request, user), 0);
}

static void await(uint32_t id)
{
	struct pollfd fd = {.events = POLLIN};

	while (!wt_builder_answer(&builder, &answer)) {
		fd.fd = builder.fd;
		assert_true(poll(&fd, 1, 60000) > 0);
	}
	assert_int_equal(answer.id, id);
}

/* Until each of the n requests from that id on is answered, in whatever order. */
static void await_all(uint32_t id, uint32_t n)
{
	struct pollfd fd = {.events = POLLIN};
	uint32_t open = (1u << n) - 1, bit;

	while (open) {
		while (!wt_builder_answer(&builder, &answer)) {
			fd.fd = builder.fd;
			assert_true(poll(&fd, 1, 60000) >= 0);
		}
		assert_in_range(answer.id, id, id + n - 1);
		bit = 1u << (answer.id - id);
		assert_true(open & bit);
		open &= ~bit;
	}
}

/* The process does nothing more, whatever it is sent. */
static pid_t stop_process(void)
{
	int status;

	assert_int_equal(kill(builder.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(builder.pid, &status, WUNTRACED), builder.pid);
	assert_true(WIFSTOPPED(status));
	return builder.pid;
}

static uint64_t paid_by(uint32_t user)
{
	return wt_table_share_of(&builder.shares, user, wt_clock_now())->time.used;
}

static void expect_made(uint32_t id, uint32_t user)
{
	ask_as(id, user);
	await(id);
}

/* Who has used up the builder's time waits, until some comes back or somebody else wants the same. */
static void test_shares(void **state)
{
	struct wt_table_share *share;
	uint64_t used;

	(void)state;
	assert_null(wt_table_share_of(&builder.shares, 0, wt_clock_now()));
	assert_null(wt_table_share_of(&builder.shares, OWN, wt_clock_now()));
	share = wt_table_share_of(&builder.shares, SOMEBODY, wt_clock_now());
	wt_table_share_spend(share, 3600 * WT_NSEC, "/a/file");
	assert_true(share->reported);
	wt_allowance_grant(&builder.shares.common, WT_NSEC);
	ask_as(1, SOMEBODY);
	ask_as(2, SOMEBODY);
	assert_int_equal(builder.sent, 0);
	ask_as(3, OTHER);
	ask_as(4, OWN);
	await(3);
	await(4);
	assert_false(wt_builder_answer(&builder, &answer));
	assert_int_equal(builder.sent, 0);
	wt_builder_charge(&builder, 2, 0);
	await(2);
	assert_false(wt_builder_answer(&builder, &answer));
	wt_allowance_grant(&share->time, WT_NSEC);
	used = share->time.used;
	await(1);
	assert_true(share->time.used > used);
}

/* One that goes on and on for somebody begins anew behind the others, and costs its user what it took. */
static void test_in_the_way(void **state)
{
	uint64_t somebody, other;
	bool answered = false;
	pid_t stopped;

	(void)state;
	expect_made(10, OWN);
	stopped = stop_process();
	somebody = paid_by(SOMEBODY);
	other = paid_by(OTHER);
	ask_as(1, SOMEBODY);
	ask_as(2, SOMEBODY);
	ask_as(3, OTHER);
	while (builder.pid == stopped) {
		assert_false(wt_builder_answer(&builder, &answer));
		usleep(1000);
	}
	assert_true(paid_by(SOMEBODY) - somebody >= WT_TABLE_SLICE);
	/* Whose request the new process has is seen by who pays for it. */
	somebody = paid_by(SOMEBODY);
	stopped = stop_process();
	while (!answered && builder.pid == stopped) {
		answered = wt_builder_answer(&builder, &answer);
		usleep(1000);
	}
	assert_true(paid_by(OTHER) > other);
	assert_true(paid_by(SOMEBODY) == somebody);
	if (answered) { /* before it was stopped: it has the two that nobody waits behind */
		assert_int_equal(answer.id, 3);
		assert_int_equal(kill(stopped, SIGCONT), 0);
	}
	await_all(1, answered ? 2 : 3);
}

/* Requests that wait for their user's time leave room for those of others, and of the session itself. */
static void test_room_for_others(void **state)
{
	uint32_t id = 10;

	(void)state;
	for (uint32_t i = 0; i < N_GREEDY; i++)
		id += fill_room(id, SOMEBODY + i);
	assert_int_equal(builder.sent, 0);
	wt_allowance_grant(&builder.shares.common, WT_NSEC);
	expect_made(1, OTHER);
	expect_made(2, 0);
	expect_made(3, OWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_the_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_for_others, setup, teardown),
	};

	return cmocka_run_group_tests_name("table_shares", tests, NULL, NULL);
}
