/* SPDX-License-Identifier: MIT */
/** @file A machine of waits for unit tests: it keeps the turns that it gives, and may miss events in one gap.
 */
#ifndef TESTS_UNIT_CONSUMERS_ANALYSIS_WAIT_WORLD_H
#define TESTS_UNIT_CONSUMERS_ANALYSIS_WAIT_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/wait_machine.h"

enum { MOST = 4096 };

struct world {
	struct wt_wait_machine machine;
	struct wt_wait_turn turns[MOST];
	struct wt_wait_lock locks[MOST]; /* theirs */
	uint32_t n;
	struct {
		uint64_t from, to;
		uint32_t cpu;
		enum wt_wait_what what;
	} gap; /* to 0: none */
};

static struct world *world;

static inline int keep(void *ctx, const struct wt_wait_turn *turn, struct wt_err *err)
{
	struct world *w = ctx;

	(void)err;
	assert_true(w->n < MOST);
	w->turns[w->n] = *turn;
	if (turn->lock) {
		w->locks[w->n] = *turn->lock;
		w->turns[w->n].lock = &w->locks[w->n];
	}
	w->n++;
	return 0;
}

static inline bool missing(void *ctx, enum wt_wait_what what, uint32_t cpu, uint64_t from, uint64_t to)
{
	const struct world *w = ctx;

	return w->gap.to && w->gap.what == what && w->gap.from <= to && w->gap.to >= from &&
	       (cpu == WT_WAIT_NONE || cpu == w->gap.cpu);
}

static inline void renew(void)
{
	wt_wait_deinit(&world->machine);
	memset(world, 0, sizeof(*world));
	world->machine = (struct wt_wait_machine){.turn = keep, .missing = missing, .ctx = world};
}

static inline int setup(void **state)
{
	(void)state;
	world = calloc(1, sizeof(*world));
	if (!world)
		return -1;
	world->machine = (struct wt_wait_machine){.turn = keep, .missing = missing, .ctx = world};
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	wt_wait_deinit(&world->machine);
	free(world);
	return 0;
}

#endif
