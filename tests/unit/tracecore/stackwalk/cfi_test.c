/* SPDX-License-Identifier: MIT */
/* Call frame information, written byte by byte, and the rules it must become. */
#include "tests/unit/tracecore/stackwalk/cfi_fixture.h"

static void prologue_and_epilogue(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 32, false,
		BYTES(0x41, 0x0e, 16, 0x86, 2, /* +1: push rbp */
		      0x43, 0x0d, 6,           /* +4: mov rsp, rbp */
		      0x0a, 0x50, 0x0c, 7, 8,  /* +20: leave; remembered before */
		      0x41, 0x0b));            /* +21: recalled */
	build(&m);
	assert_int_equal(rule(&m, 0)->offset, 8);
	assert_int_equal(rule(&m, 0)->slot[1], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 0)->slot[6], -1);
	assert_int_equal(rule(&m, 1)->offset, 16);
	assert_int_equal(rule(&m, 1)->slot[1], -2);
	assert_int_equal(rule(&m, 4)->reg, RBP);
	assert_int_equal(rule(&m, 19)->reg, RBP);
	assert_int_equal(rule(&m, 20)->reg, RSP);
	assert_int_equal(rule(&m, 20)->offset, 8);
	assert_int_equal(rule(&m, 21)->reg, RBP);
	assert_int_equal(rule(&m, 31)->reg, RBP);
	assert_null(rule(&m, 32));
	module_deinit(&m);
}

static void the_outermost_frame(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 32, false, BYTES(0x07, 16)); /* return address undefined */
	build(&m);
	assert_int_equal(rule(&m, 5)->flags, WT_ABI_RULE_END);
	module_deinit(&m);
}

/* rsp + 8 + ((rip & 15) >= 11) * 8, as ld writes it */
static void plt_entries_become_two_rows_each(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 64, false,
		BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	build(&m);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(rule(&m, i)->offset, i % 16 >= 11 ? 16 : 8);
	assert_null(rule(&m, 64));
	module_deinit(&m);
}

/* What depends on more of the pc than its lowest bits has no data, and neither has what would take too many
 * rows. */
static void the_pc_in_expressions_is_bounded(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	m.code.end = CODE + (8u << 20);
	put_cie(&m, "", X86_START);
	/* rsp + 8 + rip */
	put_fde(&m, CODE, 64, false, BYTES(0x0f, 5, 0x77, 8, 0x80, 0, 0x22));
	/* rsp + ((rip >> 4) & 8) */
	put_fde(&m, CODE + 64, 64, false, BYTES(0x0f, 9, 0x80, 0, 0x34, 0x25, 0x38, 0x1a, 0x77, 0, 0x22));
	/* rsp + (((rip & 63) >> 3) & 1) * 8 + 8: bit 3, not bit 0 */
	put_fde(&m, CODE + 128, 64, false,
		BYTES(0x0f, 16, 0x80, 0, 0x08, 63, 0x1a, 0x33, 0x25, 0x31, 0x1a, 0x33, 0x24, 0x23, 8, 0x77, 0,
		      0x22));
	/* rsp + (rip & 1) * 8 + 8, for 2^22 addresses */
	put_fde(&m, CODE + 4096, 1u << 22, false,
		BYTES(0x0f, 11, 0x80, 0, 0x31, 0x1a, 0x33, 0x24, 0x23, 8, 0x77, 0, 0x22));
	build(&m);
	assert_null(rule(&m, 3));
	assert_null(rule(&m, 67));
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(rule(&m, 128 + i)->offset, (CODE + 128 + i) & 8 ? 16 : 8);
	assert_int_equal(rule(&m, 4096)->offset, 8);
	assert_int_equal(rule(&m, 4097)->offset, 16);
	assert_null(rule(&m, 1u << 22));
	assert_true(m.view.n_rows < 300000);
	module_deinit(&m);
}

