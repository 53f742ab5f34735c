/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/symbols/symtab.h"

static void add(struct wt_symtab_builder *builder, const char *name, uint64_t start, uint64_t size,
		unsigned flags, unsigned rank)
{
	const struct wt_symtab_row row = {
		.start = start, .size = size, .flags = (uint8_t)flags, .rank = (uint8_t)rank};

	wt_symtab_add(builder, &row, name, strlen(name));
}

static struct wt_symtab built(struct wt_symtab_builder *builder)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_symtab table;

	assert_int_equal(wt_symtab_build(builder, &table, &err), 0);
	return table;
}

static void expect(const struct wt_symtab *table, uint64_t address, const char *name, uint32_t offset)
{
	struct wt_symtab_hit hit;
	bool found = wt_symtab_find(table, address, &hit);

	if (!name) {
		assert_false(found);
		return;
	}
	assert_true(found);
	assert_string_equal(hit.name, name);
	assert_int_equal(hit.offset, offset);
}

static void empty_table_has_nothing(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table = built(&builder);

	(void)state;
	expect(&table, 0, NULL, 0);
	expect(&table, UINT64_MAX, NULL, 0);
	wt_symtab_deinit(&table);
}

static void sized_symbols_end(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;

	(void)state;
	add(&builder, "second", 0x200, 0x10, 0, 0);
	add(&builder, "first", 0x100, 0x10, 0, 0);
	add(&builder, "", 0x300, 0x10, 0, 0);
	add(&builder, "nothing", 0x300, 0, 0, 0);
	table = built(&builder);
	expect(&table, 0xff, NULL, 0);
	expect(&table, 0x100, "first", 0);
	expect(&table, 0x10f, "first", 15);
	expect(&table, 0x110, NULL, 0);
	expect(&table, 0x20f, "second", 15);
	expect(&table, 0x300, NULL, 0);
	wt_symtab_deinit(&table);
}

static void inner_symbols_interrupt_outer_ones(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;

	(void)state;
	add(&builder, "outer", 0x100, 0x100, 0, 0);
	add(&builder, "inner", 0x120, 0x20, 0, 0);
	add(&builder, "deep", 0x130, 0x8, 0, 0);
	add(&builder, "across", 0x1f0, 0x20, 0, 0);
	table = built(&builder);
	expect(&table, 0x11f, "outer", 0x1f);
	expect(&table, 0x12f, "inner", 0xf);
	expect(&table, 0x130, "deep", 0);
	expect(&table, 0x138, "inner", 0x18);
	expect(&table, 0x140, "outer", 0x40);
	expect(&table, 0x1ef, "outer", 0xef);
	expect(&table, 0x1ff, "across", 0xf);
	expect(&table, 0x20f, "across", 0x1f);
	expect(&table, 0x210, NULL, 0);
	wt_symtab_deinit(&table);
}

static void open_symbols_reach_to_the_next(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;

	(void)state;
	add(&builder, "open", 0x100, 0x1000, WT_SYMTAB_OPEN, 0);
	add(&builder, "sized", 0x150, 0x10, 0, 0);
	add(&builder, "label", 0x158, 0x1000, WT_SYMTAB_OPEN, 0);
	add(&builder, "bounded", 0x200, 0x20, WT_SYMTAB_OPEN, 0);
	add(&builder, "ended", 0x300, 0x1000, WT_SYMTAB_OPEN, 0);
	add(&builder, "", 0x340, 0, WT_SYMTAB_BOUNDARY, 0);
	table = built(&builder);
	expect(&table, 0x14f, "open", 0x4f);
	expect(&table, 0x15f, "sized", 0xf);
	expect(&table, 0x160, NULL, 0);
	expect(&table, 0x21f, "bounded", 0x1f);
	expect(&table, 0x220, NULL, 0);
	expect(&table, 0x33f, "ended", 0x3f);
	expect(&table, 0x340, NULL, 0);
	wt_symtab_deinit(&table);
}

