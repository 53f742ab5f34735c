// SPDX-License-Identifier: MIT
/* The idle time of CPUs, from /proc/stat. Samples do not show it, because none is taken on an idle CPU. */
#include "providers/perf/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

/* Reads the ns that CPUs 0 to n - 1 were idle since the machine started, including waiting for I/O;
 * UINT64_MAX for a CPU that is not in the file. -1: the file does not exist. */
static int read_idle(uint64_t *ret, uint32_t n)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t tick = WT_NSEC / (uint64_t)sysconf(_SC_CLK_TCK);
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return -1;
	for (uint32_t cpu = 0; cpu < n; cpu++)
		ret[cpu] = UINT64_MAX;
	while (getline(&line, &size, file) > 0) {
		uint64_t idle, iowait;
		uint32_t cpu;

		if (sscanf(line, "cpu%" SCNu32 " %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &iowait) ==
			    3 &&
		    cpu < n)
			ret[cpu] = (idle + iowait) * tick;
	}
	free(line);
	fclose(file);
	return 0;
}

/* Call before any other process of the session is made, so that the process that ends the session has the
 * values. */
void wt_perf_idle_begin(struct wt_perf *perf)
{
	bool profile = false;

	for (size_t i = 0; i < perf->n_slots; i++)
		profile |= !perf->slots[i].program && !perf->slots[i].counts;
	if (!profile || perf->n_pids)
		return;
	perf->idle = calloc(perf->n_cpus, sizeof(*perf->idle));
	perf->idle_from = wt_clock_now();
	if (perf->idle && read_idle(perf->idle, perf->n_cpus) == 0)
		return;
	free(perf->idle);
	perf->idle = NULL;
}

int wt_perf_idle(struct wt_perf *perf, int (*fn)(void *ctx, const struct wt_event *event, struct wt_err *err),
		 void *ctx, struct wt_err *err)
{
	uint64_t *now = perf->idle ? calloc(perf->n_cpus, sizeof(*now)) : NULL;
	struct wt_buf payload = {0};
	struct wt_event event = {
		.time = wt_clock_now(), .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid()};
	int rc = 0;

	event.kind = wt_perf_kind_of(perf->kinds, "pmu-profile", WT_PROFILE_IDLE);
	if (!now || read_idle(now, perf->n_cpus) < 0 || event.kind == WT_KIND_NONE) {
		free(now);
		return 0;
	}
	for (uint32_t cpu = 0; cpu < perf->n_cpus && rc == 0; cpu++) {
		if (now[cpu] == UINT64_MAX || perf->idle[cpu] == UINT64_MAX || now[cpu] < perf->idle[cpu])
			continue;
		if (wt_cpuset_end(&perf->sample_cpus) && !wt_cpuset_has(&perf->sample_cpus, cpu))
			continue;
		wt_buf_clear(&payload);
		wt_buf_put_u32(&payload, cpu);
		wt_buf_put_u64(&payload, perf->idle_from);
		wt_buf_put_u64(&payload, now[cpu] - perf->idle[cpu]);
		event.cpu = WT_CPU_NONE;
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		rc = payload.failed ? wt_fail_nomem(err) : fn(ctx, &event, err);
	}
	wt_buf_deinit(&payload);
	free(now);
	return rc;
}
