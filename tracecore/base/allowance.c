// SPDX-License-Identifier: MIT
#include "tracecore/base/allowance.h"

#include "tracecore/base/clock.h"

#define SECOND INT64_C(1000000000)

void wt_allowance_init(struct wt_allowance *ret, uint64_t rate, uint64_t most, uint64_t bytes_most,
		       uint64_t now)
{
	*ret = (struct wt_allowance){
		.rate = rate,
		.most = most,
		.left = (int64_t)most,
		.filled = now,
		.bytes_most = bytes_most,
		.work_most = most / WT_ALLOWANCE_UNIT + 1,
	};
}

void wt_allowance_fill(struct wt_allowance *allowance, uint64_t now)
{
	uint64_t passed;

	if (!allowance || now <= allowance->filled)
		return;
	/* A longer time would overflow. No debt lasts that long. */
	passed = now - allowance->filled;
	passed = passed > (uint64_t)SECOND * 3600 ? (uint64_t)SECOND * 3600 : passed;
	if (allowance->held == allowance->filled)
		allowance->held_ns += now - allowance->filled;
	allowance->filled_before = allowance->filled;
	allowance->filled = now;
	/* A grant above the most stays until it is used. */
	if (allowance->left < (int64_t)allowance->most) {
		allowance->left += (int64_t)(passed * (allowance->rate / 1000) / 1000000);
		if (allowance->left > (int64_t)allowance->most)
			allowance->left = (int64_t)allowance->most;
	}
	allowance->work_most = allowance->left > 0 ? (uint64_t)allowance->left / WT_ALLOWANCE_UNIT + 1 : 0;
}

void wt_allowance_grant(struct wt_allowance *allowance, uint64_t ns)
{
	if (!allowance)
		return;
	if (allowance->left < (int64_t)ns)
		allowance->left = (int64_t)ns;
	allowance->work_most = (uint64_t)allowance->left / WT_ALLOWANCE_UNIT + 1;
	if (allowance->common && allowance->common->left < (int64_t)ns)
		allowance->common->left = (int64_t)ns;
}

bool wt_allowance_is_spent(struct wt_allowance *allowance)
{
	if (!allowance || (allowance->left > 0 && (!allowance->common || allowance->common->left > 0)))
		return false;
	if (!allowance->held_from || allowance->held < allowance->filled_before)
		allowance->held_from = allowance->filled;
	allowance->held = allowance->filled;
	return true;
}

static void spend(struct wt_allowance *allowance, uint64_t ns)
{
	allowance->left -= (int64_t)ns;
	allowance->used += ns;
}

void wt_allowance_spend(struct wt_allowance *allowance, uint64_t ns)
{
	spend(allowance, ns);
	if (allowance->common)
		spend(allowance->common, ns);
}

void wt_allowance_begin(struct wt_allowance *allowance)
{
	if (allowance)
		allowance->began = wt_clock_thread_cpu();
}

void wt_allowance_end(struct wt_allowance *allowance)
{
	if (!allowance || !allowance->began)
		return;
	wt_allowance_spend(allowance, wt_clock_thread_cpu() - allowance->began);
	allowance->began = 0;
}

bool wt_allowance_is_over(const struct wt_allowance *allowance)
{
	return allowance && allowance->began &&
	       (int64_t)(wt_clock_thread_cpu() - allowance->began) >= allowance->left;
}

void wt_allowance_pay(struct wt_allowance *allowance, uint64_t ns, uint64_t all)
{
	uint64_t most, share;

	if (!allowance || !allowance->work)
		return;
	most = allowance->work * 4 * WT_ALLOWANCE_UNIT;
	/* Units left over from earlier are not in `all`: a user never pays for more than was measured. */
	share = all > allowance->work ? (uint64_t)((double)ns * (double)allowance->work / (double)all) : ns;
	wt_allowance_spend(allowance, share < most ? share : most);
	allowance->work = 0;
}

bool wt_allowance_take_bytes(struct wt_allowance *allowance, uint64_t bytes)
{
	struct wt_allowance *common = allowance ? allowance->common : NULL;

	if (!allowance)
		return true;
	if (allowance->bytes + bytes > allowance->bytes_most ||
	    (common && common->bytes + bytes > common->bytes_most)) {
		allowance->refused++;
		return false;
	}
	allowance->bytes += bytes;
	if (common)
		common->bytes += bytes;
	return true;
}

void wt_allowance_give_bytes(struct wt_allowance *allowance, uint64_t bytes)
{
	if (!allowance)
		return;
	allowance->bytes -= bytes;
	if (allowance->common)
		allowance->common->bytes -= bytes;
}