static void a_realigned_frame(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 64, false,
		BYTES(0x45, 0x0c, 10, 0,            /* +5: CFA = r10 */
		      0x4c, 0x10, 6, 2, 0x76, 0,    /* +17: rbp at rbp + 0 */
		      0x44, 0x0f, 3, 0x76, 0x70, 6, /* +21: CFA = *(rbp - 16) */
		      0x10, 3, 2, 0x76, 0x68,       /* rbx at rbp - 24 */
		      0x50, 0x0c, 10, 0,            /* +37: CFA = r10 again */
		      0x47, 0x0c, 7, 8));           /* +44: ret */
	build(&m);
	assert_int_equal(rule(&m, 5)->reg, 10);
	assert_int_equal(rule(&m, 17)->flags, WT_ABI_RULE_FROM_FP);
	assert_int_equal(rule(&m, 17)->slot[1], 0);
	assert_int_equal(rule(&m, 17)->slot[6], -1);
	assert_int_equal(rule(&m, 21)->cfa, WT_ABI_CFA_DEREF);
	assert_int_equal(rule(&m, 21)->offset, -16);
	assert_int_equal(rule(&m, 21)->slot[0], -3);
	assert_int_equal(rule(&m, 21)->flags, WT_ABI_RULE_FROM_REG);
	assert_int_equal(rule(&m, 37)->flags, WT_ABI_RULE_FROM_FP);
	assert_int_equal(rule(&m, 44)->flags, 0);
	assert_int_equal(rule(&m, 44)->slot[1], WT_ABI_SLOT_SAME);
	module_deinit(&m);
}

/* The same end, with its code at hand: behind `pop %rbp` nothing counts from rbp. */
static void the_end_of_a_realigned_frame_is_mended(void **state)
{
	uint8_t code_bytes[0x1000];
	struct module m;

	(void)state;
	memset(code_bytes, 0x90, sizeof(code_bytes));
	memcpy(code_bytes + 39, "\x5d\x49\x8d\x62\xf8\xc3", 6);
	module_init(&m, WT_ABI_UNWIND_X86_64);
	m.code.bytes = code_bytes;
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 64, false,
		BYTES(0x45, 0x0c, 10, 0, 0x4c, 0x10, 6, 2, 0x76, 0, 0x44, 0x0f, 3, 0x76, 0x70, 6, 0x50, 0x0c,
		      10, 0, 0x47, 0x0c, 7, 8));
	build(&m);
	assert_int_equal(rule(&m, 39)->flags, WT_ABI_RULE_FROM_FP);
	assert_int_equal(rule(&m, 40)->flags, 0);
	assert_int_equal(rule(&m, 40)->reg, 10);
	assert_int_equal(rule(&m, 40)->slot[1], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 43)->reg, 10);
	assert_int_equal(rule(&m, 44)->reg, RSP);
	module_deinit(&m);
}

/* __restore_rt: CFA = *(rsp + 160), rip at rsp + 168 */
static void a_signal_trampoline(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "zS", BYTES(0));
	put_fde(&m, CODE, 16, true, BYTES(0x0f, 4, 0x77, 0xa0, 0x01, 6, 0x10, 16, 3, 0x77, 0xa8, 0x01));
	build(&m);
	assert_int_equal(rule(&m, 3)->cfa, WT_ABI_CFA_SIGCONTEXT);
	assert_int_equal(rule(&m, 3)->reg, RSP);
	assert_int_equal(rule(&m, 3)->offset, 40);
	module_deinit(&m);
}

/* x0 as a scratch register aside, arm64 keeps x19 to x30; a large frame's places count from sp. */
static void arm64_frames(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_AARCH64);
	put_cie(&m, "", BYTES(0x0c, 31, 0));
	put_fde(&m, CODE, 64, false,
		BYTES(0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, /* +4: x29 at CFA - 32, x30 at CFA - 24 */
		      0x2d,                             /* signed from here on */
		      0x44, 0x0e, 0x80, 0x80, 0x40,     /* +8: CFA = sp + 1 MiB */
		      0x9d, 0x80, 0x80, 0x08, 0x9e, 0xff, 0xff, 0x07)); /* x29 at CFA - 1 MiB */
	build(&m);
	assert_int_equal(rule(&m, 0)->slot[11], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 4)->slot[10], -4);
	assert_int_equal(rule(&m, 4)->slot[11], -3);
	assert_int_equal(rule(&m, 8)->flags, WT_ABI_RULE_FROM_REG);
	assert_int_equal(rule(&m, 8)->slot[10], 0);
	assert_int_equal(rule(&m, 8)->slot[11], 1);
	module_deinit(&m);
}

/* A module with this code and a CIE. The code is valid until the next one. */
static void arm64_module_init(struct module *m, const uint32_t *words, size_t size)
{
	static uint8_t code_bytes[0x1000];

	memset(code_bytes, 0, sizeof(code_bytes));
	memcpy(code_bytes, words, size);
	module_init(m, WT_ABI_UNWIND_AARCH64);
	m->code.bytes = code_bytes;
	put_cie(m, "", BYTES(0x0c, 31, 0));
}

