/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The two reads that DWARF needs beyond base/cursor.h: signed LEB128, and LEB128 padded with leading zeros.
 * They have the contract of the cursor's own reads.
 */
#ifndef TRACECORE_STACKWALK_LEB_H
#define TRACECORE_STACKWALK_LEB_H

#include "tracecore/base/cursor.h"

/** Unsigned; one byte, the common case, without a loop. */
static inline uint64_t wt_cur_uleb(struct wt_cursor *cur)
{
	if (!cur->bad && cur->pos < cur->end && *cur->pos < 0x80)
		return *cur->pos++;
	return wt_cur_varint(cur);
}

static inline int64_t wt_cur_sleb(struct wt_cursor *cur)
{
	const uint8_t *start = cur->pos;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		const uint8_t *p = wt_cur_bytes(cur, 1);

		if (!p)
			return 0;
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		if (*p & 0x80)
			continue;
		if (*p & 0x40 && shift < 57)
			v |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)v;
	}
	cur->bad = true;
	cur->pos = start;
	return 0;
}

#endif
