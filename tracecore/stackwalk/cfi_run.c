/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/cfi_run.h"

#include <string.h>

#include "tracecore/stackwalk/cfi_expr.h"
#include "tracecore/stackwalk/leb.h"
#include "tracecore/stackwalk/push.h"
#include "tracecore/stackwalk/walk_core.h"

enum cfa_op {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
	CFA_HIGH = 0xc0,
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
};

#define MAX_REMEMBERED 16

enum reg_how {
	REG_SAME = 0,
	REG_UNDEFINED,
	REG_AT_OFFSET, /* from the CFA */
	REG_AT_EXPRESSION,
	REG_IN_REGISTER,
	REG_COMPUTED, /* a value of its own: the register is given up */
};

struct reg_state {
	uint8_t how; /* enum reg_how */
	uint8_t reg;
	bool seen;   /* a row has given its place; `pushed` is known */
	bool pushed; /* a push put it there */
	int64_t offset;
	struct wt_cfi_block expr;
};

struct state {
	bool is_expr;
	bool sp_elsewhere; /* the stack pointer has been stored: the rest is another context */
	uint64_t cfa_reg;
	int64_t cfa_offset;
	struct wt_cfi_block cfa_expr;
	struct reg_state reg[WT_ABI_UNWIND_SLOTS];
};

struct program {
	struct wt_cfi_run *run;
	const struct wt_walk_machine *machine;
	const struct wt_cfi_cie *cie;
	const struct wt_cfi_fde *fde;
	struct state now, initial, remembered[MAX_REMEMBERED];
	unsigned n_remembered;
	uint64_t at;          /* the row being described begins here */
	uint32_t saved;       /* bits of DWARF numbers: registers that are saved in the frame */
	uint64_t pushed_from; /* first row of a function for which the PLT pushed; 0: it is not one */
	bool bad;
};

static bool is_arm(const struct program *p)
{
	return p->run->machine == WT_ABI_UNWIND_AARCH64;
}

static struct wt_cfi_value evaluate(struct program *p, struct wt_cfi_block expr, enum wt_cfi_start start,
				    uint64_t at)
{
	return wt_cfi_evaluate(expr, start, at, is_arm(p) ? WT_CFI_NO_PC_REG : 16);
}

/* The place where a register was saved. A place that depends on the pc would need its own rows, and no
 * compiler makes such places. */
static struct wt_cfi_value evaluate_place(struct program *p, struct wt_cfi_block expr)
{
	struct wt_cfi_value v = evaluate(p, expr, WT_CFI_START_WITH_CFA, p->at);

	return v.pc_bits ? (struct wt_cfi_value){0} : v;
}

/* ---- from a state to a rule ---- */

static struct wt_cfi_value cfa_value(struct program *p, uint64_t at)
{
	const struct state *s = &p->now;

	if (s->is_expr)
		return evaluate(p, s->cfa_expr, WT_CFI_START_EMPTY, at);
	if (s->cfa_reg > 31)
		return (struct wt_cfi_value){0};
	return (struct wt_cfi_value){
		.kind = WT_CFI_VALUE_REG, .reg = (uint8_t)s->cfa_reg, .a = s->cfa_offset};
}

/* The kernel's signal frame, when the function is its trampoline. */
static bool signal_rule(struct program *p, const struct wt_cfi_value *cfa, struct wt_abi_unwind_rule *rule)
{
	const struct reg_state *ra = &p->now.reg[p->machine->ra_slot];
	int64_t from = 8 + 128 + 168; /* arm64: siginfo and ucontext lie at sp; x0 in its sigcontext */
	struct wt_cfi_value pc;

	if (!p->cie->signal)
		return false;
	if (!is_arm(p)) {
		if (ra->how != REG_AT_EXPRESSION)
			return false;
		pc = evaluate_place(p, ra->expr);
		if (pc.kind != WT_CFI_VALUE_REG || pc.reg != p->machine->sp || pc.a < 0 || pc.a > INT16_MAX)
			return false;
		from = pc.a - p->machine->sigcontext_pc;
		if (cfa->kind != WT_CFI_VALUE_DEREF || cfa->b || cfa->reg != pc.reg ||
		    cfa->a != from + p->machine->sigcontext_sp)
			return false;
	}
	*rule = (struct wt_abi_unwind_rule){
		.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = (uint8_t)p->machine->sp, .offset = (int32_t)from};
	return true;
}