/* stp x29,x30,[sp,#-32]!; mov x29,sp; str x19,[sp,#16]; ...; ldr x19,[sp,#16]; ldp x29,x30,[sp],#32; ret */
static void an_arm64_epilogue_without_data_is_decoded(void **state)
{
	const uint32_t words[] = {0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0xd503201f, 0x52800000,
				  0xf9400bf3, 0xa8c27bfd, 0xd65f03c0, 0xd503201f};
	struct module m;

	(void)state;
	arm64_module_init(&m, words, sizeof(words));
	put_fde(&m, CODE, sizeof(words), false,
		BYTES(0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x44, 0x0d, 29, 0x44, 0x93, 2));
	build(&m);
	assert_int_equal(rule(&m, 16)->reg, 29);
	assert_int_equal(rule(&m, 20)->reg, 29);
	assert_int_equal(rule(&m, 24)->reg, SP); /* x19 is back, x29 and x30 are still on the stack */
	assert_int_equal(rule(&m, 24)->offset, 32);
	assert_int_equal(rule(&m, 24)->slot[0], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 24)->slot[10], -4);
	assert_int_equal(rule(&m, 28)->offset, 0);
	assert_int_equal(rule(&m, 28)->slot[10], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 28)->slot[11], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 32)->reg, 29); /* behind the return: the body again */
	module_deinit(&m);
}

/* bti c; mov x9,x0; stp x29,x30,[sp,#-32]!; mov x29,sp: a row at +4 that is true from +12 on. */
static void an_arm64_prologue_told_too_early(void **state)
{
	const uint32_t words[] = {0xd503245f, 0xaa0003e9, 0xa9be7bfd, 0x910003fd, 0xd503201f, 0xd503201f};
	struct module m;

	(void)state;
	arm64_module_init(&m, words, sizeof(words));
	put_fde(&m, CODE, sizeof(words), false, BYTES(0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x4c, 0x0d, 29));
	build(&m);
	for (uint32_t at = 0; at < 12; at += 4) {
		assert_int_equal(rule(&m, at)->offset, 0);
		assert_int_equal(rule(&m, at)->slot[11], WT_ABI_SLOT_SAME);
	}
	assert_int_equal(rule(&m, 12)->reg, SP);
	assert_int_equal(rule(&m, 12)->offset, 32);
	assert_int_equal(rule(&m, 12)->slot[11], -3);
	assert_int_equal(rule(&m, 16)->reg, 29);
	module_deinit(&m);
}

/* The same return, but x19 comes from elsewhere: not this frame's epilogue. */
static void an_epilogue_that_does_not_fit_is_left_alone(void **state)
{
	const uint32_t words[] = {0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0xf94007f3, 0xa8c27bfd, 0xd65f03c0};
	struct module m;

	(void)state;
	arm64_module_init(&m, words, sizeof(words));
	put_fde(&m, CODE, sizeof(words), false,
		BYTES(0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x44, 0x0d, 29, 0x44, 0x93, 2));
	build(&m);
	assert_int_equal(rule(&m, 20)->reg, 29);
	module_deinit(&m);
}

