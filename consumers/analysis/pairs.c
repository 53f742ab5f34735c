/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/pairs.h"

#include <stdlib.h>

int wt_view_pairs_init(struct wt_view_pairs *pairs, enum wt_view_pairs_kind kind, uint32_t room,
		       struct wt_err *err)
{
	*pairs = (struct wt_view_pairs){.kind = kind, .room = room, .last = UINT64_MAX};
	pairs->pairs = malloc((size_t)room * sizeof(*pairs->pairs));
	return pairs->pairs ? 0 : wt_fail_nomem(err);
}

void wt_view_pairs_deinit(struct wt_view_pairs *pairs)
{
	free(pairs->pairs);
	*pairs = (struct wt_view_pairs){0};
}

static uint64_t key_of(const struct wt_view_pair *pair)
{
	return (uint64_t)pair->high << 32 | pair->low;
}

/* ---- sorting: by one byte after the other, in place ---- */

enum { KEY_BYTES = 8, PAIR_BYTES = 12, FEW = 24 };

static uint32_t byte_of(const struct wt_view_pair *pair, uint32_t at)
{
	if (at < 4)
		return pair->high >> (24 - 8 * at) & 0xff;
	if (at < KEY_BYTES)
		return pair->low >> (56 - 8 * at) & 0xff;
	return pair->with >> (88 - 8 * at) & 0xff;
}

static bool is_before(const struct wt_view_pair *a, const struct wt_view_pair *b)
{
	uint64_t x = key_of(a), y = key_of(b);

	return x != y ? x < y : a->with < b->with;
}

static void sort_few(struct wt_view_pair *pairs, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct wt_view_pair pair = pairs[i];
		uint32_t at = i;

		for (; at && is_before(&pair, &pairs[at - 1]); at--)
			pairs[at] = pairs[at - 1];
		pairs[at] = pair;
	}
}

/* Puts every pair into the run of its byte; ends[b] is where run b ends. */
static void deal(struct wt_view_pair *pairs, uint32_t n, uint32_t at, uint32_t *ends)
{
	uint32_t heads[256], counts[256] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		counts[byte_of(&pairs[i], at)]++;
	for (uint32_t b = 0; b < 256; b++) {
		heads[b] = sum;
		ends[b] = sum += counts[b];
	}
	for (uint32_t b = 0; b < 256; b++) {
		while (heads[b] < ends[b]) {
			struct wt_view_pair pair = pairs[heads[b]];
			uint32_t to = byte_of(&pair, at);

			while (to != b) {
				struct wt_view_pair other = pairs[heads[to]];

				pairs[heads[to]++] = pair;
				pair = other;
				to = byte_of(&pair, at);
			}
			pairs[heads[b]++] = pair;
		}
	}
}

static void sort(struct wt_view_pair *pairs, uint32_t n, uint32_t at)
{
	uint32_t ends[256];

	if (n <= FEW) {
		sort_few(pairs, n);
		return;
	}
	deal(pairs, n, at, ends);
	for (uint32_t b = 0, from = 0; b < 256 && at + 1 < PAIR_BYTES; from = ends[b++])
		if (ends[b] > from + 1)
			sort(pairs + from, ends[b] - from, at + 1);
}

/* ---- equal ones ---- */

/* Whether b went into a, which is not after it. */
static bool join(enum wt_view_pairs_kind kind, struct wt_view_pair *a, const struct wt_view_pair *b)
{
	if (key_of(a) != key_of(b))
		return false;
	if (kind == WT_PAIRS_SET)
		return a->with == b->with;
	if (a->with > UINT32_MAX - b->with)
		return false;
	a->with += b->with;
	return true;
}

void wt_view_pairs_settle(struct wt_view_pairs *pairs)
{
	uint32_t n = 0;

	sort(pairs->pairs, pairs->n, 0);
	for (uint32_t i = 0; i < pairs->n; i++)
		if (!n || !join(pairs->kind, &pairs->pairs[n - 1], &pairs->pairs[i]))
			pairs->pairs[n++] = pairs->pairs[i];
	pairs->n = n;
}

/* ---- room ---- */

/* The first key that must come with this one. */
static uint64_t bundle_of(const struct wt_view_pairs *pairs, uint32_t i)
{
	uint64_t key = key_of(&pairs->pairs[i]);

	return pairs->kind == WT_PAIRS_SET ? key : key & ~(uint64_t)UINT32_MAX;
}

/* The beginning of the bundle in the middle, or of the one behind it; n: there is only one. */
static uint32_t find_middle(const struct wt_view_pairs *pairs)
{
	uint32_t at = pairs->n / 2;
	uint64_t middle = bundle_of(pairs, at);

	while (at && bundle_of(pairs, at - 1) == middle)
		at--;
	if (at)
		return at;
	while (at < pairs->n && bundle_of(pairs, at) == middle)
		at++;
	return at;
}

static int grow(struct wt_view_pairs *pairs, struct wt_err *err)
{
	uint64_t room = (uint64_t)pairs->room * 2;
	struct wt_view_pair *grown = room > UINT32_MAX ? NULL : realloc(pairs->pairs, room * sizeof(*grown));

	if (!grown)
		return wt_fail_nomem(err);
	pairs->pairs = grown;
	pairs->room = (uint32_t)room;
	return 0;
}

int wt_view_pairs_make_room(struct wt_view_pairs *pairs, struct wt_err *err)
{
	uint32_t middle;

	wt_view_pairs_settle(pairs);
	if (pairs->n <= pairs->room / 4 * 3)
		return 0;
	middle = find_middle(pairs);
	if (middle == pairs->n)
		return grow(pairs, err);
	pairs->last = bundle_of(pairs, middle) - 1;
	pairs->n = middle;
	return 0;
}

/* As many keys as would nearly fill the room, if the rest is like those of this pass. */
bool wt_view_pairs_next(struct wt_view_pairs *pairs)
{
	double width = (double)(pairs->last - pairs->from) + 1;
	double more = width * 0.9 * pairs->room / (pairs->n + 1.0);

	if (pairs->last == UINT64_MAX)
		return false;
	pairs->from = pairs->last + 1;
	pairs->last = UINT64_MAX;
	if (more < (double)(UINT64_MAX - pairs->from)) {
		pairs->last = pairs->from + (uint64_t)more;
		if (pairs->kind == WT_PAIRS_COUNT)
			pairs->last |= UINT32_MAX;
	}
	pairs->n = 0;
	return true;
}
