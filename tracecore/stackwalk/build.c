/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/build.h"

#include <stdbool.h>
#include <string.h>

#include "tracecore/base/bytes.h"
#include "tracecore/stackwalk/cfi_run.h"
#include "tracecore/stackwalk/epilogue.h"
#include "tracecore/stackwalk/install.h"
#include "tracecore/stackwalk/known_code.h"

/* Rows that depend on the pc: a PLT of 131,072 entries. */
#define MAX_PC_ROWS (1u << 18)
/* The bytes of code, in all, that are searched for known pieces. */
#define MAX_SEARCHED (UINT64_C(16) << 20)

struct build {
	const struct wt_unwind_input *input;
	struct wt_unwind_writer writer;
	struct wt_cfi cfi;
	struct wt_cfi_run run;
	uint64_t searched;
	size_t next_stub;
	size_t n_eh_cies; /* those of .eh_frame come first */
	uint32_t n_refused;
};

/* ---- code without a description ---- */

static struct wt_abi_unwind_rule leaf_rule(uint32_t machine, int32_t deeper)
{
	struct wt_abi_unwind_rule rule = {.cfa = WT_ABI_CFA_REG, .reg = 7, .offset = 8 + deeper};

	if (machine == WT_ABI_UNWIND_AARCH64) {
		rule.reg = 31;
		rule.offset = deeper;
	}
	for (unsigned i = 0; i < (machine == WT_ABI_UNWIND_AARCH64 ? 12u : 6u); i++)
		rule.slot[i] = WT_ABI_SLOT_SAME;
	if (machine == WT_ABI_UNWIND_X86_64)
		rule.slot[6] = -1;
	return rule;
}

/* Returns the bytes of [from, to), or NULL. *ahead: the number of bytes before them. */
static const uint8_t *code_behind(const struct build *b, uint64_t from, uint64_t to, uint64_t *ahead)
{
	for (size_t i = 0; i < b->input->n_code; i++) {
		const struct wt_unwind_code *code = &b->input->code[i];

		*ahead = from - code->start;
		if (from >= code->start && to <= code->end && from <= to)
			return code->bytes ? code->bytes + *ahead : NULL;
	}
	return NULL;
}

static const uint8_t *code_at(const struct build *b, uint64_t from, uint64_t to)
{
	uint64_t ahead;

	return code_behind(b, from, to, &ahead);
}

static int add_known(struct build *b, const struct wt_known_code *known, uint64_t at, uint64_t back,
		     struct wt_err *err)
{
	uint64_t end = at + wt_known_code_len(known);

	for (uint8_t i = 0; i < known->n_rows; i++) {
		uint64_t from = i ? at + known->rows[i].from : at - back;
		uint64_t to = i + 1 < known->n_rows ? at + known->rows[i + 1].from : end;

		if (wt_unwind_writer_add(&b->writer, from, to, &known->rows[i].rule, err) != 0)
			return -1;
	}
	return 0;
}

/* A trampoline ends with a system call. A thread in it is interrupted at the next address, which has no
 * description. So the rule of the preceding code also holds for that first byte, unless it belongs to
 * other code, which begins at `to`. */
static int add_behind_trampoline(struct build *b, uint64_t to, struct wt_err *err)
{
	const struct wt_unwind_writer *writer = &b->writer;
	uint32_t id = writer->n_rows ? writer->rows[writer->n_rows - 1].rule : 0;
	struct wt_abi_unwind_rule rule;

	if (!id || id >= writer->n_rules || writer->covered >= to)
		return 0;
	rule = writer->rules[id];
	if (rule.cfa != WT_ABI_CFA_SIGCONTEXT)
		return 0;
	return wt_unwind_writer_add(&b->writer, writer->covered, writer->covered + 1, &rule, err);
}

static int search_pieces(struct build *b, uint64_t from, uint64_t to, struct wt_err *err)
{
	uint64_t len = to - from, ahead = 0, at;
	const uint8_t *code = from < to ? code_behind(b, from, to, &ahead) : NULL;
	const struct wt_known_code *known;

	if (!code || b->searched + len > MAX_SEARCHED)
		return 0;
	b->searched += len;
	while ((known = wt_known_code_find(b->input->machine, code, len, ahead, &at))) {
		if (add_known(b, known, from + at, at < known->back ? at : known->back, err) != 0 ||
		    add_behind_trampoline(b, from + len, err) != 0)
			return -1;
		at += wt_known_code_len(known);
		code += at;
		ahead += at;
		from += at;
		len -= at;
	}
	return 0;
}

