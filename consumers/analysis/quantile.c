/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/quantile.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"

/* The upper 19 bits of a double are sign, exponent and 7 bits of mantissa. */
#define SHIFT 45

/* Negative numbers have their bits turned over, positive ones their sign bit set: then order is unsigned. */
uint64_t wt_quantile_bucket(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
	return bits >> SHIFT;
}

static double of_bits(uint64_t bits)
{
	double value;

	bits = bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

double wt_quantile_value(uint64_t bucket)
{
	double low = of_bits(bucket << SHIFT), high = of_bits((bucket + 1) << SHIFT);

	if (low < 0) {
		low = of_bits((bucket << SHIFT) | ((UINT64_C(1) << SHIFT) - 1));
		high = of_bits((bucket << SHIFT) - 1);
	}
	if (low < 256 && low > -256 && low == (double)(int64_t)low)
		return low;
	return low + (high - low) / 2;
}

static int by_node_and_bucket(const void *a, const void *b, void *ctx)
{
	const struct wt_key *keys = ((const struct wt_intern *)ctx)->keys;
	const struct wt_key *x = &keys[*(const uint32_t *)a], *y = &keys[*(const uint32_t *)b];

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

uint32_t *wt_quantile_order(const struct wt_intern *pairs)
{
	uint32_t *order = malloc(((size_t)pairs->count + 1) * sizeof(*order));

	if (!order)
		return NULL;
	for (uint32_t i = 0; i < pairs->count; i++)
		order[i] = i;
	qsort_r(order, pairs->count, sizeof(*order), by_node_and_bucket, (void *)(uintptr_t)pairs);
	return order;
}

static uint32_t first_of(const struct wt_intern *pairs, const uint32_t *order, uint32_t node)
{
	return WT_BOUND(i, 0, pairs->count, pairs->keys[order[i]].a < node);
}

uint64_t wt_quantile_rank(double rank, uint64_t n)
{
	uint64_t want = (uint64_t)(rank * (double)n);

	return want + ((double)want < rank * (double)n || !want);
}

bool wt_quantile(const struct wt_intern *pairs, const uint64_t *counts, const uint32_t *order, uint32_t node,
		 double rank, double *ret)
{
	uint32_t from = first_of(pairs, order, node), to = from;
	uint64_t n = 0, want, seen = 0;

	while (to < pairs->count && pairs->keys[order[to]].a == node)
		n += counts[order[to++]];
	if (!n)
		return false;
	want = wt_quantile_rank(rank, n);
	for (; from < to; from++) {
		seen += counts[order[from]];
		*ret = wt_quantile_value(pairs->keys[order[from]].b);
		if (seen >= want)
			break;
	}
	return true;
}
