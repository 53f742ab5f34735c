// SPDX-License-Identifier: MIT
#include "providers/perf/abilities.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/perf/bpf.h"

static int try_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static struct perf_event_attr cpu_clock(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
}

static int try_own(struct perf_event_attr attr)
{
	attr.exclude_kernel = 1;
	return try_open(&attr, 0, -1);
}

/* The CPU this thread runs on: CPU 0 may be offline. */
static int try_machine(struct perf_event_attr attr)
{
	int cpu = sched_getcpu();

	return try_open(&attr, -1, cpu < 0 ? 0 : cpu);
}

static void try_bpf(char *why, size_t size)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_perf_bpf *bpf;

	if (wt_perf_bpf_open(&bpf, &err) < 0)
		snprintf(why, size, "%.150s", err.text);
	wt_perf_bpf_close(bpf);
}

void wt_perf_abilities(struct wt_perf_abilities *ret)
{
	struct perf_event_attr clock = cpu_clock();
	struct perf_event_attr lost = cpu_clock();
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};

	/* Bit 4 of read_format; headers older than the kernel feature do not name it. */
	lost.read_format = 1U << 4;
	*ret = (struct wt_perf_abilities){
		.own_user = try_own(clock),
		.machine = try_machine(clock),
		.cycles = try_own(cycles),
		.lost_counts = try_own(lost),
		.own_kernel = try_open(&clock, 0, -1),
	};
	try_bpf(ret->no_bpf, sizeof(ret->no_bpf));
}