/* The code that runs first has no caller. */
static int add_entry(struct build *b, uint64_t to, struct wt_err *err)
{
	struct wt_abi_unwind_rule rule = leaf_rule(b->input->machine, 0);
	uint64_t entry = b->input->entry;
	const uint8_t *code = code_at(b, entry, to);
	uint32_t len = code ? wt_known_entry(b->input->machine, code, to - entry) : 0;

	rule.flags = WT_ABI_RULE_END;
	return len ? wt_unwind_writer_add(&b->writer, entry, entry + len, &rule, err) : 0;
}

/* A return to the first byte of the code at `to` is looked up at the byte before it. */
static int add_root(struct build *b, uint64_t from, uint64_t to, struct wt_err *err)
{
	struct wt_abi_unwind_rule rule = leaf_rule(b->input->machine, 0);
	const uint8_t *code = from < to ? code_at(b, to, to + WT_KNOWN_ROOT) : NULL;

	rule.flags = WT_ABI_RULE_END;
	if (!code || b->writer.covered >= to || !wt_known_root(b->input->machine, code, WT_KNOWN_ROOT))
		return 0;
	return wt_unwind_writer_add(&b->writer, to - 1, to, &rule, err);
}

static int search_known(struct build *b, uint64_t from, uint64_t to, struct wt_err *err)
{
	uint64_t entry = b->input->entry;

	if (entry < from || entry >= to)
		return search_pieces(b, from, to, err);
	if (search_pieces(b, from, entry, err) != 0 || add_entry(b, to, err) != 0)
		return -1;
	return search_pieces(b, b->writer.covered > entry ? b->writer.covered : entry, to, err);
}

/* Rows up to the first entry that no linker is known to write: others can put code into these sections. */
static int add_plt_x86_64(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	const uint8_t *code = code_at(b, stub->start, stub->end);
	const struct wt_known_stub *known;
	uint64_t at = stub->start;

	while (code && (known = wt_known_stub_find(code + (at - stub->start), stub->end - at))) {
		struct wt_abi_unwind_rule before = leaf_rule(b->input->machine, known->depth);
		struct wt_abi_unwind_rule after = leaf_rule(b->input->machine, known->depth + 8);
		uint64_t end = at + wt_known_stub_len(known),
			 pushed = known->pushed ? at + known->pushed : end;

		if (wt_unwind_writer_add(&b->writer, at, pushed, &before, err) != 0 ||
		    wt_unwind_writer_add(&b->writer, pushed, end, &after, err) != 0)
			return -1;
		at = end;
	}
	return 0;
}

/* The first entry pushes x16 and x30; the others take no stack. */
static int add_plt_aarch64(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	const uint8_t *code = code_at(b, stub->start, stub->end);
	struct wt_abi_unwind_rule leaf = leaf_rule(b->input->machine, 0);
	struct wt_abi_unwind_rule pushed = leaf_rule(b->input->machine, 16);
	uint64_t push = stub->start, header = stub->start + 32;

	pushed.slot[11] = -1;
	if (!code || stub->end - stub->start < 32)
		return 0;
	while (push < header && wt_load_u32(code + (push - stub->start)) != 0xa9bf7bf0)
		push += 4;
	if (push < header && (wt_unwind_writer_add(&b->writer, stub->start, push + 4, &leaf, err) != 0 ||
			      wt_unwind_writer_add(&b->writer, push + 4, header, &pushed, err) != 0))
		return -1;
	return wt_unwind_writer_add(&b->writer, stub->start, stub->end, &leaf, err);
}

static int add_plt(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	return b->input->machine == WT_ABI_UNWIND_AARCH64 ? add_plt_aarch64(b, stub, err)
							  : add_plt_x86_64(b, stub, err);
}

static int add_leaves(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	struct wt_abi_unwind_rule leaf = leaf_rule(b->input->machine, 0);

	if (b->input->machine != WT_ABI_UNWIND_AARCH64)
		return add_plt_x86_64(b, stub, err);
	return wt_unwind_writer_add(&b->writer, stub->start, stub->end, &leaf, err);
}

/* The code of crti.o and crtn.o. Rows are made only for exactly that code. */
static int add_framed(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	const uint8_t *code = code_at(b, stub->start, stub->end);
	struct wt_abi_unwind_rule outside = leaf_rule(b->input->machine, 0);
	struct wt_abi_unwind_rule inside = leaf_rule(b->input->machine, 8);
	uint32_t from;

	if (!code || !wt_known_framed(code, stub->end - stub->start, &from))
		return 0;
	if (wt_unwind_writer_add(&b->writer, stub->start, stub->start + from, &outside, err) ||
	    wt_unwind_writer_add(&b->writer, stub->start, stub->end - 1, &inside, err))
		return -1;
	return wt_unwind_writer_add(&b->writer, stub->start, stub->end, &outside, err);
}

