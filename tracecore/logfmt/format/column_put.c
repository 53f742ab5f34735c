// SPDX-License-Identifier: MIT
/* Writes columns of integers: measures them and picks the smallest encoding. */
#include "tracecore/logfmt/format/column.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/format/loops.h"

/* The number of slots that are cleared for the smallest table. */
#define SMALL_DICT 64

void wt_log_column_scratch_deinit(struct wt_log_column_scratch *scratch)
{
	wt_strings_deinit(&scratch->strings);
	free(scratch->keys);
}

void wt_log_cut(struct wt_log_column_scratch *scratch, size_t at)
{
	if (scratch->n_cuts < WT_LOG_CUTS)
		scratch->cuts[scratch->n_cuts++] = (uint32_t)at;
}

static void cut_planes(struct wt_log_column_scratch *scratch, size_t at, uint32_t n, unsigned width)
{
	for (unsigned plane = 0; plane < width; plane++)
		wt_log_cut(scratch, at + (size_t)plane * n);
}

size_t wt_log_begin_column(struct wt_buf *out, struct wt_log_column_scratch *scratch)
{
	size_t at = out->len;
	uint8_t *p = wt_buf_reserve(out, sizeof(struct wt_disk_column));

	if (p)
		out->len += sizeof(struct wt_disk_column);
	wt_log_cut(scratch, at);
	return at;
}

void wt_log_end_column(struct wt_buf *out, size_t at, uint16_t id, uint8_t encoding, uint8_t width)
{
	struct wt_disk_column head = {.id = id, .encoding = encoding, .width = width};

	if (out->failed)
		return;
	head.length = (uint32_t)(out->len - at - sizeof(head));
	memcpy(out->data + at, &head, sizeof(head));
}

static unsigned width_of(uint64_t range)
{
	return range ? (unsigned)(71 - __builtin_clzll(range)) / 8 : 0;
}

/* Keeps equal high bytes together, because zstd compresses that well. */
static void put_planes(struct wt_buf *out, const uint64_t *values, uint32_t n, uint64_t base, unsigned width)
{
	uint8_t *p = width ? wt_buf_reserve(out, (size_t)n * width) : NULL;

	if (!p)
		return;
	wt_log_split(values, n, base, width, p);
	out->len += (size_t)n * width;
}

static void put_delta_planes(struct wt_buf *out, const uint64_t *values, uint32_t n, uint64_t least,
			     unsigned width)
{
	uint8_t *p = width && n > 1 ? wt_buf_reserve(out, (size_t)(n - 1) * width) : NULL;

	if (!p)
		return;
	wt_log_split_steps(values, n, least, width, p);
	out->len += (size_t)(n - 1) * width;
}

static void put_code_planes(struct wt_buf *out, const uint16_t *codes, uint32_t n, unsigned width)
{
	uint8_t *p = wt_buf_reserve(out, (size_t)n * width);

	if (!p)
		return;
	for (unsigned plane = 0; plane < width; plane++) {
		for (uint32_t i = 0; i < n; i++)
			p[i] = (uint8_t)(codes[i] >> (8 * plane));
		p += n;
	}
	out->len += (size_t)n * width;
}

struct shape {
	uint64_t base;         /* of FOR */
	uint64_t least;        /* delta */
	unsigned width, delta; /* bytes per value */
	bool rises;            /* never falls */
	bool differ;           /* no two values are the same */
};

/* The unsigned range differs from the signed one only where there are values of both signs. */
static void measure_unsigned(const uint64_t *values, uint32_t n, struct shape *shape)
{
	uint64_t least, most;

	wt_log_range_unsigned(values, n, &least, &most);
	if (width_of(most - least) <= shape->width) {
		shape->base = least;
		shape->width = width_of(most - least);
	}
}

/* True when every value equals the next one. This is the quickest look at a column, and mostly the first
 * bytes decide. */
bool wt_log_column_constant(const uint64_t *values, uint32_t n)
{
	return n < 2 || !memcmp(values, values + 1, (n - (size_t)1) * sizeof(*values));
}

static void measure_values(const uint64_t *values, uint32_t n, struct shape *shape)
{
	int64_t least, most;

	wt_log_range(values, n, &least, &most);
	shape->base = (uint64_t)least;
	shape->width = width_of((uint64_t)most - (uint64_t)least);
	if (least < 0 && most >= 0)
		measure_unsigned(values, n, shape);
}

/* For values that never fall, by steps too small to wrap around: the ends are the extremes. */
static bool only_rises(const uint64_t *values, uint32_t n, int64_t dmin, int64_t dmax)
{
	return dmin >= 0 && dmax <= INT64_MAX / n && (int64_t)values[0] <= (int64_t)values[n - 1];
}

