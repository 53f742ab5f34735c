/* SPDX-License-Identifier: MIT */
/* Code that an assembler made of known instructions comes back as these, operands included, by either
 * disassembler: what today's CPUs have (LSE, SVE, MTE, bf16; AVX-512, VNNI, AMX), 20,000 of each
 * architecture, over all numbers of registers. The text is compared with what the disassembler's own program
 * prints: the newest objdump and the newest llvm-objdump that are installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/disasm/back.h"

enum { MOST = 20000 };

/* Letters stand for numbers of registers: R, S, T for 0 to 31; A, B for 0 to 30; P for 0 to 7; K for 1 to 7;
 * X, Y, Z for three of 0 to 7. */
static const char *const x86[] = {
	"vaddpd %zmmR,%zmmS,%zmmT{%kK}",
	"vaddps {rz-sae},%zmmR,%zmmS,%zmmT{%kK}{z}",
	"vpdpbusd %zmmR,%zmmS,%zmmT",
	"vpdpwssd %ymmR,%ymmS,%ymmT{%kK}{z}",
	"vpdpbusds 0x40(%rax,%rcx,4),%zmmS,%zmmT",
	"vpternlogd $0x5,%zmmR,%zmmS,%zmmT",
	"vdpbf16ps %zmmR,%zmmS,%zmmT",
	"vcvtne2ps2bf16 %zmmR,%zmmS,%zmmT{%kK}",
	"tdpbssd %tmmX,%tmmY,%tmmZ",
	"tdpbuud %tmmX,%tmmY,%tmmZ",
	"tdpbf16ps %tmmX,%tmmY,%tmmZ",
	"tileloadd (%rax,%rbx,1),%tmmX",
	"tilezero %tmmX",
	"vpermt2w %zmmR,%zmmS,%zmmT",
	"vgf2p8mulb %zmmR,%zmmS,%zmmT",
	"vfmadd231ph %zmmR,%zmmS,%zmmT{%kK}",
	"vpopcntq %zmmR,%zmmS{%kK}{z}",
	"vpmadd52luq %zmmR,%zmmS,%zmmT",
	"vpcompressb %zmmR,0x7(%rdi){%kK}",
	"vpgatherdd 0x10(%rsi,%zmmR,8),%zmm16{%kK}",
	"vpcmpeqb %zmmR,%zmmS,%kK",
	"vaesenc %zmmR,%zmmS,%zmmT",
	"vpdpwssds 0x80(%rdx),%zmmS,%zmmT{%kK}",
	"vpconflictd %zmmR,%zmmS{%kK}{z}",
	"vfpclasspd $0x1b,%zmmR,%kK",
	"vp2intersectd %zmmR,%zmmS,%k2",
	"kandq %k1,%k2,%kK",
	"vpscatterqq %zmmR,0x8(%rdi,%zmm17,4){%kK}",
	"vcvtneps2bf16 %zmmR,%ymmS",
	"tdpbsud %tmmX,%tmmY,%tmmZ",
	"tilestored %tmmX,(%rax,%rbx,2)",
	"ldtilecfg 0x40(%rsp)",
};
static const char *const arm64[] = {
	"ldaddal wA, wB, [x1]",
	"ldsmaxl xA, xB, [sp]",
	"casal xA, xB, [x2]",
	"swpal wA, wB, [x3]",
	"fmla zR.s, pP/m, zS.s, zT.s",
	"ld1w {zR.s}, pP/z, [xA, xB, lsl #2]",
	"st1d {zR.d}, pP, [xA, #3, mul vl]",
	"whilelo pP.s, xA, xB",
	"sqrdmlah zR.s, zS.s, zT.s",
	"sdot zR.s, zS.b, zT.b",
	"tbl zR.b, {zS.b}, zT.b",
	"irg xA, xB",
	"stg xA, [x4, #-16]",
	"ldg xA, [xB, #32]",
	"addg xA, xB, #48, #5",
	"subp xA, x2, x3",
	"bfdot vR.4s, vS.8h, vT.8h",
	"bfmmla vR.4s, vS.8h, vT.8h",
	"bfmmla zR.s, zS.h, zT.h",
	"bfcvt hR, sS",
	"smmla vR.4s, vS.16b, vT.16b",
	"usdot zR.s, zS.b, zT.b",
	"caspal x2, x3, x4, x5, [xA]",
	"ldclrh wA, wB, [x5]",
	"ldumaxalb wA, wB, [sp]",
	"fcmla zR.d, pP/m, zS.d, zT.d, #90",
	"ldff1d {zR.d}, pP/z, [xA, zT.d]",
	"prfw pldl1strm, pP, [xA, #3, mul vl]",
	"incp xA, pP.h",
	"histcnt zR.d, pP/z, zS.d, zT.d",
	"st2g xA, [x6, #32]!",
	"stzg xA, [xB], #16",
	"gmi xA, x7, x8",
	"bfmlalb vR.4s, vS.8h, vT.8h",
	"bfcvtnt zR.h, pP/m, zS.s",
};

