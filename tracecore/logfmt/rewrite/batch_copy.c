// SPDX-License-Identifier: MIT
/* Writes the events of a batch to another log. */
#include "tracecore/logfmt/read/batch.h"

#include <stdlib.h>
#include <string.h>

static uint32_t fields_of(const struct wt_log_batch *batch)
{
	return batch->segment->kinds.kinds[batch->kind].event->n_fields;
}

static size_t items_size(const struct wt_log_column *column, uint32_t first, uint32_t n)
{
	return column->offsets[first + n] - column->offsets[first];
}

size_t wt_log_batch_size(const struct wt_log_batch *batch, uint32_t first, uint32_t n)
{
	uint32_t n_fields = fields_of(batch);
	size_t size = sizeof(*batch) + n_fields * sizeof(*batch->columns);

	size += (size_t)n * (sizeof(*batch->time) + 3 * sizeof(*batch->cpu) + sizeof(*batch->self) +
			     sizeof(*batch->claimed));
	size += (size_t)n * WT_ACTIVITY_ID * ((batch->activity != NULL) + (batch->related != NULL));
	for (uint32_t f = 0; f < n_fields; f++) {
		const struct wt_log_column *column = &batch->columns[f];

		if (column->values)
			size += (size_t)n * sizeof(*column->values);
		else if (column->offsets)
			size += ((size_t)n + 1) * sizeof(*column->offsets) + items_size(column, first, n);
	}
	return size;
}

/* Cuts the allocation into pieces; callers take wide elements first, so that all are aligned. */
static void *take(uint8_t **p, const void *from, size_t size)
{
	uint8_t *at = *p;

	if (from && size)
		memcpy(at, from, size);
	*p += size;
	return at;
}

static void copy_words(const struct wt_log_batch *batch, uint32_t first, uint32_t n,
		       struct wt_log_column *columns, uint8_t **p)
{
	for (uint32_t f = 0; f < fields_of(batch); f++) {
		columns[f] = batch->columns[f];
		if (columns[f].values)
			columns[f].values = take(p, columns[f].values + first, n * sizeof(uint64_t));
	}
}

static void copy_offsets(const struct wt_log_batch *batch, uint32_t first, uint32_t n,
			 struct wt_log_column *columns, uint8_t **p)
{
	for (uint32_t f = 0; f < fields_of(batch); f++) {
		const uint32_t *from = batch->columns[f].offsets;
		uint32_t *to;

		if (!from)
			continue;
		to = take(p, NULL, ((size_t)n + 1) * sizeof(*to));
		for (uint32_t i = 0; i <= n; i++)
			to[i] = from[first + i] - from[first];
		columns[f].offsets = to;
	}
}

static void copy_items(const struct wt_log_batch *batch, uint32_t first, uint32_t n,
		       struct wt_log_column *columns, uint8_t **p)
{
	for (uint32_t f = 0; f < fields_of(batch); f++) {
		const struct wt_log_column *column = &batch->columns[f];

		if (column->offsets)
			columns[f].bytes = take(p, column->bytes + column->offsets[first],
						items_size(column, first, n));
	}
}

static const uint8_t *copy_ids(const uint8_t *ids, uint32_t first, uint32_t n, uint8_t **p)
{
	return ids ? take(p, ids + (size_t)first * WT_ACTIVITY_ID, (size_t)n * WT_ACTIVITY_ID) : NULL;
}

struct wt_log_batch *wt_log_batch_copy(const struct wt_log_batch *batch, uint32_t first, uint32_t n)
{
	uint8_t *p = malloc(wt_log_batch_size(batch, first, n));
	struct wt_log_batch *ret;
	struct wt_log_column *columns;

	if (!p)
		return NULL;
	ret = take(&p, batch, sizeof(*batch));
	columns = take(&p, NULL, fields_of(batch) * sizeof(*columns));
	ret->n = n;
	ret->columns = columns;
	ret->time = take(&p, batch->time + first, n * sizeof(*batch->time));
	copy_words(batch, first, n, columns, &p);
	ret->cpu = take(&p, batch->cpu + first, n * sizeof(*batch->cpu));
	ret->thread = take(&p, batch->thread + first, n * sizeof(*batch->thread));
	ret->stack = take(&p, batch->stack + first, n * sizeof(*batch->stack));
	copy_offsets(batch, first, n, columns, &p);
	ret->self = take(&p, batch->self + first, n * sizeof(*batch->self));
	ret->claimed = take(&p, batch->claimed + first, n * sizeof(*batch->claimed));
	ret->activity = copy_ids(batch->activity, first, n, &p);
	ret->related = copy_ids(batch->related, first, n, &p);
	copy_items(batch, first, n, columns, &p);
	return ret;
}
