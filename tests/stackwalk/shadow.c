/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/shadow.h"

#include <string.h>

enum { RSP = 7, LR = 30, SP = 31 };

static bool is_arm(const struct target *target)
{
	return target->machine == WT_ABI_UNWIND_AARCH64;
}

static uint64_t sp_of(const struct target *target, const struct wt_walk_regs *regs)
{
	return regs->r[is_arm(target) ? SP : RSP];
}

static bool is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e ||
	       b == 0x26 || b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40;
}

static enum shadow_insn classify_x86_64(const uint8_t *bytes, size_t len)
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

static enum shadow_insn classify_aarch64(const uint8_t *bytes, size_t len)
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

enum shadow_insn shadow_classify(uint32_t machine, const uint8_t *bytes, size_t len)
{
	return machine == WT_ABI_UNWIND_AARCH64 ? classify_aarch64(bytes, len) : classify_x86_64(bytes, len);
}

/* The address a function that was just entered returns to. */
static uint64_t return_address(const struct target *target, const struct wt_walk_regs *regs)
{
	uint64_t ra = 0;

	if (is_arm(target))
		return regs->r[LR] &
		       ((UINT64_C(1) << 48) - 1); /* a handler's first instruction may have signed it */
	target_copy(target, regs->r[RSP], &ra, sizeof(ra));
	return ra;
}

static bool entered(const struct target *target, const struct wt_walk_regs *before,
		    const struct wt_walk_regs *after)
{
	return is_arm(target) ? after->r[LR] == before->pc + 4 : after->r[RSP] == before->r[RSP] - 8;
}

static void push(struct shadow *shadow, uint64_t pc, uint64_t sp, bool interrupted)
{
	if (shadow->n == SHADOW_MAX)
		target_fail("the corpus recurses too deeply");
	if (shadow->n && !interrupted) {
		struct shadow_entry *caller = &shadow->entry[shadow->n - 1];

		caller->call[0] = caller->call[1];
		caller->call[1] = shadow->now;
		caller->n_calls++;
	}
	shadow->entry[shadow->n++] = (struct shadow_entry){
		.pc = pc, .sp = sp, .interrupted = interrupted, .entered = shadow->now};
}

static void note_left(struct shadow *shadow, const struct shadow_entry *top)
{
	shadow->left = (struct shadow_left){.entered = top->entered,
					    .call = {top->call[0], top->call[1]},
					    .n_calls = top->n_calls,
					    .caller = {top->pc - 1, shadow->n > 1 ? top[-1].pc - 1 : 0}};
}

static bool far(const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	return after->pc < before->pc || after->pc - before->pc > 15;
}

/* Takes away the frames that the stack pointer has left; returns how many. An arm64 function is entered with
 * its caller's stack pointer: once the caller runs again, so has the function been left. */
static uint32_t drop(struct shadow *shadow, uint64_t sp, bool caller_runs)
{
	uint32_t before = shadow->n;

	while (shadow->n && !shadow->entry[shadow->n - 1].interrupted &&
	       (sp > shadow->entry[shadow->n - 1].sp ||
		(caller_runs && sp == shadow->entry[shadow->n - 1].sp)))
		shadow->n--;
	return before - shadow->n;
}

bool shadow_step(struct shadow *shadow, const struct target *target, enum shadow_insn insn,
		 const struct wt_walk_regs *before, const struct wt_walk_regs *after)
{
	struct shadow_entry *top = shadow->n ? &shadow->entry[shadow->n - 1] : NULL;
	bool astray;

	if (shadow->in_transfer) {
		shadow->in_transfer = !far(before, after);
		drop(shadow, sp_of(target, after), is_arm(target) && !shadow->in_transfer);
		return false;
	}
	if (insn == SHADOW_CALL && entered(target, before, after)) {
		push(shadow, return_address(target, after), sp_of(target, after), false);
		return false;
	}
	if ((insn == SHADOW_RETURN && top && !top->interrupted && after->pc == top->pc) ||
	    (insn == SHADOW_SYSCALL && top && top->interrupted && after->pc == top->pc)) {
		shadow->n--;
		return false;
	}
	/* An exception's landing pad in the function that called the unwinder. */
	astray = is_arm(target) && insn == SHADOW_RETURN;
	if (top)
		note_left(shadow, top);
	if (!drop(shadow, sp_of(target, after), astray))
		return false;
	shadow->in_transfer = !astray;
	return true;
}

void shadow_signal(struct shadow *shadow, const struct target *target, const struct wt_walk_regs *before,
		   const struct wt_walk_regs *after)
{
	push(shadow, before->pc, UINT64_MAX, true);
	/* An emulator stops behind the handler's first instruction, which may have moved the stack pointer.
	 */
	push(shadow, return_address(target, after), target->emulated ? UINT64_MAX : sp_of(target, after),
	     false);
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
