/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A limit on the cost of work for a user who is not trusted: CPU time that is granted anew as time passes,
 * and memory.
 *
 * CPU time is a bucket that fills at `rate` up to `most`. Work is taken out of it after it has been done,
 * and may leave a debt. No work is done for a user whose bucket is empty until it has filled again. Work
 * for one user alone is measured (begin, end). Work for many users in one go is counted in units
 * (wt_allowance_work) and paid when its cost is known (wt_allowance_pay). NULL stands for a trusted user,
 * whose work is neither limited nor counted. One thread.
 */
#ifndef TRACECORE_BASE_ALLOWANCE_H
#define TRACECORE_BASE_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_allowance {
	uint64_t rate;   /**< CPU time a second, ns */
	uint64_t most;   /**< that is saved up, ns */
	int64_t left;    /**< ns; below 0: a debt */
	uint64_t filled; /**< when left was last raised; session clock */
	uint64_t filled_before;
	uint64_t began;     /**< thread CPU clock at begin; 0: no work is under way */
	uint64_t used;      /**< ns in all */
	uint64_t work;      /**< units done and not yet paid */
	uint64_t work_most; /**< units until somebody looks again */
	uint64_t held;      /**< session clock when it was last found spent; 0: never */
	uint64_t held_from; /**< and since when */
	uint64_t held_ns;   /**< how long in all, as of the last fill */
	uint64_t bytes, bytes_most;
	uint64_t refused;            /**< things left out because bytes or a place in a table were missing */
	struct wt_allowance *common; /**< shared by all users who are not trusted; may be NULL */
};

/** The approximate cost of a unit, ns. A unit is never charged at more than four times that. */
#define WT_ALLOWANCE_UNIT 100

/** Full. */
void wt_allowance_init(struct wt_allowance *ret, uint64_t rate, uint64_t most, uint64_t bytes_most,
		       uint64_t now);
/** Adds the time that was granted since the last call. */
void wt_allowance_fill(struct wt_allowance *allowance, uint64_t now);
/** Raises the time that is left to at least ns: debts are forgotten, and more than `most` is allowed this
 * once. */
void wt_allowance_grant(struct wt_allowance *allowance, uint64_t ns);
/** True: nothing is left, so no work may be done for the user. The time is noted. */
bool wt_allowance_is_spent(struct wt_allowance *allowance);

/** Begins and ends work for this user alone; not nested. */
void wt_allowance_begin(struct wt_allowance *allowance);
void wt_allowance_end(struct wt_allowance *allowance);
/** Between begin and end: true when the work has used up the time that was left; stop at the next good place.
 * It reads a clock, so do not call it for each small step. */
bool wt_allowance_is_over(const struct wt_allowance *allowance);

/** Counts `units` of common work. True: stop for now. */
static inline bool wt_allowance_work(struct wt_allowance *allowance, uint64_t units)
{
	if (!allowance)
		return false;
	allowance->work += units;
	return allowance->work >= allowance->work_most;
}
/** All common work was `all` units and took ns: this user pays for its own units. */
void wt_allowance_pay(struct wt_allowance *allowance, uint64_t ns, uint64_t all);

/** Charges work for this user alone that took ns, measured elsewhere. */
void wt_allowance_spend(struct wt_allowance *allowance, uint64_t ns);

/** Takes memory. False: not enough is left; this is counted. */
bool wt_allowance_take_bytes(struct wt_allowance *allowance, uint64_t bytes);
void wt_allowance_give_bytes(struct wt_allowance *allowance, uint64_t bytes);

#endif
