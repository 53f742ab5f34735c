/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/known_code.h"

#include <string.h>

#include "tracecore/base/bytes.h"

#define SAME WT_ABI_SLOT_SAME
/* x86-64: `depth` bytes lie between the stack pointer and the return address; rbp is at the given place. */
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
/* The code after a system call that returns to two threads. */
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
	/* glibc's clone and clone3, from the system call on: syscall; test; jl; je; ret. Their data end
	 * there, because they would be wrong for the new thread. */
	{WT_ABI_UNWIND_X86_64, "0f054885c07c..7401c3", 0, {{0, TWICE}}, 1, "b838000000"},
	{WT_ABI_UNWIND_X86_64, "0f054885c07c..7401c3", 0, {{0, TWICE}}, 1, "b8b3010000"},
	/* CPython's trampoline for perf (-X perf): sub $8,%rsp; call *%rcx; add $8,%rsp; ret. */
	{WT_ABI_UNWIND_X86_64,
	 "4883ec08ffd14883c408c3",
	 0,
	 {{0, AT_DEPTH(0, SAME)}, {4, AT_DEPTH(8, SAME)}, {10, AT_DEPTH(0, SAME)}},
	 3,
	 NULL},
	/* gcc's __do_global_dtors_aux, which runs when a program ends or a library is unloaded: in
	 * position independent, other and static files. The second row begins after push %rbp, the third
	 * after pop. */
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

/* The start of glibc's loader (2.36, then any), and of musl's programs and loader. */
static const char *const x86_64_entries[] = {
	("4889e7e8........4989c4488b14244889d64989e54883e4f0488b3d........498d4cd510498d550831ede8........"
	 "488d15........4c89ec41ffe4"),
	"4889e7e8........",
	"4831ed4889e7488d35........4883e4f0e8........",
};
enum { N_ENTRIES = sizeof(x86_64_entries) / sizeof(x86_64_entries[0]) };

/* The number of instructions of an entry that are examined on arm64. */
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

/* Makes one pass over the code, whatever its content. */
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

/* Headers, then entries; the last ones are of .plt.sec and of .plt.got, also where ld names it .plt. */
static const struct wt_known_stub stubs[] = {
	{"ff35........ff25........0f1f4000", 8, 6},
	{"ff35........ff25........90909090", 8, 6},
	{"ff35........f2ff25........0f1f00", 8, 6},
	{"ff25........68........e9........", 0, 11},
	{"f30f1efa68........f2e9........90", 0, 9},
	{"f30f1efa68........e9........6690", 0, 9},
	{"f30f1efaf2ff25........0f1f440000", 0, 0},
	{"f30f1efaff25........660f1f440000", 0, 0},
	{"ff25........6690", 0, 0},
};

const struct wt_known_stub *wt_known_stub_find(const uint8_t *code, uint64_t len)
{
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++)
		if (matches(stubs[i].bytes, code, len))
			return &stubs[i];
	return NULL;
}

uint32_t wt_known_stub_len(const struct wt_known_stub *stub)
{
	return length(stub->bytes);
}

/* Dynamic, static; .fini. endbr64 may stand before them. */
static const char *const framed[] = {
	"4883ec08488b05........4885c07402ffd04883c408c3",
	"4883ec0848c7c0000000004885c07402ffd04883c408c3",
	"4883ec084883c408c3",
};

bool wt_known_framed(const uint8_t *code, uint64_t len, uint32_t *from)
{
	uint32_t skip = matches("f30f1efa", code, len) ? 4 : 0;

	*from = skip + 4;
	for (size_t i = 0; i < sizeof(framed) / sizeof(framed[0]); i++)
		if (len - skip == length(framed[i]) && matches(framed[i], code + skip, len - skip))
			return true;
	return false;
}

/* glibc's __start_context, to which the function of a makecontext returns. */
static const char root[] = "4889dc488b3c244885ff74..e8........4889c7e8........f4";
_Static_assert(sizeof(root) == 2 * WT_KNOWN_ROOT + 1, "bytes of a root");

bool wt_known_root(uint32_t machine, const uint8_t *code, uint64_t len)
{
	return machine == WT_ABI_UNWIND_X86_64 && matches(root, code, len);
}

/* A branch that does not return: b, br, ret; brk and udf stop. */
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
