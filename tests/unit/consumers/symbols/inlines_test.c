/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include <fcntl.h>

#include "consumers/symbols/inline_store.h"
#include "consumers/symbols/inlines.h"
#include "tracecore/logfmt/format/inlined.h"

const char *__lsan_default_suppressions(void);

/** What a cut file leaves behind is forgotten on purpose. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf\nleak:libdw\n";
}

static uint64_t outer_at, main_at;

static int build(void **state)
{
	struct nm nm;

	if (fixture_setup(state) < 0)
		return -1;
	write_file("one.c", "int global;\n#define ALWAYS static inline __attribute__((always_inline))\n"
			    "ALWAYS int leaf(int a)\n{\n\treturn a * global;\n}\n"
			    "ALWAYS int middle(int a)\n{\n\treturn leaf(a);\n}\n"
			    "__attribute__((noinline)) int outer(int a)\n{\n\treturn middle(a);\n}\n"
			    "int main(int c, char **v)\n{\n\t(void)v;\n\treturn outer(c);\n}\n");
	run("mkdir -p debug && gcc='gcc -O1 -g -no-pie -Wl,--build-id one.c' && $gcc -gdwarf-5 -o five && "
	    "$gcc -gdwarf-4 -o four && gcc -O1 -no-pie -Wl,--build-id one.c -o bare && "
	    "$gcc -gdwarf-5 -gz=zlib -o packed");
	nm = nm_functions("", "five");
	for (size_t i = 0; i < nm.n; i++) {
		if (!strcmp(nm.rows[i].name, "outer"))
			outer_at = nm.rows[i].start;
		if (!strcmp(nm.rows[i].name, "main"))
			main_at = nm.rows[i].start;
	}
	free(nm.rows);
	settle(in_directory("packed"));
	return outer_at && main_at ? 0 : -1;
}

static struct wt_inlines *open_inlines(const char *name, uint64_t max_expanded)
{
	int fd = open(in_directory(name), O_RDONLY | O_CLOEXEC);
	struct wt_inlines *inlines;

	assert_true(fd >= 0);
	inlines = wt_inlines_open(fd, &(struct wt_inlines_options){.debug_root = in_directory("debug"),
								   .sysroot = "",
								   .path = in_directory(name),
								   .max_expanded = max_expanded});
	close(fd);
	return inlines;
}

/* The chain of code of leaf in outer, at its first instruction. */
static void expect_leaf(const struct wt_buf *chain)
{
	static const char *const names[] = {"leaf", "middle"};
	static const uint32_t lines[] = {9, 13};
	struct wt_log_symbol symbol = {.inlined = wt_str_of(chain->data, chain->len)};
	struct wt_cursor cur = wt_log_inlined_begin(&symbol);
	struct wt_log_inlined call;

	assert_int_equal(wt_log_inlined_count(&symbol), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(wt_log_inlined_next(&cur, &call));
		assert_str(call.function, names[i]);
		assert_int_equal(call.line, lines[i]);
		assert_in_range(call.file.len, 5, 300);
		assert_memory_equal(call.file.p + call.file.len - 5, "one.c", 5);
	}
}

static void chains_are_innermost_first(void **state)
{
	static const char *const names[] = {"five", "four", "packed"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wt_inlines *inlines = open_inlines(names[i], 8 << 20);
		struct wt_buf chain = {0};

		assert_non_null(inlines);
		for (int turn = 0; turn < 2; turn++) {
			wt_buf_clear(&chain);
			assert_true(wt_inlines_find(inlines, outer_at, &chain));
			expect_leaf(&chain);
			wt_buf_clear(&chain);
			assert_true(wt_inlines_find(inlines, main_at, &chain));
			assert_int_equal(chain.len, 0);
		}
		assert_false(wt_inlines_find(inlines, 0, &chain));
		assert_false(wt_inlines_find(inlines, UINT64_MAX, &chain));
		assert_int_equal(chain.len, 0);
		assert_false(wt_inlines_split(inlines));
		assert_int_equal(wt_inlines_split_missing(inlines), 0);
		assert_true(wt_inlines_bytes(inlines) > 0);
		wt_inlines_close(inlines);
		wt_buf_deinit(&chain);
	}
}

static void without_debug_information(void **state)
{
	(void)state;
	assert_null(open_inlines("bare", 8 << 20));
	assert_null(open_inlines("one.c", 8 << 20));
	assert_null(open_inlines("packed", 10));
	wt_inlines_close(NULL);
}

static void a_cut_file_has_none(void **state)
{
	struct wt_inlines *inlines;
	struct wt_buf chain = {0};

	(void)state;
	run("cp five cut");
	inlines = open_inlines("cut", 0);
	assert_non_null(inlines);
	assert_int_equal(truncate(in_directory("cut"), 0), 0);
	assert_false(wt_inlines_find(inlines, outer_at, &chain));
	assert_false(wt_inlines_find(inlines, main_at, &chain));
	wt_inlines_close(inlines);
	wt_buf_deinit(&chain);
}

/* ---- the store ---- */

static struct wt_unwind_cache cache;
static char path[256], id[64];

static struct wt_log_image image_of(const char *name)
{
	struct wt_log_image image;
	struct wt_elf file;

	snprintf(path, sizeof(path), "%s", in_directory(name));
	image = file_image(path);
	assert_true(wt_elf_open(path, &file));
	image.build_id = wt_elf_build_id(&file);
	assert_in_range(image.build_id.len, 4, sizeof(id));
	memcpy(id, image.build_id.p, image.build_id.len);
	image.build_id.p = id;
	wt_elf_close(&file);
	return image;
}

/* kept: without a look into the files. */
static void ask(const struct wt_log_image *image, uint64_t address, bool has, bool kept)
{
	const struct wt_image_roots roots = {.debug = in_directory("debug"), .sysroot = ""};
	struct wt_inline_store *store = wt_inline_store_open(&cache, &roots, image);
	struct wt_buf chain = {0};

	assert_non_null(store);
	for (int turn = 0; turn < 2; turn++) {
		wt_buf_clear(&chain);
		wt_inline_store_find(store, address, &chain);
		if (has)
			expect_leaf(&chain);
		else
			assert_int_equal(chain.len, 0);
	}
	assert_int_equal(wt_inline_store_bytes(store) == 0, kept);
	wt_inline_store_close(store);
	wt_buf_deinit(&chain);
}

static void found_ones_are_kept(void **state)
{
	struct wt_log_image image = image_of("five");
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_unwind_cache_open(in_directory("kept"), 0, &cache, &err), 0);
	ask(&image, outer_at, true, false);
	ask(&image, main_at, false, false);
	ask(&image, outer_at, true, true);
	ask(&image, main_at, false, true);
	run("ls kept/*-inlines.* | wc -l | grep -qx 1");
	/* A spoiled file is no file. */
	spoil("kept/*-inlines.*", 3, 4);
	ask(&image, outer_at, true, false);
	ask(&image, outer_at, true, true);
	/* Nor is one of a program that has changed since. */
	run("touch -d '2001-01-01' five");
	ask(&image, outer_at, true, false);
	image = image_of("bare");
	ask(&image, outer_at, false, true);
	run("ls kept/*-inlines.* | wc -l | grep -qx 2");
	ask(&image, outer_at, false, true);
	wt_unwind_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_innermost_first),
		cmocka_unit_test(without_debug_information),
		cmocka_unit_test(a_cut_file_has_none),
		cmocka_unit_test(found_ones_are_kept),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
