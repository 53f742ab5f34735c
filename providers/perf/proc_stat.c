// SPDX-License-Identifier: MIT
#include "providers/perf/proc_stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"

bool wt_stat_line_parse(const char *line, struct wt_stat_line *ret)
{
	const char *p = strrchr(line, ')');
	char state;
	int used = 0;

	if (!p || sscanf(line, "%" SCNu32, &ret->pid) != 1)
		return false;
	if (sscanf(p + 1, " %c %" SCNu32 "%n", &state, &ret->parent, &used) != 2)
		return false;
	p += 1 + used;
	/* Fields 5 to 21 lie between the parent and the start time. */
	for (int i = 5; i <= 21; i++) {
		p += strspn(p, " ");
		p += strcspn(p, " ");
	}
	return sscanf(p, " %" SCNu64, &ret->start_ticks) == 1;
}

bool wt_stat_line_read(uint32_t pid, uint32_t tid, struct wt_stat_line *ret)
{
	char name[32] = "stat", text[1024];

	if (tid)
		snprintf(name, sizeof(name), "task/%" PRIu32 "/stat", tid);
	return wt_apart_proc_text(pid, name, text, sizeof(text)) && wt_stat_line_parse(text, ret);
}

struct wt_start_clock wt_start_clock(void)
{
	return (struct wt_start_clock){
		.boot_offset = wt_clock_boot_offset(),
		.tick_ns = WT_NSEC / (uint64_t)sysconf(_SC_CLK_TCK),
	};
}

uint64_t wt_start_clock_time(const struct wt_start_clock *clock, uint64_t ticks)
{
	int64_t t = (int64_t)(ticks * clock->tick_ns) - clock->boot_offset;

	return t > 0 ? (uint64_t)t : 0;
}

uint64_t wt_perf_start_of(uint32_t pid)
{
	struct wt_start_clock clock = wt_start_clock();
	struct wt_stat_line stat;

	return wt_stat_line_read(pid, 0, &stat) ? wt_start_clock_time(&clock, stat.start_ticks) : 0;
}
