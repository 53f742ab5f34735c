/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include "consumers/symbols/file_guard.h"
#include "consumers/symbols/lines.h"

const char *__lsan_default_suppressions(void);

/** What a cut file leaves behind is forgotten on purpose. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf\nleak:libdw\n";
}

static uint64_t one_at, two_at;

static int build(void **state)
{
	struct nm nm;

	if (fixture_setup(state) < 0)
		return -1;
	write_file("one.c", "int two(int);\nint one(int a)\n{\n\treturn two(a) * 3;\n}\n"
			    "int main(int c, char **v)\n{\n\t(void)v;\n\treturn one(c);\n}\n");
	write_file("two.c",
		   "#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n\nint two(int a)\n{\n"
		   "\treturn a + 7;\n}\n");
	run("gcc -O0 -g -gdwarf-5 -no-pie -o whole one.c two.c && gcc -O0 -g -gdwarf-4 -no-pie -o whole4 "
	    "one.c "
	    "two.c && gcc -O0 -no-pie -o bare one.c two.c");
	nm = nm_functions("", "whole");
	for (size_t i = 0; i < nm.n; i++) {
		if (!strcmp(nm.rows[i].name, "one"))
			one_at = nm.rows[i].start;
		if (!strcmp(nm.rows[i].name, "two"))
			two_at = nm.rows[i].start;
	}
	free(nm.rows);
	return one_at && two_at ? 0 : -1;
}

static struct wt_lines *open_lines(const char *name, uint64_t max_bytes)
{
	int fd = open(in_directory(name), O_RDONLY | O_CLOEXEC);
	struct wt_lines *lines;

	assert_true(fd >= 0);
	lines = wt_lines_open(fd, max_bytes, 8 << 20);
	close(fd);
	return lines;
}

static void expect(struct wt_lines *lines, uint64_t address, const char *file, uint32_t number)
{
	struct wt_line line;

	assert_true(wt_lines_find(lines, address, &line));
	assert_string_equal(line.file, in_directory(file));
	assert_int_equal(line.line, number);
}

static void units_take_turns(void **state)
{
	static const uint64_t bounds[] = {0, 1, UINT64_MAX};

	(void)state;
	/* Whatever the bound: tables are dropped and decoded again. */
	for (size_t i = 0; i < 6; i++) {
		struct wt_lines *lines = open_lines(i < 3 ? "whole" : "whole4", bounds[i % 3]);
		struct wt_line line;

		assert_non_null(lines);
		for (int turn = 0; turn < 3; turn++) {
			expect(lines, one_at, "one.c", 3);
			expect(lines, two_at, "two.c", 6);
		}
		assert_true(wt_lines_bytes(lines) > 0);
		assert_false(wt_lines_find(lines, 0, &line));
		assert_false(wt_lines_find(lines, UINT64_MAX, &line));
		wt_lines_close(lines);
	}
}

static void without_lines(void **state)
{
	(void)state;
	assert_null(open_lines("bare", 1 << 20));
	assert_null(open_lines("one.c", 1 << 20));
	wt_lines_close(NULL);
}

static void cut_file_has_no_lines(void **state)
{
	struct wt_lines *lines;
	struct wt_line line;

	(void)state;
	for (int version = 4; version <= 5; version++) {
		run("cp whole%s cut", version == 4 ? "4" : "");
		lines = open_lines("cut", 0);
		assert_non_null(lines);
		expect(lines, one_at, "one.c", 3);
		assert_int_equal(truncate(in_directory("cut"), 0), 0);
		assert_false(wt_lines_find(lines, two_at, &line));
		assert_false(wt_lines_find(lines, one_at, &line));
		wt_lines_close(lines);
	}
}

struct mapped {
	volatile char *bytes;
	int before, after;
};

static void touch(void *ctx)
{
	struct mapped *mapped = ctx;

	mapped->before++;
	(void)mapped->bytes[0];
	mapped->after++;
}

static void guard_ends_the_call(void **state)
{
	int fd = memfd_create("guard", MFD_CLOEXEC);
	struct mapped mapped = {0};
	struct sigaction before, after;

	(void)state;
	assert_true(fd >= 0 && ftruncate(fd, 4096) == 0);
	mapped.bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(mapped.bytes != MAP_FAILED);
	assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
	assert_true(wt_file_guard(touch, &mapped));
	assert_int_equal(ftruncate(fd, 0), 0);
	for (int i = 1; i < 4; i++) {
		assert_false(wt_file_guard(touch, &mapped));
		assert_int_equal(mapped.before, 1 + i);
		assert_int_equal(mapped.after, 1);
	}
	assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
	assert_true(before.sa_handler == after.sa_handler && before.sa_flags == after.sa_flags);
	munmap((void *)mapped.bytes, 4096);
	close(fd);
}

/** A small file can stand for any amount of debug information. Of DWARF 5 only what is looked at counts. */
static void expanding_is_bounded(void **state)
{
	struct wt_lines *lines;

	(void)state;
	run("gcc -O0 -g -gdwarf-4 -no-pie -o older one.c two.c; cp whole newer; "
	    "objcopy --dump-section .debug_line_str=strings newer");
	run("for n in 4 16; do truncate -s ${n}M zeros && cat strings zeros >longer || exit 1; for f in "
	    "older "
	    "newer; do objcopy --add-section .debug_loc=zeros $f plain && objcopy --compress-debug-sections "
	    "plain $f$n || exit 1; done; objcopy --update-section .debug_line_str=longer newer plain && "
	    "objcopy --compress-debug-sections plain long$n || exit 1; done; rm zeros plain longer");
	for (size_t i = 0; i < 4; i++) {
		static const char *const good[] = {"older4", "newer4", "newer16", "long4"};

		lines = open_lines(good[i], 1 << 20);
		assert_non_null(lines);
		expect(lines, two_at, "two.c", 6);
		wt_lines_close(lines);
	}
	assert_null(open_lines("older16", 1 << 20));
	assert_null(open_lines("long16", 1 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expanding_is_bounded), cmocka_unit_test(units_take_turns),
		cmocka_unit_test(without_lines),        cmocka_unit_test(cut_file_has_no_lines),
		cmocka_unit_test(guard_ends_the_call),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
