/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>

static const char source[] = "static int __attribute__((noinline)) secret(int a)\n{\n\treturn a * 3;\n}\n"
			     "int shown(int a)\n{\n\treturn secret(a) + 1;\n}\n"
			     "int main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn shown(argc);\n}\n";

static uint64_t secret_offset;

/** Directories a to e hold the same stripped program with its debug file in different places. */
static int build(void **state)
{
	struct nm nm;
	struct segment loads[16];
	size_t n_loads;

	if (fixture_setup(state) < 0)
		return -1;
	write_file("p.c", source);
	run("gcc -O1 -g -rdynamic -Wl,--build-id=sha1 -o whole p.c");
	run("gcc -O1 -g -rdynamic -Wl,--build-id=none -o noid p.c");
	run("gcc -O2 -g -DX -rdynamic -Wl,--build-id=sha1 -o other p.c -Wl,--defsym=extra=1");
	run("objcopy --only-keep-debug whole whole.debug && objcopy --only-keep-debug noid noid.debug");
	run("mkdir -p debug a b/.debug c d e/.debug && mkdir -p debug$PWD/c");
	run("for d in a b c d; do objcopy -S --add-gnu-debuglink=noid.debug noid $d/p; done");
	run("cp noid.debug a/ && cp noid.debug b/.debug/ && cp noid.debug debug$PWD/c/");
	run("cp noid.debug d/ && printf x >>d/noid.debug");
	run("objcopy -S whole stripped");
	/* As Fedora's packages are made: what the file does not export, in a file of its own, packed into it.
	 */
	run("nm -D noid --format=posix --defined-only | awk '{print $1}' | sort >exported; "
	    "nm noid --format=posix --defined-only | awk '$2 ~ /[tT]/ {print $1}' | sort >functions; "
	    "comm -13 exported functions >keep; objcopy --only-keep-debug noid mini; "
	    "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep mini && xz "
	    "mini && "
	    "objcopy -S --add-section .gnu_debugdata=mini.xz noid packed && "
	    "head -c 200 mini.xz >cut.xz && objcopy -S --add-section .gnu_debugdata=cut.xz noid packedcut && "
	    "head -c 90000000 /dev/zero | xz -0 >large.xz && "
	    "objcopy -S --add-section .gnu_debugdata=large.xz noid packedlarge");
	run("id=$(readelf -n whole | sed -n 's/.*Build ID: //p') && "
	    "dir=debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $dir && "
	    "cp whole.debug $dir/$(echo $id | cut -c3-).debug && printf %%s $id >id");
	nm = nm_functions("", "whole");
	n_loads = segments("whole", loads, 16);
	for (size_t i = 0; i < nm.n; i++)
		if (!strcmp(nm.rows[i].name, "secret"))
			secret_offset = offset_of(loads, n_loads, nm.rows[i].start);
	free(nm.rows);
	return secret_offset ? 0 : -1;
}

static uint64_t offset_in(const char *program, const char *name)
{
	struct nm nm = nm_functions("", program);
	struct segment loads[16];
	size_t n_loads = segments(program, loads, 16);
	uint64_t offset = 0;

	for (size_t i = 0; i < nm.n; i++)
		if (!strcmp(nm.rows[i].name, name))
			offset = offset_of(loads, n_loads, nm.rows[i].start);
	free(nm.rows);
	assert_true(offset > 0);
	return offset;
}

/** The build id of "whole", as raw bytes. */
static struct wt_str whole_id(void)
{
	static char raw[20];
	char text[41] = "";
	FILE *file = fopen(in_directory("id"), "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%40s", text), 1);
	fclose(file);
	for (int i = 0; i < 20; i++) {
		unsigned byte;

		assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
		raw[i] = (char)byte;
	}
	return (struct wt_str){raw, 20};
}

static void expect_secret(const char *path, struct wt_str id, uint64_t offset)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = file_image(path);
	struct wt_log_symbol row;

	image.build_id = id;
	row = resolve(symbols, &image, offset + 1);
	assert_int_equal(row.reason, WT_RESOLVED);
	assert_str(row.name, "secret");
	assert_int_equal(row.symbol_offset, 1);
	assert_true(row.line >= 2 && row.line <= 4);
	assert_true(row.file.len > 4);
	assert_memory_equal(row.file.p + row.file.len - 4, "/p.c", 4);
	wt_symbols_destroy(symbols);
}

static void expect_reason(const char *path, struct wt_str id, uint8_t reason)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = file_image(path);
	struct wt_log_symbol row;

	image.build_id = id;
	row = resolve(symbols, &image, secret_offset);
	assert_int_equal(row.reason, reason);
	assert_int_equal(row.name.len, 0);
	assert_int_equal(row.line, 0);
	wt_symbols_destroy(symbols);
}

static void by_path_and_build_id(void **state)
{
	const struct wt_str none = {0};

	(void)state;
	expect_secret(in_directory("whole"), none, secret_offset);
	expect_secret(in_directory("whole"), whole_id(), secret_offset);
	expect_secret(in_directory("stripped"), none, secret_offset);
	expect_secret(in_directory("stripped"), whole_id(), secret_offset);
}