static void one_alias_is_kept(void **state)
{
	static const struct {
		const char *name;
		unsigned flags, rank;
	} better[] = {
		/* Each is better than all that follow. */
		{"b", 0, 0},
		{"long_name", 0, 0},
		{"long_nbme", 0, 0},
		{"_a", 0, 0},
		{"__a", 0, 0},
		{"open", WT_SYMTAB_OPEN, 0},
		{"a", 0, WT_SYMTAB_LOCAL},
		{"a", 0, WT_SYMTAB_NOTYPE},
		{"a", 0, WT_SYMTAB_PLT},
	};
	const size_t n = sizeof(better) / sizeof(better[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			for (int turn = 0; turn < 2; turn++) {
				struct wt_symtab_builder builder = {0};
				struct wt_symtab table;
				size_t a = turn ? i : k, b = turn ? k : i;

				add(&builder, better[a].name, 0x10, 8, better[a].flags, better[a].rank);
				add(&builder, better[b].name, 0x10, 8, better[b].flags, better[b].rank);
				table = built(&builder);
				assert_int_equal(table.n, 1);
				expect(&table, 0x17, better[i].name, 7);
				expect(&table, 0x18, NULL, 0);
				wt_symtab_deinit(&table);
			}
		}
}

static void aliases_share_the_size(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;

	(void)state;
	add(&builder, "open_global", 0x10, 0x1000, WT_SYMTAB_OPEN, 0);
	add(&builder, "sized_local", 0x10, 0x8, 0, WT_SYMTAB_LOCAL);
	table = built(&builder);
	expect(&table, 0x17, "open_global", 7);
	expect(&table, 0x18, NULL, 0);
	wt_symtab_deinit(&table);
}

static void extremes_hold(void **state)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;

	(void)state;
	add(&builder, "all", 0, UINT64_MAX, 0, 0);
	add(&builder, "top", UINT64_MAX - 8, UINT64_MAX, 0, 0);
	table = built(&builder);
	expect(&table, 0, "all", 0);
	expect(&table, 5, "all", 5);
	wt_symtab_deinit(&table);

	add(&builder, "huge", 0x1000, UINT64_C(3) << 32, 0, 0);
	table = built(&builder);
	expect(&table, 0xfff + (uint64_t)UINT32_MAX, "huge", UINT32_MAX - 1);
	expect(&table, 0x1000 + (uint64_t)UINT32_MAX, NULL, 0);
	expect(&table, 0x1000 + (UINT64_C(3) << 32), NULL, 0);
	wt_symtab_deinit(&table);
}

/** The same by brute force: the latest start that covers, outer ones behind it. */
static void random_tables_agree_with_a_scan(void **state)
{
	struct {
		uint64_t start, size;
	} rows[40];
	char name[8];

	(void)state;
	srand(7);
	for (int round = 0; round < 300; round++) {
		struct wt_symtab_builder builder = {0};
		size_t n = 1 + (size_t)rand() % 40;
		struct wt_symtab table;

		for (size_t i = 0; i < n; i++) {
			rows[i].start = i * 4 + (uint64_t)rand() % 4;
			rows[i].size = 1 + (uint64_t)rand() % 40;
			snprintf(name, sizeof(name), "s%zu", i);
			add(&builder, name, rows[i].start, rows[i].size, 0, 0);
		}
		table = built(&builder);
		for (uint64_t at = 0; at < 220; at++) {
			size_t best = n;

			for (size_t i = 0; i < n; i++)
				if (rows[i].start <= at && at - rows[i].start < rows[i].size)
					best = i;
			snprintf(name, sizeof(name), "s%zu", best);
			expect(&table, at, best < n ? name : NULL,
			       best < n ? (uint32_t)(at - rows[best].start) : 0);
		}
		wt_symtab_deinit(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_table_has_nothing),
		cmocka_unit_test(sized_symbols_end),
		cmocka_unit_test(inner_symbols_interrupt_outer_ones),
		cmocka_unit_test(open_symbols_reach_to_the_next),
		cmocka_unit_test(one_alias_is_kept),
		cmocka_unit_test(aliases_share_the_size),
		cmocka_unit_test(extremes_hold),
		cmocka_unit_test(random_tables_agree_with_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
