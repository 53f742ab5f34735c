/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Periods for sampling that does not keep in step with the sampled program.
 *
 * A single period, however odd, hits a repetitive program in the same few places for a long time: loops of 1
 * ms sampled every 1.003 ms. So several timers run at once, and their periods are drawn at random, again and
 * again:
 *
 *   A  Of one draw no two periods are alike: they differ by up to 5 to 1, all within that alike likely. With
 *      rates up to 2 to 1 loops of 3 to 6 ms were off by more than 3 sigma four times as often as by chance.
 *   B  The rates of each draw add up to the same sum. So each sample stands for the same span, 1 s / hz,
 *      whichever timer took it and whenever.
 *   C  The moment of a draw is chance too, and has nothing to do with what runs. A timer that is given a new
 *      period begins it anew and forgets the part of the old one that had passed, half of one in the mean:
 *      the rates are higher by what that costs.
 *
 * The error of a share is then at most that of samples at purely random moments. Pure; single-threaded.
 */
#ifndef PROVIDERS_PERF_VARY_H
#define PROVIDERS_PERF_VARY_H

#include <stdint.h>

enum {
	WT_VARY_CPU = 4,    /**< timers that share the sampling of a CPU */
	WT_VARY_THREAD = 2, /**< of a thread: each one costs some time at every switch */
	WT_VARY_MOST = 4,
};

/** Mean time between two draws. */
#define WT_VARY_NS UINT64_C(250000000)

/** The state of the random numbers; any value is a valid seed. */
struct wt_vary {
	uint64_t state;
};

/** Seeds the state unpredictably. */
void wt_vary_seed(struct wt_vary *vary);
/** Returns a number from low to below high, all equally likely. */
uint64_t wt_vary_between(struct wt_vary *vary, uint64_t low, uint64_t high);
/** Draws n periods (ns, 1 to WT_VARY_MOST) that together sample `hz` times a second when they are drawn again
 * every `again` ns; again 0: never. */
void wt_vary_draw(struct wt_vary *vary, uint64_t hz, unsigned n, uint64_t again, uint64_t *periods);
/** Returns the time until the next draw, ns: 0.75 to 1.25 of WT_VARY_NS. */
uint64_t wt_vary_wait(struct wt_vary *vary);

#endif
