/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What work for somebody who is not trusted may cost: CPU time that comes back with time, and memory.
 *
 * CPU time is a bucket: it fills at `rate` up to `most`, work is taken out of it when it has been done, and
 * may leave a debt. Who has nothing left is left alone until there is some again. Work that is done for one
 * alone is measured (begin, end); work that is done for many in one go is counted in units
 * (wt_allowance_work) and paid when its cost is known (wt_allowance_pay). NULL stands for somebody who is
 * trusted: never spent, never paid. One thread.
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
	uint64_t refused;            /**< things left out for want of bytes or of a place in a table */
	struct wt_allowance *common; /**< what all those who are not trusted share; may be NULL */
};

/** One unit costs about this much, and is never paid for with more than four times that. ns */
#define WT_ALLOWANCE_UNIT 100

/** Full. */
void wt_allowance_init(struct wt_allowance *ret, uint64_t rate, uint64_t most, uint64_t bytes_most,
		       uint64_t now);
/** What came back since the last time. */
void wt_allowance_fill(struct wt_allowance *allowance, uint64_t now);
/** No less than ns are left: debts are forgotten, and more than `most` is allowed for once. */
void wt_allowance_grant(struct wt_allowance *allowance, uint64_t ns);
/** True: leave it alone. Notes that, too. */
bool wt_allowance_is_spent(struct wt_allowance *allowance);

/** Work for this one alone begins, ends; not nested. */
void wt_allowance_begin(struct wt_allowance *allowance);
void wt_allowance_end(struct wt_allowance *allowance);
/** In between: true when it has used up what was left, so stop at the next good place. Reads a clock: not for
 * each small step. */
bool wt_allowance_is_over(const struct wt_allowance *allowance);

/** Work in common of that many units; true: enough for now. */
static inline bool wt_allowance_work(struct wt_allowance *allowance, uint64_t units)
{
	if (!allowance)
		return false;
	allowance->work += units;
	return allowance->work >= allowance->work_most;
}
/** All work in common was `all` units and took ns: pays for its own ones. */
void wt_allowance_pay(struct wt_allowance *allowance, uint64_t ns, uint64_t all);

/** Work for this one alone that took ns, measured elsewhere. */
void wt_allowance_spend(struct wt_allowance *allowance, uint64_t ns);

/** Memory: false when it is not to be had, which is counted. */
bool wt_allowance_take_bytes(struct wt_allowance *allowance, uint64_t bytes);
void wt_allowance_give_bytes(struct wt_allowance *allowance, uint64_t bytes);

#endif
