/* SPDX-License-Identifier: MIT */
/* What generated code is called: perf maps and jitdumps, by the times in which addresses were hit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/symbols/jitdump.h"
#include "consumers/symbols/perf_map.h"

#define MS UINT64_C(1000000)

static struct wt_code_map map = {.bound = 1 << 20};

static int clear(void **state)
{
	(void)state;
	wt_code_map_deinit(&map);
	map.bound = 1 << 20;
	return 0;
}

static void add(uint64_t start, uint64_t size, uint64_t from, uint64_t index, const char *name)
{
	struct wt_code_piece piece = {
		.start = start, .end = start + size, .from = from, .until = UINT64_MAX, .index = index};

	wt_code_map_add(&map, &piece, wt_str(name));
}

/* name NULL: none; with a ? in front: not sure. */
static void expect(uint64_t address, uint64_t first, uint64_t last, const char *name)
{
	struct wt_code_hit hit;
	bool there = wt_code_map_find(&map, address, first, last, &hit);

	assert_int_equal(there, name != NULL);
	if (!there)
		return;
	assert_int_equal(hit.sure, name[0] != '?');
	name += name[0] == '?';
	assert_int_equal(hit.name.len, strlen(name));
	assert_memory_equal(hit.name.p, name, hit.name.len);
}

static void feed(const char *text, size_t step)
{
	struct wt_perf_map reader = {.map = &map};
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += step)
		wt_perf_map_feed(&reader, text + at, len - at < step ? len - at : step);
	wt_perf_map_end(&reader);
}

static void reads_a_perf_map(void **state)
{
	(void)state;
	for (size_t step = 1; step < 40; step += 13) {
		clear(NULL);
		feed("1000 10 one\n0x2000 0x8 with blanks\nnothing\n1010 8 two\n1018 8 same\n1018 8 same\n"
		     "3000 8 old\n3004 8 new\n4000 8 cut",
		     step);
		expect(0x0fff, 5, 9, NULL);
		expect(0x1000, 5, 9, "one");
		expect(0x100f, 5, 9, "one");
		expect(0x1010, 5, 9, "two");
		expect(0x101c, 5, 9, "same");
		expect(0x2007, 5, 9, "with blanks");
		expect(0x2008, 5, 9, NULL);
		/* The two share addresses: none of it is sure. */
		expect(0x3000, 5, 9, "?old");
		expect(0x3004, 5, 9, "?new");
		expect(0x3009, 5, 9, "?new");
		expect(0x4000, 5, 9, NULL);
	}
}

/* What was asked of times before anybody had seen the map may have been written over since. */
static void is_not_sure_of_what_nobody_saw(void **state)
{
	(void)state;
	feed("1000 10 one\n", 100);
	map.sure = 7;
	expect(0x1000, 5, 9, "?one");
	expect(0x1000, 7, 9, "one");
}

static void names_by_time(void **state)
{
	(void)state;
	add(0x1000, 16, 10 * MS, 1, "first");
	add(0x1000, 16, 20 * MS, 2, "second");
	add(0x2000, 16, 30 * MS, 3, "later");
	expect(0x1004, 1 * MS, 5 * MS, NULL);
	expect(0x1004, 11 * MS, 19 * MS, "first");
	expect(0x1004, 21 * MS, 90 * MS, "second");
	/* It was hit while one lay there, or the other. */
	expect(0x1004, 11 * MS, 21 * MS, "?second");
	expect(0x1004, 5 * MS, 12 * MS, "?first");
	/* Too near to the change for two clocks. */
	expect(0x1004, 20 * MS + 100, 30 * MS, "?second");
	assert_int_equal(wt_code_map_since(&map, 0x1004, 15 * MS), 0);
	assert_int_equal(wt_code_map_since(&map, 0x1004, 25 * MS), 20 * MS);
	assert_int_equal(wt_code_map_since(&map, 0x2004, 35 * MS), 0);
	/* A part of it is gone: the rest is not what it was. */
	add(0x2008, 16, 40 * MS, 4, "over");
	expect(0x2000, 31 * MS, 39 * MS, "later");
	expect(0x2000, 31 * MS, 50 * MS, "?later");
	expect(0x2008, 41 * MS, 50 * MS, "over");
}