static int add_stub(struct build *b, const struct wt_unwind_stub *stub, struct wt_err *err)
{
	switch (stub->kind) {
	case WT_UNWIND_STUB_LEAF:
		return add_leaves(b, stub, err);
	case WT_UNWIND_STUB_PLT:
		return add_plt(b, stub, err);
	case WT_UNWIND_STUB_FRAME:
		return add_framed(b, stub, err);
	}
	return 0;
}

/* [b->writer.covered, to) has no unwind data. */
static int fill_gap(struct build *b, uint64_t to, struct wt_err *err)
{
	const struct wt_unwind_input *input = b->input;

	if (add_behind_trampoline(b, to, err) != 0)
		return -1;
	for (; b->next_stub < input->n_stubs && input->stubs[b->next_stub].start < to; b->next_stub++) {
		const struct wt_unwind_stub *stub = &input->stubs[b->next_stub];

		if (stub->end > to) /* partly described: a rule for the rest would be a guess */
			continue;
		if (stub->start < b->writer.covered)
			continue;
		if (search_known(b, b->writer.covered, stub->start, err) != 0 || add_stub(b, stub, err) != 0)
			return -1;
	}
	if (b->writer.covered < to && search_known(b, b->writer.covered, to, err) != 0)
		return -1;
	return add_root(b, b->writer.covered, to, err);
}

/* ---- functions ---- */

/* In place of a CIE: the code has two descriptions. */
#define DOUBTFUL UINT32_MAX

/* One function folded into another of equal code is described once more. */
static bool say_the_same(const struct wt_cfi *cfi, const struct wt_cfi_fde *a, const struct wt_cfi_fde *b)
{
	const struct wt_cfi_cie *x, *y;

	if (a->cie == DOUBTFUL || a->start != b->start || a->end != b->end ||
	    a->program_len != b->program_len || memcmp(a->program, b->program, a->program_len) != 0)
		return false;
	x = &cfi->cies[a->cie];
	y = &cfi->cies[b->cie];
	return x == y ||
	       (x->code_align == y->code_align && x->data_align == y->data_align && x->ra_reg == y->ra_reg &&
		x->signal == y->signal && x->program_len == y->program_len &&
		!memcmp(x->program, y->program, x->program_len));
}

/* Where two functions of .eh_frame overlap and differ, nothing tells which of them is right: there is no data
 * from the start of the second to the end of both. */
static void find_doubtful(struct build *b)
{
	struct wt_cfi_fde *last = NULL;

	for (size_t i = 0; i < b->cfi.n_fdes; i++) {
		struct wt_cfi_fde *fde = &b->cfi.fdes[i];

		if (fde->cie >= b->n_eh_cies)
			continue;
		if (last && fde->start < last->end) {
			if (say_the_same(&b->cfi, last, fde))
				continue;
			fde->cie = DOUBTFUL;
			if (fde->end < last->end)
				fde->end = last->end;
			last->end = fde->start;
		}
		last = fde;
	}
}

/* Removes the rows after which a function's saved registers belong to another frame. */
static int leave_out_installed(struct build *b, size_t first, const struct wt_cfi_fde *fde,
			       const struct wt_unwind_code *code, struct wt_err *err)
{
	const struct wt_abi_unwind_rule none = {.cfa = WT_ABI_CFA_NONE};
	uint32_t machine = b->input->machine;
	uint64_t from = fde->start, to = fde->end < b->writer.covered ? fde->end : b->writer.covered;

	if (!wt_install_suspected(machine, b->run.saved))
		return 0;
	b->searched += to - from;
	if (code->bytes && b->searched <= MAX_SEARCHED)
		from = wt_install_find(machine, &b->cfi, fde, code->bytes, code->start, code->end);
	return wt_unwind_writer_patch(&b->writer, first, from, to, &none, err);
}

static int add_function(struct build *b, struct wt_cfi_fde fde, const struct wt_unwind_code *code,
			struct wt_err *err)
{
	const struct wt_abi_unwind_rule none = {.cfa = WT_ABI_CFA_NONE};
	size_t first = b->writer.n_rows;
	const uint8_t *bytes;
	uint64_t len;
	int got;

