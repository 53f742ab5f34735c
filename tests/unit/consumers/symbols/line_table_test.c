/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/line_table.h"

/* ---- real sections, against addr2line ---- */

static const char source[] = "#include <stdlib.h>\n"
			     "static int less(const void *a, const void *b)\n{\n"
			     "\treturn *(const int *)a - *(const int *)b;\n}\n"
			     "int sorted(int *v, int n)\n{\n\tqsort(v, n, sizeof(*v), less);\n"
			     "\tfor (int i = 0; i < n; i++)\n\t\tif (v[i] > 7)\n\t\t\tabort();\n"
			     "\treturn v[0];\n}\n"
			     "#line 40000 \"deep/elsewhere.h\"\n"
			     "int elsewhere(int a)\n{\n\treturn a * 3;\n}\n"
			     "#line 20 \"/abs/there.c\"\n"
			     "int main(int c, char **v)\n{\n\t(void)v;\n\treturn sorted(&c, 1) + "
			     "elsewhere(c);\n}\n";

struct section {
	uint8_t bytes[1 << 16];
	size_t size;
};

static struct section dumped(const char *program, const char *name)
{
	static struct section section;
	FILE *file;

	run("objcopy --dump-section %s=section.out %s 2>/dev/null || : >section.out", name, program);
	file = fopen(in_directory("section.out"), "r");
	assert_non_null(file);
	section.size = fread(section.bytes, 1, sizeof(section.bytes), file);
	fclose(file);
	return section;
}

/* What addr2line says of the address, "" when nothing. */
static void asked(FILE *answers, char ret[1024])
{
	assert_non_null(fgets(ret, 1024, answers));
	ret[strcspn(ret, "\n (")] = '\0';
	if (strchr(ret, '?'))
		ret[0] = '\0';
}

static void compare(const char *program, const struct nm *nm, struct wt_line_table *table)
{
	FILE *addresses = fopen(in_directory("addresses"), "w"), *answers;
	size_t found = 0;

	assert_non_null(addresses);
	for (size_t i = 0; i < nm->n; i++)
		for (uint64_t a = nm->rows[i].start; a < nm->rows[i].start + nm->rows[i].size; a++)
			fprintf(addresses, "%lx\n", a);
	fclose(addresses);
	run("addr2line -e %s <addresses >answers", program);
	answers = fopen(in_directory("answers"), "r");
	assert_non_null(answers);
	for (size_t i = 0; i < nm->n; i++)
		for (uint64_t a = nm->rows[i].start; a < nm->rows[i].start + nm->rows[i].size; a++) {
			char want[1024], got[1024] = "";
			const char *file;
			uint32_t line;

			asked(answers, want);
			if (wt_line_table_find(table, a, &file, &line) && line)
				snprintf(got, sizeof(got), "%s:%u", file, line);
			assert_string_equal(got, want);
			found += got[0] != '\0';
		}
	fclose(answers);
	assert_true(found > 50);
}

static void as_addr2line_says(void **state)
{
	static const char *const builds[] = {"gcc -O0", "gcc -O2", "gcc -O2 -ffunction-sections",
					     "clang -O2"};

	(void)state;
	write_file("source.c", source);
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct section line, strings;
		struct wt_line_sections sections;
		struct wt_line_table table;
		struct nm nm;

		run("%s -gdwarf-5 -no-pie -o program source.c", builds[i]);
		line = dumped("program", ".debug_line");
		strings = dumped("program", ".debug_line_str");
		nm = nm_functions("", "program");
		sections = (struct wt_line_sections){.line = wt_cursor(line.bytes, line.size),
						     .line_str = wt_cursor(strings.bytes, strings.size)};
		assert_true(wt_line_table_open(&sections, &table));
		compare("program", &nm, &table);
		assert_true(wt_line_table_bytes(&table) > 0);
		wt_line_table_deinit(&table);
		/* Whatever is cut off: an answer or none. */
		for (size_t cut = 0; cut < line.size; cut++) {
			sections.line = wt_cursor(line.bytes, cut);
			if (wt_line_table_open(&sections, &table))
				wt_line_table_deinit(&table);
		}
		free(nm.rows);
	}
}

