// SPDX-License-Identifier: MIT
/* What a gate keeps back of the sideband is not given, and nothing else. */
#include <sys/mman.h>

#include "providers/perf/bpf/moves.h"
#include "tests/unit/providers/perf/source_fixture.h"

static struct wt_gate_news asked[16];
static unsigned n_asked, shut_from;

static bool gate(void *ctx, const struct wt_gate_news *news)
{
	assert_ptr_equal(ctx, asked);
	asked[n_asked] = *news;
	return n_asked++ < shut_from;
}

static int gated(void **state)
{
	const struct wt_perf_id moves = {.slot = WT_PERF_SLOT_MOVES, .raw = true};

	n_asked = shut_from = 0;
	if (setup(state) || wt_perf_ids_add(&perf.ids, 76, moves) ||
	    wt_perf_ids_add(&perf.ids, 75, (struct wt_perf_id){.slot = WT_PERF_SLOT_INODES}))
		return -1;
	wt_perf_set_gate(&perf, gate, asked);
	return 0;
}

static void write_name(uint16_t misc, uint64_t time)
{
	fake_begin(&buf, PERF_RECORD_COMM, misc);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	fake_name(&buf, "name");
	fake_trailer(&buf, time, 70);
	commit();
}

/* id 70: with a build id; 75: with an inode. */
static void write_map(uint64_t id, uint64_t address, uint64_t time)
{
	bool inode = id == 75;

	fake_begin(&buf, PERF_RECORD_MMAP2,
		   (uint16_t)(PERF_RECORD_MISC_USER | (inode ? 0 : PERF_RECORD_MISC_MMAP_BUILD_ID)));
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	wt_buf_put_u64(&buf, address);
	wt_buf_put_u64(&buf, 0x2000);
	wt_buf_put_u64(&buf, 0x3000);
	wt_buf_put_u32(&buf, inode ? 8 : 20);
	wt_buf_put_u32(&buf, 1);
	wt_buf_put_u64(&buf, 77);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u32(&buf, PROT_EXEC);
	wt_buf_put_u32(&buf, 0);
	fake_name(&buf, "/lib/x.so");
	fake_trailer(&buf, time, id);
	commit();
}

static void write_move(uint64_t time, uint32_t what)
{
	const struct wt_bpf_move move = {.from = 0x8000, .to = 0x9000, .pid = 300, .what = what};

	fake_sample(&buf, PERF_RECORD_MISC_KERNEL, 76, time, 1);
	wt_buf_put_u32(&buf, sizeof(move) + 4);
	wt_buf_put(&buf, &move, sizeof(move));
	wt_buf_put_u32(&buf, 0);
	commit();
}

static void write_task(uint32_t type, uint64_t time)
{
	fake_begin(&buf, type, 0);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 100);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 100);
	wt_buf_put_u64(&buf, time);
	fake_trailer(&buf, time, 70);
	commit();
}

static void test_names_and_mappings_are_asked_for(void **state)
{
	(void)state;
	shut_from = 1;
	perf.loader = false;
	write_name(0, 10);
	write_name(0, 11);
	write_map(70, 0x1000, 12);
	write_name(PERF_RECORD_MISC_COMM_EXEC, 13);
	write_task(PERF_RECORD_FORK, 14);
	write_task(PERF_RECORD_EXIT, 15);
	write_tick(16, 1);
	refresh();
	expect(KIND_PROC + WT_THREAD_NAME, 10);
	pop();
	expect(KIND_PROC + WT_PROC_EXEC, 13);
	pop();
	expect(KIND_PROC + WT_PROC_START, 14);
	pop();
	expect(KIND_PROC + WT_PROC_STOP, 15);
	pop();
	expect(KIND_POINT, 16);
	pop();
	expect_end();
	assert_int_equal(n_asked, 3);
	assert_int_equal(asked[1].pid, 200);
	assert_int_equal(asked[1].time, 11);
	assert_false(asked[1].is_map);
	assert_false(asked[1].is_quiet);
	assert_true(asked[2].is_map);
	assert_true(asked[2].is_quiet);
	source->ops->release(source);
	assert_int_equal(source->ops->position(source), *fake_head(&fake));
}

/* Whoever moves memory or writes there: the process whose memory it is. */
static void test_moved_memory_is_asked_for(void **state)
{
	(void)state;
	shut_from = 2;
	write_move(10, WT_BPF_MOVED_HERE);
	write_move(11, WT_BPF_FILE_MOVES);
	write_move(12, WT_BPF_WRITTEN_HERE);
	write_tick(13, 1);
	refresh();
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 10);
	pop();
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 11);
	pop();
	expect(KIND_POINT, 13);
	pop();
	expect_end();
	assert_int_equal(n_asked, 3);
	for (unsigned i = 0; i < n_asked; i++) {
		assert_int_equal(asked[i].pid, 300);
		assert_int_equal(asked[i].time, 10 + i);
		assert_true(asked[i].is_map);
		assert_int_equal(asked[i].is_quiet, i == 1);
	}
}

/* Of a pair one is asked for, whichever comes first, and the other goes its way. */
static void test_a_pair_goes_one_way(void **state)
{
	(void)state;
	for (int inode_first = 0; inode_first < 2; inode_first++) {
		n_asked = 0;
		shut_from = 1;
		for (uint64_t i = 0; i < 2; i++) {
			write_map(inode_first ? 75 : 70, 0x1000 * (i + 1), 10 + 2 * i);
			write_map(inode_first ? 70 : 75, 0x1000 * (i + 1), 11 + 2 * i);
		}
		write_tick(20, 1);
		refresh();
		for (unsigned n = 0; !source->ops->peek(source, &event) && event.kind != KIND_POINT; n++) {
			struct wt_image_payload image;

			assert_true(n < 2);
			assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
			assert_int_equal(image.address, 0x1000);
			pop();
		}
		expect(KIND_POINT, 20);
		pop();
		expect_end();
		assert_int_equal(n_asked, 2);
		source->ops->release(source);
		assert_int_equal(source->ops->position(source), *fake_head(&fake));
	}
}

/* Whoever takes over does not ask again for what the log's checkpoint covers. */
static void test_what_is_in_the_log_is_not_asked_for(void **state)
{
	uint64_t checkpoint;

	(void)state;
	write_name(0, 10);
	write_name(0, 11);
	write_name(0, 12);
	refresh();
	expect_end();
	assert_int_equal(n_asked, 3);
	checkpoint = source->ops->position(source);
	source->ops->destroy(source);
	make_source();
	assert_int_equal(source->ops->seek(source, checkpoint), 0);
	write_name(0, 13);
	refresh();
	expect_end();
	assert_int_equal(n_asked, 4);
	assert_int_equal(asked[3].time, 13);
}

#define GATE_TEST(fn) cmocka_unit_test_setup_teardown(fn, gated, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(test_names_and_mappings_are_asked_for),
		GATE_TEST(test_moved_memory_is_asked_for),
		GATE_TEST(test_a_pair_goes_one_way),
		GATE_TEST(test_what_is_in_the_log_is_not_asked_for),
	};

	return cmocka_run_group_tests_name("perf/gate", tests, NULL, NULL);
}