	if (fde.end > code->end)
		fde.end = code->end;
	if (fde.start >= fde.end)
		return 0;
	if (fill_gap(b, fde.start, err) != 0)
		return -1;
	if (fde.start < b->writer.covered && fde.end <= b->writer.covered)
		return 0; /* described before, by .eh_frame or by a function folded into another */
	if (fde.cie == DOUBTFUL)
		return wt_unwind_writer_add(&b->writer, fde.start, fde.end, &none, err);
	b->run.code = code->bytes;
	b->run.code_start = code->start;
	b->run.code_end = code->end;
	got = wt_cfi_run(&b->run, &b->cfi.cies[fde.cie], &fde, err);
	b->n_refused += got == 1;
	if (got < 0 || !b->writer.n_rows)
		return got < 0 ? -1 : 0;
	/* Its first row may be the last row of the function before, when both have one rule. */
	first -= first > 0;
	if (leave_out_installed(b, first, &fde, code, err) != 0)
		return -1;
	if (!code->bytes)
		return 0;
	bytes = code->bytes + (fde.start - code->start);
	len = fde.end - fde.start;
	if (b->input->machine != WT_ABI_UNWIND_AARCH64)
		return wt_epilogue_mend_realigned(&b->writer, first, fde.start, bytes, len, err);
	if (wt_prologue_mend(&b->writer, first, fde.start, bytes, len, err) != 0)
		return -1;
	return wt_epilogue_mend(&b->writer, first, fde.start, bytes, len, err);
}

static int add_functions(struct build *b, struct wt_err *err)
{
	const struct wt_unwind_input *input = b->input;
	const struct wt_abi_unwind_rule none = {.cfa = WT_ABI_CFA_NONE};
	size_t i = 0;

	for (size_t c = 0; c < input->n_code; c++) {
		const struct wt_unwind_code *code = &input->code[c];

		if (wt_unwind_writer_add(&b->writer, b->writer.covered, code->start, &none, err) != 0)
			return -1;
		for (; i < b->cfi.n_fdes && b->cfi.fdes[i].start < code->end; i++)
			if (b->cfi.fdes[i].start >= code->start &&
			    add_function(b, b->cfi.fdes[i], code, err) != 0)
				return -1;
		if (fill_gap(b, code->end, err) != 0)
			return -1;
	}
	return 0;
}

static int read_cfi(struct build *b, struct wt_err *err)
{
	const struct wt_unwind_input *input = b->input;

	if (input->eh_frame.len && wt_cfi_read(&b->cfi, &input->eh_frame, err) != 0)
		return -1;
	b->n_eh_cies = b->cfi.n_cies;
	if (input->debug_frame.len && wt_cfi_read(&b->cfi, &input->debug_frame, err) != 0)
		return -1;
	if (wt_cfi_sort(&b->cfi, err) != 0)
		return -1;
	find_doubtful(b);
	return 0;
}

static int finish(struct build *b, struct wt_unwind_table *ret, struct wt_err *err)
{
	const struct wt_unwind_input *input = b->input;
	struct wt_abi_unwind facts = {.machine = (uint16_t)input->machine,
				      .key_len = input->key.len,
				      .n_fdes = (uint32_t)b->cfi.n_fdes,
				      .n_refused = (uint32_t)b->cfi.n_refused + b->n_refused,
				      .flags = input->is_go || !b->cfi.n_fdes ? WT_ABI_UNWIND_FP : 0,
				      .n_loads = input->n_loads,
				      .load = {input->load[0], input->load[1]}};

	memcpy(facts.key, input->key.bytes, sizeof(facts.key));
	return wt_unwind_writer_finish(&b->writer, &facts, ret, err);
}

int wt_unwind_build(const struct wt_unwind_input *input, struct wt_unwind_table *ret, struct wt_err *err)
{
	struct build b = {.input = input};
	uint64_t start = input->n_code ? input->code[0].start : 0;
	uint64_t end = input->n_code ? input->code[input->n_code - 1].end : 0;
	int failed;

	if (end - (start & ~UINT64_C(0xffff)) > WT_ABI_UNWIND_MAX_SPAN)
		return wt_fail(err, WT_ERR_LIMIT, "code that spans more than %llu bytes",
			       WT_ABI_UNWIND_MAX_SPAN);
	if (wt_unwind_writer_init(&b.writer, start, err) != 0)
		return -1;
	b.run = (struct wt_cfi_run){.writer = &b.writer, .machine = input->machine, .pc_rows = MAX_PC_ROWS};
	failed = read_cfi(&b, err);
	if (!failed)
		failed = add_functions(&b, err);
	if (!failed)
		failed = finish(&b, ret, err);
	wt_cfi_deinit(&b.cfi);
	wt_unwind_writer_deinit(&b.writer);
	return failed;
}