static void by_debuglink(void **state)
{
	uint64_t offset = offset_in("noid", "secret");

	(void)state;
	expect_secret(in_directory("a/p"), (struct wt_str){0}, offset);
	expect_secret(in_directory("b/p"), (struct wt_str){0}, offset);
	expect_secret(in_directory("c/p"), (struct wt_str){0}, offset);
}

static struct wt_log_symbol resolve_in(const char *path, uint64_t offset)
{
	static struct wt_symbols *symbols;
	struct wt_log_image image = file_image(path);

	if (symbols)
		wt_symbols_destroy(symbols);
	symbols = NULL;
	if (!path[0])
		return (struct wt_log_symbol){0};
	symbols = local_symbols(false);
	return resolve(symbols, &image, offset);
}

static void packed_symbols(void **state)
{
	uint64_t secret = offset_in("noid", "secret"), shown = offset_in("noid", "shown");

	(void)state;
	assert_str(resolve_in(in_directory("packed"), secret).name, "secret");
	assert_str(resolve_in(in_directory("packed"), shown).name, "shown");
	assert_int_equal(resolve_in(in_directory("packed"), UINT64_MAX).reason, WT_UNRESOLVED_NO_MATCH);
	/* Without them, or with what does not unpack: what the file exports. */
	run("objcopy -S noid bare.exported");
	assert_str(resolve_in(in_directory("bare.exported"), shown).name, "shown");
	assert_int_equal(resolve_in(in_directory("bare.exported"), secret).reason, WT_UNRESOLVED_STRIPPED);
	assert_str(resolve_in(in_directory("packedcut"), shown).name, "shown");
	assert_int_equal(resolve_in(in_directory("packedcut"), secret).reason, WT_UNRESOLVED_STRIPPED);
	assert_str(resolve_in(in_directory("packedlarge"), shown).name, "shown");
	assert_int_equal(resolve_in(in_directory("packedlarge"), secret).reason, WT_UNRESOLVED_STRIPPED);
	resolve_in("", 0);
}

static void wrong_crc_is_refused(void **state)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = file_image(in_directory("d/p"));
	struct wt_log_symbol row = resolve(symbols, &image, offset_in("noid", "secret"));

	(void)state;
	assert_int_equal(row.reason, WT_UNRESOLVED_STRIPPED);
	assert_int_equal(row.line, 0);
	assert_str(resolve(symbols, &image, offset_in("noid", "shown")).name, "shown");
	wt_symbols_destroy(symbols);
}

static void replaced_binary_is_another_build(void **state)
{
	(void)state;
	run("cp other replaced");
	expect_reason(in_directory("replaced"), (struct wt_str){"12345678901234567890", 20},
		      WT_UNRESOLVED_BUILD_ID);
	expect_reason(in_directory("noid"), (struct wt_str){"12345678901234567890", 20},
		      WT_UNRESOLVED_BUILD_ID);
	/* The debug file of the build that ran is there. */
	expect_secret(in_directory("replaced"), whole_id(), secret_offset);
}

static void deleted_binary(void **state)
{
	const struct wt_str none = {0};
	char gone[256], kept[256];

	(void)state;
	snprintf(gone, sizeof(gone), "%s (deleted)", in_directory("gone"));
	snprintf(kept, sizeof(kept), "%s (deleted)", in_directory("whole"));
	expect_reason(gone, none, WT_UNRESOLVED_NO_FILE);
	expect_reason(gone, (struct wt_str){"12345678901234567890", 20}, WT_UNRESOLVED_NO_FILE);
	expect_reason(kept, none, WT_UNRESOLVED_NO_FILE);
	expect_secret(gone, whole_id(), secret_offset);
	expect_secret(kept, whole_id(), secret_offset);
	expect_secret(in_directory("gone"), whole_id(), secret_offset);
}

/** The layout of a stripped debug file is computed as each linker makes it. */
static void deleted_binaries_of_other_linkers(void **state)
{
	static const char *const flags[] = {"-no-pie", "-static", "-Wl,-z,noseparate-code", "-static-pie",
					    "-Wl,-z,max-page-size=65536"};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct wt_str id;

		run("gcc -O1 -g %s -Wl,--build-id=sha1 -o linked p.c && objcopy --only-keep-debug linked "
		    "l.debug",
		    flags[i]);
		run("id=$(readelf -n linked | sed -n 's/.*Build ID: //p') && "
		    "dir=debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $dir && "
		    "cp l.debug $dir/$(echo $id | cut -c3-).debug && cp id id.kept && printf %%s $id >id");
		id = whole_id();
		expect_secret("/nowhere/linked (deleted)", id, offset_in("linked", "secret"));
		run("mv id.kept id");
	}
}