static struct shape measure(const uint64_t *values, uint32_t n)
{
	int64_t dmin, dmax;
	struct shape shape;

	/* One value is constant. */
	if (wt_log_column_constant(values, n))
		return (struct shape){.base = values[0]};
	wt_log_range_steps(values, n, &dmin, &dmax);
	shape.least = (uint64_t)dmin;
	shape.delta = width_of((uint64_t)dmax - (uint64_t)dmin);
	shape.rises = only_rises(values, n, dmin, dmax);
	shape.differ = shape.rises && dmin > 0;
	if (shape.rises) {
		shape.base = values[0];
		shape.width = width_of(values[n - 1] - values[0]);
	} else {
		measure_values(values, n, &shape);
	}
	return shape;
}

uint32_t wt_log_make_dict(const uint64_t *values, uint32_t n, uint32_t limit,
			  struct wt_log_column_scratch *scratch)
{
	uint32_t mask = SMALL_DICT - 1, count = 0;

	while (mask < 4 * limit && mask < sizeof(scratch->slots) / sizeof(scratch->slots[0]) - 1)
		mask = mask * 2 + 1;
	memset(scratch->slots, 0, (mask + 1) * sizeof(scratch->slots[0]));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = (uint32_t)((values[i] * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & mask;

		while (scratch->slots[slot] && scratch->entries[scratch->slots[slot] - 1] != values[i])
			slot = (slot + 1) & mask;
		if (!scratch->slots[slot]) {
			if (count == limit)
				return 0;
			scratch->entries[count++] = values[i];
			scratch->slots[slot] = (uint16_t)count;
		}
		scratch->codes[i] = (uint16_t)(scratch->slots[slot] - 1);
	}
	return count;
}

/* The most entries with which a dictionary is still smaller than `width` bytes per value. */
static uint32_t dict_limit(unsigned width, uint32_t n)
{
	uint64_t limit;

	if (width < 2 || n < WT_LOG_DICT_MIN)
		return 0;
	limit = width == 2 ? (uint64_t)n / 8 : (uint64_t)(width - 2) * n / 8;
	if (width == 2)
		return limit > 256 ? 256 : (uint32_t)limit;
	return limit > WT_LOG_DICT_MAX ? WT_LOG_DICT_MAX : (uint32_t)limit;
}

/* The dictionary wt_log_make_dict has made. */
static void put_dict(struct wt_buf *out, size_t at, uint16_t id, uint32_t entries, uint32_t n,
		     struct wt_log_column_scratch *scratch)
{
	wt_buf_put_u32(out, entries);
	wt_buf_put(out, scratch->entries, entries * sizeof(scratch->entries[0]));
	cut_planes(scratch, out->len, n, width_of(entries - 1));
	put_code_planes(out, scratch->codes, n, width_of(entries - 1));
	wt_log_end_column(out, at, id, WT_DISK_DICT, (uint8_t)width_of(entries - 1));
}

void wt_log_put_dict(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		     struct wt_log_column_scratch *scratch)
{
	uint32_t entries = wt_log_make_dict(values, n, WT_LOG_DICT_MAX, scratch);

	put_dict(out, wt_log_begin_column(out, scratch), id, entries, n, scratch);
}

/* Where both are equally wide, for example after one long gap among short ones, steps still compress
 * better. */
static bool prefer_delta(const struct shape *shape, uint32_t n)
{
	if (shape->rises && n >= WT_LOG_DICT_MIN && shape->delta == shape->width)
		return true;
	return 16 + (uint64_t)(n - 1) * shape->delta < 8 + (uint64_t)n * shape->width;
}

void wt_log_put_ints(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		     struct wt_log_column_scratch *scratch)
{
	struct shape shape = measure(values, n);
	bool rising = prefer_delta(&shape, n);
	uint32_t limit = shape.differ ? 0 : dict_limit(rising ? shape.delta : shape.width, n);
	uint32_t entries = limit ? wt_log_make_dict(values, n, limit, scratch) : 0;
	size_t at = wt_log_begin_column(out, scratch);

	if (entries) {
		put_dict(out, at, id, entries, n, scratch);
	} else if (rising) {
		wt_buf_put_u64(out, values[0]);
		wt_buf_put_u64(out, shape.least);
		cut_planes(scratch, out->len, n - 1, shape.delta);
		put_delta_planes(out, values, n, shape.least, shape.delta);
		wt_log_end_column(out, at, id, WT_DISK_DELTA, (uint8_t)shape.delta);
	} else {
		wt_buf_put_u64(out, shape.base);
		cut_planes(scratch, out->len, n, shape.width);
		put_planes(out, values, n, shape.base, shape.width);
		wt_log_end_column(out, at, id, WT_DISK_FOR, (uint8_t)shape.width);
	}
}
