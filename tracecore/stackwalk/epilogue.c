/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/epilogue.h"

#include <stdbool.h>
#include <string.h>

#include "tracecore/base/bytes.h"

/* Longest epilogue looked at, instructions. */
#define MAX_LENGTH 24
/* Largest frame, bytes: far below the largest offset in a rule. */
#define MAX_FRAME (1 << 30)

enum { FP = 29, SP = 31, FP_SLOT = 10 };

/* The state before an instruction of the epilogue. */
struct frame {
	int64_t size;    /* CFA - sp */
	int64_t fp_size; /* CFA - x29, once a prologue has set it; 0: not yet */
	bool sp_lost;    /* sp was realigned: only x29 leads to the CFA */
	int16_t slot[WT_ABI_UNWIND_SLOTS];
};

static bool is_return(uint32_t w)
{
	return (w & 0xfffffc1f) == 0xd65f0000 || w == 0xd65f0bff || w == 0xd65f0fff; /* ret, retaa, retab */
}

static bool is_branch(uint32_t w)
{
	return (w & 0x7c000000) == 0x14000000 ||                                   /* b, bl */
	       (w & 0xff000000) == 0x54000000 || (w & 0x7c000000) == 0x34000000 || /* b.cond, cbz, tbz */
	       (w & 0xfe000000) == 0xd6000000 || (w & 0xff000000) == 0xd4000000;   /* br, ret, svc, brk */
}

/* A jump that leaves the function: a direct jump out of it, or a jump by register. The latter also serves
 * switch tables; the instructions before it decide. */
static bool may_tail_call(uint32_t w, uint64_t at, uint64_t len)
{
	if ((w & 0xfffffc1f) == 0xd61f0000)
		return true;
	if ((w & 0xfc000000) != 0x14000000)
		return false;
	return (uint64_t)((int64_t)at + (int64_t)((int32_t)(w << 6) >> 4)) >= len;
}

/* Register reg lies at sp + offset. */
static void lies_at(struct frame *f, uint32_t reg, int64_t offset)
{
	int64_t slot = (offset - f->size) / 8;

	if (reg >= 19 && reg <= 30 && slot > WT_ABI_SLOT_REG_LAST && slot <= INT16_MAX)
		f->slot[reg - 19] = (int16_t)slot;
}

/* True when w loads general or vector registers from the stack, alone or in pairs. */
static bool undo_load(struct frame *f, uint32_t w)
{
	uint32_t a = w & 31, b = w >> 10 & 31;
	int64_t pair = (int32_t)(w << 10) >> 25, nine = (int32_t)(w << 11) >> 23, twelve = w >> 10 & 0xfff;
	bool general = true;
	int64_t offset = 0, size = 8;

	if ((w >> 5 & 31) != SP)
		return false;
	switch (w & 0xffc00000) {
	case 0xacc00000: /* ldp q, post-index */
		size = 16;
		/* fall through */
	case 0x6cc00000: /* ldp d, post-index */
		general = false;
		/* fall through */
	case 0xa8c00000: /* ldp x, post-index */
		f->size += pair * size;
		break;
	case 0xad400000: /* ldp q */
	case 0x6d400000: /* ldp d */
		general = false;
		break;
	case 0xa9400000: /* ldp x */
		offset = pair * 8;
		break;
	case 0xfd400000: /* ldr d */
		general = false;
		break;
	case 0xf9400000: /* ldr x */
		offset = twelve * 8;
		b = SP;
		break;
	case 0xfc400000: /* ldr d, post-index */
		general = false;
		/* fall through */
	case 0xf8400000: /* ldr x, post-index */
		if ((w & 0x00200c00) != 0x400)
			return false;
		f->size += nine;
		b = SP;
		break;
	default:
		return false;
	}
	if (general) {
		lies_at(f, a, offset);
		lies_at(f, b, offset + 8);
	}
	return true;
}

