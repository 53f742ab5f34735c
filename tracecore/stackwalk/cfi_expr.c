/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/cfi_expr.h"

#include "tracecore/stackwalk/leb.h"

enum op {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_SWAP = 0x16,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96,
};

#define MAX_DEPTH 8
#define MAX_OPS   64

struct machine {
	struct wt_cfi_value stack[MAX_DEPTH];
	unsigned n;
	bool bad;
	uint64_t pc;
	uint32_t pc_reg;
};

static void push(struct machine *m, struct wt_cfi_value v)
{
	if (m->n == MAX_DEPTH)
		m->bad = true;
	else
		m->stack[m->n++] = v;
}

static void push_const(struct machine *m, uint64_t v, uint64_t pc_bits)
{
	push(m, (struct wt_cfi_value){.kind = WT_CFI_VALUE_CONST, .a = (int64_t)v, .pc_bits = pc_bits});
}

static struct wt_cfi_value pop(struct machine *m)
{
	if (m->n)
		return m->stack[--m->n];
	m->bad = true;
	return (struct wt_cfi_value){0};
}

static void push_reg(struct machine *m, uint64_t reg, int64_t offset)
{
	if (reg == m->pc_reg) {
		push_const(m, m->pc + (uint64_t)offset, UINT64_MAX);
	} else if (reg < 32) {
		push(m, (struct wt_cfi_value){.kind = WT_CFI_VALUE_REG, .reg = (uint8_t)reg, .a = offset});
	} else {
		m->bad = true;
	}
}

/* The bits of the pc on which a result of these two depends, if known. All bits, until a mask has left
 * only the lowest few; then these. */
static uint64_t mixed(struct machine *m, uint64_t a, uint64_t b)
{
	m->bad |= a && b && (a | b) >= WT_CFI_PC_PERIOD;
	return a | b;
}

/* v + k, all modulo 2^64; k depends on pc_bits of the pc. */
static struct wt_cfi_value plus(struct machine *m, struct wt_cfi_value v, int64_t k, uint64_t pc_bits)
{
	int64_t *to = v.kind == WT_CFI_VALUE_DEREF ? &v.b : &v.a;

	if (v.kind == WT_CFI_VALUE_UNKNOWN)
		m->bad = true;
	*to = (int64_t)((uint64_t)*to + (uint64_t)k);
	v.pc_bits = mixed(m, v.pc_bits, pc_bits);
	return v;
}

static void deref(struct machine *m)
{
	struct wt_cfi_value v = pop(m);

	if (v.kind != WT_CFI_VALUE_REG)
		m->bad = true;
	v.kind = WT_CFI_VALUE_DEREF;
	v.b = 0;
	push(m, v);
}

static uint64_t constant_op(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_MUL:
		return a * b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_GE:
		return (int64_t)a >= (int64_t)b;
	case OP_GT:
		return (int64_t)a > (int64_t)b;
	case OP_LE:
		return (int64_t)a <= (int64_t)b;
	case OP_LT:
		return (int64_t)a < (int64_t)b;
	}
	m->bad = true;
	return 0;
}

/* For two constants. In sums, differences, products and shifts to the left, a bit depends only on lower
 * bits, so a mask removes all bits above its own. */
static uint64_t bits_used(struct machine *m, uint8_t op, const struct wt_cfi_value *a,
			  const struct wt_cfi_value *b)
{
	uint64_t bits = mixed(m, a->pc_bits, b->pc_bits), mask = (uint64_t)(a->pc_bits ? b->a : a->a);

	if (bits < WT_CFI_PC_PERIOD)
		return bits;
	if (op == OP_AND)
		return mask < WT_CFI_PC_PERIOD ? WT_CFI_PC_PERIOD - 1 : bits;
	m->bad |= op != OP_MUL && (op != OP_SHL || b->pc_bits);
	return bits;
}

