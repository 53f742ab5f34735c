// SPDX-License-Identifier: MIT
#include "tracecore/base/utf8.h"

/* The lead byte decides the length and the range of the second byte. All further bytes are 80..BF. */
static unsigned lead_length(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		*low = lead == 0xe0 ? 0xa0 : 0x80;
		*high = lead == 0xed ? 0x9f : 0xbf;
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		*low = lead == 0xf0 ? 0x90 : 0x80;
		*high = lead == 0xf4 ? 0x8f : 0xbf;
		return 4;
	}
	return 1;
}

unsigned wt_utf8_step(const uint8_t *p, size_t left, bool *valid)
{
	uint8_t low, high;
	unsigned len = lead_length(p[0], &low, &high);

	*valid = len > 1 || p[0] < 0x80;
	for (unsigned i = 1; i < len; i++) {
		if (i >= left || p[i] < low || p[i] > high) {
			*valid = false;
			return i;
		}
		low = 0x80;
		high = 0xbf;
	}
	return len;
}