static bool undo_add(struct frame *f, uint32_t w)
{
	if ((w & 0xff8003ff) != 0x910003ff) /* add sp, sp, #imm */
		return false;
	f->size += (int64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
	return true;
}

/* A load or store at an offset from its base, which does not change: scaled, unscaled, a pair. */
static bool keeps_base(uint32_t w)
{
	return (w & 0x3b000000) == 0x39000000 || (w & 0x3b200c00) == 0x38000000 ||
	       (w & 0x3b800000) == 0x29000000;
}

/* sp as the result of arithmetic, or as a base that is written back. */
static bool may_set_sp(uint32_t w)
{
	bool arithmetic = (w & 0x1f000000) == 0x11000000 || (w & 0x1f800000) == 0x12000000 ||
			  (w & 0x1fe00000) == 0x0b200000;
	bool load_store = (w & 0x0a000000) == 0x08000000 && !keeps_base(w);

	return (arithmetic && (w & 31) == SP) || (load_store && (w >> 5 & 31) == SP);
}

static bool undo(struct frame *f, uint32_t w)
{
	if (undo_load(f, w) || undo_add(f, w))
		return f->size >= 0 && f->size < MAX_FRAME;
	return !is_branch(w) && !may_set_sp(w);
}

/* The complete frame that the body's row describes: the epilogue begins here. */
static bool undoes(const struct frame *f, const struct wt_abi_unwind_rule *body)
{
	for (unsigned i = 0; i < WT_ABI_UNWIND_SLOTS; i++)
		if (f->slot[i] != body->slot[i])
			return false;
	return body->reg == SP ? f->size == body->offset : body->reg == FP;
}

/* Only frames that clang makes: the CFA is sp or x29 plus a constant, and registers are saved below it. */
static bool is_plain(const struct wt_abi_unwind_rule *body)
{
	return body && body->cfa == WT_ABI_CFA_REG && !body->flags && !(body->reg == SP && !body->offset);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	for (unsigned i = 0; i < WT_ABI_UNWIND_SLOTS; i++)
		if (a->slot[i] != b->slot[i])
			return false;
	return a->size == b->size;
}

/* Rows for the last n instructions, of which the one at offset `last` is the last. */
static int put_rows(struct wt_unwind_writer *writer, size_t first, uint64_t last, const struct frame *frames,
		    unsigned n, struct wt_err *err)
{
	for (unsigned i = n; i > 0;) {
		uint64_t from = last - 4 * (uint64_t)(i - 1);
		struct wt_abi_unwind_rule row = {
			.cfa = WT_ABI_CFA_REG, .reg = SP, .offset = (int32_t)frames[i - 1].size};

		for (unsigned slot = 0; slot < WT_ABI_UNWIND_SLOTS; slot++)
			row.slot[slot] = frames[i - 1].slot[slot];
		for (i--; i > 0 && same_frame(&frames[i], &frames[i - 1]);)
			i--;
		if (wt_unwind_writer_patch(writer, first, from, last + 4 - 4 * (uint64_t)i, &row, err) != 0)
			return -1;
	}
	return 0;
}

/* The epilogue that ends with the instruction at offset `last`. */
static int mend_one(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		    uint64_t last, struct wt_err *err)
{
	const struct wt_abi_unwind_rule *body = wt_unwind_writer_rule(writer, first, start + last);
	struct frame frames[MAX_LENGTH + 1]; /* frames[i]: before the i-th instruction, counted back from
					      * the last */

	if (!is_plain(body))
		return 0;
	frames[0] = (struct frame){0};
	for (unsigned i = 0; i < WT_ABI_UNWIND_SLOTS; i++)
		frames[0].slot[i] = WT_ABI_SLOT_SAME;
	for (unsigned i = 1; i <= MAX_LENGTH && 4 * i <= last; i++) {
		frames[i] = frames[i - 1];
		if (!undo(&frames[i], wt_load_u32(code + last - 4 * (uint64_t)i)))
			return 0;
		if (undoes(&frames[i], body))
			return put_rows(writer, first, start + last, frames, i, err);
	}
	return 0;
}

int wt_epilogue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err)
{
	for (uint64_t at = 0; at + 4 <= len; at += 4) {
		uint32_t w = wt_load_u32(code + at);

		if (!is_return(w) && !may_tail_call(w, at, len))
			continue;
		if (mend_one(writer, first, start, code, at, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- prologues ---- */

/* True when w stores to the stack, with or without moving sp. */
static bool do_store(struct frame *f, uint32_t w)
{
	int64_t pair = (int32_t)(w << 10) >> 25, nine = (int32_t)(w << 11) >> 23, twelve = w >> 10 & 0xfff;
	uint32_t a = w & 31, b = w >> 10 & 31;

	if ((w >> 5 & 31) != SP)
		return false;
	switch (w & 0xffc00000) {
	case 0xad800000: /* stp q, pre-index */
		f->size -= pair * 16;
		return true;
	case 0x6d800000: /* stp d, pre-index */
		f->size -= pair * 8;
		return true;
	case 0xad000000: /* stp q, stp d */
	case 0x6d000000:
		return true;
	case 0xa9800000: /* stp x, pre-index */
		f->size -= pair * 8;
		lies_at(f, a, 0);
		lies_at(f, b, 8);
		return true;
	case 0xa9000000: /* stp x */
		lies_at(f, a, pair * 8);
		lies_at(f, b, pair * 8 + 8);
		return true;
	case 0xf9000000: /* str x */
		lies_at(f, a, twelve * 8);
		return true;
	case 0xf8000000: /* str x, pre-index */
		if ((w & 0x00200c00) != 0xc00)
			return false;
		f->size -= nine;
		lies_at(f, a, 0);
		return true;
	}
	return false;
}

/* One instruction of a prologue. */
static bool perform(struct frame *f, uint32_t w)
{
	int64_t imm = (int64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);

	if ((w & 0xff8003ff) == 0xd10003ff) /* sub sp, sp, #imm */
		f->size += imm;
	else if ((w & 0xff8003ff) == 0x910003fd) /* add x29, sp, #imm */
		f->fp_size = f->size - imm;
	else if (is_branch(w))
		return false;
	else if (!do_store(f, w) && may_set_sp(w))
		f->sp_lost = true;
	return f->size >= 0 && f->size < MAX_FRAME && f->fp_size >= 0 && (!f->sp_lost || f->fp_size);
}

/* True when the row equals the result of the instructions. */
static bool comes_to(const struct frame *f, const struct wt_abi_unwind_rule *row)
{
	for (unsigned i = 0; i < WT_ABI_UNWIND_SLOTS; i++)
		if (row->slot[i] != WT_ABI_SLOT_SAME && f->slot[i] != row->slot[i])
			return false;
	if (row->reg == SP)
		return !f->sp_lost && f->size == row->offset;
	return row->reg == FP && f->fp_size && f->fp_size == row->offset;
}

/* Makes rows for the n instructions from link-time address `from` on. frames[i]: the frame before
 * instruction i. */
static int put_frames(struct wt_unwind_writer *writer, size_t first, uint64_t from,
		      const struct frame *frames, unsigned n, struct wt_err *err)
{
	for (unsigned i = 0; i < n; i++) {
		const struct frame *f = &frames[i];
		uint64_t at = from + 4 * (uint64_t)i;
		struct wt_abi_unwind_rule rule = {.cfa = WT_ABI_CFA_REG,
						  .reg = f->fp_size ? FP : SP,
						  .offset = (int32_t)(f->fp_size ? f->fp_size : f->size)};

		memcpy(rule.slot, f->slot, sizeof(rule.slot));
		if (wt_unwind_writer_patch(writer, first, at, at + 4, &rule, err) != 0)
			return -1;
	}
	return 0;
}

/* The row that begins at offset `from` is true there. The next row is true at `to`, or only after
 * instructions that follow it (as for a frame made after `bti` or `paciasp`). Until then, sp may have
 * moved. */
static int mend_between(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
			uint64_t len, uint64_t from, uint64_t to, struct wt_err *err)
{
	const struct wt_abi_unwind_rule *row = wt_unwind_writer_rule(writer, first, start + from);
	const struct wt_abi_unwind_rule *next = wt_unwind_writer_rule(writer, first, start + to);
	struct frame frames[MAX_LENGTH + 1]; /* frames[i]: the frame before instruction i, counted from the
					      * first */
	unsigned n = (unsigned)((to - from) / 4);

	if (!row || !next || row->cfa != WT_ABI_CFA_REG || row->reg != SP || row->flags || next->flags ||
	    next->cfa != WT_ABI_CFA_REG || row->offset >= MAX_FRAME || to - from > 4 * MAX_LENGTH)
		return 0;
	frames[0] = (struct frame){.size = row->offset};
	memcpy(frames[0].slot, row->slot, sizeof(row->slot));
	for (unsigned i = 0; i < MAX_LENGTH && from + 4 * (uint64_t)i + 4 <= len; i++) {
		frames[i + 1] = frames[i];
		if (!perform(&frames[i + 1], wt_load_u32(code + from + 4 * (uint64_t)i)))
			return 0;
		if (i + 1 >= n && comes_to(&frames[i + 1], next))
			return put_frames(writer, first, start + from + 4, frames + 1, i, err);
	}
	return 0;
}

/* The very first row may describe the frame that the instructions after it have yet to make. */
static int mend_start(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		      uint64_t len, struct wt_err *err)
{
	const struct wt_abi_unwind_rule *row = wt_unwind_writer_rule(writer, first, start);
	struct frame frames[MAX_LENGTH + 1];

	if (!is_plain(row))
		return 0;
	frames[0] = (struct frame){0};
	for (unsigned i = 0; i < WT_ABI_UNWIND_SLOTS; i++)
		frames[0].slot[i] = WT_ABI_SLOT_SAME;
	for (unsigned i = 0; i < MAX_LENGTH && 4 * (uint64_t)i + 4 <= len; i++) {
		frames[i + 1] = frames[i];
		if (!perform(&frames[i + 1], wt_load_u32(code + 4 * (uint64_t)i)))
			return 0;
		if (comes_to(&frames[i + 1], row))
			return put_frames(writer, first, start, frames, i + 1, err);
	}
	return 0;
}

int wt_prologue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err)
{
	enum { ROWS = 8 };
	uint64_t at[ROWS];
	size_t n = 0;

	if (mend_start(writer, first, start, code, len, err) != 0)
		return -1;
	/* Copies the rows, because the correction adds some. */
	for (size_t i = first; n < ROWS && i < writer->n_rows; i++) {
		uint64_t address = writer->base + writer->rows[i].at;

		if (i + 1 < writer->n_rows && writer->base + writer->rows[i + 1].at <= start)
			continue;
		at[n++] = address > start ? address - start : 0;
	}
	for (size_t i = 0; i + 1 < n && at[i + 1] < len; i++)
		if (at[i] < at[i + 1] &&
		    mend_between(writer, first, start, code, len, at[i], at[i + 1], err) != 0)
			return -1;
	return 0;
}

/* ---- x86-64 ---- */

/* A row at the end of a realigned frame: the CFA is in r10, and registers were saved around rbp. */
static bool is_realigned_end(const struct wt_unwind_writer *writer, size_t i)
{
	const struct wt_abi_unwind_rule *rule = &writer->rules[writer->rows[i].rule];

	return rule->cfa == WT_ABI_CFA_REG && rule->reg == 10 && !rule->offset &&
	       rule->flags & WT_ABI_RULE_FROM_FP;
}

/* Offset after the instruction that restores rbp, or 0. */
static uint64_t behind_restore(const uint8_t *code, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at + 5 <= to; at++)
		if ((code[at] == 0x5d || code[at] == 0xc9) && !memcmp(code + at + 1, "\x49\x8d\x62\xf8", 4))
			return at + 1;
	return 0;
}

int wt_epilogue_mend_realigned(struct wt_unwind_writer *writer, size_t first, uint64_t start,
			       const uint8_t *code, uint64_t len, struct wt_err *err)
{
	struct wt_abi_unwind_rule restored = {.cfa = WT_ABI_CFA_REG, .reg = 10};

	for (unsigned slot = 0; slot < 6; slot++)
		restored.slot[slot] = WT_ABI_SLOT_SAME;
	restored.slot[6] = -1;
	for (size_t i = first; i < writer->n_rows; i++) {
		uint64_t from, to, at;

		if (!is_realigned_end(writer, i))
			continue;
		from = writer->rows[i].at - (start - writer->base);
		to = i + 1 < writer->n_rows ? writer->rows[i + 1].at - (start - writer->base) : len;
		/* The row may have begun with the pop itself. */
		at = from <= len && to <= len ? behind_restore(code, from ? from - 1 : 0, to) : 0;
		if (at && wt_unwind_writer_patch(writer, first, start + at, start + to, &restored, err) != 0)
			return -1;
	}
	return 0;
}
