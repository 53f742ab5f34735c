// SPDX-License-Identifier: MIT
#include <math.h>

#include "consumers/pmu/formula_code.h"

/* A value on the stack: n/a is a value that is no number. */
static const struct wt_span none = {NAN, INFINITY, -INFINITY};

static bool bounded(struct wt_span a)
{
	return a.low <= a.high && isfinite(a.low) && isfinite(a.high);
}

static struct wt_span exact(double value)
{
	return isfinite(value) ? (struct wt_span){value, value, value} : none;
}

/* Bounds of a rounded result: one step outward, so that they hold the result that is not rounded. Exact
 * bounds stay equal to the value. */
static struct wt_span result(double value, double low, double high, bool is_exact)
{
	struct wt_span ret = {value, low, high};

	if (!isfinite(value))
		return none;
	if (is_exact)
		return exact(value);
	ret.low = nextafter(low, -INFINITY);
	ret.high = nextafter(high, INFINITY);
	if (!bounded(ret))
		ret.low = INFINITY, ret.high = -INFINITY;
	return ret;
}

static bool both_exact(struct wt_span a, struct wt_span b)
{
	return a.low == a.high && a.low == a.value && b.low == b.high && b.low == b.value;
}

static struct wt_span unbounded(double value)
{
	return isfinite(value) ? (struct wt_span){value, INFINITY, -INFINITY} : none;
}

/* The least and the greatest result of the corners; x[] has four. */
static struct wt_span of_corners(double value, const double *x, bool is_exact)
{
	double low = fmin(fmin(x[0], x[1]), fmin(x[2], x[3]));
	double high = fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));

	return result(value, low, high, is_exact);
}

static struct wt_span multiply(struct wt_span a, struct wt_span b)
{
	const double x[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};

	return of_corners(a.value * b.value, x, both_exact(a, b));
}

static struct wt_span divide(struct wt_span a, struct wt_span b)
{
	const double x[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};

	if (b.value == 0)
		return none;
	if (b.low <= 0 && b.high >= 0)
		return unbounded(a.value / b.value);
	return of_corners(a.value / b.value, x, both_exact(a, b));
}

/* a < b as 1 and 0, with both as bounds when values within the bounds decide it both ways. */
static struct wt_span truth(bool holds, bool always, bool never)
{
	return (struct wt_span){holds, always ? 1 : 0, never ? 0 : 1};
}

static struct wt_span less(struct wt_span a, struct wt_span b)
{
	return truth(a.value < b.value, a.high < b.low, a.low >= b.high);
}

static struct wt_span at_most(struct wt_span a, struct wt_span b)
{
	return truth(a.value <= b.value, a.high <= b.low, a.low > b.high);
}

static struct wt_span equal(struct wt_span a, struct wt_span b)
{
	bool one = a.low == a.high && b.low == b.high && a.low == b.low;

	return truth(a.value == b.value, one, a.high < b.low || a.low > b.high);
}

static struct wt_span negate(struct wt_span a)
{
	return (struct wt_span){-a.value, -a.high, -a.low};
}

static struct wt_span opposite(struct wt_span a)
{
	return (struct wt_span){1 - a.value, 1 - a.high, 1 - a.low};
}

/* Both operands have bounds here, or the bounds of the result are thrown away. */
static struct wt_span of_two(enum wt_formula_op op, struct wt_span a, struct wt_span b)
{
	switch (op) {
	case WT_OP_ADD:
		return result(a.value + b.value, a.low + b.low, a.high + b.high, both_exact(a, b));
	case WT_OP_SUB:
		return result(a.value - b.value, a.low - b.high, a.high - b.low, both_exact(a, b));
	case WT_OP_MUL:
		return multiply(a, b);
	case WT_OP_DIV:
		return divide(a, b);
	case WT_OP_MIN:
		return (struct wt_span){fmin(a.value, b.value), fmin(a.low, b.low), fmin(a.high, b.high)};
	case WT_OP_MAX:
		return (struct wt_span){fmax(a.value, b.value), fmax(a.low, b.low), fmax(a.high, b.high)};
	case WT_OP_LESS:
		return less(a, b);
	case WT_OP_GREATER:
		return less(b, a);
	case WT_OP_AT_MOST:
		return at_most(a, b);
	case WT_OP_AT_LEAST:
		return at_most(b, a);
	case WT_OP_EQUAL:
		return equal(a, b);
	default:
		return opposite(equal(a, b));
	}
}

static struct wt_span combine(enum wt_formula_op op, struct wt_span a, struct wt_span b)
{
	struct wt_span ret;

	if (isnan(a.value) || isnan(b.value))
		return none;
	ret = of_two(op, a, b);
	return bounded(a) && bounded(b) ? ret : unbounded(ret.value);
}

/* a if c else b. The branch that is not taken counts only where the bounds leave it open which one that is.
 */
static struct wt_span choose(struct wt_span a, struct wt_span c, struct wt_span b)
{
	struct wt_span taken = c.value != 0 ? a : b, other = c.value != 0 ? b : a;
	bool open = !bounded(c) || (c.value != 0 ? c.low <= 0 && c.high >= 0 : c.low != c.high);

	if (isnan(c.value) || isnan(taken.value))
		return none;
	if (!open)
		return taken;
	if (isnan(other.value) || !bounded(taken) || !bounded(other))
		return unbounded(taken.value);
	return (struct wt_span){taken.value, fmin(a.low, b.low), fmax(a.high, b.high)};
}

static struct wt_span counted(struct wt_span value)
{
	if (!isfinite(value.value))
		return none;
	return bounded(value) ? value : unbounded(value.value);
}

bool wt_formula_eval(const struct wt_formula *formula, const struct wt_span *values, struct wt_span *ret)
{
	struct wt_span stack[WT_FORMULA_STACK], slots[WT_FORMULA_SLOTS], *top = stack;

	for (size_t i = 0; i < formula->n_code; i++) {
		const struct wt_formula_step *step = &formula->code[i];

		if (step->op == WT_OP_NUMBER)
			*top++ = exact(step->number);
		else if (step->op == WT_OP_NAME)
			*top++ = counted(values[step->index]);
		else if (step->op == WT_OP_STORE)
			slots[step->index] = top[-1];
		else if (step->op == WT_OP_LOAD)
			*top++ = slots[step->index];
		else if (step->op == WT_OP_MINUS)
			top[-1] = negate(top[-1]);
		else if (step->op == WT_OP_CHOOSE)
			top -= 2, top[-1] = choose(top[-1], top[0], top[1]);
		else
			top--, top[-1] = combine(step->op, top[-1], top[0]);
	}
	*ret = stack[0];
	return !isnan(ret->value);
}
