/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/descent.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

void wt_view_descent_init(struct wt_view_descent *descent, struct wt_view_file *file,
			  struct wt_view_forest *forest, struct wt_view_key *const *keys, uint32_t n_keys)
{
	*descent = (struct wt_view_descent){
		.file = file, .forest = forest, .n_keys = n_keys, .place_slot = file->n_slots++};
	memcpy(descent->keys, keys, n_keys * sizeof(*keys));
}

void wt_view_descent_deinit(struct wt_view_descent *descent)
{
	wt_intern_deinit(&descent->places);
	wt_intern_deinit(&descent->paths);
	free(descent->known);
	free(descent->path_nodes);
	free(descent->trail);
	*descent = (struct wt_view_descent){0};
}

void wt_view_descent_forget(struct wt_view_descent *descent)
{
	descent->segment = NULL;
}

/* ---- places ---- */

uint32_t wt_view_place(const struct wt_view_descent *descent, uint32_t id, uint32_t n)
{
	for (uint32_t k = descent->n_keys; k > n; k--)
		id = (uint32_t)descent->places.keys[id].a;
	return id;
}

uint32_t wt_view_place_id(const struct wt_view_descent *descent, uint32_t place)
{
	return descent->n_keys == 1 ? place : (uint32_t)descent->places.keys[place].b;
}

/* The id of a frame, or of one of the three stacks without frames. */
static uint32_t key_id(struct wt_view_descent *descent, struct wt_view_key *key, uint32_t stack)
{
	const struct wt_log_segment *tables = descent->segment->tables;

	if (stack == WT_VIEW_SELF_STACK)
		return wt_view_key_of_self(descent->file, key);
	if (stack == WT_VIEW_UNSAMPLED_STACK)
		return wt_view_key_of_unsampled(descent->file, key);
	if (!stack)
		return wt_view_key_of_nothing(descent->file, key, descent->segment);
	return wt_view_key_of_frame(descent->file, key, descent->segment, tables->stacks[stack - 1].frame);
}

static uint32_t make_place(struct wt_view_descent *descent, uint32_t stack)
{
	uint32_t place = WT_VIEW_NONE;
	bool fresh;

	if (descent->n_keys == 1)
		return key_id(descent, descent->keys[0], stack);
	for (uint32_t k = 0; k < descent->n_keys; k++) {
		uint32_t id = key_id(descent, descent->keys[k], stack);

		place = id == WT_VIEW_NONE ? id : wt_intern(&descent->places, place, id, &fresh);
		if (place == WT_VIEW_NONE)
			return WT_VIEW_NONE;
	}
	return place;
}

static uint32_t place_of(struct wt_view_descent *descent, uint32_t stack)
{
	const struct wt_log_segment *tables = descent->segment->tables;
	uint32_t frame, *memo;

	if (!stack || stack >= WT_VIEW_UNSAMPLED_STACK || tables->stacks[stack - 1].frame >= tables->n_frames)
		return make_place(descent, stack);
	frame = tables->stacks[stack - 1].frame;
	memo = wt_view_memo(descent->file, descent->segment, descent->place_slot, tables->n_frames);
	if (!memo)
		return WT_VIEW_NONE;
	if (memo[frame] == WT_VIEW_NONE)
		memo[frame] = make_place(descent, stack);
	return memo[frame];
}

/* ---- what is remembered ---- */

/* A segment's stacks mean nothing in the next one. */
static int enter_segment(struct wt_view_descent *descent, struct wt_view_segment *segment)
{
	uint32_t n = segment->tables->n_stacks + 1;

	wt_intern_clear(&descent->paths);
	descent->segment = segment;
	if (wt_grow(&descent->known, &descent->known_cap, 0, n, NULL))
		return -1;
	memset(descent->known, 0xff, n * sizeof(*descent->known));
	return 0;
}

/* The place of the node of (base, stack); NULL when memory is out. Most stacks belong to one program: the
 * array serves them. */
static uint32_t *path_node(struct wt_view_descent *descent, uint32_t base, uint32_t stack)
{
	struct wt_view_known *known = stack >= WT_VIEW_UNSAMPLED_STACK ? NULL : &descent->known[stack];
	bool fresh;
	uint32_t at;

	if (known && known->base == WT_VIEW_NONE)
		known->base = base;
	if (known && known->base == base)
		return &known->node;
	at = wt_intern(&descent->paths, base, stack, &fresh);
	if (at == WT_INTERN_NONE || wt_grow(&descent->path_nodes, &descent->path_cap, at, 1, NULL))
		return NULL;
	if (fresh)
		descent->path_nodes[at] = WT_VIEW_NONE;
	return &descent->path_nodes[at];
}

/* ---- the way down ---- */

static uint32_t step_down(struct wt_view_descent *descent, uint32_t base, uint32_t from, uint32_t stack,
			  struct wt_err *err)
{
	const struct wt_view_node *nodes = descent->forest->nodes;
	uint32_t id = place_of(descent, stack);

	if (id == WT_VIEW_NONE) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	if (from != base) {
		bool unknown = descent->n_keys == 1 && descent->keys[0]->domain == WT_DOMAIN_SYMBOL &&
			       id == descent->file->unknown_frame.symbol;

		if ((unknown && nodes[from].id == id) ||
		    nodes[from].level - nodes[base].level >= WT_MAX_FRAMES)
			return from;
	}
	return wt_view_forest_child(descent->forest, from, id, err);
}

static int push_trail(struct wt_view_descent *descent, uint32_t n, uint32_t stack)
{
	if (wt_grow(&descent->trail, &descent->trail_cap, n, 1, NULL))
		return -1;
	descent->trail[n] = stack;
	return 0;
}

/* Walks up to the first caller whose node is known, or beyond the outermost; then down again, and notes every
 * node. */
static uint32_t find_way(struct wt_view_descent *descent, uint32_t base, uint32_t stack, struct wt_err *err)
{
	const struct wt_log_segment *tables = descent->segment->tables;
	uint32_t n = 0, node = base, *kept;

	do {
		kept = path_node(descent, base, stack);
		if (kept && *kept != WT_VIEW_NONE) {
			node = *kept;
			break;
		}
		if (!kept || push_trail(descent, n++, stack)) {
			wt_fail_nomem(err);
			return WT_VIEW_NONE;
		}
		stack = stack && stack <= tables->n_stacks ? tables->stacks[stack - 1].caller : 0;
	} while (stack);
	while (n--) {
		node = step_down(descent, base, node, descent->trail[n], err);
		if (node == WT_VIEW_NONE)
			return node;
		*path_node(descent, base, descent->trail[n]) = node;
	}
	return node;
}

uint32_t wt_view_descend(struct wt_view_descent *descent, struct wt_view_segment *segment, uint32_t base,
			 uint32_t stack, struct wt_err *err)
{
	if (descent->segment != segment && enter_segment(descent, segment)) {
		wt_fail_nomem(err);
		return WT_VIEW_NONE;
	}
	if (stack < WT_VIEW_UNSAMPLED_STACK && descent->known[stack].base == base &&
	    descent->known[stack].node != WT_VIEW_NONE)
		return descent->known[stack].node;
	return find_way(descent, base, stack, err);
}
