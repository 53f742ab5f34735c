/* SPDX-License-Identifier: MIT */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

#include "tests/stackwalk/table_of.h"

/* A rule that can be told from others by its offset. */
static struct wt_abi_unwind_rule numbered(uint32_t n)
{
	return (struct wt_abi_unwind_rule){
		.cfa = WT_ABI_CFA_REG, .reg = RSP, .offset = (int32_t)n, .slot = {[6] = -1}};
}

static int32_t offset_at(const struct wt_unwind_view *view, uint64_t address)
{
	const struct wt_abi_unwind_rule *rule = rule_at(view, address);

	return rule ? rule->offset : -1;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Rows of all lengths, with gaps, against a plain array of the same. */
static void every_address_finds_its_row(void **state)
{
	enum { SPAN = 1 << 18 };
	int32_t *wanted = malloc(SPAN * sizeof(*wanted));
	struct fixture f;
	uint32_t seed = 1, at = 0;

	(void)state;
	assert_non_null(wanted);
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	memset(wanted, 0xff, SPAN * sizeof(*wanted));
	while (at < SPAN - 4096) {
		uint32_t len = next_random(&seed) % (next_random(&seed) % 16 ? 20 : 3000) + 1;
		uint32_t n = next_random(&seed) % 300 * 8;

		add(&f, at, at + len, numbered(n));
		for (uint32_t i = at; i < at + len; i++)
			wanted[i] = (int32_t)n;
		at += len + (next_random(&seed) % 8 ? 0 : next_random(&seed) % 500);
	}
	finish(&f);
	for (uint32_t i = 0; i < SPAN; i++)
		if (offset_at(&f.view, RULES + i) != wanted[i])
			fail_msg("address %u", i);
	assert_int_equal(offset_at(&f.view, RULES - 1), -1);
	assert_int_equal(offset_at(&f.view, UINT64_MAX), -1);
	free(wanted);
	fixture_deinit(&f);
}

/* As many rows as the largest browsers have. */
static void three_million_rows(void **state)
{
	const uint32_t n = 3000000;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	for (uint32_t i = 0; i < n; i++)
		add(&f, 4 * i, 4 * i + 4, numbered(i % 499));
	finish(&f);
	assert_true(f.table.size < UINT64_C(8) * n);
	for (uint32_t i = 0; i < n; i += 101)
		assert_int_equal(offset_at(&f.view, RULES + 4 * i + 3), i % 499);
	fixture_deinit(&f);
}

static void what_was_said_first_holds(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 32, numbered(8));
	add(&f, 16, 48, numbered(16));
	add(&f, 0, 40, numbered(24));
	finish(&f);
	assert_int_equal(offset_at(&f.view, RULES + 31), 8);
	assert_int_equal(offset_at(&f.view, RULES + 32), 16);
	assert_int_equal(offset_at(&f.view, RULES + 47), 16);
	assert_int_equal(offset_at(&f.view, RULES + 48), -1);
	fixture_deinit(&f);
}

static void equal_neighbours_are_one_row(void **state)
{
	const struct wt_abi_unwind *header;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	for (uint32_t i = 0; i < 100; i++)
		add(&f, 8 * i, 8 * i + 8, numbered(8 + i / 50));
	finish(&f);
	header = f.table.bytes;
	assert_int_equal(header->n_rows - header->n_repeats, 3); /* two, and the end */
	assert_int_equal(header->n_rules, 3);
	fixture_deinit(&f);
}

/* More rules than 16 bits can number. */
static void a_wide_table_finds_all_rules(void **state)
{
	enum { RULES_WANTED = 70000 };
	const struct wt_abi_unwind *header;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	for (uint32_t i = 0; i < RULES_WANTED; i++)
		add(&f, 4 * i, 4 * i + 4, numbered(8 * i));
	finish(&f);
	header = f.table.bytes;
	assert_int_equal(header->flags, WT_ABI_UNWIND_WIDE);
	for (uint32_t i = 0; i < RULES_WANTED; i++)
		if (offset_at(&f.view, RULES + 4 * i + 3) != (int32_t)(8 * i))
			fail_msg("rule %u", i);
	fixture_deinit(&f);
}

static void rows_are_bounded_by_the_largest_span(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, numbered(8));
	add(&f, WT_ABI_UNWIND_MAX_SPAN - 8, WT_ABI_UNWIND_MAX_SPAN + 8, numbered(16));
	add(&f, WT_ABI_UNWIND_MAX_SPAN + 8, WT_ABI_UNWIND_MAX_SPAN + 16, numbered(24));
	finish(&f);
	assert_int_equal(offset_at(&f.view, RULES + 15), 8);
	assert_int_equal(offset_at(&f.view, RULES + WT_ABI_UNWIND_MAX_SPAN - 1), 16);
	assert_int_equal(offset_at(&f.view, RULES + WT_ABI_UNWIND_MAX_SPAN + 9), -1);
	fixture_deinit(&f);
}

