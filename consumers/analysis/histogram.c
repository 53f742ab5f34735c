/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

int wt_view_histogram_init(struct wt_view_histogram *histogram, const struct wt_view_file *file,
			   const char *word, struct wt_err *err)
{
	*histogram = (struct wt_view_histogram){0};
	if (wt_view_field_find(file, word, "field", NULL, 0, &histogram->field, err))
		return wt_fail_prefix(err, "--histogram");
	if (histogram->field.forms & (WT_FIELD_INTEGER | WT_FIELD_REAL | WT_FIELD_NAMED))
		return 0;
	return wt_fail(err, WT_ERR_USAGE, "--histogram '%.80s': the field is not a number", word);
}

void wt_view_histogram_deinit(struct wt_view_histogram *histogram)
{
	wt_view_field_deinit(&histogram->field);
	wt_intern_deinit(&histogram->pairs);
	free(histogram->counts);
	free(histogram->order);
	*histogram = (struct wt_view_histogram){0};
}

/* ---- adding ---- */

static uint32_t bucket_of(enum wt_type type, uint64_t bits)
{
	double real;
	int power;

	if (type != WT_TYPE_F32 && type != WT_TYPE_F64) {
		if (!bits || (wt_type_is_signed(type) && (int64_t)bits < 0))
			return 0;
		return 64 - (uint32_t)__builtin_clzll(bits);
	}
	memcpy(&real, &bits, sizeof(real));
	if (!(real >= 1))
		return 0;
	if (!isfinite(real) || (frexp(real, &power), power) > WT_HISTOGRAM_BUCKETS - 1)
		return WT_HISTOGRAM_BUCKETS - 1;
	return (uint32_t)power;
}

static int add(struct wt_view_histogram *histogram, uint32_t node, uint32_t bucket, uint64_t count)
{
	bool fresh;
	uint32_t pair = wt_intern(&histogram->pairs, node, bucket, &fresh);

	if (pair == WT_INTERN_NONE)
		return -1;
	if (wt_grow(&histogram->counts, &histogram->cap, pair, 1, NULL))
		return -1;
	histogram->counts[pair] = count + (fresh ? 0 : histogram->counts[pair]);
	return 0;
}

int wt_view_histogram_add(struct wt_view_histogram *histogram, const struct wt_log_batch *batch,
			  const uint32_t *nodes, struct wt_err *err)
{
	int at = wt_view_field_column(&histogram->field, batch);
	const struct wt_log_column *column = at < 0 ? NULL : &batch->columns[at];

	if (!column || !column->values)
		return 0;
	for (uint32_t i = 0; i < batch->n; i++)
		if (nodes[i] != WT_VIEW_NONE &&
		    add(histogram, nodes[i], bucket_of(column->field->type, column->values[i]), 1))
			return wt_fail_nomem(err);
	return 0;
}

/* ---- the end ---- */

static int by_node(const void *x, const void *y, void *ctx)
{
	const struct wt_key *keys = ctx;
	const struct wt_key *a = &keys[*(const uint32_t *)x], *b = &keys[*(const uint32_t *)y];

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

/* The first pair is complete when it is handed up: each pair goes to all rows above. */
int wt_view_histogram_roll(struct wt_view_histogram *histogram, const struct wt_view_forest *rows,
			   struct wt_err *err)
{
	uint32_t n = histogram->pairs.count;

	for (uint32_t i = 0; i < n; i++) {
		struct wt_key pair = histogram->pairs.keys[i];
		uint64_t count = histogram->counts[i];
		uint32_t node = rows->nodes[pair.a].parent;

		for (; node != WT_VIEW_NONE; node = rows->nodes[node].parent)
			if (add(histogram, node, (uint32_t)pair.b, count))
				return wt_fail_nomem(err);
	}
	n = histogram->pairs.count;
	histogram->order = malloc((n + (size_t)1) * sizeof(*histogram->order));
	if (!histogram->order)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		histogram->order[i] = i;
	if (n)
		qsort_r(histogram->order, n, sizeof(*histogram->order), by_node, histogram->pairs.keys);
	return 0;
}

uint64_t wt_view_histogram_of(const struct wt_view_histogram *histogram, uint32_t node,
			      uint64_t ret[WT_HISTOGRAM_BUCKETS])
{
	const struct wt_key *keys = histogram->pairs.keys;
	uint32_t low;
	uint64_t sum = 0;

	memset(ret, 0, WT_HISTOGRAM_BUCKETS * sizeof(*ret));
	low = WT_BOUND(i, 0, histogram->pairs.count, keys[histogram->order[i]].a < node);
	for (; low < histogram->pairs.count && keys[histogram->order[low]].a == node; low++) {
		ret[keys[histogram->order[low]].b] = histogram->counts[histogram->order[low]];
		sum += histogram->counts[histogram->order[low]];
	}
	return sum;
}

double wt_view_histogram_least(uint32_t bucket)
{
	return bucket ? ldexp(1, (int)bucket - 1) : 0;
}
