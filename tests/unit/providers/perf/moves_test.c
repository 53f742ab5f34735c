// SPDX-License-Identifier: MIT
/* Records of moved memory (providers/perf/bpf/moves.h): which events they become. */
#include "tests/unit/providers/perf/source_fixture.h"

#include "providers/perf/bpf/moves.h"

static int setup_moves(void **state)
{
	const struct wt_perf_id id = {.slot = WT_PERF_SLOT_MOVES, .raw = true};

	return setup(state) < 0 || wt_perf_ids_add(&perf.ids, 75, id) ? -1 : 0;
}

static void write_move(uint64_t time, uint64_t from, uint64_t to, uint32_t what, uint32_t cut)
{
	const struct wt_bpf_move move = {.from = from, .to = to, .pid = 300, .what = what};
	uint32_t len = (uint32_t)sizeof(move) - cut;

	/* With the count of bytes, records are whole words. */
	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, 75, time, 1);
	wt_buf_put_u32(&buf, len + 4);
	wt_buf_put(&buf, &move, len);
	wt_buf_put_u32(&buf, 0);
	commit();
}

static void expect_move(uint64_t time, uint32_t flags, uint64_t address, uint64_t size)
{
	struct wt_image_payload image;

	expect(KIND_IMAGE + WT_IMAGE_LOAD, time);
	assert_int_equal(event.flags, flags);
	assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
	assert_int_equal(image.kind, WT_IMAGE_ANON);
	assert_int_equal(image.pid, 300);
	assert_int_equal(image.address, address);
	assert_int_equal(image.size, size);
	pop();
}

static void by_whole_pages(void **state)
{
	uint64_t page = wt_perf_page_size();

	(void)state;
	write_move(10, 8 * page, 10 * page, WT_BPF_MOVED_HERE, 0);
	write_move(11, 8 * page + 5, 8 * page + 6, WT_BPF_WRITTEN_HERE, 0);
	write_move(12, 9 * page - 1, 9 * page + 1, WT_BPF_WRITTEN_HERE, 0);
	write_move(13, 3 * page, 3 * page + 1, WT_BPF_FILE_MOVES, 0);
	refresh();
	expect_move(10, 0, 8 * page, 2 * page);
	expect_move(11, WT_EVENT_WRITABLE, 8 * page, page);
	expect_move(12, WT_EVENT_WRITABLE, 8 * page, 2 * page);
	expect_move(13, WT_EVENT_MOVED | WT_EVENT_QUIET, 3 * page, page);
	expect_end();
}

static void without_the_loader_they_are_quiet(void **state)
{
	uint64_t page = wt_perf_page_size();

	(void)state;
	perf.loader = false;
	write_move(10, 8 * page, 9 * page, WT_BPF_MOVED_HERE, 0);
	refresh();
	expect_move(10, WT_EVENT_QUIET, 8 * page, page);
	expect_end();
}

/* Sizes come from the program that moves the memory. */
static void impossible_ones(void **state)
{
	uint64_t page = wt_perf_page_size();

	(void)state;
	write_move(10, 8 * page, 8 * page, WT_BPF_MOVED_HERE, 0);
	write_move(11, 8 * page, 2 * page, WT_BPF_WRITTEN_HERE, 0);
	write_move(12, UINT64_MAX - 5, UINT64_MAX, WT_BPF_WRITTEN_HERE, 0);
	write_move(13, 8 * page, 9 * page, WT_BPF_MOVED_HERE, 0);
	refresh();
	expect_move(13, 0, 8 * page, page);
	expect_end();
}

static void a_short_one_is_a_loss(void **state)
{
	uint64_t page = wt_perf_page_size();

	(void)state;
	write_move(10, 8 * page, 9 * page, WT_BPF_MOVED_HERE, 0);
	write_move(11, 8 * page, 9 * page, WT_BPF_MOVED_HERE, 8);
	refresh();
	expect_move(10, 0, 8 * page, page);
	assert_int_equal(expect_lost(10).cause, WT_LOSS_DAMAGED);
	pop();
	expect_end();
}

#define MOVES_TEST(f) cmocka_unit_test_setup_teardown(f, setup_moves, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MOVES_TEST(by_whole_pages),
		MOVES_TEST(without_the_loader_they_are_quiet),
		MOVES_TEST(impossible_ones),
		MOVES_TEST(a_short_one_is_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
