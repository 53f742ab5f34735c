// SPDX-License-Identifier: MIT
/* Records taken out of a ring: read first, in order, at their positions, by whoever takes over too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "tests/unit/providers/perf/fake_ring.h"
#include "providers/perf/ring.h"

enum { SPAN = 1 << 20, ALL = 1 << 20, ID = 5, N_REGS = 2, ASKED = 512 };

static struct fake_ring ring;
static struct wt_perf_reader reader;
static struct wt_perf_held state;
static struct wt_perf_hold hold;
static struct wt_perf_ids ids;
static struct wt_buf buf;

static void make_reader(void)
{
	assert_int_equal(
		wt_perf_reader_init(&reader, fake_map(&ring), fake_map(&ring) + FAKE_CONTROL, FAKE_SIZE), 0);
	wt_perf_reader_set_hold(&reader, &hold, &ids);
}

static int setup(void **unused)
{
	(void)unused;
	memset(&ring, 0, sizeof(ring));
	state = (struct wt_perf_held){0};
	hold = (struct wt_perf_hold){.state = &state, .size = SPAN, .page = (uint64_t)sysconf(_SC_PAGESIZE)};
	hold.data = mmap(NULL, SPAN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hold.data == MAP_FAILED || wt_perf_ids_add(&ids, ID, (struct wt_perf_id){.n_regs = N_REGS}))
		return -1;
	make_reader();
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	wt_perf_reader_deinit(&reader);
	wt_perf_ids_deinit(&ids);
	wt_buf_deinit(&buf);
	return munmap(hold.data, SPAN);
}

static bool has_room(size_t n)
{
	return *fake_head(&ring) + n - *fake_tail(&ring) <= FAKE_SIZE;
}

/* A sample that carries `number` as its address, and a copy of a stack. False: the ring is full. */
static bool write_sample(uint64_t number, uint64_t asked, uint64_t len)
{
	fake_sample(&buf, PERF_RECORD_MISC_USER, ID, 1, number);
	fake_user(&buf, PERF_SAMPLE_REGS_ABI_64, N_REGS, asked, len);
	fake_end(&buf);
	if (!has_room(buf.len))
		return false;
	fake_write_bytes(&ring, buf.data, buf.len);
	return true;
}

/* Reads one sample, whose stack must be the one that was written. */
static bool read_sample(uint64_t *number)
{
	struct wt_perf_record record;
	uint64_t len;

	if (wt_perf_reader_next(&reader, &len) != WT_PERF_RECORD)
		return false;
	assert_int_equal(wt_perf_record_parse(&ids, reader.record, len, &record), 0);
	for (uint32_t i = 0; i < record.sample.stack_len; i++)
		assert_int_equal(record.sample.stack[i], (uint8_t)i);
	*number = record.sample.ip;
	return true;
}

static void expect(uint64_t number)
{
	uint64_t got;

	assert_true(read_sample(&got));
	assert_int_equal(got, number);
}

static void what_is_held_is_read_first(void **unused)
{
	uint64_t got;

	(void)unused;
	for (uint64_t i = 0; i < 4; i++)
		assert_true(write_sample(i, ASKED, 100));
	wt_perf_reader_refresh(&reader);
	expect(0);
	wt_perf_reader_release(&reader, reader.pos);
	assert_true(wt_perf_reader_fill(&reader) > 0);
	assert_true(wt_perf_reader_hold(&reader, ALL));
	assert_int_equal(wt_perf_reader_fill(&reader), 0);
	assert_int_equal(*fake_tail(&ring), *fake_head(&ring));
	assert_false(wt_perf_reader_hold(&reader, ALL));
	for (uint64_t i = 4; i < 8; i++)
		assert_true(write_sample(i, ASKED, 100));
	expect(1);
	expect(2);
	expect(3);
	assert_false(read_sample(&got));
	wt_perf_reader_refresh(&reader);
	expect(4);
	wt_perf_reader_release(&reader, reader.pos);
	assert_true(wt_perf_hold_is_empty(&hold));
	assert_int_equal(state.bytes, 0);
	assert_int_equal(*fake_tail(&ring), reader.pos);
}

static void the_bound_holds(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 4; i++)
		assert_true(write_sample(i, ASKED, 100));
	wt_perf_reader_refresh(&reader);
	assert_false(wt_perf_reader_hold(&reader, buf.len - 1));
	assert_true(wt_perf_reader_hold(&reader, 2 * buf.len));
	assert_int_equal(state.bytes, 2 * buf.len);
	assert_int_equal(*fake_tail(&ring), 2 * buf.len);
	/* What has been held and read leaves room for more. */
	expect(0);
	wt_perf_reader_release(&reader, reader.pos);
	assert_int_equal(state.bytes, buf.len);
	for (uint64_t i = 1; i < 4; i++)
		expect(i);
}

