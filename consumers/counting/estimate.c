// SPDX-License-Identifier: MIT
#include "consumers/counting/estimate.h"

#include <math.h>

/* Student's t at 97.5 %, by degrees of freedom from 1. */
static const double t_table[] = {
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
	2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
	2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040,
};
enum { N_T = sizeof(t_table) / sizeof(t_table[0]) };

static struct wt_batch sum(struct wt_batch a, struct wt_batch b)
{
	return (struct wt_batch){a.value + b.value, a.running + b.running};
}

/* Half as many, twice as long. */
static void join_pairs(struct wt_batches *batches)
{
	for (unsigned i = 0; i < WT_BATCHES; i++)
		batches->batch[i] = sum(batches->batch[2 * i], batches->batch[2 * i + 1]);
	batches->n = WT_BATCHES;
	batches->per = 2 * (batches->per ? batches->per : 1);
}

void wt_batches_add(struct wt_batches *batches, const struct wt_count *since)
{
	const struct wt_batch one = {(double)since->value, (double)since->running};

	batches->part = sum(batches->part, one);
	if (++batches->have < batches->per)
		return;
	if (batches->n == 2 * WT_BATCHES) {
		join_pairs(batches);
		if (batches->have < batches->per)
			return;
	}
	batches->batch[batches->n++] = batches->part;
	batches->part = (struct wt_batch){0};
	batches->have = 0;
}

/* Sum of the squares of what the batches differ from the rate, and how many there are in which it ran. */
static double residuals(const struct wt_batches *batches, double rate, unsigned *n)
{
	double squares = 0;

	*n = 0;
	for (unsigned i = 0; i < batches->n; i++) {
		const struct wt_batch *batch = &batches->batch[i];
		double differs = batch->value - rate * batch->running;

		if (batch->running <= 0)
			continue;
		squares += differs * differs;
		(*n)++;
	}
	return squares;
}

static double half_width(const struct wt_count *count, const struct wt_batches *batches)
{
	double whole = (double)count->enabled, seen = (double)count->running, squares;
	unsigned n;

	if (!batches)
		return -1;
	squares = residuals(batches, (double)count->value / seen, &n);
	if (n < 2)
		return -1;
	return t_table[n - 2 < N_T ? n - 2 : N_T - 1] * whole / seen *
	       sqrt((1 - seen / whole) * n / (n - 1) * squares);
}

struct wt_estimate wt_estimate_of(const struct wt_count *count, const struct wt_batches *batches)
{
	double value = (double)count->value;

	if (count->running >= count->enabled)
		return (struct wt_estimate){.value = value, .least = value};
	return (struct wt_estimate){
		.value = value * ((double)count->enabled / (double)count->running),
		.half = half_width(count, batches),
		.least = value,
	};
}

struct wt_estimate wt_estimate_add(struct wt_estimate a, struct wt_estimate b)
{
	return (struct wt_estimate){
		.value = a.value + b.value,
		.half = a.half < 0 || b.half < 0 ? -1 : hypot(a.half, b.half),
		.least = a.least + b.least,
	};
}

struct wt_span wt_estimate_span(const struct wt_estimate *estimate)
{
	double low = estimate->value - estimate->half;

	if (estimate->half < 0)
		return (struct wt_span){estimate->value, 1, 0};
	return (struct wt_span){estimate->value, low > estimate->least ? low : estimate->least,
				estimate->value + estimate->half};
}
