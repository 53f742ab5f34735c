/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/kernel.h"
#include "consumers/symbols/kernel_names.h"

enum { STEXT = 0x1000000, FIRST = STEXT - 0x100, LAST = STEXT + 0x300 };

static const char *const names[] = {"head", "_stext", "middle", "last", "of_a_module"};
static const uint64_t starts[] = {FIRST, STEXT, STEXT + 0x200, LAST, STEXT + 0x40000};

static struct wt_symtab a_table(void)
{
	struct wt_symtab_builder builder = {0};
	struct wt_symtab table;
	struct wt_err err = WT_ERR_INIT;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		wt_symtab_add(&builder, &(struct wt_symtab_row){.start = starts[i], .size = 0x80}, names[i],
			      strlen(names[i]));
	assert_int_equal(wt_symtab_build(&builder, &table, &err), 0);
	return table;
}

static const struct wt_str id = {"12345678901234567890", 20};

static struct wt_buf a_file(void)
{
	struct wt_symtab table = a_table();
	struct wt_buf file = {0};

	wt_kernel_names_write(id, &table, STEXT, FIRST, LAST, &file);
	assert_false(file.failed);
	wt_symtab_deinit(&table);
	return file;
}

static void assert_there(const struct wt_name_rows *rows, uint64_t moved)
{
	struct wt_symtab_hit hit;

	for (size_t i = 0; i < 4; i++) {
		assert_true(wt_name_rows_find(rows, starts[i] + moved + 0x7f, &hit));
		assert_string_equal(hit.name, names[i]);
		assert_int_equal(hit.offset, 0x7f);
		assert_false(wt_name_rows_find(rows, starts[i] + moved + 0x80, &hit));
	}
	assert_false(wt_name_rows_find(rows, starts[4] + moved, &hit));
	assert_false(wt_name_rows_find(rows, 0, &hit));
	assert_false(wt_name_rows_find(rows, UINT64_MAX, &hit));
}

/* Another start of the system has the kernel elsewhere. */
static void kernel_that_moved(void **state)
{
	struct wt_buf file = a_file();
	struct wt_name_rows rows;

	(void)state;
	for (uint64_t moved = 0; moved <= 0x200000; moved += 0x200000) {
		assert_true(wt_kernel_names_read(wt_cursor(file.data, file.len), id, STEXT + moved, &rows));
		assert_there(&rows, moved);
	}
	wt_buf_deinit(&file);
}

static void wrong_files_are_none(void **state)
{
	struct wt_buf file = a_file();
	struct wt_name_rows rows;
	struct wt_str other = {"12345678901234567891", 20}, shorter = {id.p, 19};

	(void)state;
	assert_false(wt_kernel_names_read(wt_cursor(file.data, file.len), other, STEXT, &rows));
	assert_false(wt_kernel_names_read(wt_cursor(file.data, file.len), shorter, STEXT, &rows));
	for (size_t i = 0; i < file.len; i++)
		assert_false(wt_kernel_names_read(wt_cursor(file.data, i), id, STEXT, &rows));
	assert_true(wt_kernel_names_read(wt_cursor(file.data, file.len), id, STEXT, &rows));
	file.data[file.len - 1] = 'x';
	assert_false(wt_kernel_names_read(wt_cursor(file.data, file.len), id, STEXT, &rows));
	wt_buf_deinit(&file);
}

static struct wt_unwind_cache a_cache(const char *name)
{
	struct wt_unwind_cache cache;
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_unwind_cache_open(in_directory(name), 0, &cache, &err), 0);
	return cache;
}

static bool is_found(struct wt_unwind_cache *cache)
{
	struct wt_kernel_names found;

	if (!wt_kernel_names_find(cache, id, STEXT, &found))
		return false;
	assert_there(&found.rows, 0);
	wt_kernel_names_deinit(&found);
	return true;
}

static void kept_and_found(void **state)
{
	struct wt_unwind_cache cache = a_cache("kept");
	struct wt_symtab table = a_table();

	(void)state;
	assert_false(is_found(&cache));
	wt_kernel_names_put(&cache, id, &table, STEXT, FIRST, LAST);
	wt_kernel_names_put(&cache, id, &table, STEXT, FIRST, LAST);
	assert_true(is_found(&cache));
	assert_true(is_found(&cache));
	assert_int_equal(cache.read_whole, cache.boot ? 1 : 2);
	run("test $(ls -A kept | wc -l) = 1 && truncate -s -1 kept/*-kernel.v3");
	assert_false(is_found(&cache));
	for (unsigned part = 2; part < 30; part++) {
		wt_kernel_names_put(&cache, id, &table, STEXT, FIRST, LAST);
		spoil("kept/*-kernel.v3", part, 30);
		assert_false(is_found(&cache));
		assert_int_equal(cache.damaged, part);
	}
	wt_kernel_names_put(&cache, id, &table, STEXT, FIRST, LAST);
	run("for file in kept/*-kernel.v3; do : >$file; done");
	assert_false(is_found(&cache));
	wt_symtab_deinit(&table);
	wt_unwind_cache_close(&cache);
}

/* The build id of the kernel that runs; false where it is not told. */
static bool own_build(uint8_t bytes[4096], struct wt_str *ret)
{
	FILE *notes = fopen("/sys/kernel/notes", "r");
	size_t n = notes ? fread(bytes, 1, 4096, notes) : 0;

	if (notes)
		fclose(notes);
	*ret = wt_kernel_notes_build_id(bytes, n);
	return ret->len;
}

/* What is kept names the live kernel as kallsyms does. */
static void live_kernel_from_the_cache(void **state)
{
	struct wt_unwind_cache cache = a_cache("live");
	struct wt_log_image image = {.kind = WT_IMAGE_KERNEL, .path = wt_str("[kernel.kallsyms]")};
	struct wt_symbols_options options = {.cache = &cache};
	struct wt_symbols *fresh, *kept, *writer;
	uint8_t notes[4096];

	(void)state;
	if (!own_build(notes, &image.build_id) || !wt_symbols_kernel_address(NULL)) {
		print_message("the kernel's addresses or its build id are hidden here: nothing is kept\n");
		wt_unwind_cache_close(&cache);
		return;
	}
	fresh = symbols_with(&(struct wt_symbols_options){0});
	writer = symbols_with(&options);
	assert_int_equal(resolve(writer, &image, 0x1000).reason, resolve(fresh, &image, 0x1000).reason);
	run("ls live/*-kernel.v3 >kept.out");
	kept = symbols_with(&options);
	for (uint64_t offset = 0; offset < 0x2800000; offset += 0x1357) {
		struct wt_log_symbol want = resolve(fresh, &image, offset),
				     got = resolve(kept, &image, offset);

		assert_int_equal(got.reason, want.reason);
		assert_int_equal(got.symbol_offset, want.symbol_offset);
		assert_int_equal(got.name.len, want.name.len);
		assert_memory_equal(got.name.p ? got.name.p : "", want.name.p ? want.name.p : "",
				    want.name.len);
	}
	wt_symbols_destroy(fresh);
	wt_symbols_destroy(writer);
	wt_symbols_destroy(kept);
	wt_unwind_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_that_moved),
		cmocka_unit_test(wrong_files_are_none),
		cmocka_unit_test(kept_and_found),
		cmocka_unit_test(live_kernel_from_the_cache),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