static void follows_code_that_moves(void **state)
{
	(void)state;
	wt_code_map_add_line(&map, 0x1004, wt_str("a.src"), 7);
	wt_code_map_add(&map,
			&(struct wt_code_piece){.start = 0x1000,
						.end = 0x1010,
						.from = 10 * MS,
						.until = UINT64_MAX,
						.index = 1,
						.n_lines = 1},
			wt_str("moves"));
	wt_code_map_move(&map, 2, 0x1000, 0x5000, 16, 15 * MS); /* another's number */
	expect(0x5004, 16 * MS, 17 * MS, NULL);
	wt_code_map_move(&map, 1, 0x1000, 0x2000, 16, 20 * MS);
	expect(0x1004, 11 * MS, 12 * MS, "moves");
	expect(0x1004, 21 * MS, 22 * MS, NULL);
	expect(0x1004, 11 * MS, 22 * MS, "?moves");
	expect(0x2004, 11 * MS, 12 * MS, NULL);
	expect(0x2004, 21 * MS, 22 * MS, "moves");
	assert_int_equal(wt_code_map_since(&map, 0x1004, 25 * MS), 20 * MS);
	{
		struct wt_code_hit hit;

		assert_true(wt_code_map_find(&map, 0x2006, 21 * MS, 22 * MS, &hit));
		assert_int_equal(hit.line, 7);
		assert_int_equal(hit.offset, 6);
		assert_memory_equal(hit.file.p, "a.src", 5);
	}
}

static void says_what_it_could_not_keep(void **state)
{
	(void)state;
	map.bound = 300;
	for (uint64_t i = 0; i < 100; i++)
		add(0x1000 + 16 * i, 16, 10 * MS, i + 1, "name");
	assert_true(map.cut);
	expect(0x1000, 11 * MS, 12 * MS, "?name");
	expect(0x1000 + 16 * 99, 11 * MS, 12 * MS, NULL);
}

static uint64_t doubled(void *ctx, uint64_t mono)
{
	(void)ctx;
	return 2 * mono;
}

static void put_load(struct wt_buf *buf, uint64_t time, uint64_t address, const char *name)
{
	wt_buf_put_u32(buf, WT_JITDUMP_LOAD);
	wt_buf_put_u32(buf, (uint32_t)(16 + 40 + strlen(name) + 1 + 4));
	wt_buf_put_u64(buf, time);
	wt_buf_put_u64(buf, 7);
	wt_buf_put_u64(buf, address);
	wt_buf_put_u64(buf, address);
	wt_buf_put_u64(buf, 4);
	wt_buf_put_u64(buf, 1);
	wt_buf_put(buf, name, strlen(name) + 1);
	wt_buf_put(buf, "code", 4);
}

static void put_header(struct wt_buf *buf, uint64_t flags)
{
	static const uint32_t words[] = {0x4a695444, 1, 40, 62, 0, 7};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		wt_buf_put_u32(buf, words[i]);
	wt_buf_put_u64(buf, 1);
	wt_buf_put_u64(buf, flags);
}

static void reads_a_dump_that_grows(void **state)
{
	struct wt_jitdump dump = {.map = &map, .clock = doubled};
	struct wt_buf buf = {0};
	size_t at = 0;

	(void)state;
	put_header(&buf, 0);
	put_load(&buf, 10 * MS, 0x1000, "one");
	put_load(&buf, 20 * MS, 0x1000, "two");
	for (size_t there = 1; there <= buf.len; there++)
		at += wt_jitdump_feed(&dump, buf.data + at, there - at);
	assert_int_equal(at, buf.len);
	expect(0x1000, 21 * MS, 39 * MS, "one");
	expect(0x1000, 41 * MS, 50 * MS, "two");
	/* A record of no length: what follows may be anything. */
	wt_buf_clear(&buf);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u64(&buf, 0);
	assert_int_equal(wt_jitdump_feed(&dump, buf.data, buf.len), 0);
	assert_true(dump.ended);
	expect(0x1000, 41 * MS, 50 * MS, "?two");
	wt_buf_deinit(&buf);
}