static void trampolines_and_stubs_are_known_by_sight(void **state)
{
	const struct wt_unwind_stub stubs[] = {{CODE + 0x100, CODE + 0x130, WT_UNWIND_STUB_PLT},
					       {CODE + 0x200, CODE + 0x210, WT_UNWIND_STUB_LEAF},
					       {CODE + 0x300, CODE + 0x317, WT_UNWIND_STUB_FRAME}};
	uint8_t code_bytes[0x1000] = {0};
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	memcpy(code_bytes + 0x50, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
	memcpy(code_bytes + 0x100, "\xff\x35....\xff\x25....\x0f\x1f\x40", 16);
	memcpy(code_bytes + 0x110, "\xff\x25....\x68....\xe9....", 16);
	memcpy(code_bytes + 0x120, "\x68....\x68....\x68....\x90", 16); /* no linker's */
	memcpy(code_bytes + 0x200, "\xff\x25....\x66\x90\xff\x25....\x66\x90", 16);
	memcpy(code_bytes + 0x300,
	       "\x48\x83\xec\x08\x48\x8b\x05....\x48\x85\xc0\x74\x02\xff\xd0\x48\x83\xc4\x08\xc3", 23);
	m.code.bytes = code_bytes;
	m.input.stubs = stubs;
	m.input.n_stubs = 3;
	build(&m);
	assert_null(rule(&m, 0x4e));
	assert_int_equal(rule(&m, 0x4f)->cfa, WT_ABI_CFA_SIGCONTEXT);
	assert_int_equal(rule(&m, 0x57)->cfa, WT_ABI_CFA_SIGCONTEXT);
	/* A thread in the system call is interrupted behind it. */
	assert_int_equal(rule(&m, 0x58)->cfa, WT_ABI_CFA_SIGCONTEXT);
	assert_int_equal(rule(&m, 0x59)->cfa, WT_ABI_CFA_SIGCONTEXT);
	assert_null(rule(&m, 0x5a));
	assert_int_equal(rule(&m, 0x100)->offset, 16); /* the header: an entry has pushed */
	assert_int_equal(rule(&m, 0x106)->offset, 24);
	assert_int_equal(rule(&m, 0x110)->offset, 8);
	assert_int_equal(rule(&m, 0x11b)->offset, 16);
	assert_null(rule(&m, 0x120));
	assert_int_equal(rule(&m, 0x205)->offset, 8);
	assert_null(rule(&m, 0x210));
	assert_int_equal(rule(&m, 0x300)->offset, 8);
	assert_int_equal(rule(&m, 0x304)->offset, 16);
	assert_int_equal(rule(&m, 0x312)->offset, 16);
	assert_int_equal(rule(&m, 0x316)->offset, 8);
	module_deinit(&m);
	/* Something was added between its instructions. */
	module_init(&m, WT_ABI_UNWIND_X86_64);
	memcpy(code_bytes + 0x304, "\x50\x58\x90\x90\x90\x90\x90", 7);
	m.code.bytes = code_bytes;
	m.input.stubs = stubs;
	m.input.n_stubs = 3;
	build(&m);
	assert_null(rule(&m, 0x304));
	module_deinit(&m);
}

static void debug_frame_fills_what_eh_frame_leaves(void **state)
{
	struct wt_buf debug;
	struct module m;

	(void)state;
	/* The same two records, as .debug_frame: ids differ. */
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", BYTES(0x0c, 7, 24, 0x90, 1));
	put_fde(&m, CODE, 64, false, BYTES(0));
	debug = m.frame;
	wt_store_u32(debug.data + 4, UINT32_MAX);
	wt_store_u32(debug.data + 4 + wt_load_u32(debug.data) + 4, 0);
	m.frame = (struct wt_buf){0};
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 16, false, BYTES(0));
	m.input.debug_frame = (struct wt_cfi_section){.bytes = debug.data, .len = debug.len, .debug = true};
	build(&m);
	assert_int_equal(rule(&m, 15)->offset, 8);
	assert_int_equal(rule(&m, 16)->offset, 24);
	assert_null(rule(&m, 64));
	wt_buf_deinit(&debug);
	module_deinit(&m);
}

/* Nothing tells which of two descriptions is right. What is described twice alike is not in doubt. */
static void two_descriptions_of_one_place(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 64, false, BYTES(0x42, 0x0e, 48));
	put_fde(&m, CODE + 32, 16, false, BYTES(0));
	put_fde(&m, CODE + 60, 20, false, BYTES(0));
	put_fde(&m, CODE + 96, 16, false, BYTES(0x0e, 24));
	put_fde(&m, CODE + 96, 16, false, BYTES(0x0e, 24));
	put_fde(&m, CODE + 112, 16, false, BYTES(0x0e, 24));
	put_fde(&m, CODE + 112, 16, false, BYTES(0x0e, 32));
	build(&m);
	assert_int_equal(rule(&m, 0)->offset, 8);
	assert_int_equal(rule(&m, 31)->offset, 48);
	for (uint32_t at = 32; at < 96; at++)
		assert_null(rule(&m, at));
	assert_int_equal(rule(&m, 96)->offset, 24);
	assert_int_equal(rule(&m, 111)->offset, 24);
	assert_null(rule(&m, 112));
	assert_null(rule(&m, 127));
	module_deinit(&m);
}

/* The caller of a frame that was interrupted did not call: what is not the kernel's form is not followed. */
static void an_interrupted_frame_of_another_form(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "zS", X86_START);
	put_fde(&m, CODE, 16, true, BYTES(0));
	build(&m);
	assert_null(rule(&m, 8));
	module_deinit(&m);
}