static void older_versions_are_not_read(void **state)
{
	struct wt_line_sections sections = {.line_str = wt_cursor(NULL, 0)};
	struct wt_line_table table;
	struct section line;

	(void)state;
	write_file("source.c", source);
	run("gcc -gdwarf-4 -o old source.c");
	line = dumped("old", ".debug_line");
	assert_true(line.size > 0);
	sections.line = wt_cursor(line.bytes, line.size);
	assert_false(wt_line_table_open(&sections, &table));
	assert_int_equal(table.n, 0);
}

/* ---- programs made by hand ---- */

static void put_header(struct wt_buf *line, const void *code, size_t n)
{
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct wt_buf head = {0}, body = {0};

	wt_buf_put(&head, "\1\1\1\xfb\x0e\x0d", 6); /* step, operations, statements, base -5, range 14, 13 */
	wt_buf_put(&head, operands, sizeof(operands));
	wt_buf_put(&head, "\1\1\x08\2/work\0rel\0", 14); /* directories: path as string; 2 of them */
	wt_buf_put(&head, "\2\1\x08\2\x0b\2a.c\0\1b.c\0\0",
		   16); /* files: path, directory; a.c in 1, b.c in 0 */
	wt_buf_put_u16(&body, 5);
	wt_buf_put_u8(&body, 8);
	wt_buf_put_u8(&body, 0);
	wt_buf_put_u32(&body, (uint32_t)head.len);
	wt_buf_put(&body, head.data, head.len);
	wt_buf_put(&body, code, n);
	wt_buf_put_u32(line, (uint32_t)body.len);
	wt_buf_put(line, body.data, body.len);
	wt_buf_deinit(&head);
	wt_buf_deinit(&body);
}

static bool find(struct wt_line_table *table, uint64_t address, const char *file, uint32_t number)
{
	const char *got;
	uint32_t line;

	if (!wt_line_table_find(table, address, &got, &line))
		return false;
	assert_string_equal(got, file);
	assert_int_equal(line, number);
	return true;
}

static void by_hand(void **state)
{
	/* set_address 0x1000; line 1+9 copy; a special opcode: +2 bytes, +3 lines; file 0, copy; pc += 16;
	 * end */
	static const char code[] = "\0\x09\2\0\x10\0\0\0\0\0\0"
				   "\3\x09\1"
				   "\x31"
				   "\4\0\1"
				   "\2\x10\0\1\1"
				   /* thrown away by the linker: at 0 */
				   "\0\x09\2\0\0\0\0\0\0\0\0\1\2\x10\0\1\1"
				   /* a sequence without an end */
				   "\0\x09\2\0\x40\0\0\0\0\0\0\1";
	struct wt_line_sections sections = {.line_str = wt_cursor(NULL, 0)};
	struct wt_line_table table;
	struct wt_buf line = {0};

	(void)state;
	put_header(&line, code, sizeof(code) - 1);
	sections.line = wt_cursor(line.data, line.len);
	assert_true(wt_line_table_open(&sections, &table));
	assert_int_equal(table.n, 1);
	assert_false(find(&table, 0xfff, "", 0));
	assert_true(find(&table, 0x1000, "/work/b.c", 10));
	assert_true(find(&table, 0x1001, "/work/b.c", 10));
	assert_true(find(&table, 0x1002, "/work/rel/a.c", 13));
	assert_true(find(&table, 0x1011, "/work/rel/a.c", 13));
	assert_false(find(&table, 0x1012, "", 0));
	assert_false(find(&table, 0x4000, "", 0));
	wt_line_table_deinit(&table);
	/* A second program of an older version: the whole is left to others. */
	put_header(&line, code, sizeof(code) - 1);
	line.data[line.len / 2 + 4] = 4;
	sections.line = wt_cursor(line.data, line.len);
	assert_false(wt_line_table_open(&sections, &table));
	wt_buf_deinit(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(older_versions_are_not_read),
		cmocka_unit_test(as_addr2line_says),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
