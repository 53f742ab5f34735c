/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/install.h"

#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/bytes.h"

/* Distance between the two calls, bytes: gcc 9 to 14 leave 8 to 28 between them. */
#define MAX_APART 48

struct code {
	uint32_t machine;
	const struct wt_cfi *cfi;
	const uint8_t *bytes;
	uint64_t start, end;
};

bool wt_install_suspected(uint32_t machine, uint32_t saved)
{
	/* x0 to x3, not x4; rax and rdx (0 and 1), not rcx. */
	return machine == WT_ABI_UNWIND_AARCH64 ? (saved & 0x1f) == 0xf : (saved & 7) == 3;
}

static bool is_function(const struct wt_cfi *cfi, uint64_t at)
{
	size_t low = WT_BOUND(i, 0, cfi->n_fdes, cfi->fdes[i].start < at);

	return low < cfi->n_fdes && cfi->fdes[low].start == at;
}

/* The target of a direct call at `at` of a function in this code; 0: none. */
static uint64_t call_target(const struct code *c, uint64_t at)
{
	const uint8_t *p = c->bytes + (at - c->start);
	uint64_t to;

	if (c->end - at < 5)
		return 0;
	if (c->machine == WT_ABI_UNWIND_AARCH64) {
		uint32_t w = wt_load_u32(p);

		if ((w & 0xfc000000) != 0x94000000)
			return 0;
		to = at + (uint64_t)(int64_t)((int32_t)(w << 6) >> 4);
	} else {
		if (*p != 0xe8)
			return 0;
		to = at + 5 + (uint64_t)(int64_t)(int32_t)wt_load_u32(p + 1);
	}
	return to >= c->start && to < c->end && is_function(c->cfi, to) ? to : 0;
}

static bool has(const struct code *c, uint64_t at, const char *bytes, size_t len)
{
	return c->end - at >= len && memcmp(c->bytes + (at - c->start), bytes, len) == 0;
}

/* True for a function that does nothing, with or without a landing place for indirect branches. */
static bool is_empty(const struct code *c, uint64_t at)
{
	if (c->machine == WT_ABI_UNWIND_AARCH64)
		return has(c, at, "\xc0\x03\x5f\xd6", 4) || has(c, at, "\x5f\x24\x03\xd5\xc0\x03\x5f\xd6", 8);
	return has(c, at, "\xc3", 1) || has(c, at, "\xf3\x0f\x1e\xfa\xc3", 5);
}

uint64_t wt_install_find(uint32_t machine, const struct wt_cfi *cfi, const struct wt_cfi_fde *fde,
			 const uint8_t *code, uint64_t start, uint64_t end)
{
	const struct code c = {machine, cfi, code, start, end};
	uint64_t step = machine == WT_ABI_UNWIND_AARCH64 ? 4 : 1, last = 0;

	for (uint64_t at = fde->start; at < fde->end; at += step) {
		uint64_t to = call_target(&c, at);

		if (!to)
			continue;
		if (is_empty(&c, to) && last && at - last <= MAX_APART)
			return last + 1;
		last = at;
	}
	return fde->start;
}
