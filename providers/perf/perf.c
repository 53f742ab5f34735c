// SPDX-License-Identifier: MIT
/* Destroys a struct wt_perf; wt_perf_plan makes it. */
#include "providers/perf/perf.h"

#include <stdlib.h>
#include <unistd.h>

#include "providers/perf/internal.h"

void wt_perf_destroy(struct wt_perf *perf)
{
	if (!perf)
		return;
	/* Another process of the session may still use the maps of outputs, so their entries stay. */
	wt_perf_bpf_close(perf->bpf);
	perf->bpf = NULL;
	wt_scheduler_destroy(perf->scheduler);
	perf->scheduler = NULL;
	wt_perf_watch_close(perf);
	perf->settings = NULL;
	wt_perf_close_all(perf);
	for (uint32_t cpu = 0; perf->cpus && cpu < perf->n_cpus; cpu++) {
		free(perf->cpus[cpu].samples.past);
		free(perf->cpus[cpu].names.past);
		free(perf->cpus[cpu].writes.past);
		free(perf->cpus[cpu].sideband.past);
	}
	wt_perf_shared_close(perf);
	if (perf->cpu_events >= 0)
		close(perf->cpu_events);
	if (perf->wake >= 0)
		close(perf->wake);
	for (size_t i = 0; i < perf->n_slots; i++) {
		free(perf->slots[i].provider);
		free(perf->slots[i].name);
	}
	wt_perf_ids_deinit(&perf->ids);
	wt_intern_deinit(&perf->threads);
	wt_tp_destroy(perf->systems, perf->n_systems);
	free(perf->slots);
	free(perf->cpus);
	free(perf->pids);
	free(perf->notes);
	free(perf->idle);
	wt_perf_rest_deinit(&perf->rest);
	free(perf);
}