/* Neither the recorder that moved records nor the one before it tells the next one. */
static void who_takes_over_finds_them(void **unused)
{
	uint64_t moved;

	(void)unused;
	for (uint64_t i = 0; i < 4; i++)
		assert_true(write_sample(i, ASKED, 100));
	wt_perf_reader_refresh(&reader);
	assert_true(wt_perf_reader_hold(&reader, 3 * buf.len));
	moved = *fake_tail(&ring);
	expect(0);
	expect(1);
	wt_perf_reader_release(&reader, reader.pos);
	wt_perf_reader_deinit(&reader);
	*fake_tail(&ring) = 0; /* as if it had died before it told the ring */
	make_reader();
	assert_int_equal(*fake_tail(&ring), moved);
	assert_int_equal(wt_perf_reader_tail(&reader), 2 * buf.len);
	assert_int_equal(wt_perf_reader_seek(&reader, 2 * buf.len - 1), -1);
	assert_int_equal(wt_perf_reader_seek(&reader, 2 * buf.len), 0);
	wt_perf_reader_refresh(&reader);
	expect(2);
	expect(3);
	/* Dead between emptying the hold and telling the ring. */
	wt_perf_hold_release(&hold, reader.pos, ALL);
	wt_perf_reader_deinit(&reader);
	make_reader();
	assert_int_equal(wt_perf_reader_tail(&reader), 4 * buf.len);
}

/* Any order of writing, moving, reading, releasing and dying: each sample comes once, and in order. */
static void any_order(void **unused)
{
	uint64_t written = 0, read = 0, released = 0, got, turns = 0;

	(void)unused;
	srand(1);
	while (read < 20000) {
		assert_true(turns++ < 1000000);
		switch (rand() % 8) {
		case 0:
			wt_perf_reader_refresh(&reader);
			wt_perf_reader_hold(&reader, (uint64_t)(rand() % 3000));
			break;
		case 1:
			wt_perf_reader_release(&reader, reader.pos);
			released = read;
			break;
		case 2:
			wt_perf_reader_refresh(&reader);
			break;
		case 3: /* what was not released comes again */
			if (rand() % 8)
				break;
			wt_perf_reader_deinit(&reader);
			make_reader();
			read = released;
			break;
		case 4:
		case 5:
			written += write_sample(written, (uint64_t)(rand() % 64) * 8, 0);
			break;
		default:
			if (read_sample(&got))
				assert_int_equal(got, read++);
		}
		assert_true(state.bytes < SPAN);
	}
	wt_perf_reader_release(&reader, reader.pos);
	wt_perf_reader_refresh(&reader);
	for (; read < written; read++)
		expect(read);
	wt_perf_reader_release(&reader, reader.pos);
	assert_int_equal(state.bytes, 0);
}

/* qemu's user mode does not pass this on: what is given back stays. */
static bool gives_back(void)
{
	uint8_t *page = mmap(NULL, hold.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool gone;

	assert_true(page != MAP_FAILED);
	page[0] = 1;
	gone = madvise(page, hold.page, MADV_REMOVE) == 0 && !page[0];
	munmap(page, hold.page);
	return gone;
}

static size_t resident(void)
{
	static unsigned char pages[SPAN / 4096];
	size_t n = 0;

	assert_int_equal(mincore(hold.data, SPAN, pages), 0);
	for (size_t i = 0; i < SPAN / hold.page; i++)
		n += pages[i] & 1;
	return n * hold.page;
}

/* Of a copy of a stack that the kernel left unused, no page is. */
static void holes_take_no_memory(void **unused)
{
	static uint8_t bytes[57344];
	struct wt_perf_held_record record = {bytes, sizeof(bytes), 500, sizeof(bytes) - 8};
	uint64_t cost = wt_perf_hold_cost(&hold, &record), pos = 0, n = 0, kept = gives_back() ? 0 : SPAN;

	(void)unused;
	memset(bytes, 1, sizeof(bytes));
	assert_true(cost <= 4 * hold.page);
	while (wt_perf_hold_put(&hold, pos, &record)) {
		wt_perf_hold_publish(&hold, pos, pos + record.len, cost);
		pos += record.len;
		n++;
		assert_true(resident() <= state.bytes);
	}
	assert_int_equal(n, (SPAN - hold.page) / record.len);
	assert_int_equal(state.bytes, n * cost);
	wt_perf_hold_release(&hold, (n - 1) * record.len, (n - 1) * cost);
	assert_true(resident() <= cost + kept);
	wt_perf_hold_release(&hold, pos, cost);
	assert_true(resident() <= kept);
	/* Around the end of its memory. */
	assert_true(wt_perf_hold_put(&hold, SPAN - 100, &record));
	wt_perf_hold_publish(&hold, SPAN - 100, SPAN - 100 + record.len, cost);
	assert_int_equal(hold.data[SPAN - 1], 1);
	assert_int_equal(hold.data[399], 1);
	assert_int_equal(hold.data[400], kept != 0); /* what was there */
	wt_perf_hold_reset(&hold);
	assert_true(resident() <= kept);
	assert_true(wt_perf_hold_is_empty(&hold));
}

#define HOLD_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOLD_TEST(what_is_held_is_read_first), HOLD_TEST(the_bound_holds),
		HOLD_TEST(who_takes_over_finds_them),  HOLD_TEST(any_order),
		HOLD_TEST(holes_take_no_memory),
	};

	return cmocka_run_group_tests_name("perf/hold", tests, NULL, NULL);
}