static void nonsense_is_counted_and_left_out(void **state)
{
	const struct wt_abi_unwind *header;
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 16, false, BYTES(0x44, 0x3f));         /* no such operation, from +4 on */
	put_fde(&m, CODE + 16, 16, false, BYTES(0x0b));          /* recalls what was never remembered */
	put_fde(&m, CODE + 32, 16, false, BYTES(0x0f, 0x7f, 1)); /* an expression longer than the record */
	put_fde(&m, CODE + 48, 0, false, BYTES(0));              /* empty */
	put_fde(&m, CODE + 0x800000, 16, false, BYTES(0));       /* outside the code */
	put_fde(&m, CODE + 64, 16, false, BYTES(0x44, 0x0c, 7, 16)); /* and a good one */
	wt_buf_put_u32(&m.frame, 0x7ffffff0);                        /* a record longer than the section */
	build(&m);
	header = m.table.bytes;
	assert_int_equal(header->n_refused, 4);
	assert_int_equal(rule(&m, 3)->offset, 8);
	assert_null(rule(&m, 4));
	assert_null(rule(&m, 16));
	assert_null(rule(&m, 32));
	assert_int_equal(rule(&m, 68)->offset, 16);
	module_deinit(&m);
}

/* Cut anywhere: fewer rows, never a failure. */
static void a_section_cut_anywhere(void **state)
{
	struct module m;
	uint8_t *exact;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "zR", X86_START);
	put_fde(&m, CODE, 32, true, BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
	for (size_t len = 0; len <= m.frame.len; len++) {
		exact = malloc(len ? len : 1);
		assert_non_null(exact);
		memcpy(exact, m.frame.data, len);
		m.input.eh_frame = (struct wt_cfi_section){.bytes = exact, .len = len, .address = 0x500000};
		assert_int_equal(wt_unwind_build(&m.input, &m.table, NULL), 0);
		wt_unwind_table_deinit(&m.table);
		free(exact);
	}
	module_deinit(&m);
}

/* A function like _Unwind_Resume at CODE, what it calls (an install at CODE + 0x40, a hook at CODE + 0x50),
 * and what it says that it has saved. */
static void landing_module(struct module *m, uint32_t machine, const uint8_t *code, size_t len,
			   const uint8_t *hook, size_t hook_len, const uint8_t *program, size_t program_len)
{
	static uint8_t bytes[0x1000];

	module_init(m, machine);
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, code, len);
	memcpy(bytes + 0x50, hook, hook_len);
	m->code.bytes = bytes;
	put_cie(m, "",
		machine == WT_ABI_UNWIND_X86_64 ? (const uint8_t[]){0x0c, 7, 8, 0x90, 1}
						: (const uint8_t[]){0x0c, 31, 0, 0, 0},
		5);
	put_fde(m, CODE, 0x40, false, program, program_len);
	put_fde(m, CODE + 0x40, 16, false, NULL, 0);
	put_fde(m, CODE + 0x50, 16, false, NULL, 0);
	build(m);
}

/* call +0x40; mov %rax,%rcx; call +0x50 */
#define X86_LANDING BYTES(0x90, 0xe8, 0x3a, 0, 0, 0, 0x48, 0x89, 0xc1, 0xe8, 0x42, 0, 0, 0)
/* from byte 1 on: CFA = rsp + 32, rax, rdx and rbx saved */
#define X86_EH_SAVED BYTES(0x41, 0x0e, 32, 0x80, 4, 0x81, 3, 0x83, 2)

static void a_function_that_installs_another_frame(void **state)
{
	struct module m;

	(void)state;
	landing_module(&m, WT_ABI_UNWIND_X86_64, X86_LANDING, BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0xc3),
		       X86_EH_SAVED);
	assert_int_equal(rule(&m, 0)->offset, 8);
	assert_int_equal(rule(&m, 1)->offset, 32); /* the call is not made yet */
	assert_int_equal(rule(&m, 1)->slot[0], -2);
	for (uint32_t at = 2; at < 0x40; at++)
		assert_true(!rule(&m, at) || rule(&m, at)->cfa == WT_ABI_CFA_NONE);
	assert_int_equal(rule(&m, 0x40)->offset, 8);
	module_deinit(&m);
}