static int number_of(char letter, int n)
{
	switch (letter) {
	case 'R':
		return n % 32;
	case 'S':
		return (n * 7 + n / 32) % 32;
	case 'T':
		return (n * 13 + n / 8) % 32;
	case 'A':
		return n % 31;
	case 'B':
		return (n * 5 + n / 31) % 31;
	case 'K':
		return 1 + n % 7;
	case 'Y':
		return (n + 1 + n / 8 % 3) % 8;
	case 'Z':
		return (n + 4 + n / 24 % 4) % 8;
	default: /* X, P */
		return n % 8;
	}
}

static void put_one(FILE *to, const char *pattern, int n)
{
	for (const char *p = pattern; *p; p++) {
		if (strchr("RSTABPKXYZ", *p))
			fprintf(to, "%d", number_of(*p, n));
		else
			fputc(*p, to);
	}
	fputc('\n', to);
}

static struct wt_buf read_all(FILE *file)
{
	struct wt_buf bytes = {0};
	size_t got;

	assert_non_null(file);
	do {
		uint8_t *room = wt_buf_reserve(&bytes, 65536);

		assert_non_null(room);
		got = fread(room, 1, 65536, file);
		bytes.len += got;
	} while (got);
	return bytes;
}

static void run(const char *directory, const char *command)
{
	char line[500];

	snprintf(line, sizeof(line), "cd %s && %s", directory, command);
	assert_int_equal(system(line), 0);
}

/* The bytes of so many instructions, by the assembler; and their text, by a disassembler that reads its file.
 */