static void binary(struct machine *m, uint8_t op)
{
	struct wt_cfi_value b = pop(m), a = pop(m);

	if (op == OP_PLUS && b.kind == WT_CFI_VALUE_CONST)
		push(m, plus(m, a, b.a, b.pc_bits));
	else if (op == OP_PLUS && a.kind == WT_CFI_VALUE_CONST)
		push(m, plus(m, b, a.a, a.pc_bits));
	else if (op == OP_MINUS && b.kind == WT_CFI_VALUE_CONST)
		push(m, plus(m, a, (int64_t)(0 - (uint64_t)b.a), b.pc_bits));
	else if (a.kind == WT_CFI_VALUE_CONST && b.kind == WT_CFI_VALUE_CONST)
		push_const(m, constant_op(m, op, (uint64_t)a.a, (uint64_t)b.a), bits_used(m, op, &a, &b));
	else
		m->bad = true;
}

static void shuffle(struct machine *m, uint8_t op)
{
	struct wt_cfi_value b = pop(m), a;

	switch (op) {
	case OP_DUP:
		push(m, b);
		push(m, b);
		break;
	case OP_OVER:
		a = pop(m);
		push(m, a);
		push(m, b);
		push(m, a);
		break;
	case OP_SWAP:
		a = pop(m);
		push(m, b);
		push(m, a);
		break;
	}
}

/* Constants; false when op is not one. */
static bool constant(struct machine *m, uint8_t op, struct wt_cursor *cur)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		push_const(m, op - OP_LIT0, 0);
	else if (op == OP_CONST1U)
		push_const(m, wt_cur_u8(cur), 0);
	else if (op == OP_CONST1S)
		push_const(m, (uint64_t)(int8_t)wt_cur_u8(cur), 0);
	else if (op == OP_CONST2U)
		push_const(m, wt_cur_u16(cur), 0);
	else if (op == OP_CONST2S)
		push_const(m, (uint64_t)(int16_t)wt_cur_u16(cur), 0);
	else if (op == OP_CONST4U)
		push_const(m, wt_cur_u32(cur), 0);
	else if (op == OP_CONST4S)
		push_const(m, (uint64_t)(int32_t)wt_cur_u32(cur), 0);
	else if (op == OP_CONST8U || op == OP_CONST8S)
		push_const(m, wt_cur_u64(cur), 0);
	else if (op == OP_CONSTU)
		push_const(m, wt_cur_uleb(cur), 0);
	else if (op == OP_CONSTS)
		push_const(m, (uint64_t)wt_cur_sleb(cur), 0);
	else
		return false;
	return true;
}

static void operate(struct machine *m, uint8_t op, struct wt_cursor *cur)
{
	if (constant(m, op, cur) || op == OP_NOP)
		return;
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		push_reg(m, op - OP_BREG0, wt_cur_sleb(cur));
	} else if (op == OP_BREGX) {
		uint64_t reg = wt_cur_uleb(cur);

		push_reg(m, reg, wt_cur_sleb(cur));
	} else if (op == OP_DEREF) {
		deref(m);
	} else if (op == OP_PLUS_UCONST) {
		uint64_t k = wt_cur_uleb(cur);

		push(m, plus(m, pop(m), (int64_t)k, 0));
	} else if (op == OP_DROP) {
		pop(m);
	} else if (op == OP_DUP || op == OP_OVER || op == OP_SWAP) {
		shuffle(m, op);
	} else {
		binary(m, op);
	}
}

struct wt_cfi_value wt_cfi_evaluate(struct wt_cfi_block expr, enum wt_cfi_start start, uint64_t pc,
				    uint32_t pc_reg)
{
	struct wt_cursor cur = wt_cursor(expr.bytes, expr.len);
	struct machine m = {.pc = pc, .pc_reg = pc_reg};
	struct wt_cfi_value v;

	if (start == WT_CFI_START_WITH_CFA)
		push(&m, (struct wt_cfi_value){.kind = WT_CFI_VALUE_CFA});
	for (unsigned i = 0; wt_cur_left(&cur) && !m.bad; i++) {
		if (i == MAX_OPS)
			m.bad = true;
		else
			operate(&m, wt_cur_u8(&cur), &cur);
	}
	v = pop(&m);
	if (m.bad || cur.bad || v.pc_bits >= WT_CFI_PC_PERIOD)
		v = (struct wt_cfi_value){0};
	return v;
}
