/* SPDX-License-Identifier: MIT */
#include "tests/unit/consumers/symbols/fixture.h"

#include "consumers/symbols/kallsyms.h"

static const char kernel_text[] = "0000000000000000 A fixed_percpu_data\n"
				  "ffffffff81000000 T _text\n"
				  "ffffffff81000000 T _stext\n"
				  "ffffffff81000000 t first\n"
				  "ffffffff81000100 T second\n"
				  "ffffffff81000100 W __second\n"
				  "ffffffff81000180 t $x\n"
				  "ffffffff81000200 t third.isra.0\n"
				  "ffffffff81000300 T _etext\n"
				  "ffffffff81000400 D some_data\n"
				  "ffffffff81000480 r some_constant\n"
				  "nonsense\n\n"
				  "zzzz T broken\n"
				  "ffffffff81000500 T\n"
				  "fffffffff81000500000 T too_wide\n"
				  "ffffffffc0201010 t mod_init\t[fake_mod]\n"
				  "ffffffffc0201100 t mod_work\t[fake_mod]\n"
				  "ffffffffc0202fff t mod_last\t[fake_mod]\n"
				  "ffffffffc0300000 t ghost\t[not_listed]\n";

static const char modules_text[] = "fake_mod 8192 0 - Live 0xffffffffc0201000 (OE)\n"
				   "bad_line\n"
				   "hidden_mod 8192 1 other, Live 0x0000000000000000\n"
				   "worse x y z Live 0xzz\n";

static int build(void **state)
{
	if (fixture_setup(state) < 0)
		return -1;
	run("mkdir fake hidden empty");
	write_file("fake/kallsyms", kernel_text);
	write_file("fake/modules", modules_text);
	write_file("hidden/kallsyms", "0000000000000000 T _stext\n0000000000000000 T main\n");
	write_file("empty/kallsyms", "");
	return 0;
}