static struct wt_buf assemble(enum wt_disasm_arch arch, const char *const *patterns, size_t n, bool by_llvm,
			      struct wt_buf *wanted)
{
	char directory[] = "/tmp/wt-disasm.XXXXXX", command[400], path[80];
	const char *prefix = arch == WT_DISASM_ARM64 ? "aarch64-linux-gnu-" : "";
	struct wt_buf bytes;
	FILE *file;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/code.s", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	if (arch == WT_DISASM_ARM64)
		fputs(".arch armv8.6-a+sve2+memtag+bf16+i8mm\n", file);
	for (int i = 0; i < MOST; i++)
		put_one(file, patterns[(size_t)i % n], i / (int)n);
	fclose(file);
	snprintf(command, sizeof(command),
		 "%sas -W -o code.o code.s && %sobjcopy -O binary -j .text code.o code.bin", prefix, prefix);
	run(directory, command);
	snprintf(path, sizeof(path), "%s/code.bin", directory);
	file = fopen(path, "r");
	bytes = read_all(file);
	fclose(file);
	snprintf(command, sizeof(command), "cd %s && %sobjdump -d --no-show-raw-insn code.o", directory,
		 prefix);
	if (by_llvm)
		snprintf(command, sizeof(command),
			 "cd %s && for v in $(seq 24 -1 14); do command -v llvm-objdump-$v >/dev/null && "
			 "break; "
			 "done && llvm-objdump-$v -d --no-show-raw-insn --print-imm-hex%s code.o",
			 directory, arch == WT_DISASM_ARM64 ? " --mattr=+v8.6a,+sve2,+mte,+bf16,+i8mm" : "");
	file = popen(command, "r");
	*wanted = read_all(file);
	assert_int_equal(pclose(file), 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	run("/", command);
	return bytes;
}

/* The next line "HEX: TEXT", with one blank for each run of blanks and tabs; false at the end. */
static bool next_text(const char **at, uint64_t *address, char *ret, size_t size)
{
	while (**at) {
		const char *line = *at;
		size_t len = strcspn(line, "\n"), n = 0;
		char *end;

		*at += len + (line[len] == '\n');
		*address = strtoull(line, &end, 16);
		if (end == line || *end != ':' || (end[1] != '\t' && end[1] != ' '))
			continue;
		for (const char *p = end + 1; p < line + len && n + 2 < size; p++) {
			bool blank = *p == ' ' || *p == '\t';

			if (!blank || (n && ret[n - 1] != ' '))
				ret[n++] = blank ? ' ' : *p;
		}
		while (n && ret[n - 1] == ' ')
			n--;
		ret[n] = 0;
		return true;
	}
	return false;
}

/* Each instruction is, to the last letter, what the disassembler's own program prints of it. */
static void check(const char *name, enum wt_disasm_arch arch, const char *const *patterns, size_t n)
{
	struct wt_buf wanted, bytes = assemble(arch, patterns, n, !strcmp(name, "llvm"), &wanted);
	const char *at = wt_buf_cstr(&wanted);
	struct wt_err err = WT_ERR_INIT;
	struct wt_disasm_text text = {0};
	struct wt_disasm *disasm;
	char line[512];
	uint64_t address;

	if (wt_disasm_create(name, arch, &disasm, &err))
		fail_msg("%s", err.text);
	if (wt_disasm_run(disasm, bytes.data, (uint32_t)bytes.len, 0x401000, &text, &err))
		fail_msg("%s", err.text);
	assert_int_equal(text.n, MOST);
	assert_true(n * 500 < MOST); /* each pattern comes with hundreds of operands */
	for (uint32_t i = 0; i < text.n; i++) {
		const char *pattern = patterns[i % n], *got = wt_disasm_line_text(&text, i);

		assert_true(next_text(&at, &address, line, sizeof(line)));
		if (strcmp(got, line) != 0)
			fail_msg("%s: instruction %u of '%s' is '%s', not '%s'", name, i, pattern, got, line);
		if (strncmp(got, pattern, strcspn(pattern, " ")) != 0)
			fail_msg("%s: instruction %u is '%s', not '%s'", name, i, got, pattern);
		assert_int_equal(text.lines[i].address, 0x401000 + address);
	}
	assert_false(next_text(&at, &address, line, sizeof(line)));
	wt_disasm_destroy(disasm);
	wt_disasm_text_deinit(&text);
	wt_buf_deinit(&bytes);
	wt_buf_deinit(&wanted);
}

static void test_x86_by_objdump(void **state)
{
	(void)state;
	check("objdump", WT_DISASM_X86_64, x86, sizeof(x86) / sizeof(x86[0]));
}

static void test_x86_by_llvm(void **state)
{
	(void)state;
	check("llvm", WT_DISASM_X86_64, x86, sizeof(x86) / sizeof(x86[0]));
}

static void test_arm64_by_objdump(void **state)
{
	(void)state;
	check("objdump", WT_DISASM_ARM64, arm64, sizeof(arm64) / sizeof(arm64[0]));
}

static void test_arm64_by_llvm(void **state)
{
	(void)state;
	check("llvm", WT_DISASM_ARM64, arm64, sizeof(arm64) / sizeof(arm64[0]));
}

/* jmp +0, call +0, bytes that are no instruction, ret. */
static void test_jumps(void **state)
{
	static const uint8_t code[] = {0xeb, 0x00, 0xe8, 0, 0, 0, 0, 0x06, 0xc3};
	static const char *const names[] = {"objdump", "llvm"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct wt_err err = WT_ERR_INIT;
		struct wt_disasm_text text = {0};
		struct wt_disasm *disasm;

		assert_int_equal(wt_disasm_create(names[i], WT_DISASM_X86_64, &disasm, &err), 0);
		assert_int_equal(wt_disasm_run(disasm, code, sizeof(code), 0x1000, &text, &err), 0);
		assert_int_equal(text.n, 4);
		assert_true(text.lines[0].jumps && text.lines[0].has_target);
		assert_int_equal(text.lines[0].target, 0x1002);
		assert_true(!text.lines[1].jumps && text.lines[1].has_target);
		assert_int_equal(text.lines[1].target, 0x1007);
		assert_string_equal(wt_disasm_line_text(&text, 2), "(bad)");
		assert_true(text.lines[3].jumps && !text.lines[3].has_target);
		wt_disasm_destroy(disasm);
		wt_disasm_text_deinit(&text);
	}
}

static void test_wrong_name(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_disasm *disasm;

	(void)state;
	assert_int_equal(wt_disasm_create("objdunp", WT_DISASM_X86_64, &disasm, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "objdump"));
}

/* Without either, the package is named. */
static void test_none_installed(void **state)
{
	char *path = strdup(getenv("PATH"));
	struct wt_err err = WT_ERR_INIT;
	struct wt_disasm *disasm;

	(void)state;
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(wt_disasm_create("objdump", WT_DISASM_X86_64, &disasm, &err), -1);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_non_null(strstr(err.text, "binutils"));
}

/* Lines that are none, that go back, or lie elsewhere are left out. */
static void test_foreign_text(void **state)
{
	static const char printed[] =
		"\n/proc/self/fd/3:     file format binary\n   1000:\tnop\n   1001:\tnop\n"
		"    fff:\tnop\n   1001:\tagain\n   9999:\tret\nzz:\tnop\n   1002:\tret";
	struct wt_disasm_text text = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(
		wt_objdump_text_read(wt_cursor(printed, sizeof(printed) - 1), 0x1000, 4, &text, &err), 0);
	assert_int_equal(text.n, 3);
	assert_string_equal(wt_disasm_line_text(&text, 2), "ret");
	assert_int_equal(text.lines[2].size, 2);
	wt_disasm_text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_by_objdump),
		cmocka_unit_test(test_x86_by_llvm),
		cmocka_unit_test(test_arm64_by_objdump),
		cmocka_unit_test(test_arm64_by_llvm),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_wrong_name),
		cmocka_unit_test(test_none_installed),
		cmocka_unit_test(test_foreign_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