/* The base of a saved register's place. */
enum base { BASE_CFA, BASE_REG, BASE_FP, BASE_UNKNOWN };

struct place {
	enum base base;
	int64_t offset;
};

static struct place saved_at(struct program *p, const struct reg_state *reg, const struct wt_cfi_value *cfa)
{
	struct wt_cfi_value v;

	if (reg->how == REG_AT_OFFSET)
		return (struct place){BASE_CFA, reg->offset};
	v = evaluate_place(p, reg->expr);
	if (v.kind == WT_CFI_VALUE_CFA)
		return (struct place){BASE_CFA, v.a};
	if (v.kind == WT_CFI_VALUE_REG && v.reg == cfa->reg)
		return (struct place){BASE_REG, v.a};
	if (v.kind == WT_CFI_VALUE_REG && v.reg == p->machine->fp)
		return (struct place){BASE_FP, v.a};
	return (struct place){BASE_UNKNOWN, 0};
}

/* Converts a place to one relative to the rule's base; false when a slot cannot express it. */
static bool rebase(struct place *place, enum base base, const struct wt_cfi_value *cfa)
{
	if (place->base == BASE_UNKNOWN)
		return false;
	if (place->base != base) {
		if (place->base == BASE_FP || base == BASE_FP || cfa->kind != WT_CFI_VALUE_REG ||
		    place->offset != (int32_t)place->offset)
			return false;
		place->offset += base == BASE_REG ? cfa->a : -cfa->a;
	}
	return !(place->offset & 7) && place->offset / 8 > WT_ABI_SLOT_REG_LAST &&
	       place->offset / 8 <= INT16_MAX;
}

static bool is_saved(const struct reg_state *reg)
{
	return reg->how == REG_AT_OFFSET || reg->how == REG_AT_EXPRESSION;
}

/* Slots count from the CFA where all can, else from the register that one of them needs. */
static enum base choose_base(struct program *p, const struct wt_cfi_value *cfa)
{
	enum base base = BASE_CFA;

	for (uint32_t i = 0; i < p->machine->n_slots; i++) {
		const struct reg_state *reg = &p->now.reg[i];
		struct place place;

		if (!is_saved(reg) || (i == p->machine->ra_slot && !is_arm(p)))
			continue;
		place = saved_at(p, reg, cfa);
		if (place.base == BASE_FP)
			return BASE_FP;
		if (place.base != BASE_UNKNOWN && !rebase(&place, BASE_CFA, cfa))
			base = BASE_REG;
	}
	return base;
}

static bool from_sp(const struct program *p, const struct wt_cfi_value *cfa)
{
	return cfa->kind == WT_CFI_VALUE_REG && cfa->reg == p->machine->sp;
}

/* Finds how a register came to its place, from the first row that mentions the place. */
static void note_save(struct program *p, uint32_t i)
{
	struct reg_state *reg = &p->now.reg[i];
	const struct wt_cfi_run *run = p->run;

	if (reg->how != REG_AT_OFFSET || reg->seen)
		return;
	reg->seen = true;
	reg->pushed = run->code && p->fde->start >= run->code_start && p->at <= run->code_end &&
		      wt_is_pushed(run->code + (p->fde->start - run->code_start), p->at - p->fde->start,
				   wt_walk_reg_of(p->machine, i));
}

/* x86-64. The place may be below the stack pointer, and a move put the value there: it lies in the red zone,
 * also when it was moved to a frame that has been given back. What was pushed has been popped. */
static bool is_below(const struct program *p, const struct reg_state *reg, const struct wt_cfi_value *cfa)
{
	return !reg->pushed && (!from_sp(p, cfa) || reg->offset + cfa->a < 0);
}

/* x86-64. An expression gives a place below the stack pointer, where a copy of the stack does not reach. */
static bool is_out_of_reach(const struct program *p, const struct place *place,
			    const struct wt_cfi_value *cfa)
{
	if (is_arm(p) || !from_sp(p, cfa))
		return false;
	return (place->base == BASE_REG && place->offset < 0) ||
	       (place->base == BASE_CFA && place->offset + cfa->a < 0);
}