static void does_not_believe_other_clocks(void **state)
{
	struct wt_jitdump dump = {.map = &map, .clock = doubled};
	struct wt_buf buf = {0};

	(void)state;
	put_header(&buf, 1);
	put_load(&buf, 10 * MS, 0x1000, "one");
	assert_int_equal(wt_jitdump_feed(&dump, buf.data, buf.len), buf.len);
	expect(0x1000, 21 * MS, 39 * MS, "?one");
	wt_buf_deinit(&buf);
}

/* One function of 15 bytes: its CFA is SP + 8, from byte 1 on SP + 16, from 7 on SP + 48. */
#if defined(__aarch64__)
enum { SP = 31, RA = 30 };
#else
enum { SP = 7, RA = 16 };
#endif
enum { CODE = 15, TABLE = 56 };
static const uint8_t eh_frame[TABLE] = {
	20,   0, 0,         0, 0, 0,    0,    0,  1,    'z',  'R', 0, 1, 0x78, RA,   1,    0x1b, 0x0c,
	SP,   8, 0x80 | RA, 1, 0, 0,    24,   0,  0,    0,    28,  0, 0, 0,    0xd0, 0xff, 0xff, 0xff,
	CODE, 0, 0,         0, 0, 0x41, 0x0e, 16, 0x46, 0x0e, 48,  0, 0, 0,    0,    0};

static void put_unwinding(struct wt_buf *buf, uint64_t size, uint64_t header, uint64_t there)
{
	wt_buf_put_u32(buf, WT_JITDUMP_UNWINDING_INFO);
	wt_buf_put_u32(buf, (uint32_t)(16 + 24 + there));
	wt_buf_put_u64(buf, 1);
	wt_buf_put_u64(buf, size);
	wt_buf_put_u64(buf, header);
	wt_buf_put_u64(buf, size);
	wt_buf_put(buf, eh_frame, there < TABLE ? there : TABLE);
	for (uint64_t i = TABLE; i < there; i++)
		wt_buf_put_u8(buf, 0);
}

/* cfa 0: no rule. */
static void expect_rule(uint64_t address, uint64_t time, int32_t cfa)
{
	const struct wt_abi_unwind_rule *rule = wt_code_map_rule(&map, address, time);

	assert_int_equal(rule != NULL, cfa != 0);
	if (!rule)
		return;
	assert_int_equal(rule->cfa, WT_ABI_CFA_REG);
	assert_int_equal(rule->reg, SP);
	assert_int_equal(rule->offset, cfa);
}

static void knows_how_stacks_are_walked(void **state)
{
	struct wt_jitdump dump = {.map = &map, .clock = doubled};
	struct wt_buf buf = {0};

	(void)state;
	put_header(&buf, 0);
	for (uint64_t i = 1; i < 4; i++) {
		put_unwinding(&buf, TABLE + 20, 20, TABLE + 20);
		put_load(&buf, i * 10 * MS, 0x1000 * i, "told");
	}
	/* It holds for one piece. */
	put_load(&buf, 40 * MS, 0x4000, "not told");
	put_load(&buf, 50 * MS, 0x2000, "not told");
	assert_int_equal(wt_jitdump_feed(&dump, buf.data, buf.len), buf.len);
	expect_rule(0x1000, 19 * MS, 0);
	for (uint64_t i = 1; i < 4; i++) {
		expect_rule(0x1000 * i, 81 * MS, 8);
		expect_rule(0x1000 * i + 1, 81 * MS, 16);
		expect_rule(0x1000 * i + 3, 81 * MS, 16);
		expect_rule(0x1000 * i + 4, 81 * MS, 0); /* the piece ends here, whatever was said */
	}
	expect_rule(0x4000, 81 * MS, 0);
	/* Something else lies there. */
	expect_rule(0x2000, 101 * MS, 0);
	/* What moves takes its rules along. */
	wt_code_map_move(&map, 1, 0x1000, 0x6000, 4, 90 * MS);
	expect_rule(0x6001, 91 * MS, 16);
	expect_rule(0x1001, 91 * MS, 0);
	/* The same is kept once. */
	assert_in_range(map.rules.writer.n_rows, 3, 4);
	map.cut = true;
	expect_rule(0x1001, 81 * MS, 0);
	wt_buf_deinit(&buf);
}

