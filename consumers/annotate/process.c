/* SPDX-License-Identifier: MIT */
#include "consumers/annotate/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/model/identity.h"
#include "consumers/record/task_probe.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/remote.h"

/* /proc counts start times in ticks of a clock that drifts against the log's. */
#define TOLERANCE WT_NSEC

/* The most bytes of a process's list of mappings that are read. */
enum { MAPS_MOST = 16 << 20 };

static bool is_this_boot(const struct wt_log_segment *tables)
{
	char boot[64] = "";

	wt_clock_boot_id(boot, sizeof(boot));
	for (uint32_t i = 0; *boot && i < tables->n_facts; i++) {
		const struct wt_log_fact *fact = &tables->facts[i];

		if (fact->key.len == 4 && !memcmp(fact->key.p, "boot", 4))
			return fact->value.len == strlen(boot) &&
			       !memcmp(fact->value.p, boot, fact->value.len);
	}
	return false;
}

static bool still_runs(const struct wt_log_process *process)
{
	static struct wt_task_probe probe;
	struct wt_proc_payload now;
	uint64_t a = process->start_time, b;

	if (!a || wt_task_probe(&probe, process->pid, &now))
		return false;
	b = now.start_time;
	return (a > b ? a - b : b - a) <= TOLERANCE;
}

/* Finds the address at which the process has mapped the offset of the image's file. */
static bool find_mapping(uint32_t pid, const struct wt_log_image *image, uint64_t offset, uint64_t *ret)
{
	FILE *maps = wt_apart_proc_open(pid, "maps", MAPS_MOST);
	char *line = NULL;
	size_t cap = 0;
	bool found = false;

	while (maps && !found && getline(&line, &cap, maps) > 0) {
		unsigned long long start, end, from, inode;

		if (sscanf(line, "%llx-%llx %*s %llx %*s %llu", &start, &end, &from, &inode) != 4 ||
		    inode != image->inode || offset < from || offset - from >= end - start)
			continue;
		*ret = start + (offset - from);
		found = true;
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

void wt_process_code(const struct wt_log_segment *tables, uint32_t thread, const struct wt_log_image *image,
		     uint64_t offset, uint32_t n, struct wt_buf *out)
{
	const struct wt_log_process *process = wt_process_of(tables, thread);
	uint64_t address = offset;
	uint8_t *bytes;

	if (!process->pid || !is_this_boot(tables) || !still_runs(process))
		return;
	if (image->kind != WT_IMAGE_ANON && (image->kind != WT_IMAGE_FILE || !image->inode ||
					     !find_mapping(process->pid, image, offset, &address)))
		return;
	n = n < WT_PROCESS_CODE_MOST ? n : WT_PROCESS_CODE_MOST;
	bytes = malloc(n);
	if (bytes && wt_remote_read(process->pid, address, n, bytes) == n)
		wt_buf_put(out, bytes, n);
	free(bytes);
}
