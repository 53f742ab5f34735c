// SPDX-License-Identifier: MIT
#include "consumers/counting/estimate.h"

#include <math.h>

/* Student's t at 97.5 %, by degrees of freedom from 1. */
static const double t_table[] = {
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
	2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
	2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040,
};
enum { N_T = sizeof(t_table) / sizeof(t_table[0]), LEAST_TURNS = 4, LEAST_PAIRS = 4 };

static struct wt_batch sum(struct wt_batch a, struct wt_batch b)
{
	return (struct wt_batch){a.value + b.value, a.running + b.running};
}

/* Joins pairs of batches: half as many, each twice as long. */
static void join_pairs(struct wt_batches *batches)
{
	for (unsigned i = 0; i < WT_BATCHES; i++)
		batches->batch[i] = sum(batches->batch[2 * i], batches->batch[2 * i + 1]);
	batches->n = WT_BATCHES;
	batches->per = 2 * (batches->per ? batches->per : 1);
}

/* Counts an end of a turn: the counter ran for a part of the time, or for all of it after none, or for
 * none after all. */
static void count_end(struct wt_batches *batches, const struct wt_count *since)
{
	enum wt_batch_time time = !since->running                   ? WT_TIME_NONE
				  : since->running < since->enabled ? WT_TIME_PART
								    : WT_TIME_ALL;

	batches->ends += time == WT_TIME_PART || (time == WT_TIME_ALL && batches->before == WT_TIME_NONE) ||
			 (time == WT_TIME_NONE && batches->before == WT_TIME_ALL);
	batches->before = time;
}

void wt_batches_add(struct wt_batches *batches, const struct wt_count *since)
{
	const struct wt_batch one = {(double)since->value, (double)since->running};

	count_end(batches, since);
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

/* The spread of the count, from the batches joined in groups of `per` consecutive ones; an incomplete
 * group is left out. Negative: the counter ran in fewer than 2 groups. */
static double spread(const struct wt_batches *batches, double rate, unsigned per)
{
	double squares = 0;
	unsigned n = 0;

	for (unsigned i = 0; i + per <= batches->n; i += per) {
		struct wt_batch joined = {0};
		double differs;

		for (unsigned k = 0; k < per; k++)
			joined = sum(joined, batches->batch[i + k]);
		if (joined.running <= 0)
			continue;
		differs = joined.value - rate * joined.running;
		squares += differs * differs;
		n++;
	}
	return n < 2 ? -1 : t_table[n - 2 < N_T ? n - 2 : N_T - 1] * sqrt(squares * n / (n - 1));
}

/* The number of batches to join, so that no more remain than there were turns. 0: too few turns.
 */
static unsigned joined_by_turns(const struct wt_batches *batches)
{
	unsigned turns = batches->ends / 2, per = 1;

	if (turns < LEAST_TURNS)
		return 0;
	while (batches->n / per > turns)
		per *= 2;
	return per;
}

static double half_width(const struct wt_count *count, const struct wt_batches *batches)
{
	double seen = (double)count->running / (double)count->enabled, unseen = 1 - seen,
	       rate = (double)count->value / (double)count->running, found;
	unsigned per = batches ? joined_by_turns(batches) : 0;

	if (!per)
		return -1;
	found = spread(batches, rate, per);
	if (found < 0)
		return -1;
	if (batches->n / (2 * per) >= LEAST_PAIRS)
		found = fmax(found, spread(batches, rate, 2 * per));
	return found / seen * fmax(1, unseen + sqrt(seen * unseen));
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
		.half = a.half < 0 || b.half < 0 ? -1 : a.half + b.half,
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