/** A note as the kernel shows it: build id "12345678901234567890", behind one of another kind. */
static void write_notes(const char *name)
{
	static const unsigned char notes[] = "\4\0\0\0\2\0\0\0\1\0\0\0Xen\0ab\0\0"
					     "\4\0\0\0\24\0\0\0\3\0\0\0GNU\00012345678901234567890";
	FILE *file = fopen(in_directory(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(notes, 1, sizeof(notes) - 1, file), sizeof(notes) - 1);
	assert_int_equal(fclose(file), 0);
}

static struct wt_symbols *with(const char *kallsyms)
{
	return symbols_with(&(struct wt_symbols_options){.kallsyms = in_directory(kallsyms)});
}

static const struct wt_log_image kernel = {.kind = WT_IMAGE_KERNEL, .path = {"[kernel.kallsyms]", 17}};

static struct wt_log_image module(const char *name)
{
	return (struct wt_log_image){.kind = WT_IMAGE_MODULE, .path = wt_str(name)};
}

static void kernel_functions(void **state)
{
	struct wt_symbols *symbols = with("fake/kallsyms");
	struct wt_log_symbol row;

	(void)state;
	assert_str(resolve(symbols, &kernel, 0).name, "_text");
	assert_str(resolve(symbols, &kernel, 0xff).name, "_text");
	row = resolve(symbols, &kernel, 0x1ff);
	assert_str(row.name, "second");
	assert_int_equal(row.symbol_offset, 0xff);
	assert_str(resolve(symbols, &kernel, 0x2ff).name, "third.isra.0");
	assert_str(resolve(symbols, &kernel, 0x3ff).name, "_etext");
	assert_int_equal(resolve(symbols, &kernel, 0x400).reason, WT_UNRESOLVED_NO_MATCH);
	assert_int_equal(resolve(symbols, &kernel, 0x480).reason, WT_UNRESOLVED_NO_MATCH);
	assert_int_equal(resolve(symbols, &kernel, UINT64_MAX).reason, WT_UNRESOLVED_NO_MATCH);
	wt_symbols_destroy(symbols);
}

static void module_functions(void **state)
{
	struct wt_symbols *symbols = with("fake/kallsyms");
	struct wt_log_image image = module("[fake_mod]");
	struct wt_log_symbol row;

	(void)state;
	assert_int_equal(resolve(symbols, &image, 0).reason, WT_UNRESOLVED_NO_MATCH);
	assert_str(resolve(symbols, &image, 0x10).name, "mod_init");
	row = resolve(symbols, &image, 0x1234);
	assert_str(row.name, "mod_work");
	assert_int_equal(row.symbol_offset, 0x1134);
	assert_str(resolve(symbols, &image, 0x1fff).name, "mod_last");
	assert_int_equal(resolve(symbols, &image, 0x2000).reason, WT_UNRESOLVED_NO_MATCH);
	image = module("[hidden_mod]");
	assert_int_equal(resolve(symbols, &image, 0).reason, WT_UNRESOLVED_KPTR);
	image = module("[unloaded]");
	assert_int_equal(resolve(symbols, &image, 0).reason, WT_UNRESOLVED_NO_FILE);
	wt_symbols_destroy(symbols);
}

static void given_kernel_address(void **state)
{
	struct wt_symbols_options options = {.kallsyms = in_directory("fake/kallsyms"),
					     .kernel_address = 0xffffffff81000100};
	struct wt_symbols *symbols = symbols_with(&options);

	(void)state;
	assert_str(resolve(symbols, &kernel, 0x10).name, "second");
	wt_symbols_destroy(symbols);
	assert_int_equal(wt_symbols_kernel_address(in_directory("fake/kallsyms")), 0xffffffff81000000);
	assert_int_equal(wt_symbols_kernel_address(in_directory("hidden/kallsyms")), 0);
	assert_int_equal(wt_symbols_kernel_address(in_directory("none")), 0);
}

static uint8_t reason_with(const char *sys, bool any_machine, struct wt_log_image image, const char *id)
{
	struct wt_symbols_options options = {
		.kallsyms = in_directory("fake/kallsyms"), .sys = sys, .any_machine = any_machine};
	struct wt_symbols *symbols = symbols_with(&options);
	uint8_t reason;

	image.build_id = wt_str(id);
	reason = resolve(symbols, &image, 0x10).reason;
	wt_symbols_destroy(symbols);
	return reason;
}

/** Addresses of one kernel are never looked up in another. */
static void builds_are_told_apart(void **state)
{
	const struct wt_log_image mod = module("[fake_mod]");
	char sys[256], none[256];

	(void)state;
	snprintf(sys, sizeof(sys), "%s/sys", fixture_directory);
	snprintf(none, sizeof(none), "%s/none", fixture_directory);
	run("mkdir -p sys/kernel sys/module/fake_mod/notes");
	write_notes("sys/kernel/notes");
	write_notes("sys/module/fake_mod/notes/.note.gnu.build-id");
	for (int any = 0; any < 2; any++) {
		assert_int_equal(reason_with(sys, any, kernel, "12345678901234567890"), WT_RESOLVED);
		assert_int_equal(reason_with(sys, any, mod, "12345678901234567890"), WT_RESOLVED);
		assert_int_equal(reason_with(sys, any, kernel, "12345678901234567891"),
				 WT_UNRESOLVED_BUILD_ID);
		assert_int_equal(reason_with(sys, any, mod, "1234567890123456789"), WT_UNRESOLVED_BUILD_ID);
		/* A machine that does not tell what it runs. */
		assert_int_equal(reason_with(none, any, kernel, "12345678901234567890"),
				 WT_UNRESOLVED_BUILD_ID);
		assert_int_equal(reason_with(none, any, mod, "12345678901234567890"), WT_UNRESOLVED_BUILD_ID);
	}
	/* A trace that does not tell: good enough only where it was recorded. */
	assert_int_equal(reason_with(sys, false, kernel, ""), WT_RESOLVED);
	assert_int_equal(reason_with(sys, true, kernel, ""), WT_UNRESOLVED_BUILD_ID);
	assert_int_equal(reason_with(sys, true, mod, ""), WT_UNRESOLVED_BUILD_ID);
}

static void reasons(void **state)
{
	static const struct {
		const char *path;
		uint8_t reason;
	} cases[] = {{"hidden/kallsyms", WT_UNRESOLVED_KPTR},
		     {"empty/kallsyms", WT_UNRESOLVED_NO_FILE},
		     {"missing", WT_UNRESOLVED_NO_FILE},
		     {"fake", WT_UNRESOLVED_NO_FILE}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_symbols *symbols = with(cases[i].path);
		struct wt_log_image image = module("[fake_mod]");

		assert_int_equal(resolve(symbols, &kernel, 0x10).reason, cases[i].reason);
		assert_int_equal(resolve(symbols, &image, 0x10).reason, cases[i].reason);
		wt_symbols_destroy(symbols);
	}
}

/** Lines longer than any buffer, and a last line without its end. */
static void long_lines_are_skipped(void **state)
{
	FILE *file;
	struct wt_symbols *symbols;

	(void)state;
	run("mkdir -p long");
	file = fopen(in_directory("long/kallsyms"), "w");
	assert_non_null(file);
	fputs("ffffffff81000000 T _stext\nffffffff81000010 T ", file);
	for (int i = 0; i < 1 << 20; i++)
		fputs(i % 64 ? "x" : " ffffffff81000010 T y", file);
	fputs("\nffffffff81000020 T good\nffffffff81000030 T last", file);
	assert_int_equal(fclose(file), 0);
	symbols = with("long/kallsyms");
	assert_str(resolve(symbols, &kernel, 0x1f).name, "_stext");
	assert_str(resolve(symbols, &kernel, 0x20).name, "good");
	assert_str(resolve(symbols, &kernel, 0x30).name, "last");
	wt_symbols_destroy(symbols);
}

/** The kernel this runs on: each of its functions is found, or all are hidden. */
static void live_kernel(void **state)
{
	struct wt_symbols *symbols = symbols_with(&(struct wt_symbols_options){0});
	uint64_t base = wt_symbols_kernel_address(NULL), address;
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[1024], name[512], type;
	size_t n = 0, same = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct wt_log_symbol row;

		if (strchr(line, '[') || sscanf(line, "%lx %c %511s", &address, &type, name) != 3)
			continue;
		if (!base) {
			assert_int_equal(address, 0);
			row = resolve(symbols, &kernel, 0x1000);
			assert_int_equal(row.reason, WT_UNRESOLVED_KPTR);
			break;
		}
		if (!strchr("tT", type) || address < base || n++ % 16)
			continue;
		row = resolve(symbols, &kernel, address - base);
		assert_int_equal(row.reason, WT_RESOLVED);
		assert_int_equal(row.symbol_offset, 0);
		same += row.name.len == strlen(name) && !memcmp(row.name.p, name, row.name.len);
	}
	fclose(file);
	assert_true(!base || same > n / 16 / 2);
	wt_symbols_destroy(symbols);
}

static void other_kernel_is_another_build(void **state)
{
	struct wt_symbols *symbols = symbols_with(&(struct wt_symbols_options){0});
	struct wt_log_image image = kernel;
	uint8_t reason;

	(void)state;
	image.build_id = wt_str("12345678901234567890");
	reason = resolve(symbols, &image, 0x10).reason;
	assert_int_equal(reason,
			 wt_symbols_kernel_address(NULL) ? WT_UNRESOLVED_BUILD_ID : WT_UNRESOLVED_KPTR);
	wt_symbols_destroy(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_functions),
		cmocka_unit_test(module_functions),
		cmocka_unit_test(given_kernel_address),
		cmocka_unit_test(builds_are_told_apart),
		cmocka_unit_test(reasons),
		cmocka_unit_test(long_lines_are_skipped),
		cmocka_unit_test(live_kernel),
		cmocka_unit_test(other_kernel_is_another_build),
	};

	return cmocka_run_group_tests(tests, build, fixture_teardown);
}
