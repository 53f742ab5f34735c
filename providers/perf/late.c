// SPDX-License-Identifier: MIT
/* CPUs that came online while threads were traced: threads that ran before have no event there. */
#include "providers/perf/internal.h"

#include <stdio.h>
#include <string.h>
#include "tracecore/base/diag.h"

/* True when an event is of threads: running threads have none for a CPU that came later. The sideband there
 * also contains other processes, so none of it is for the log. */
static bool has_thread_events(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_slots; i++)
		if (!perf->slots[i].machine)
			return true;
	return !perf->follows || perf->loader || perf->proc_thread;
}

/* The log's last events say from when on. */
void wt_perf_late_note(struct wt_perf *perf, uint32_t cpu)
{
	/* An earlier recorder may have noted it. */
	if (!perf->n_pids || !perf->late || perf->late[cpu] || !has_thread_events(perf))
		return;
	perf->late[cpu] = perf->last_online_check;
	wt_warn("CPU %u came online: the processes there are %s", cpu,
		perf->follows ? "sampled and named, but their other events are not recorded"
			      : "not recorded");
}

bool wt_perf_late_next(struct wt_perf *perf, uint32_t *cpu, uint64_t *from)
{
	for (*cpu = 0; perf->late && *cpu < perf->n_cpus; (*cpu)++)
		if (perf->late[*cpu] && !wt_cpuset_has(&perf->late_told, *cpu)) {
			*from = perf->late[*cpu];
			wt_cpuset_add(&perf->late_told, *cpu);
			return true;
		}
	return false;
}

struct wt_str wt_perf_late_providers(const struct wt_perf *perf, char *text, size_t size)
{
	/* Where processes are followed both are known, but a reader of the log has neither. */
	bool loader = !perf->follows || perf->loader, proc_thread = !perf->follows || perf->proc_thread;
	const char *last = "";
	size_t n = (size_t)snprintf(text, size, "%s%s%s", loader ? "loader" : "",
				    loader && proc_thread ? "," : "", proc_thread ? "proc_thread" : "");

	for (size_t i = 0; i < perf->n_slots && n < size; i++) {
		const struct wt_perf_slot *slot = &perf->slots[i];

		if (slot->machine || !strcmp(last, slot->provider))
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", slot->provider);
		last = slot->provider;
	}
	return (struct wt_str){text, (uint32_t)(n < size ? n : size - 1)};
}
