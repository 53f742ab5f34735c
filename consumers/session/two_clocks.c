/* SPDX-License-Identifier: MIT */
#include "consumers/session/two_clocks.h"

/* Between two close readings both clocks run evenly. */
void wt_two_clocks_read(struct wt_two_clocks *clocks)
{
	struct wt_clockset *last = clocks->readings + clocks->n;

	if (clocks->n > 1 && wt_clock_now() - last[-2].raw < WT_NSEC) {
		last--;
	} else if (clocks->n == WT_TWO_CLOCKS) {
		for (uint32_t i = 0; i < WT_TWO_CLOCKS / 2; i++)
			clocks->readings[i] = clocks->readings[2 * i];
		clocks->n = WT_TWO_CLOCKS / 2;
		last = clocks->readings + clocks->n++;
	} else {
		clocks->n++;
	}
	wt_clock_sample(last);
}

uint64_t wt_two_clocks_session(void *ctx, uint64_t mono)
{
	const struct wt_two_clocks *clocks = ctx;
	const struct wt_clockset *a = clocks->readings, *b = a;
	uint32_t i = 0;

	while (i + 1 < clocks->n && clocks->readings[i + 1].mono <= mono)
		i++;
	a = b = &clocks->readings[i];
	if (i + 1 < clocks->n)
		b = a + 1;
	if (b->mono <= a->mono || mono < a->mono || mono - a->mono > b->mono - a->mono)
		return mono + (a->raw - a->mono);
	return a->raw +
	       (uint64_t)((double)(mono - a->mono) * (double)(b->raw - a->raw) / (double)(b->mono - a->mono));
}