static void not_files(void **state)
{
	const struct wt_str none = {0};
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = file_image("");
	FILE *file;

	(void)state;
	run("mkfifo fifo && mkdir directory && printf hello >text && head -c 1000 noid >cut && : >empty");
	run("touch locked && ln -s loop loop");
	expect_reason(in_directory("fifo"), none, WT_UNRESOLVED_NO_FILE);
	expect_reason(in_directory("directory"), none, WT_UNRESOLVED_NO_FILE);
	expect_reason(in_directory("text"), none, WT_UNRESOLVED_NO_FILE);
	expect_reason(in_directory("empty"), none, WT_UNRESOLVED_NO_FILE);
	expect_reason(in_directory("loop"), none, WT_UNRESOLVED_NO_FILE);
	expect_reason("/dev/zero", none, WT_UNRESOLVED_NO_FILE);
	expect_reason("/memfd:jit (deleted)", none, WT_UNRESOLVED_NO_FILE);
	expect_reason(in_directory("cut"), none, WT_UNRESOLVED_NO_SYMBOLS);
	file = fopen(in_directory("large"), "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)5 << 30), 0);
	fclose(file);
	expect_reason(in_directory("large"), none, WT_UNRESOLVED_NO_FILE);
	image.path = (struct wt_str){"/bin\0/true", 10};
	assert_int_equal(resolve(symbols, &image, 64).reason, WT_UNRESOLVED_NO_FILE);
	wt_symbols_destroy(symbols);
}

static void odd_names_open(void **state)
{
	(void)state;
	run("cp whole 'a b,c' && cp whole \"$(printf 'new\\nline')\" && cp whole "
	    "\"$(printf '\\303\\274\\377')\"");
	expect_secret(in_directory("a b,c"), whole_id(), secret_offset);
	expect_secret(in_directory("new\nline"), whole_id(), secret_offset);
	expect_secret(in_directory("\303\274\377"), whole_id(), secret_offset);
}

static void below_a_sysroot(void **state)
{
	struct wt_symbols_options options = {.sysroot = fixture_directory, .debug_root = "/debug"};
	struct wt_symbols *symbols = symbols_with(&options);
	struct wt_log_image image = file_image("/stripped");

	(void)state;
	assert_str(resolve(symbols, &image, secret_offset).name, "secret");
	wt_symbols_destroy(symbols);
}

static void without_symbols(void **state)
{
	(void)state;
	run("gcc -O1 -static -Wl,--build-id=none -o bare p.c && strip bare");
	expect_reason(in_directory("bare"), (struct wt_str){0}, WT_UNRESOLVED_NO_SYMBOLS);
}

/** A file cut or overwritten between two looks gives other answers, no signals. */
static void file_shrinks_while_in_use(void **state)
{
	struct wt_symbols_options options = {
		.lines = true, .debug_root = in_directory("debug"), .max_bytes = 1};
	struct wt_symbols *symbols = symbols_with(&options);
	struct wt_log_image image = file_image(in_directory("shrinks")),
			    second = file_image(in_directory("whole"));

	(void)state;
	run("gcc -O1 -g -Wl,--build-id=none -o shrinks p.c");
	assert_str(resolve(symbols, &image, offset_in("shrinks", "secret")).name, "secret");
	assert_int_equal(truncate(in_directory("shrinks"), 200), 0);
	resolve(symbols, &image, offset_in("whole", "shown"));
	assert_str(resolve(symbols, &second, secret_offset).name, "secret");
	resolve(symbols, &image, 64);
	wt_symbols_destroy(symbols);
}

static void vdso_of_this_process(void **state)
{
	struct wt_symbols *symbols = local_symbols(true);
	struct wt_log_image image = {.kind = WT_IMAGE_VDSO, .path = wt_str("[vdso]")};
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t named = 0;

	(void)state;
	if (!header) {
		assert_int_equal(resolve(symbols, &image, 0x1000).reason, WT_UNRESOLVED_NO_FILE);
		wt_symbols_destroy(symbols);
		return;
	}
	for (uint64_t at = 0; at < 0x4000; at += 16) {
		struct wt_log_symbol row = resolve(symbols, &image, at);

		named += row.name.len && memmem(row.name.p, row.name.len, "clock_gettime", 13);
	}
	assert_true(named > 0);
	image.build_id = wt_str("12345678901234567890");
	assert_int_equal(resolve(symbols, &image, 0x1000).reason, WT_UNRESOLVED_BUILD_ID);
	wt_symbols_destroy(symbols);
	/* Nothing says that it is the one of this kernel. */
	symbols = symbols_with(&(struct wt_symbols_options){.any_machine = true});
	image.build_id = (struct wt_str){0};
	assert_int_equal(resolve(symbols, &image, 0x1000).reason, WT_UNRESOLVED_BUILD_ID);
	wt_symbols_destroy(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_path_and_build_id),
		cmocka_unit_test(by_debuglink),
		cmocka_unit_test(packed_symbols),
		cmocka_unit_test(wrong_crc_is_refused),
		cmocka_unit_test(replaced_binary_is_another_build),
		cmocka_unit_test(deleted_binary),
		cmocka_unit_test(deleted_binaries_of_other_linkers),
		cmocka_unit_test(not_files),
		cmocka_unit_test(odd_names_open),
		cmocka_unit_test(below_a_sysroot),
		cmocka_unit_test(without_symbols),
		cmocka_unit_test(file_shrinks_while_in_use),
		cmocka_unit_test(vdso_of_this_process),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