static int16_t slot_value(struct program *p, uint32_t i, const struct wt_cfi_value *cfa, enum base base)
{
	const struct reg_state *reg = &p->now.reg[i];
	struct place place;

	if (!is_arm(p) && reg->how == REG_AT_OFFSET && from_sp(p, cfa) && reg->offset + cfa->a < 0 &&
	    reg->pushed)
		return WT_ABI_SLOT_SAME;

	switch (reg->how) {
	case REG_SAME:
		return WT_ABI_SLOT_SAME;
	case REG_IN_REGISTER:
		return (int16_t)(WT_ABI_SLOT_REG + reg->reg);
	case REG_AT_OFFSET:
	case REG_AT_EXPRESSION:
		place = saved_at(p, reg, cfa);
		if (reg->how == REG_AT_EXPRESSION && is_out_of_reach(p, &place, cfa))
			return WT_ABI_SLOT_GONE;
		if (rebase(&place, base, cfa))
			return (int16_t)(place.offset / 8);
	}
	return WT_ABI_SLOT_GONE;
}

/* x86-64: only the return address is left on the stack. gcc does not describe that a realigned frame, whose
 * places counted from rbp, is gone: the registers have the caller's values again. */
static bool all_restored(const struct program *p, const struct wt_cfi_value *cfa)
{
	return !is_arm(p) && cfa->kind == WT_CFI_VALUE_REG && cfa->reg == p->machine->sp && cfa->a == 8;
}

static bool counts_from_fp(struct program *p, const struct reg_state *reg, const struct wt_cfi_value *cfa)
{
	return reg->how == REG_AT_EXPRESSION && saved_at(p, reg, cfa).base == BASE_FP;
}

static void fill_slots(struct program *p, const struct wt_cfi_value *cfa, struct wt_abi_unwind_rule *rule)
{
	bool restored = all_restored(p, cfa), gave_up = false;
	enum base base = restored ? BASE_CFA : choose_base(p, cfa);

	rule->flags |= base == BASE_REG ? WT_ABI_RULE_FROM_REG : base == BASE_FP ? WT_ABI_RULE_FROM_FP : 0;
	for (uint32_t i = 0; i < p->machine->n_slots; i++) {
		bool is_ra = i == p->machine->ra_slot && !is_arm(p);
		int16_t slot;

		if (!is_arm(p) && !is_ra)
			note_save(p, i);
		slot = slot_value(p, i, cfa, is_ra ? BASE_CFA : base);
		if (!is_arm(p) && !is_ra && p->now.reg[i].how == REG_AT_OFFSET &&
		    slot > WT_ABI_SLOT_REG_LAST && is_below(p, &p->now.reg[i], cfa))
			rule->flags |= WT_ABI_RULE_BELOW;
		if (restored && counts_from_fp(p, &p->now.reg[i], cfa) && !is_ra)
			slot = WT_ABI_SLOT_SAME;
		rule->slot[i] = slot;
		if (slot > WT_ABI_SLOT_SAME && slot <= WT_ABI_SLOT_REG_LAST)
			rule->flags |= WT_ABI_RULE_ODD;
		gave_up |= slot == WT_ABI_SLOT_GONE && p->now.reg[i].how != REG_UNDEFINED;
	}
	p->run->writer->n_inexact += gave_up;
}

/* glibc's _dl_runtime_resolve on arm64 is entered with two words pushed by the PLT's first entry, x30 in
 * the second. Its data show this by x30 above the CFA: the caller's stack pointer is above these words. */
static void count_plt_push(struct program *p, struct wt_abi_unwind_rule *rule)
{
	if (!is_arm(p) || rule->cfa != WT_ABI_CFA_REG || rule->reg != p->machine->sp || rule->flags ||
	    rule->slot[p->machine->ra_slot] != 1 || rule->offset > INT32_MAX - 16)
		return;
	rule->offset += 16;
	p->pushed_from = p->pushed_from ? p->pushed_from : p->at;
	for (uint32_t i = 0; i < p->machine->n_slots; i++)
		if (rule->slot[i] > WT_ABI_SLOT_REG_LAST + 2)
			rule->slot[i] -= 2;
}

/* Code that is leaving its stack may describe its target: glibc's __longjmp, setcontext and swapcontext.
 * On x86-64 they give the place of the new stack pointer. On arm64 they count from x0, which no compiler
 * does. Their caller is then not known. */
static bool is_other_context(const struct program *p, const struct wt_cfi_value *cfa)
{
	return p->now.sp_elsewhere || (is_arm(p) && cfa->kind == WT_CFI_VALUE_REG && cfa->reg == 0);
}

