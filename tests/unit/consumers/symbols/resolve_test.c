/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"
#include "tests/unit/extent.h"

static const char c_source[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"static int __attribute__((noinline)) local_function(int a)\n{\n\tint s = 0;\n"
	"\tfor (int i = 0; i < a; i++)\n\t\ts += i * a;\n\treturn s;\n}\n"
	"int __attribute__((noinline)) global_function(int a)\n{\n\treturn local_function(a) + 1;\n}\n"
	"int _alias_with_underscore(int a) __attribute__((alias(\"global_function\")));\n"
	"int global_function_long(int a) __attribute__((alias(\"global_function\")));\n"
	"int weak_one(int a) __attribute__((weak));\nint weak_one(int a)\n{\n\treturn a ^ 5;\n}\n"
	"int compare(const void *a, const void *b)\n{\n\treturn *(const int *)a - *(const int *)b;\n}\n"
	"int main(int argc, char **argv)\n{\n\tint v[3] = {3, argc, 1};\n\tqsort(v, 3, sizeof(*v), "
	"compare);\n"
	"\tputs(argv[0]);\n\treturn global_function(v[0]) + weak_one(v[1]) + (int)strlen(argv[0]);\n}\n";

static const char asm_source[] = "\t.text\n\t.globl before_open\n\t.type before_open, %function\n"
				 "before_open:\n\t.fill 16, 1, 0\n\t.size before_open, 16\n"
				 "\t.globl open_function\n\t.type open_function, %function\nopen_function:\n"
				 "\t.fill 32, 1, 0\nopen_label:\n\t.fill 16, 1, 0\n"
				 "\t.globl after_open\n\t.type after_open, %function\nafter_open:\n"
				 "\t.fill 8, 1, 0\ninside_label:\n\t.fill 8, 1, 0\n\t.size after_open, 16\n"
				 "\t.section .note.GNU-stack,\"\",%progbits\n";

static const char indirect_source[] =
	"#include <string.h>\nint main(int argc, char **argv)\n{\n\tchar b[99];\n"
	"\tmemcpy(b, argv[0], argc);\n\treturn (int)strlen(b);\n}\n";

static const char cpp_source[] =
	"#include <string>\n#include <vector>\n#include <algorithm>\n#include <stdexcept>\n"
	"namespace outer { namespace {\nint hidden(int a) { return a * 7; }\n}\n"
	"template <typename T> struct Box { T value; T get() const { return value; }\n"
	"  T operator+(const T &o) const { return value + o; } };\n"
	"int overloaded(int a) { return hidden(a); }\n"
	"int overloaded(const std::string &s) { return (int)s.size(); }\n}\n"
	"int main(int argc, char **argv) {\n  std::vector<std::string> v(argv, argv + argc);\n"
	"  std::sort(v.begin(), v.end(), [](const auto &a, const auto &b) { return a > b; });\n"
	"  outer::Box<std::string> box{v[0]};\n  if (argc > 9) throw std::runtime_error(\"no\");\n"
	"  return outer::overloaded(box.get()) + outer::overloaded(argc) + (int)(box + \"x\").size();\n}\n";

/* The call in `last` never comes back and is the end of its section: the return address is behind it. */
static const char noreturn_source[] =
	"volatile int x;\n__attribute__((noinline, noreturn)) void never(int a);\n"
	"__attribute__((noinline, section(\"last_text\"))) void last(int a)\n{\n\tx = a;\n\tnever(a + 1); /* "
	"line 6 */\n}\n"
	"__attribute__((noinline)) int behind(int a)\n{\n\treturn a * 7;\n}\n"
	"void never(int a)\n{\n\tfor (;;)\n\t\tx += a;\n}\n"
	"int main(int argc, char **argv)\n{\n\t(void)argv;\n\tif (argc > 5)\n\t\treturn behind(argc);\n"
	"\tlast(argc);\n}\n";

static int build(void **state)
{
	if (fixture_setup(state) < 0)
		return -1;
	write_file("a.c", c_source);
	write_file("o.s", asm_source);
	write_file("a.cpp", cpp_source);
	run("mkdir -p debug sub && cp a.c sub/rel.c");
	run("gcc -O1 -g -o whole a.c o.s && gcc -O1 -g -no-pie -o nopie a.c o.s");
	run("gcc -O1 -g -static -o static a.c && gcc -O1 -g -static-pie -o staticpie a.c");
	run("gcc -O1 -g -rdynamic -o dynamic a.c && strip dynamic -o dynonly");
	run("gcc -O1 -gdwarf-4 -g -o dwarf4 sub/rel.c && clang -O1 -g -o withclang sub/rel.c");
	run("sed 's/global_function/gf/g; s/compare/compare2/g; s/weak_one/weak2/g; s/main/other/; "
	    "s/_alias/_alias2/' a.c >b.c");
	run("gcc -O1 -g -c a.c -o one.o && clang -O1 -g -c b.c -o two.o && gcc -o mixed one.o two.o");
	run("g++ -O0 -gdwarf-4 -o cpp a.cpp");
	run("gcc -O1 -g -shared -fPIC -o lib.so a.c");
	run("gcc -O1 -g -fcf-protection=full -Wl,-z,ibtplt -o ibt a.c && gcc -c -O1 a.c -o a.o && "
	    "gcc -Wl,-z,now -o bindnow a.o");
	run("mkdir -p bin && ln -s $(command -v ld.lld) bin/ld && gcc -O1 -fuse-ld=lld -o lld a.c && "
	    "aarch64-linux-gnu-gcc -O1 -B bin -o arm64lld a.c");
	write_file("i.c", indirect_source);
	write_file("n.c", noreturn_source);
	run("for cc in gcc clang aarch64-linux-gnu-gcc; do $cc -O2 -g -o noreturn-$cc n.c || exit 1; done");
	run("gcc -O1 -static -fno-builtin -o indirect i.c && "
	    "gcc -O1 -static -fno-builtin -fuse-ld=lld -o indirectlld i.c && "
	    "aarch64-linux-gnu-gcc -O1 -static -fno-builtin -o indirectarm i.c");
	run("aarch64-linux-gnu-gcc -O1 -g -mbranch-protection=standard -Wl,-z,force-bti -o bti a.c "
	    "2>/dev/null");
	run("aarch64-linux-gnu-gcc -O1 -g -o arm64 a.c o.s && aarch64-linux-gnu-gcc -O1 -g -static -o "
	    "arm64static a.c");
	return 0;
}

/** The last of the functions that start latest among those that cover the address; NULL when none does. */
static const struct nm_row *covering(const struct nm *nm, uint64_t address)
{
	for (size_t i = nm->n; i-- > 0;)
		if (nm->rows[i].start <= address && address - nm->rows[i].start < nm->rows[i].size)
			return &nm->rows[i];
	return NULL;
}

static bool is_alias(const struct nm *nm, uint64_t start, struct wt_str name)
{
	uint32_t len = 0;

	while (len < name.len && name.p[len] != '@')
		len++;
	for (size_t i = 0; i < nm->n; i++)
		if (nm->rows[i].start == start && strlen(nm->rows[i].name) == len &&
		    !memcmp(nm->rows[i].name, name.p, len))
			return true;
	return false;
}

static void check_address(struct wt_symbols *symbols, const struct wt_log_image *image, const struct nm *nm,
			  uint64_t address, uint64_t offset)
{
	const struct nm_row *want = covering(nm, address);
	struct wt_log_symbol row = resolve(symbols, image, offset);
	struct wt_str name = row.raw_name.len ? row.raw_name : row.name;

	if (row.reason || !is_alias(nm, address - row.symbol_offset, name) ||
	    address - row.symbol_offset != want->start)
		fail_msg("%.*s %lx: got '%.*s'+%u reason %u, want '%s'", (int)image->path.len, image->path.p,
			 address, (int)name.len, name.p, row.symbol_offset, row.reason, want->name);
}

/** Start, middle and last byte of every function nm lists in `listed`, resolved in the image; in part of
 * every few. */
static size_t check_names(struct wt_symbols *symbols, const char *path, const char *listed,
			  const char *options)
{
	struct nm nm = nm_functions(options, listed);
	struct wt_log_image image = file_image(path);
	struct segment loads[16];
	size_t n_loads = segments(path, loads, 16), n = nm.n;

	for (size_t i = 0; i < nm.n; i += extent_step(nm.n < 500 ? 1 : 7)) {
		const uint64_t at[] = {0, nm.rows[i].size / 2, nm.rows[i].size - 1};

		for (size_t k = 0; k < 3; k++)
			check_address(symbols, &image, &nm, nm.rows[i].start + at[k],
				      offset_of(loads, n_loads, nm.rows[i].start + at[k]));
	}
	free(nm.rows);
	return n;
}

static void names_agree_with_nm(void **state)
{
	static const char *const programs[] = {"whole",   "nopie",  "static",    "staticpie",
					       "dynamic", "cpp",    "withclang", "dwarf4",
					       "mixed",   "lib.so", "arm64",     "arm64static"};
	struct wt_symbols *symbols = local_symbols(false);

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		assert_true(check_names(symbols, in_directory(programs[i]), programs[i], "") >= 4);
	assert_true(check_names(symbols, in_directory("dynonly"), "dynonly", "-D") >= 4);
	wt_symbols_destroy(symbols);
}

/** Path of the C library of the programs here. */
static const char *libc_path(void)
{
	static char path[256];
	FILE *file;

	run("ldd whole | awk '/libc.so/ {print $3}' >libc.path");
	file = fopen(in_directory("libc.path"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%255s", path), 1);
	fclose(file);
	return path;
}

static void libc_agrees_with_nm(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	const char *path = libc_path();

	(void)state;
	assert_true(check_names(symbols, path, path, "-D") > 1000);
	wt_symbols_destroy(symbols);
}

static uint64_t offset_of_symbol(const char *program, const char *name)
{
	struct nm nm = nm_functions("", program);
	struct segment loads[16];
	size_t n_loads = segments(program, loads, 16);
	uint64_t offset = UINT64_MAX;

	for (size_t i = 0; i < nm.n; i++)
		if (!strcmp(nm.rows[i].name, name))
			offset = offset_of(loads, n_loads, nm.rows[i].start);
	free(nm.rows);
	assert_true(offset != UINT64_MAX);
	return offset;
}

static void aliases_have_one_name(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	struct wt_log_image image = file_image(in_directory("whole"));

	(void)state;
	assert_str(resolve(symbols, &image, offset_of_symbol("whole", "_alias_with_underscore")).name,
		   "global_function");
	wt_symbols_destroy(symbols);
}

static void symbols_without_size(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	struct wt_log_image image = file_image(in_directory("whole"));
	uint64_t before = offset_of_symbol("whole", "before_open");
	struct wt_log_symbol row;

	(void)state;
	assert_str(resolve(symbols, &image, before + 15).name, "before_open");
	row = resolve(symbols, &image, before + 16 + 31);
	assert_str(row.name, "open_function");
	assert_int_equal(row.symbol_offset, 31);
	assert_str(resolve(symbols, &image, before + 16 + 32).name, "open_label");
	row = resolve(symbols, &image, before + 64 + 12);
	assert_str(row.name, "after_open");
	assert_int_equal(row.symbol_offset, 12);
	wt_symbols_destroy(symbols);
}

static void names_are_demangled(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	struct nm mangled = nm_functions("", "cpp");
	struct wt_log_image image = file_image(in_directory("cpp"));
	struct segment loads[16];
	size_t n_loads = segments("cpp", loads, 16), found = 0;
	char line[4096];
	FILE *file;

	(void)state;
	run("nm -S --defined-only cpp | awk 'NF == 4 && $3 ~ /[tTwWi]/ {print $4}' | c++filt >filt.out");
	file = fopen(in_directory("filt.out"), "r");
	assert_non_null(file);
	for (size_t i = 0; i < mangled.n; i++) {
		struct wt_log_symbol row = resolve(symbols, &image,
						   offset_of(loads, n_loads, mangled.rows[i].start));
		bool same = false;

		rewind(file);
		while (!same && fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = '\0';
			same = row.name.len == strlen(line) && !memcmp(row.name.p, line, row.name.len);
		}
		if (!same)
			fail_msg("'%.*s' is not what c++filt says", (int)row.name.len, row.name.p);
		found += row.raw_name.len > 0;
	}
	assert_true(found > 50);
	fclose(file);
	free(mangled.rows);
	wt_symbols_destroy(symbols);
}

static void stubs_are_named(void **state)
{
	static const char *const programs[] = {"whole", "nopie", "cpp",      "ibt", "bindnow",
					       "lld",   "arm64", "arm64lld", "bti"};
	struct wt_symbols *symbols = local_symbols(false);

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		struct wt_log_image image = file_image(in_directory(programs[i]));
		struct segment loads[16];
		size_t n_loads = segments(programs[i], loads, 16), n = 0;
		unsigned long address;
		char name[1024];
		FILE *file;

		run("%sobjdump -d -C %s | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:/\\1 \\2/p' >plt.out",
		    i >= 6 ? "aarch64-linux-gnu-" : "", programs[i]);
		file = fopen(in_directory("plt.out"), "r");
		assert_non_null(file);
		while (fscanf(file, "%lx %1023[^\n]", &address, name) == 2) {
			struct wt_log_symbol row = resolve(symbols, &image,
							   offset_of(loads, n_loads, address) + 4);

			if (strstr(name, "plt0") || strstr(name, "plt-0x") || strstr(name, "*ABS*"))
				continue;
			assert_str(row.name, name);
			assert_int_equal(row.symbol_offset, 4);
			n++;
		}
		fclose(file);
		assert_true(n >= 3);
	}
	wt_symbols_destroy(symbols);
}

/** Stubs of functions that are chosen at run time: the relocation only names the function that chooses. */
static void indirect_stubs_of_libc(void **state)
{
	struct wt_symbols *symbols = symbols_with(&(struct wt_symbols_options){.debug_root = "/nowhere"});
	const char *path = libc_path();
	struct wt_log_image image = file_image(path);
	struct nm nm = nm_functions("-D", path);
	struct segment loads[16];
	size_t n_loads = segments(path, loads, 16), n = 0;
	unsigned long address, resolver;
	FILE *file;

	(void)state;
	run("objdump -d -j .plt %s | sed -n 's/^\\([0-9a-f]*\\) <\\*ABS\\*+\\(.*\\)@plt>:/\\1 \\2/p' "
	    ">plt.out",
	    path);
	file = fopen(in_directory("plt.out"), "r");
	assert_non_null(file);
	while (fscanf(file, "%lx %lx", &address, &resolver) == 2) {
		struct wt_log_symbol row = resolve(symbols, &image, offset_of(loads, n_loads, address) + 4);

		if (!covering(&nm, resolver))
			continue; /* not exported */
		assert_true(row.name.len > 4 && !memcmp(row.name.p + row.name.len - 4, "@plt", 4));
		assert_true(is_alias(&nm, resolver, row.name));
		n++;
	}
	fclose(file);
	free(nm.rows);
	assert_true(n >= 10);
	wt_symbols_destroy(symbols);
}

/** Where main calls memcpy and strlen, in programs that have all their code in them. */
static void indirect_stubs_of_static_programs(void **state)
{
	static const char *const programs[] = {"indirect", "indirectlld", "indirectarm"};
	struct wt_symbols *symbols = local_symbols(false);

	(void)state;
	for (size_t i = 0; i < 3; i += extent_step(3)) {
		struct wt_log_image image = file_image(in_directory(programs[i]));
		struct segment loads[16];
		size_t n_loads = segments(programs[i], loads, 16), n = 0;
		unsigned long address;
		FILE *file;

		run("%sobjdump -d %s | sed -n '/<main>:/,/^$/s/.*\\(call\\|bl\\)[ \\t]*\\([0-9a-f]*\\) "
		    "<.*/\\2/p' >calls",
		    i == 2 ? "aarch64-linux-gnu-" : "", programs[i]);
		file = fopen(in_directory("calls"), "r");
		assert_non_null(file);
		for (; fscanf(file, "%lx", &address) == 1; n++)
			assert_str(resolve(symbols, &image, offset_of(loads, n_loads, address)).name,
				   n ? "strlen@plt" : "memcpy@plt");
		fclose(file);
		assert_int_equal(n, 2);
	}
	wt_symbols_destroy(symbols);
}

static void lines_agree_with_addr2line(const char *program, const char *tool)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = file_image(in_directory(program));
	struct nm nm = nm_functions("", program);
	struct segment loads[16];
	size_t n_loads = segments(program, loads, 16), same = 0;
	FILE *file = fopen(in_directory("addresses"), "w");
	char line[4096], got[4096];

	assert_non_null(file);
	for (size_t i = 0; i < nm.n; i++)
		for (uint64_t at = 0; at < nm.rows[i].size; at += 4)
			fprintf(file, "%lx\n", nm.rows[i].start + at);
	fclose(file);
	run("%s -e %s <addresses >lines.out", tool, program);
	file = fopen(in_directory("lines.out"), "r");
	assert_non_null(file);
	for (size_t i = 0; i < nm.n; i++)
		for (uint64_t at = 0; at < nm.rows[i].size; at += 4) {
			struct wt_log_symbol row = resolve(symbols, &image,
							   offset_of(loads, n_loads, nm.rows[i].start + at));

			assert_non_null(fgets(line, sizeof(line), file));
			line[strcspn(line, " \n")] = '\0';
			snprintf(got, sizeof(got), "%.*s:%u", (int)row.file.len, row.file.p, row.line);
			/* Without a line addr2line names what the symbol table has to say of files. */
			if (!row.line && (!strcmp(line, "??:0") || strstr(line, ":?")))
				continue;
			if (strcmp(got, line) != 0)
				fail_msg("%s: %s+%lu: got %s, addr2line says %s", program, nm.rows[i].name,
					 at, got, line);
			same += row.line > 0;
		}
	fclose(file);
	free(nm.rows);
	assert_true(same > 10);
	wt_symbols_destroy(symbols);
}

static void lines_agree(void **state)
{
	static const char *const programs[] = {"whole", "nopie",     "dwarf4", "withclang",
					       "mixed", "staticpie", "lib.so", "cpp"};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		lines_agree_with_addr2line(programs[i], "addr2line");
	lines_agree_with_addr2line("arm64", "aarch64-linux-gnu-addr2line");
}

/** The frame of a caller is its return address minus one: its name, line and offset are those of the call. */
static void calls_that_never_return(void **state)
{
	static const char *const programs[] = {"noreturn-gcc", "noreturn-clang",
					       "noreturn-aarch64-linux-gnu-gcc"};
	struct wt_symbols *symbols = local_symbols(true);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wt_log_image image = file_image(in_directory(programs[i]));
		struct nm nm = nm_functions("", programs[i]);
		uint64_t last = offset_of_symbol(programs[i], "last"), end = 0;
		struct wt_log_symbol row;

		for (size_t k = 0; k < nm.n; k++)
			if (!strcmp(nm.rows[k].name, "last"))
				end = last + nm.rows[k].size;
		free(nm.rows);
		row = resolve(symbols, &image, end - 1);
		assert_str(row.name, "last");
		assert_int_equal(row.line, 6);
		assert_int_equal(row.symbol_offset, end - 1 - last);
		row = resolve(symbols, &image, end);
		assert_false(row.name.len == 4 && !memcmp(row.name.p, "last", 4));
	}
	wt_symbols_destroy(symbols);
}

