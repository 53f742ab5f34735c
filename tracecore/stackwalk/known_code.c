/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/known_code.h"

#include <string.h>

#include "tracecore/base/bytes.h"

#define SAME WT_ABI_SLOT_SAME
/* x86-64: `depth` bytes lie between the stack pointer and the return address; rbp is where it says. */
#define AT_DEPTH(depth, rbp)                                                      \
	{                                                                         \
		.cfa = WT_ABI_CFA_REG, .reg = 7, .offset = 8 + (depth), .slot = { \
			SAME,                                                     \
			rbp,                                                      \
			SAME,                                                     \
			SAME,                                                     \
			SAME,                                                     \
			SAME,                                                     \
			-1                                                        \
		}                                                                 \
	}
#define SIGNAL(register, place)                                                \
	{                                                                      \
		.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = register, .offset = place \
	}
/* Behind a system call that returns to two threads. */
#define TWICE                                                                                       \
	{                                                                                           \
		.cfa = WT_ABI_CFA_REG, .reg = 7, .offset = 8, .flags = WT_ABI_RULE_TWICE, .slot = { \
			SAME,                                                                       \
			SAME,                                                                       \
			SAME,                                                                       \
			SAME,                                                                       \
			SAME,                                                                       \
			SAME,                                                                       \
			-1                                                                          \
		}                                                                                   \
	}

static const struct wt_known_code pieces[] = {
	/* mov $15,%rax (or %eax); syscall */
	{WT_ABI_UNWIND_X86_64, "48c7c00f0000000f05", 1, {{0, SIGNAL(7, 40)}}, 1, NULL},
	{WT_ABI_UNWIND_X86_64, "b80f0000000f05", 1, {{0, SIGNAL(7, 40)}}, 1, NULL},
	/* mov x8, #139; svc #0 */
	{WT_ABI_UNWIND_AARCH64, "681180d2010000d4", 4, {{0, SIGNAL(31, 312)}}, 1, NULL},
	/* glibc's clone and clone3, from the system call on: syscall; test; jl; je; ret. Their data ends
	 * there, because for the new thread it would be wrong. */
	{WT_ABI_UNWIND_X86_64, "0f054885c07c..7401c3", 0, {{0, TWICE}}, 1, "b838000000"},
	{WT_ABI_UNWIND_X86_64, "0f054885c07c..7401c3", 0, {{0, TWICE}}, 1, "b8b3010000"},
	/* CPython's trampoline for perf (-X perf): sub $8,%rsp; call *%rcx; add $8,%rsp; ret. */
	{WT_ABI_UNWIND_X86_64,
	 "4883ec08ffd14883c408c3",
	 0,
	 {{0, AT_DEPTH(0, SAME)}, {4, AT_DEPTH(8, SAME)}, {10, AT_DEPTH(0, SAME)}},
	 3,
	 NULL},
	/* gcc's __do_global_dtors_aux, runs when a program ends or a library goes: of position independent
	 * files, of others, of static ones. The second row begins behind push %rbp, the third behind pop. */
	{WT_ABI_UNWIND_X86_64,
	 "f30f1efa803d........00752b5548833d........004889e5740c488b3d........e8........e8........c605......."
	 "."
	 "015dc30f1f00c3",
	 0,
	 {{0, AT_DEPTH(0, SAME)}, {14, AT_DEPTH(8, -2)}, {52, AT_DEPTH(0, SAME)}},
	 3,
	 NULL},
	{WT_ABI_UNWIND_X86_64,
	 "f30f1efa803d........0075..554889e5e8........c605........015dc390c3",
	 0,
	 {{0, AT_DEPTH(0, SAME)}, {14, AT_DEPTH(8, -2)}, {30, AT_DEPTH(0, SAME)}},
	 3,
	 NULL},
	{WT_ABI_UNWIND_X86_64,
	 "f30f1efa803d........00752b554889e5e8........b8........4885c0740abf........e8........c605........"
	 "015dc3"
	 "0f1f440000c3",
	 0,
	 {{0, AT_DEPTH(0, SAME)}, {14, AT_DEPTH(8, -2)}, {50, AT_DEPTH(0, SAME)}},
	 3,
	 NULL},
};
enum { N_PIECES = sizeof(pieces) / sizeof(pieces[0]) };

/* The start of glibc's loader (2.36, then any: its first call), of musl's programs and loader. */
static const char *const x86_64_entries[] = {
	("4889e7e8........4989c4488b14244889d64989e54883e4f0488b3d........498d4cd510498d550831ede8........"
	 "488d15........4c89ec41ffe4"),
	"4889e7e8........",
	"4831ed4889e7488d35........4883e4f0e8........",
};
enum { N_ENTRIES = sizeof(x86_64_entries) / sizeof(x86_64_entries[0]) };

/* Instructions of an entry on arm64 that are looked at. */
enum { MAX_ENTRY = 64 };

static int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static uint32_t length(const char *pattern)
{
	return (uint32_t)strlen(pattern) / 2;
}

static bool matches(const char *pattern, const uint8_t *code, uint64_t len)
{
	for (uint64_t i = 0; pattern[2 * i]; i++)
		if (i == len || (pattern[2 * i] != '.' &&
				 digit(pattern[2 * i]) * 16 + digit(pattern[2 * i + 1]) != code[i]))
			return false;
	return true;
}

static bool is_behind(const char *pattern, const uint8_t *code, uint64_t ahead)
{
	return !pattern ||
	       (ahead >= length(pattern) && matches(pattern, code - length(pattern), length(pattern)));
}

/* One pass over the code, whatever is in it. */
const struct wt_known_code *wt_known_code_find(uint32_t machine, const uint8_t *code, uint64_t len,
					       uint64_t ahead, uint64_t *at)
{
	for (uint64_t i = 0; i < len; i++)
		for (size_t p = 0; p < N_PIECES; p++)
			if (pieces[p].machine == machine && matches(pieces[p].bytes, code + i, len - i) &&
			    is_behind(pieces[p].before, code + i, ahead + i)) {
				*at = i;
				return &pieces[p];
			}
	return NULL;
}

uint32_t wt_known_code_len(const struct wt_known_code *known)
{
	return length(known->bytes);
}

/* glibc's __start_context, which the function of a makecontext returns to. */
static const char root[] = "4889dc488b3c244885ff74..e8........4889c7e8........f4";
_Static_assert(sizeof(root) == 2 * WT_KNOWN_ROOT + 1, "bytes of a root");

bool wt_known_root(uint32_t machine, const uint8_t *code, uint64_t len)
{
	return machine == WT_ABI_UNWIND_X86_64 && matches(root, code, len);
}

/* A branch that does not come back: b, br, ret; brk and udf stop. */
static bool leaves(uint32_t instruction)
{
	return (instruction & 0xfc000000) == 0x14000000 || (instruction & 0xfffffc1f) == 0xd61f0000 ||
	       (instruction & 0xfffffc1f) == 0xd65f0000 || (instruction & 0xffe0001f) == 0xd4200000 ||
	       !(instruction & 0xffff0000);
}

uint32_t wt_known_entry(uint32_t machine, const uint8_t *code, uint64_t len)
{
	if (machine == WT_ABI_UNWIND_AARCH64) {
		for (uint32_t at = 0; at < 4 * MAX_ENTRY && at + 4 <= len; at += 4)
			if (leaves(wt_load_u32(code + at)))
				return at + 4;
		return 0;
	}
	for (size_t i = 0; i < N_ENTRIES; i++)
		if (matches(x86_64_entries[i], code, len))
			return length(x86_64_entries[i]);
	return 0;
}
