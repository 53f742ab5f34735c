/* SPDX-License-Identifier: MIT */
/* Names from a process apart are those that are found here; one that says nothing, or dies, does no harm. */
#include "consumers/symbols/namer.h"

#include <limits.h>
#include <signal.h>

#include "consumers/symbols/sight.h"
#include "tests/unit/consumers/symbols/fixture.h"

static const char source[] = "int __attribute__((noinline)) first(int a)\n{\n\treturn a * 7;\n}\n"
			     "int __attribute__((noinline)) second(int a)\n{\n\treturn first(a) + 1;\n}\n"
			     "int main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn second(argc);\n}\n";

static struct wt_log_image images[2];
static struct wt_symbols *symbols;
static struct wt_namer namer;
static uint64_t offsets[WT_NAMER_MOST];
static size_t n;

static int build(void **state)
{
	struct segment loads[16];
	struct nm functions;
	size_t n_loads;

	if (fixture_setup(state) < 0)
		return -1;
	write_file("a.c", source);
	run("gcc -O1 -g -o whole a.c");
	images[0] = file_image("/no/such/file");
	images[1] = file_image(in_directory("whole"));
	n_loads = segments(images[1].path.p, loads, 16);
	functions = nm_functions("", images[1].path.p);
	for (size_t i = 0; i < functions.n && n < WT_NAMER_MOST; i++)
		offsets[n++] = offset_of(loads, n_loads, functions.rows[i].start);
	free(functions.rows);
	symbols = local_symbols(true);
	return n > 2 ? 0 : -1;
}

static int unbuild(void **state)
{
	wt_namer_end(&namer);
	wt_symbols_destroy(symbols);
	return fixture_teardown(state);
}

static void assert_text(struct wt_str got, struct wt_str want)
{
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.p, want.p, want.len);
}

static void same_as_here(void **state)
{
	struct wt_log_symbol here[WT_NAMER_MOST], apart[WT_NAMER_MOST];
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (uint32_t at = 0; at < 2; at++) {
		assert_true(wt_namer_ask(&namer, symbols, images, at, offsets, n, apart));
		assert_int_equal(wt_symbols_resolve(symbols, &images[at], offsets, n, here, &err), 0);
		for (size_t i = 0; i < n; i++) {
			assert_text(apart[i].name, here[i].name);
			assert_text(apart[i].raw_name, here[i].raw_name);
			assert_text(apart[i].file, here[i].file);
			assert_text(apart[i].inlined, here[i].inlined);
			assert_int_equal(apart[i].line, here[i].line);
			assert_int_equal(apart[i].symbol_offset, here[i].symbol_offset);
			assert_int_equal(apart[i].reason, here[i].reason);
		}
	}
	assert_true(here[0].name.len);
}

static void asked_when(int sig)
{
	struct wt_log_symbol rows[WT_NAMER_MOST];

	assert_true(wt_namer_ask(&namer, symbols, images, 1, offsets, n, rows));
	kill(namer.child, sig);
	assert_false(wt_namer_ask(&namer, symbols, images, 1, offsets, n, rows));
	assert_int_equal(rows[0].name.len, 0);
	assert_int_equal(rows[0].reason, 0);
	assert_true(wt_namer_ask(&namer, symbols, images, 1, offsets, n, rows));
	assert_true(rows[0].name.len);
}

static void a_child_that_waits(void **state)
{
	(void)state;
	asked_when(SIGSTOP);
}

static void a_child_that_dies(void **state)
{
	(void)state;
	asked_when(SIGKILL);
}

/* Who reads this process's output waits for the end of all that have it. */
static void has_no_output_of_its_parent(void **state)
{
	struct wt_log_symbol rows[WT_NAMER_MOST];
	struct stat own, its;
	char path[64];

	(void)state;
	assert_true(wt_namer_ask(&namer, symbols, images, 1, offsets, n, rows));
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)namer.child, fd);
		assert_int_equal(fstat(fd, &own), 0);
		if (!stat(path, &its))
			assert_false(own.st_dev == its.st_dev && own.st_ino == its.st_ino);
	}
}

static void what_is_seen(void **state)
{
	struct wt_log_image image = images[1];
	struct wt_sights sights = {0};
	struct wt_sight sight;
	char path[PATH_MAX];
	struct stat st;

	(void)state;
	assert_int_equal(stat(image.path.p, &st), 0);
	image.inode = st.st_ino;
	assert_true(wt_sight_is_file(&image));
	assert_true(wt_sight_look(&sights, &image, &sight));
	assert_true(sight.there && sight.ours);
	assert_int_equal(sight.uid, geteuid());
	/* Its directory is this user's alone; a link on the way to it is somebody's to change. */
	assert_non_null(realpath(image.path.p, path));
	assert_int_equal(sight.kept, !strcmp(path, image.path.p));
	assert_int_equal(chmod(fixture_directory, 0770), 0);
	assert_true(wt_sight_look(&sights, &image, &sight));
	assert_true(sight.ours && !sight.kept);
	assert_int_equal(chmod(fixture_directory, 0700), 0);
	assert_int_equal(sight.size, st.st_size);
	image.inode++;
	assert_true(wt_sight_look(&sights, &image, &sight));
	assert_true(sight.there && !sight.ours);
	assert_true(wt_sight_look(&sights, &images[0], &sight));
	assert_true(!sight.there && !sight.ours);
	assert_int_equal(sight.uid, UINT32_MAX);
	/* One that did not answer is not asked again, and after some of them only what cannot wait. */
	for (uint32_t i = 0; i < WT_SIGHT_SILENT; i++)
		wt_sights_add_silent(&sights, &images[0]);
	assert_int_equal(sights.n_silent, WT_SIGHT_SILENT);
	assert_false(wt_sight_look(&sights, &images[0], &sight));
	wt_sights_deinit(&sights);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_here),      cmocka_unit_test(a_child_that_waits),
		cmocka_unit_test(a_child_that_dies), cmocka_unit_test(has_no_output_of_its_parent),
		cmocka_unit_test(what_is_seen),
	};

	return cmocka_run_group_tests_name("namer", tests, build, unbuild);
}