/* Every patch of [from, to) within rows, against a plain array. */
static void patches_say_a_range_anew(void **state)
{
	(void)state;
	for (uint32_t from = 0; from < 40; from++)
		for (uint32_t to = from + 1; to <= 40; to++) {
			struct wt_abi_unwind_rule other = numbered(800);
			struct fixture f;

			fixture_init(&f, WT_ABI_UNWIND_X86_64);
			for (uint32_t i = 0; i < 4; i++)
				add(&f, 10 * i, 10 * i + 10, numbered(8 * i));
			assert_int_equal(
				wt_unwind_writer_patch(&f.writer, 0, RULES + from, RULES + to, &other, NULL),
				0);
			add(&f, 40, 50, numbered(99));
			finish(&f);
			for (uint32_t i = 0; i < 50; i++) {
				int32_t wanted = i >= 40               ? 99
						 : i >= from && i < to ? 800
								       : (int32_t)(i / 10 * 8);

				if (offset_at(&f.view, RULES + i) != wanted)
					fail_msg("[%u, %u) at %u", from, to, i);
			}
			fixture_deinit(&f);
		}
}

static void an_empty_table_is_a_table(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	finish(&f);
	assert_int_equal(f.view.span, 0);
	assert_int_equal(offset_at(&f.view, RULES), -1);
	assert_int_equal(offset_at(&f.view, 0), -1);
	fixture_deinit(&f);
}

/* Each byte of the header and of the parts, damaged: the header is refused or the search stays inside. */
static void damage_is_found_or_harmless(void **state)
{
	struct fixture f;
	uint8_t *copy;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	for (uint32_t i = 0; i < 200; i++)
		add(&f, 16 * i, 16 * i + 16, numbered(8 * i));
	finish(&f);
	copy = malloc(f.table.size); /* exact: a sanitizer sees the first byte beyond */
	assert_non_null(copy);
	for (uint64_t at = 0; at < f.table.size; at++) {
		const struct wt_abi_unwind *header = (const void *)copy;
		struct wt_unwind_view view;

		memcpy(copy, f.table.bytes, f.table.size);
		copy[at] ^= 0xff;
		if (at >= offsetof(struct wt_abi_unwind, base))
			assert_int_not_equal(header->checksum, wt_unwind_checksum(copy, f.table.size));
		if (wt_unwind_view(copy, f.table.size, &view, NULL) != 0)
			continue;
		for (uint64_t a = 0; a < 4096; a += 7)
			rule_at(&view, view.base + a);
	}
	free(copy);
	fixture_deinit(&f);
}

static void a_cut_or_foreign_table_is_refused(void **state)
{
	struct wt_unwind_view view;
	struct wt_err err = WT_ERR_INIT;
	struct wt_abi_unwind *header;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 64, numbered(8));
	finish(&f);
	for (uint64_t size = 0; size < f.table.size; size++)
		assert_int_equal(wt_unwind_view(f.table.bytes, size, &view, NULL), -1);
	header = f.table.bytes;
	header->version++;
	assert_int_equal(wt_unwind_view(f.table.bytes, f.table.size, &view, &err), -1);
	assert_int_equal(err.code, WT_ERR_VERSION);
	header->version--;
	header->flags = 128;
	assert_int_equal(wt_unwind_view(f.table.bytes, f.table.size, &view, &err), -1);
	fixture_deinit(&f);
}

static void offsets_become_link_time_addresses(void **state)
{
	struct wt_abi_unwind header = {.n_loads = 2, .load = {{0x1234, 0x401234}, {0x9000, 0x60b000}}};
	uint64_t at;

	(void)state;
	assert_false(wt_unwind_link_address(&header, 0xfff, &at));
	assert_true(wt_unwind_link_address(&header, 0x1000, &at)); /* where the mapping begins */
	assert_int_equal(at, 0x401000);
	assert_true(wt_unwind_link_address(&header, 0x9010, &at));
	assert_int_equal(at, 0x60b010);
	header.n_loads = 0;
	assert_false(wt_unwind_link_address(&header, 0x1000, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_finds_its_row),
		cmocka_unit_test(three_million_rows),
		cmocka_unit_test(what_was_said_first_holds),
		cmocka_unit_test(equal_neighbours_are_one_row),
		cmocka_unit_test(a_wide_table_finds_all_rules),
		cmocka_unit_test(rows_are_bounded_by_the_largest_span),
		cmocka_unit_test(patches_say_a_range_anew),
		cmocka_unit_test(an_empty_table_is_a_table),
		cmocka_unit_test(damage_is_found_or_harmless),
		cmocka_unit_test(a_cut_or_foreign_table_is_refused),
		cmocka_unit_test(offsets_become_link_time_addresses),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