/** What a signal handler returns to was never called: its address minus one is the byte before it. */
static void signal_trampolines(void **state)
{
	struct wt_symbols *symbols = symbols_with(&(struct wt_symbols_options){0});
	struct wt_log_image image = file_image(libc_path());
	struct segment loads[16];
	size_t n_loads = segments(libc_path(), loads, 16);
	unsigned long start = 0;
	struct wt_log_symbol row;
	FILE *file;

	(void)state;
	run("id=$(readelf -n %s | sed -n 's/.*Build ID: \\(..\\)/\\1\\//p') && "
	    "nm /usr/lib/debug/.build-id/$id.debug | sed -n 's/ t __restore_rt$//p' >start",
	    libc_path());
	file = fopen(in_directory("start"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lx", &start), 1);
	fclose(file);
	for (int i = 0; i < 3; i++) {
		row = resolve(symbols, &image, offset_of(loads, n_loads, start) + (uint64_t)i - 1);
		assert_str(row.name, "__restore_rt");
		assert_int_equal(row.symbol_offset, i == 2);
	}
	wt_symbols_destroy(symbols);
}

static void never_mapping_symbols(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	struct wt_log_image image = file_image(in_directory("arm64static"));
	struct segment loads[16];
	size_t n_loads = segments("arm64static", loads, 16), n = 0;
	unsigned long address;
	FILE *file;

	(void)state;
	run("aarch64-linux-gnu-readelf -sW arm64static | awk '$8 ~ /^\\$x/ {print $2}' >mapping");
	file = fopen(in_directory("mapping"), "r");
	assert_non_null(file);
	for (; fscanf(file, "%lx", &address) == 1; n++) {
		struct wt_log_symbol row = resolve(symbols, &image, offset_of(loads, n_loads, address));

		assert_true(!row.name.len || row.name.p[0] != '$');
	}
	fclose(file);
	assert_true(n > 100);
	wt_symbols_destroy(symbols);
}

static void many_at_once_and_bounded(void **state)
{
	struct wt_symbols_options options = {
		.debug_root = in_directory("debug"), .lines = true, .max_bytes = 4096};
	struct wt_symbols *symbols = symbols_with(&options);
	uint64_t main_at[2], offsets[3];
	struct wt_log_symbol rows[3];
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	main_at[0] = offset_of_symbol("whole", "main");
	main_at[1] = offset_of_symbol("static", "main");
	for (int i = 0; i < 20; i++) {
		struct wt_log_image image = file_image(in_directory(i % 2 ? "static" : "whole"));

		offsets[0] = main_at[i % 2];
		offsets[1] = main_at[i % 2] + 3;
		offsets[2] = UINT64_MAX;
		assert_int_equal(wt_symbols_resolve(symbols, &image, offsets, 3, rows, &err), 0);
		assert_str(rows[0].name, "main");
		assert_str(rows[1].name, "main");
		assert_int_equal(rows[1].symbol_offset, 3);
		assert_true(rows[1].line > 20);
		assert_int_equal(rows[2].reason, WT_UNRESOLVED_NO_MATCH);
		assert_int_equal(rows[2].name.len, 0);
		assert_int_equal(wt_symbols_name(symbols, &image, offsets, 3, rows, &err), 0);
		assert_str(rows[1].name, "main");
		assert_int_equal(rows[1].symbol_offset, 3);
		assert_int_equal(rows[1].line, 0);
		assert_int_equal(rows[1].file.len, 0);
		assert_int_equal(rows[2].reason, WT_UNRESOLVED_NO_MATCH);
	}
	wt_symbols_destroy(symbols);
}

static void reasons_without_files(void **state)
{
	struct wt_symbols *symbols = local_symbols(false);
	struct wt_log_image image = {.kind = WT_IMAGE_ANON, .path = wt_str("//anon")};
	struct wt_log_symbol row;

	(void)state;
	assert_int_equal(resolve(symbols, &image, 0x1234).reason, WT_UNRESOLVED_ANON);
	image = (struct wt_log_image){0};
	assert_int_equal(resolve(symbols, &image, 0x1234).reason, WT_UNRESOLVED_NO_IMAGE);
	image = (struct wt_log_image){.kind = WT_IMAGE_KSYMBOL, .path = wt_str("bpf_prog_6deef7357e7b4530")};
	row = resolve(symbols, &image, 0x44);
	assert_int_equal(row.reason, WT_RESOLVED);
	assert_str(row.name, "bpf_prog_6deef7357e7b4530");
	assert_int_equal(row.symbol_offset, 0x44);
	wt_symbols_destroy(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_agree_with_nm),
		cmocka_unit_test(libc_agrees_with_nm),
		cmocka_unit_test(aliases_have_one_name),
		cmocka_unit_test(symbols_without_size),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(stubs_are_named),
		cmocka_unit_test(indirect_stubs_of_libc),
		cmocka_unit_test(indirect_stubs_of_static_programs),
		cmocka_unit_test(calls_that_never_return),
		cmocka_unit_test(signal_trampolines),
		cmocka_unit_test(never_mapping_symbols),
		cmocka_unit_test(lines_agree),
		cmocka_unit_test(many_at_once_and_bounded),
		cmocka_unit_test(reasons_without_files),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
