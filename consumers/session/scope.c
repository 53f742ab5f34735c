// SPDX-License-Identifier: MIT
#include "consumers/session/scope.h"

static void put_pids(const struct wt_spec *spec, struct wt_buf *out)
{
	bool many = spec->n_pids > 1;

	wt_buf_printf(out, "only process%s ", many ? "es" : "");
	for (size_t i = 0; i < spec->n_pids; i++)
		wt_buf_printf(out, "%s%d", i ? "," : "", (int)spec->pids[i]);
	wt_buf_printf(out, " and what %s", many ? "they start" : "it starts");
}

/* Writes consecutive CPUs as FIRST-LAST. */
static void put_cpus(const struct wt_spec *spec, struct wt_buf *out)
{
	wt_buf_printf(out, "only CPU%s ", spec->n_cpus > 1 ? "s" : "");
	for (size_t first = 0, last; first < spec->n_cpus; first = last + 1) {
		last = first;
		while (last + 1 < spec->n_cpus && spec->cpus[last + 1] == spec->cpus[last] + 1)
			last++;
		wt_buf_printf(out, "%s%u", first ? "," : "", spec->cpus[first]);
		if (last > first)
			wt_buf_printf(out, "-%u", spec->cpus[last]);
	}
}

void wt_scope_text(const struct wt_spec *spec, struct wt_buf *out)
{
	if (spec->n_pids)
		put_pids(spec, out);
	if (spec->n_pids && spec->n_cpus)
		wt_buf_puts(out, ", ");
	if (spec->n_cpus)
		put_cpus(spec, out);
}

int wt_scope_check(const struct wt_spec *spec, const struct wt_program_rule *rules, size_t n,
		   struct wt_err *err)
{
	if (n && spec->n_cpus)
		return wt_fail(
			err, WT_ERR_USAGE,
			"--cpu restricts the kernel's events, not those of a program's provider ('%s'): "
			"leave --cpu out and choose when you look (wtrace view --where 'cpu == %u'), or "
			"start a session of its own for the provider",
			rules[0].provider, spec->cpus[0]);
	for (size_t i = 0; i < n && spec->n_pids && !spec->child; i++)
		if (!rules[i].n_pids)
			return wt_fail(
				err, WT_ERR_USAGE,
				"--pid restricts the kernel's events, not those of a program's provider "
				"('%s'): add --filter '%s:pid=%d', or leave --pid out and choose when "
				"you look (wtrace view --where 'pid == %d')",
				rules[i].provider, rules[i].provider, (int)spec->pids[0], (int)spec->pids[0]);
	return 0;
}
