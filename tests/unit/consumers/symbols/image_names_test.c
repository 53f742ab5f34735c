/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/image_names.h"

enum { MAX_ID = 64 };

static uint8_t ids[2][MAX_ID];
static char paths[2][256];

static int build(void **state)
{
	if (fixture_setup(state) < 0)
		return -1;
	write_file("one.c",
		   "int two(int);\nstatic int inner(int a)\n{\n\treturn a * 5;\n}\nint one(int a)\n{\n"
		   "\treturn two(a) * inner(a);\n}\nint main(int c, char **v)\n{\n\t(void)v;\n"
		   "\treturn one(c);\n}\n");
	write_file("two.c",
		   "#include <stdio.h>\n\nint two(int a)\n{\n\tputs(\"two\");\n\treturn a + 7;\n}\n");
	run("mkdir -p debug/.build-id && gcc='gcc -O0 -g -no-pie -Wl,--build-id one.c two.c' && "
	    "$gcc -gdwarf-5 -o five && $gcc -gdwarf-4 -o four && "
	    "$gcc -gdwarf-5 -gz=zlib -o packed && cp five bare && strip bare && "
	    "objcopy --only-keep-debug five five.debug");
	settle(in_directory("five.debug"));
	return 0;
}

/* The image of a program, with its build id in one of ids and its path in one of paths. */
static struct wt_log_image image_of(const char *name, unsigned at)
{
	struct wt_log_image image;
	struct wt_elf file;

	snprintf(paths[at], sizeof(paths[at]), "%s", in_directory(name));
	image = file_image(paths[at]);
	assert_true(wt_elf_open(in_directory(name), &file));
	image.build_id = wt_elf_build_id(&file);
	assert_in_range(image.build_id.len, 4, MAX_ID);
	memcpy(ids[at], image.build_id.p, image.build_id.len);
	image.build_id.p = (const char *)ids[at];
	wt_elf_close(&file);
	return image;
}

static struct wt_unwind_cache a_cache(const char *name)
{
	struct wt_unwind_cache cache;
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_unwind_cache_open(in_directory(name), 0, &cache, &err), 0);
	return cache;
}

static struct wt_symbols *symbols_on(struct wt_unwind_cache *cache, bool lines)
{
	return symbols_with(&(struct wt_symbols_options){
		.debug_root = in_directory("debug"), .lines = lines, .cache = cache});
}

static void assert_same(struct wt_str got, struct wt_str want)
{
	assert_int_equal(got.len, want.len);
	if (want.len)
		assert_memory_equal(got.p, want.p, want.len);
}

/* Every address of the file through one as through the other; returns how many had a line. */
static unsigned assert_equal(struct wt_symbols *a, struct wt_symbols *b, const struct wt_log_image *image)
{
	unsigned lines = 0;

	for (uint64_t offset = 0; offset < 0x2000; offset++) {
		struct wt_log_symbol want = resolve(a, image, offset), got = resolve(b, image, offset);

		assert_int_equal(got.reason, want.reason);
		assert_int_equal(got.symbol_offset, want.symbol_offset);
		assert_int_equal(got.line, want.line);
		assert_same(got.name, want.name);
		assert_same(got.raw_name, want.raw_name);
		assert_same(got.file, want.file);
		lines += want.line != 0;
	}
	return lines;
}

static uint8_t kept_lines(struct wt_unwind_cache *cache, const struct wt_log_image *image)
{
	const struct wt_image_roots roots = {.debug = in_directory("debug"), .sysroot = ""};
	struct wt_image_names names;
	uint8_t lines;

	if (!wt_image_names_find(cache, &roots, image, &names))
		return UINT8_MAX;
	lines = names.lines;
	wt_image_names_deinit(&names);
	return lines;
}

