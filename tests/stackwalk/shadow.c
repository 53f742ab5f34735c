/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/shadow.h"

#include <string.h>

#if defined(__x86_64__)
enum { SP = 7 };

static bool is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e ||
	       b == 0x26 || b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40;
}

enum shadow_insn shadow_classify(const uint8_t *bytes, size_t len)
{
	while (len > 2 && is_prefix(*bytes))
		bytes++, len--;
	if (len < 2)
		return SHADOW_OTHER;
	if (bytes[0] == 0xe8 || (bytes[0] == 0xff && (bytes[1] >> 3 & 7) == 2))
		return SHADOW_CALL;
	if (bytes[0] == 0xc3 || bytes[0] == 0xc2)
		return SHADOW_RETURN;
	return bytes[0] == 0x0f && bytes[1] == 0x05 ? SHADOW_SYSCALL : SHADOW_OTHER;
}

/* The address a function that was just entered returns to. */
static uint64_t return_address(const struct target *target, const struct wt_walk_regs *regs)
{
	uint64_t ra = 0;

	target_copy(target, regs->r[SP], &ra, sizeof(ra));
	return ra;
}

static bool entered(const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	return after->r[SP] == before->r[SP] - 8;
}
#else
enum { SP = 31, LR = 30 };

enum shadow_insn shadow_classify(const uint8_t *bytes, size_t len)
{
	uint32_t w;

	if (len < 4)
		return SHADOW_OTHER;
	memcpy(&w, bytes, sizeof(w));
	if ((w & 0xfc000000) == 0x94000000 || (w & 0xfffffc1f) == 0xd63f0000 ||
	    (w & 0xfefff800) == 0xd63f0800)
		return SHADOW_CALL;
	if ((w & 0xfffffc1f) == 0xd65f0000 || w == 0xd65f0bff || w == 0xd65f0fff)
		return SHADOW_RETURN;
	return w == 0xd4000001 ? SHADOW_SYSCALL : SHADOW_OTHER;
}

static uint64_t return_address(const struct target *target, const struct wt_walk_regs *regs)
{
	(void)target;
	return regs->r[LR];
}

static bool entered(const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	return after->r[LR] == before->pc + 4;
}
#endif

static void push(struct shadow *shadow, uint64_t pc, uint64_t sp, bool interrupted)
{
	if (shadow->n == SHADOW_MAX)
		target_fail("the corpus recurses too deeply");
	shadow->entry[shadow->n++] = (struct shadow_entry){pc, sp, interrupted};
}

static bool far(const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	return after->pc < before->pc || after->pc - before->pc > 15;
}

bool shadow_step(struct shadow *shadow, const struct target *target, enum shadow_insn insn,
		 const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	struct shadow_entry *top = shadow->n ? &shadow->entry[shadow->n - 1] : NULL;
	bool left = false;

	if (shadow->in_transfer && far(before, after))
		shadow->in_transfer = false;
	if (insn == SHADOW_CALL && entered(before, after)) {
		push(shadow, return_address(target, after), after->r[SP], false);
		return false;
	}
	if (insn == SHADOW_RETURN && top && !top->interrupted && after->pc == top->pc) {
		shadow->n--;
		return false;
	}
	if (insn == SHADOW_SYSCALL && top && top->interrupted && after->pc == top->pc) {
		shadow->n--;
		return false;
	}
	while (shadow->n && !shadow->entry[shadow->n - 1].interrupted &&
	       after->r[SP] > shadow->entry[shadow->n - 1].sp) {
		shadow->n--;
		left = true;
	}
	shadow->in_transfer |= left;
	return left;
}

void shadow_signal(struct shadow *shadow, const struct target *target, const struct wt_walk_regs *before,
		   const struct wt_walk_regs *after)
{
	push(shadow, before->pc, UINT64_MAX, true);
	push(shadow, return_address(target, after), after->r[SP], false);
}

uint32_t shadow_chain(const struct shadow *shadow, const struct wt_walk_regs *regs, uint64_t *pc, bool *exact)
{
	uint32_t n = 0;

	pc[n] = regs->pc;
	exact[n++] = true;
	for (uint32_t i = shadow->n; i-- > 0 && n < WT_WALK_MAX; n++) {
		pc[n] = shadow->entry[i].pc;
		exact[n] = shadow->entry[i].interrupted;
	}
	return n;
}
