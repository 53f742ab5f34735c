// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

#include <stdlib.h>

#include "consumers/model/chains.h"

enum { STACKS = 400000, PUTS = 6000, WORDS = 150 };

struct world {
	struct wt_view_file file;
	struct wt_view_segment segments[2];
	struct wt_log_segment tables[2];
	struct wt_log_stack *stacks;
	uint64_t said; /* words asked for */
	uint64_t seed;
};

static uint32_t draw(struct world *world, uint32_t n)
{
	world->seed = world->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((world->seed >> 33) % n);
}

/* Chains of up to some hundred frames; both segments have the same stacks and other words for them. */
static void build(struct world *world)
{
	*world = (struct world){.seed = 1};
	world->stacks = calloc(STACKS, sizeof(*world->stacks));
	assert_non_null(world->stacks);
	for (uint32_t i = 1; i < STACKS; i++)
		world->stacks[i].caller = i % 400 ? i - draw(world, i < 3 ? i : 3) : 0;
	for (uint32_t s = 0; s < 2; s++) {
		world->tables[s].stacks = world->stacks;
		world->tables[s].n_stacks = STACKS;
		world->segments[s].tables = &world->tables[s];
	}
	world->file.segments = world->segments;
	world->file.n_segments = 2;
}

static void words(void *ctx, struct wt_view_segment *segment, uint32_t stack, bool first, struct wt_buf *out)
{
	struct world *world = ctx;

	world->said++;
	wt_buf_printf(out, "%c%u.%*u", first ? '>' : '<', (unsigned)(segment - world->segments), WORDS,
		      stack);
}

static void check(struct world *world, struct wt_chains *chains, uint32_t s, uint32_t stack, uint64_t *frames)
{
	struct wt_buf got = {0}, want = {0};
	struct wt_err err = WT_ERR_INIT;
	uint64_t said = world->said;
	uint32_t n = 0;

	assert_ok(wt_chains_put(chains, &world->file, &world->segments[s], stack, words, world, &got, &err),
		  err);
	said = world->said - said;
	for (uint32_t at = stack; at && n < WT_MAX_FRAMES; at = world->stacks[at - 1].caller)
		words(world, &world->segments[s], at, !n++, &want);
	world->said -= n;
	assert_true(said <= n);
	*frames += n;
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	wt_buf_deinit(&got);
	wt_buf_deinit(&want);
}

/* Far more text than is kept: what was overwritten is said anew, never what lies there now. */
static void a_stack_reads_the_same_whatever_was_kept(void **state)
{
	struct wt_chains chains = {0};
	struct world world;
	uint64_t frames = 0;

	(void)state;
	build(&world);
	for (uint32_t i = 0; i < PUTS; i++) {
		uint32_t near = 400 * draw(&world, i % 3 ? 8 : STACKS / 400) + draw(&world, 400);

		check(&world, &chains, i / 7 % 2, 1 + near, &frames);
	}
	assert_true(chains.written > 2 * (uint64_t)WT_CHAINS_BYTES);
	/* the near ones come again and again */
	assert_true(world.said < frames * 3 / 4);
	wt_chains_deinit(&chains);
	free(world.stacks);
}

static void damaged_tables_end_a_stack(void **state)
{
	struct wt_chains chains = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf out = {0};
	struct world world;
	uint64_t frames = 0;

	(void)state;
	build(&world);
	assert_ok(wt_chains_put(&chains, &world.file, &world.segments[0], 0, words, &world, &out, &err), err);
	assert_ok(wt_chains_put(&chains, &world.file, &world.segments[0], STACKS + 1, words, &world, &out,
				&err),
		  err);
	assert_int_equal(out.len, 0);
	/* a chain that leads back to itself; twice, the second time from what was kept */
	world.stacks[9].caller = 12;
	world.stacks[11].caller = 10;
	check(&world, &chains, 0, 10, &frames);
	check(&world, &chains, 0, 10, &frames);
	check(&world, &chains, 0, 12, &frames);
	assert_int_equal(frames, 3 * WT_MAX_FRAMES);
	wt_buf_deinit(&out);
	wt_chains_deinit(&chains);
	free(world.stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_reads_the_same_whatever_was_kept),
		cmocka_unit_test(damaged_tables_end_a_stack),
	};

	return cmocka_run_group_tests_name("chains", tests, NULL, NULL);
}