static void kept_is_as_read(void **state)
{
	static const struct {
		const char *name;
		uint8_t lines;
	} cases[] = {{"five", WT_KEPT_LINES_HERE},
		     {"four", WT_KEPT_LINES_IN_FILES},
		     {"packed", WT_KEPT_LINES_HERE},
		     {"bare", WT_KEPT_LINES_NONE}};
	struct wt_unwind_cache cache = a_cache("kept");

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct wt_log_image image = image_of(cases[i].name, 0);
		struct wt_symbols *fresh = local_symbols(true), *writer = symbols_on(&cache, true), *kept;

		assert_int_equal(kept_lines(&cache, &image), UINT8_MAX);
		resolve(writer, &image, 0x1000);
		assert_int_equal(kept_lines(&cache, &image), cases[i].lines);
		kept = symbols_on(&cache, true);
		assert_int_equal(assert_equal(fresh, kept, &image) != 0, i < 3);
		wt_symbols_destroy(fresh);
		wt_symbols_destroy(writer);
		wt_symbols_destroy(kept);
	}
	assert_int_equal(cache.damaged, 0);
	wt_unwind_cache_close(&cache);
}

static void lines_that_nobody_asked_for(void **state)
{
	struct wt_unwind_cache cache = a_cache("unasked");
	struct wt_log_image image = image_of("five", 0);
	struct wt_symbols *without = symbols_on(&cache, false), *with = symbols_on(&cache, true);
	struct wt_symbols *fresh = local_symbols(true), *plain = local_symbols(false);

	(void)state;
	resolve(without, &image, 0x1000);
	assert_int_equal(kept_lines(&cache, &image), WT_KEPT_LINES_NOT_ASKED);
	assert_true(assert_equal(fresh, with, &image) > 0);
	assert_int_equal(kept_lines(&cache, &image), WT_KEPT_LINES_HERE);
	wt_symbols_destroy(without);
	without = symbols_on(&cache, false);
	assert_int_equal(assert_equal(plain, without, &image), 0);
	wt_symbols_destroy(without);
	wt_symbols_destroy(with);
	wt_symbols_destroy(fresh);
	wt_symbols_destroy(plain);
	wt_unwind_cache_close(&cache);
}

static void another_file_makes_it_void(void **state)
{
	struct wt_unwind_cache cache = a_cache("void");
	struct wt_log_image image = image_of("bare", 0);
	struct wt_symbols *symbols = symbols_on(&cache, true);
	struct nm nm = nm_functions("", "five");
	uint64_t at = 0;
	char name[MAX_ID * 2 + 8] = "";

	(void)state;
	for (size_t i = 0; i < nm.n; i++)
		at = strcmp(nm.rows[i].name, "one") ? at : nm.rows[i].start - 0x400000;
	free(nm.rows);
	assert_true(at > 0);
	assert_int_equal(resolve(symbols, &image, at).name.len, 0);
	assert_int_equal(kept_lines(&cache, &image), WT_KEPT_LINES_NONE);
	wt_symbols_destroy(symbols);
	/* A debug file that was not there. */
	for (uint32_t i = 1; i < image.build_id.len; i++)
		snprintf(name + 2 * (i - 1), 3, "%02x", (uint8_t)image.build_id.p[i]);
	run("mkdir -p debug/.build-id/%02x && cp five.debug debug/.build-id/%02x/%s.debug",
	    (uint8_t)image.build_id.p[0], (uint8_t)image.build_id.p[0], name);
	assert_int_equal(kept_lines(&cache, &image), UINT8_MAX);
	symbols = symbols_on(&cache, true);
	assert_str(resolve(symbols, &image, at).name, "one");
	wt_symbols_destroy(symbols);
	run("rm -r debug/.build-id && mkdir debug/.build-id");
	wt_unwind_cache_close(&cache);
}