/* The rule of the current state for p->at. */
static void make_rule(struct program *p, struct wt_cfi_value cfa, struct wt_abi_unwind_rule *rule)
{
	const struct reg_state *ra = &p->now.reg[p->machine->ra_slot];

	*rule = (struct wt_abi_unwind_rule){0};
	if (ra->how == REG_UNDEFINED) {
		rule->flags = WT_ABI_RULE_END;
		return;
	}
	/* Of a frame that was interrupted only the kernel's form is known: its caller did not call. */
	if (signal_rule(p, &cfa, rule) || p->cie->signal || is_other_context(p, &cfa))
		return;
	if ((cfa.kind != WT_CFI_VALUE_REG && cfa.kind != WT_CFI_VALUE_DEREF) || cfa.a != (int32_t)cfa.a ||
	    (cfa.b & 7) || cfa.b / 8 != (int8_t)(cfa.b / 8)) {
		p->run->writer->n_inexact++;
		return;
	}
	rule->cfa = cfa.kind == WT_CFI_VALUE_REG ? WT_ABI_CFA_REG : WT_ABI_CFA_DEREF;
	rule->reg = cfa.reg;
	rule->offset = (int32_t)cfa.a;
	rule->offset2 = (int8_t)(cfa.b / 8);
	fill_slots(p, &cfa, rule);
	count_plt_push(p, rule);
	/* On x86-64 every caller's address is in memory. A rule without it leads nowhere. */
	if (!is_arm(p) && (rule->slot[p->machine->ra_slot] == WT_ABI_SLOT_SAME ||
			   rule->slot[p->machine->ra_slot] == WT_ABI_SLOT_GONE))
		*rule = (struct wt_abi_unwind_rule){0};
}

/* A row for [p->at, end) of the current state, with that CFA. */
static int put_value(struct program *p, uint64_t end, struct wt_cfi_value cfa, struct wt_err *err)
{
	struct wt_abi_unwind_rule rule;

	make_rule(p, cfa, &rule);
	if (wt_unwind_writer_add(p->run->writer, p->at, end, &rule, err) != 0)
		return -1;
	p->at = end;
	return 0;
}

static bool same_value(const struct wt_cfi_value *a, const struct wt_cfi_value *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->a == b->a && a->b == b->b;
}

/* A CFA that depends on the pc becomes as many rows as it has values, which repeat. */
static int put_answers(struct program *p, uint64_t end, struct wt_err *err)
{
	struct wt_cfi_value answer[WT_CFI_PC_PERIOD];
	const uint64_t mask = WT_CFI_PC_PERIOD - 1;

	for (uint64_t i = 0; i < WT_CFI_PC_PERIOD; i++)
		answer[(p->at + i) & mask] = cfa_value(p, p->at + i);
	while (p->at < end && p->run->pc_rows) {
		const struct wt_cfi_value *first = &answer[p->at & mask];
		uint64_t to = p->at + 1;

		while (to < end && to - p->at < WT_CFI_PC_PERIOD && same_value(&answer[to & mask], first))
			to++;
		p->run->pc_rows--;
		if (put_value(p, to, *first, err) != 0)
			return -1;
	}
	return p->at < end ? put_value(p, end, (struct wt_cfi_value){0}, err) : 0;
}

static int put_row(struct program *p, uint64_t end, struct wt_err *err)
{
	struct wt_cfi_value cfa;

	if (end > p->fde->end)
		end = p->fde->end;
	if (end <= p->at)
		return 0;
	cfa = cfa_value(p, p->at);
	return cfa.pc_bits ? put_answers(p, end, err) : put_value(p, end, cfa, err);
}

/* ---- the program ---- */

/* A stack pointer that is not the CFA but lies in memory or in a register: __longjmp, setcontext. */
static void note_sp(struct program *p, uint64_t reg, enum reg_how how)
{
	if (reg == p->machine->sp && reg != p->cie->ra_reg)
		p->now.sp_elsewhere = how != REG_SAME && how != REG_UNDEFINED;
}

/* The place of a register's state; an unused place for registers that no rule restores. */
static struct reg_state *reg_state(struct program *p, uint64_t reg, struct reg_state *nowhere)
{
	uint32_t slot;

	if (reg == p->cie->ra_reg)
		return &p->now.reg[p->machine->ra_slot];
	slot = reg < 32 ? wt_walk_slot_of(p->machine, (uint32_t)reg) : 255;
	return slot < p->machine->n_slots ? &p->now.reg[slot] : nowhere;
}

