// SPDX-License-Identifier: MIT
#include "providers/perf/vary.h"

#include <sys/random.h>

#include "tracecore/base/clock.h"

enum { UNIT = 1 << 16 };

/* splitmix64 */
static uint64_t next(struct wt_vary *vary)
{
	uint64_t z = vary->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void wt_vary_seed(struct wt_vary *vary)
{
	if (getrandom(&vary->state, sizeof(vary->state), GRND_NONBLOCK) != sizeof(vary->state))
		vary->state = wt_clock_now();
}

uint64_t wt_vary_between(struct wt_vary *vary, uint64_t low, uint64_t high)
{
	return high > low ? low + next(vary) % (high - low) : low;
}

void wt_vary_draw(struct wt_vary *vary, uint64_t hz, unsigned n, uint64_t again, uint64_t *periods)
{
	double rate = (double)hz, sum = 0, share[WT_VARY_MOST];

	if (again)
		rate += n * (double)WT_NSEC / (2.0 * (double)again);
	for (unsigned i = 0; i < n; i++)
		sum += share[i] = UNIT / (double)wt_vary_between(vary, UNIT, UINT64_C(5) * UNIT);
	for (unsigned i = 0; i < n; i++)
		periods[i] = (uint64_t)((double)WT_NSEC * sum / (rate * share[i]));
}

uint64_t wt_vary_wait(struct wt_vary *vary)
{
	return wt_vary_between(vary, WT_VARY_NS * 3 / 4, WT_VARY_NS * 5 / 4);
}