/* What is called second does something: nothing is known of where the registers change. */
static void an_install_that_is_not_found(void **state)
{
	struct module m;

	(void)state;
	landing_module(&m, WT_ABI_UNWIND_X86_64, X86_LANDING, BYTES(0x90, 0xc3), X86_EH_SAVED);
	for (uint32_t at = 0; at < 0x40; at++)
		assert_true(!rule(&m, at) || rule(&m, at)->cfa == WT_ABI_CFA_NONE);
	assert_int_equal(rule(&m, 0x40)->offset, 8);
	module_deinit(&m);
}

/* One that saves rcx too saves what it likes: an entry of the loader's. */
static void a_function_that_saves_more_keeps_its_rows(void **state)
{
	struct module m;

	(void)state;
	landing_module(&m, WT_ABI_UNWIND_X86_64, X86_LANDING, BYTES(0xc3),
		       BYTES(0x41, 0x0e, 32, 0x80, 4, 0x81, 3, 0x82, 2));
	assert_int_equal(rule(&m, 0x20)->offset, 32);
	module_deinit(&m);
}

/* The same on arm64: nop; bl +0x40; nop; bl +0x50. */
static void an_arm64_function_that_installs_another_frame(void **state)
{
	struct module m;

	(void)state;
	landing_module(
		&m, WT_ABI_UNWIND_AARCH64,
		BYTES(0x1f, 0x20, 0x03, 0xd5, 0x0f, 0, 0, 0x94, 0x1f, 0x20, 0x03, 0xd5, 0x11, 0, 0, 0x94),
		BYTES(0x5f, 0x24, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6),
		BYTES(0x44, 0x0e, 64, 0x80, 4, 0x81, 3, 0x82, 2, 0x83, 1, 0x9e, 5));
	assert_int_equal(rule(&m, 4)->offset, 64);
	assert_int_equal(rule(&m, 4)->slot[11], -5);
	assert_true(!rule(&m, 5) || rule(&m, 5)->cfa == WT_ABI_CFA_NONE);
	assert_true(!rule(&m, 7) || rule(&m, 7)->cfa == WT_ABI_CFA_NONE); /* what returns behind the call */
	module_deinit(&m);
}

/* A leaf that pushes rbp or moves it to the same place below the CFA; then a row in which that lies below
 * rsp. */
static void leaf_module(struct module *m, const uint8_t *code, size_t len, const uint8_t *program,
			size_t program_len)
{
	static uint8_t bytes[0x1000];

	module_init(m, WT_ABI_UNWIND_X86_64);
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, code, len);
	m->code.bytes = bytes;
	put_cie(m, "", X86_START);
	put_fde(m, CODE, 0x40, false, program, program_len);
	build(m);
}

static void what_was_pushed_has_been_popped(void **state)
{
	struct module m;

	(void)state;
	leaf_module(&m, BYTES(0x55, 0x90, 0x5d, 0xc3), BYTES(0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0e, 8));
	assert_int_equal(rule(&m, 1)->slot[1], -2);
	assert_int_equal(rule(&m, 3)->slot[1], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 1)->flags | rule(&m, 3)->flags, 0);
	module_deinit(&m);
	/* push %rbp; mov %rsp,%rbp; push %rbx; ...; pop %rbx */
	leaf_module(&m, BYTES(0x55, 0x48, 0x89, 0xe5, 0x53, 0x90, 0x5b, 0xc9, 0xc3),
		    BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x41, 0x83, 3));
	assert_int_equal(rule(&m, 5)->slot[0], -3);
	assert_int_equal(rule(&m, 5)->flags, 0);
	module_deinit(&m);
}