static void a_file_that_was_changed(void **state)
{
	struct wt_unwind_cache cache = a_cache("changed");
	struct wt_log_image image;
	struct wt_symbols *symbols = symbols_on(&cache, true);

	(void)state;
	run("cp -p five copy");
	image = image_of("copy", 0);
	settle(in_directory("copy"));
	resolve(symbols, &image, 0x1000);
	assert_int_equal(kept_lines(&cache, &image), WT_KEPT_LINES_HERE);
	/* Size and time of change as before: the inode's time tells. */
	run("printf x | dd of=copy bs=1 seek=64 conv=notrunc status=none && touch -r five copy");
	assert_int_equal(kept_lines(&cache, &image), UINT8_MAX);
	wt_symbols_destroy(symbols);
	wt_unwind_cache_close(&cache);
}

static void just_changed(void **state)
{
	struct wt_image_inputs inputs = {0};
	struct stat st;

	(void)state;
	do {
		wt_image_inputs_deinit(&inputs);
		run("touch now");
		wt_image_inputs_add(&inputs, in_directory("now"), -1);
		assert_int_equal(stat(in_directory("now"), &st), 0);
	} while (time(NULL) >= st.st_ctim.tv_sec + 2);
	assert_true(inputs.fresh);
	wt_image_inputs_deinit(&inputs);
	wt_image_inputs_add(&inputs, in_directory("five"), -1);
	wt_image_inputs_add(&inputs, in_directory("nowhere"), -1);
	assert_false(inputs.fresh);
	wt_image_inputs_deinit(&inputs);
}

/* One of another image, one cut anywhere, one with more behind it. */
static void wrong_files_are_none(void **state)
{
	const struct wt_image_roots roots = {.debug = in_directory("debug"), .sysroot = ""},
				    other = {.debug = "/elsewhere", .sysroot = ""};
	struct wt_log_image image = image_of("five", 0), four = image_of("four", 1), moved = image;
	struct wt_symtab table = {0};
	struct wt_image_findings findings = {.table = &table, .no_name = WT_UNRESOLVED_NO_MATCH};
	struct wt_image_names names;
	struct wt_buf file = {0};
	struct wt_image files;

	(void)state;
	wt_image_open(&roots, &image, &files);
	wt_image_names_write(&roots, &image, &files, &findings, &file);
	wt_image_close(&files);
	assert_false(file.failed);
	assert_true(wt_image_names_read(wt_cursor(file.data, file.len), &roots, &image, &names));
	moved.path = wt_str("/somewhere");
	assert_false(wt_image_names_read(wt_cursor(file.data, file.len), &roots, &moved, &names));
	assert_false(wt_image_names_read(wt_cursor(file.data, file.len), &roots, &four, &names));
	assert_false(wt_image_names_read(wt_cursor(file.data, file.len), &other, &image, &names));
	for (size_t i = 0; i < file.len; i++)
		assert_false(wt_image_names_read(wt_cursor(file.data, i), &roots, &image, &names));
	wt_buf_put_u8(&file, 0);
	assert_false(wt_image_names_read(wt_cursor(file.data, file.len), &roots, &image, &names));
	wt_buf_deinit(&file);
}

/* What was damaged on disk is removed, and read anew from the image's files. */
static void damage_is_found(void **state)
{
	struct wt_unwind_cache cache = a_cache("damage");
	struct wt_log_image image = image_of("five", 0);

	(void)state;
	for (unsigned i = 1; i < 30; i++) {
		struct wt_symbols *symbols = symbols_on(&cache, true);

		resolve(symbols, &image, 0x1000);
		wt_symbols_destroy(symbols);
		assert_int_equal(kept_lines(&cache, &image), WT_KEPT_LINES_HERE);
		spoil("damage/*-image.v3", i, 30);
		assert_int_equal(kept_lines(&cache, &image), UINT8_MAX);
		assert_int_equal(cache.damaged, i);
	}
	wt_unwind_cache_close(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_is_as_read),
		cmocka_unit_test(lines_that_nobody_asked_for),
		cmocka_unit_test(another_file_makes_it_void),
		cmocka_unit_test(a_file_that_was_changed),
		cmocka_unit_test(just_changed),
		cmocka_unit_test(wrong_files_are_none),
		cmocka_unit_test(damage_is_found),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