static void set_reg(struct program *p, uint64_t reg, enum reg_how how, int64_t offset)
{
	struct reg_state nowhere;

	*reg_state(p, reg, &nowhere) = (struct reg_state){.how = (uint8_t)how, .offset = offset};
	if (how == REG_AT_OFFSET && reg < 32)
		p->saved |= 1u << reg;
	note_sp(p, reg, how);
}

static void restore_reg(struct program *p, uint64_t reg)
{
	struct reg_state nowhere, *to = reg_state(p, reg, &nowhere);

	if (to != &nowhere)
		*to = p->initial.reg[to - p->now.reg];
	if (reg == p->machine->sp)
		p->now.sp_elsewhere = p->initial.sp_elsewhere;
}

static int64_t scaled(const struct program *p, int64_t factored)
{
	return (int64_t)((uint64_t)factored * (uint64_t)p->cie->data_align);
}

static struct wt_cfi_block read_block(struct wt_cursor *cur)
{
	uint64_t len = wt_cur_uleb(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return (struct wt_cfi_block){bytes, bytes ? len : 0};
}

static int advance(struct program *p, uint64_t delta, struct wt_err *err)
{
	uint64_t to = p->at + delta * p->cie->code_align;

	if (to < p->at)
		p->bad = true;
	return p->bad ? 0 : put_row(p, to, err);
}

static void register_rule(struct program *p, uint8_t op, struct wt_cursor *cur)
{
	struct reg_state nowhere, *to;
	uint64_t reg = wt_cur_uleb(cur);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_reg(p, reg, REG_AT_OFFSET, scaled(p, (int64_t)wt_cur_uleb(cur)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set_reg(p, reg, REG_AT_OFFSET, scaled(p, wt_cur_sleb(cur)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_reg(p, reg, REG_AT_OFFSET, scaled(p, (int64_t)(0 - wt_cur_uleb(cur))));
		break;
	case CFA_RESTORE_EXTENDED:
		restore_reg(p, reg);
		break;
	case CFA_UNDEFINED:
		set_reg(p, reg, REG_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_reg(p, reg, REG_SAME, 0);
		break;
	case CFA_REGISTER:
		to = reg_state(p, reg, &nowhere);
		note_sp(p, reg, REG_IN_REGISTER);
		reg = wt_cur_uleb(cur);
		*to = (struct reg_state){.how = reg < 32 ? REG_IN_REGISTER : REG_COMPUTED,
					 .reg = (uint8_t)(reg & 31)};
		break;
	case CFA_EXPRESSION:
		to = reg_state(p, reg, &nowhere);
		note_sp(p, reg, REG_AT_EXPRESSION);
		*to = (struct reg_state){.how = REG_AT_EXPRESSION, .expr = read_block(cur)};
		break;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF: /* of the stack pointer: not needed, because the CFA is known */
		set_reg(p, reg, wt_cur_sleb(cur) || reg != p->machine->sp ? REG_COMPUTED : REG_SAME, 0);
		break;
	case CFA_VAL_EXPRESSION:
		read_block(cur);
		set_reg(p, reg, REG_COMPUTED, 0);
		break;
	default:
		p->bad = true;
	}
}

static void define_cfa(struct program *p, uint64_t reg, int64_t offset)
{
	p->now.is_expr = false;
	p->now.cfa_reg = reg;
	p->now.cfa_offset = offset;
}

static void cfa_rule(struct program *p, uint8_t op, struct wt_cursor *cur)
{
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = wt_cur_uleb(cur);
		define_cfa(p, reg, (int64_t)wt_cur_uleb(cur));
		break;
	case CFA_DEF_CFA_SF:
		reg = wt_cur_uleb(cur);
		define_cfa(p, reg, scaled(p, wt_cur_sleb(cur)));
		break;
	case CFA_DEF_CFA_REGISTER:
		p->bad |= p->now.is_expr;
		p->now.cfa_reg = wt_cur_uleb(cur);
		break;
	case CFA_DEF_CFA_OFFSET:
		p->bad |= p->now.is_expr;
		p->now.cfa_offset = (int64_t)wt_cur_uleb(cur);
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		p->bad |= p->now.is_expr;
		p->now.cfa_offset = scaled(p, wt_cur_sleb(cur));
		break;
	case CFA_DEF_CFA_EXPRESSION:
		p->now.is_expr = true;
		p->now.cfa_expr = read_block(cur);
		break;
	}
}

static int set_location(struct program *p, struct wt_cursor *cur, struct wt_err *err)
{
	uint64_t to;

	/* Relative encodings would need the section's address. No compiler writes either of them. */
	if (p->cie->encoding & 0x7f) {
		p->bad = true;
		return 0;
	}
	to = wt_cur_u64(cur);
	p->bad |= to < p->at;
	return p->bad || cur->bad ? 0 : put_row(p, to, err);
}

static void remember(struct program *p)
{
	if (p->n_remembered == MAX_REMEMBERED)
		p->bad = true;
	else
		p->remembered[p->n_remembered++] = p->now;
}

static void recall(struct program *p)
{
	if (!p->n_remembered)
		p->bad = true;
	else
		p->now = p->remembered[--p->n_remembered];
}

static int step(struct program *p, struct wt_cursor *cur, struct wt_err *err)
{
	uint8_t op = wt_cur_u8(cur), low = op & ~CFA_HIGH & 0xff;

	switch (op & CFA_HIGH) {
	case CFA_ADVANCE_LOC:
		return advance(p, low, err);
	case CFA_OFFSET:
		set_reg(p, low, REG_AT_OFFSET, scaled(p, (int64_t)wt_cur_uleb(cur)));
		return 0;
	case CFA_RESTORE:
		restore_reg(p, low);
		return 0;
	}
	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA_STATE: /* addresses are stripped in any case: STACKWALK.md */
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return 0;
	case CFA_GNU_ARGS_SIZE:
		wt_cur_uleb(cur);
		return 0;
	case CFA_SET_LOC:
		return set_location(p, cur, err);
	case CFA_ADVANCE_LOC1:
		return advance(p, wt_cur_u8(cur), err);
	case CFA_ADVANCE_LOC2:
		return advance(p, wt_cur_u16(cur), err);
	case CFA_ADVANCE_LOC4:
		return advance(p, wt_cur_u32(cur), err);
	case CFA_REMEMBER_STATE:
		remember(p);
		return 0;
	case CFA_RESTORE_STATE:
		recall(p);
		return 0;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION:
		cfa_rule(p, op, cur);
		return 0;
	}
	register_rule(p, op, cur);
	return 0;
}

/* 0 at its end, 1 invalid, -1 no memory. */
static int run_bytes(struct program *p, const uint8_t *bytes, size_t len, struct wt_err *err)
{
	struct wt_cursor cur = wt_cursor(bytes, len);

	while (wt_cur_left(&cur) && !p->bad)
		if (step(p, &cur, err) != 0)
			return -1;
	return p->bad || cur.bad;
}

/* Its first instruction stands before the row that describes the push. That row is also true there. */
static int mend_entry(struct program *p, size_t first, struct wt_err *err)
{
	struct wt_unwind_writer *writer = p->run->writer;
	const struct wt_abi_unwind_rule *found = wt_unwind_writer_rule(writer, first, p->pushed_from);
	struct wt_abi_unwind_rule rule;

	if (p->pushed_from != p->fde->start + 4 || !found)
		return 0;
	rule = *found; /* the writer's own rules may move */
	return wt_unwind_writer_patch(writer, first, p->fde->start, p->pushed_from, &rule, err);
}

int wt_cfi_run(struct wt_cfi_run *run, const struct wt_cfi_cie *cie, const struct wt_cfi_fde *fde,
	       struct wt_err *err)
{
	size_t first = run->writer->n_rows ? run->writer->n_rows - 1 : 0;
	struct program p;
	int got;

	/* Field by field: the remembered states need not be cleared for every function. */
	p.run = run;
	p.machine = run->machine == WT_ABI_UNWIND_AARCH64 ? &wt_walk_aarch64 : &wt_walk_x86_64;
	p.cie = cie;
	p.fde = fde;
	p.now = (struct state){.cfa_reg = UINT64_MAX};
	p.initial = p.now;
	p.n_remembered = 0;
	p.at = fde->start;
	p.saved = 0;
	p.pushed_from = 0;
	p.bad = false;
	got = run_bytes(&p, cie->program, cie->program_len, err);
	p.initial = p.now;
	if (!got)
		got = run_bytes(&p, fde->program, fde->program_len, err);
	if (!got)
		got = put_row(&p, fde->end, err);
	run->saved = p.saved;
	return got ? got : mend_entry(&p, first, err);
}