static void takes_no_rules_that_make_no_sense(void **state)
{
	static const uint64_t records[][3] = {/* size, of it header, bytes there */
					      {0, 0, 0},
					      {TABLE, TABLE, TABLE},
					      {TABLE, TABLE + 1, TABLE},
					      {TABLE + 1, 0, TABLE},
					      {UINT64_MAX, 0, TABLE},
					      {UINT64_MAX, UINT64_MAX, TABLE},
					      {30, 0, TABLE},
					      {1, 0, 1},
					      {WT_CODE_RULES_PIECE + 1, 0, WT_CODE_RULES_PIECE + 1}};
	struct wt_jitdump dump = {.map = &map, .clock = doubled};
	struct wt_buf buf = {0};

	(void)state;
	put_header(&buf, 0);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		put_unwinding(&buf, TABLE, 0, TABLE);
		put_unwinding(&buf, records[i][0], records[i][1], records[i][2]);
		put_load(&buf, 10 * MS, 0x1000 * (i + 1), "told");
	}
	assert_int_equal(wt_jitdump_feed(&dump, buf.data, buf.len), buf.len);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		expect_rule(0x1000 * (i + 1), 21 * MS, 0);
	/* Names do not suffer. */
	assert_false(map.cut);
	expect(0x1001, 21 * MS, 21 * MS, "told");
	wt_buf_deinit(&buf);
}

static void reads_no_longer_than_it_may(void **state)
{
	struct wt_allowance time;
	struct wt_jitdump dump = {.map = &map, .clock = doubled, .time = &time};
	struct wt_buf buf = {0};
	size_t first;

	(void)state;
	wt_allowance_init(&time, 0, 0, 0, 0);
	wt_allowance_begin(&time);
	put_header(&buf, 0);
	put_unwinding(&buf, TABLE, 0, TABLE);
	first = buf.len;
	put_load(&buf, 10 * MS, 0x1000, "told");
	assert_int_equal(wt_jitdump_feed(&dump, buf.data, buf.len), first);
	assert_int_equal(wt_jitdump_feed(&dump, buf.data + first, buf.len - first), buf.len - first);
	expect_rule(0x1001, 21 * MS, 16);
	wt_buf_deinit(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_perf_map, clear, clear),
		cmocka_unit_test_setup_teardown(is_not_sure_of_what_nobody_saw, clear, clear),
		cmocka_unit_test_setup_teardown(names_by_time, clear, clear),
		cmocka_unit_test_setup_teardown(follows_code_that_moves, clear, clear),
		cmocka_unit_test_setup_teardown(says_what_it_could_not_keep, clear, clear),
		cmocka_unit_test_setup_teardown(reads_a_dump_that_grows, clear, clear),
		cmocka_unit_test_setup_teardown(does_not_believe_other_clocks, clear, clear),
		cmocka_unit_test_setup_teardown(knows_how_stacks_are_walked, clear, clear),
		cmocka_unit_test_setup_teardown(takes_no_rules_that_make_no_sense, clear, clear),
		cmocka_unit_test_setup_teardown(reads_no_longer_than_it_may, clear, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