static void what_was_moved_is_in_the_red_zone(void **state)
{
	struct module m;

	(void)state;
	/* mov %rbp,-0x10(%rsp) */
	leaf_module(&m, BYTES(0x48, 0x89, 0x6c, 0x24, 0xf0), BYTES(0x45, 0x86, 3));
	assert_int_equal(rule(&m, 5)->slot[1], -3);
	assert_int_equal(rule(&m, 5)->flags, WT_ABI_RULE_BELOW);
	module_deinit(&m);
	/* push %rbp; mov %rsp,%rbp; mov %rbx,-8(%rbp) */
	leaf_module(&m, BYTES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0x5d, 0xf8),
		    BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x44, 0x83, 3));
	assert_int_equal(rule(&m, 8)->slot[0], -3);
	assert_int_equal(rule(&m, 8)->flags, WT_ABI_RULE_BELOW);
	module_deinit(&m);
	/* sub $24,%rsp; mov %rbx,8(%rsp); ...; add $24,%rsp: the frame is given back, and the place is in the
	 * red zone; rbx may be restored before or after */
	leaf_module(&m, BYTES(0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x5c, 0x24, 0x08),
		    BYTES(0x44, 0x0e, 32, 0x45, 0x83, 3, 0x44, 0x0e, 8));
	assert_int_equal(rule(&m, 9)->slot[0], -3);
	assert_int_equal(rule(&m, 9)->flags, 0);
	assert_int_equal(rule(&m, 13)->slot[0], -3);
	assert_int_equal(rule(&m, 13)->flags, WT_ABI_RULE_BELOW);
	module_deinit(&m);
	/* nop; push %rbx; push %r12; sub $8,%rsp, described at once; then given back */
	leaf_module(&m, BYTES(0x90, 0x53, 0x41, 0x54, 0x48, 0x83, 0xec, 0x08),
		    BYTES(0x48, 0x0e, 32, 0x83, 2, 0x8c, 3, 0x44, 0x0e, 8));
	assert_int_equal(rule(&m, 8)->slot[0], -2);
	assert_int_equal(rule(&m, 12)->slot[0], WT_ABI_SLOT_SAME);
	assert_int_equal(rule(&m, 12)->slot[2], WT_ABI_SLOT_SAME);
	module_deinit(&m);
}

/* As glibc's __longjmp: CFA = rdi, rsp in r8, the address to go on at in rdx. Then as setcontext: rsp at CFA
 * + 160. */
static void a_context_that_is_gone_to(void **state)
{
	struct module m;

	(void)state;
	module_init(&m, WT_ABI_UNWIND_X86_64);
	put_cie(&m, "", X86_START);
	put_fde(&m, CODE, 0x20, false, BYTES(0x44, 0x0c, 5, 0, 0x09, 7, 8, 0x09, 16, 1, 0x83, 0));
	put_fde(&m, CODE + 0x20, 0x20, false,
		BYTES(0x44, 0x0a, 0x0c, 5, 0, 0x11, 7, 0x6c, 0x11, 16, 0x6b, 0x44, 0x0b));
	build(&m);
	for (uint32_t at = 0; at < 0x40; at += 0x20) {
		assert_int_equal(rule(&m, at)->offset, 8);
		assert_true(!rule(&m, at + 4) || rule(&m, at + 4)->cfa == WT_ABI_CFA_NONE);
	}
	assert_true(!rule(&m, 0x1f) || rule(&m, 0x1f)->cfa == WT_ABI_CFA_NONE);
	assert_int_equal(rule(&m, 0x28)->offset, 8);
	module_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prologue_and_epilogue),
		cmocka_unit_test(the_outermost_frame),
		cmocka_unit_test(plt_entries_become_two_rows_each),
		cmocka_unit_test(the_pc_in_expressions_is_bounded),
		cmocka_unit_test(a_realigned_frame),
		cmocka_unit_test(the_end_of_a_realigned_frame_is_mended),
		cmocka_unit_test(a_signal_trampoline),
		cmocka_unit_test(arm64_frames),
		cmocka_unit_test(an_arm64_epilogue_without_data_is_decoded),
		cmocka_unit_test(an_arm64_prologue_told_too_early),
		cmocka_unit_test(an_epilogue_that_does_not_fit_is_left_alone),
		cmocka_unit_test(a_function_that_installs_another_frame),
		cmocka_unit_test(an_install_that_is_not_found),
		cmocka_unit_test(a_context_that_is_gone_to),
		cmocka_unit_test(what_was_pushed_has_been_popped),
		cmocka_unit_test(what_was_moved_is_in_the_red_zone),
		cmocka_unit_test(a_function_that_saves_more_keeps_its_rows),
		cmocka_unit_test(an_arm64_function_that_installs_another_frame),
		cmocka_unit_test(trampolines_and_stubs_are_known_by_sight),
		cmocka_unit_test(two_descriptions_of_one_place),
		cmocka_unit_test(an_interrupted_frame_of_another_form),
		cmocka_unit_test(debug_frame_fills_what_eh_frame_leaves),
		cmocka_unit_test(nonsense_is_counted_and_left_out),
		cmocka_unit_test(a_section_cut_anywhere),
	};

	return cmocka_run_group_tests_name("cfi", tests, NULL, NULL);
}
