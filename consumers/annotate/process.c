/* SPDX-License-Identifier: MIT */
#include "consumers/annotate/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "consumers/model/identity.h"
#include "consumers/record/task_probe.h"
#include "tracecore/base/apart.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"

/* /proc counts start times in ticks of a clock that drifts against the log's. */
#define TOLERANCE WT_NSEC

/* The most bytes of a process's list of mappings that are read. */
enum { MAPS_MOST = 16 << 20 };

struct question {
	uint32_t pid, n;
	uint64_t address;
};

static size_t read_memory(const void *in, size_t len, void *out, int *fd)
{
	struct question question;
	struct iovec here, there;
	ssize_t n;

	(void)fd;
	if (len != sizeof(question))
		return 0;
	memcpy(&question, in, sizeof(question));
	here = (struct iovec){out, question.n};
	there = (struct iovec){(void *)(uintptr_t)question.address, question.n};
	n = process_vm_readv((pid_t)question.pid, &here, 1, &there, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

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
	struct question question = {.pid = process->pid,
				    .n = n < WT_PROCESS_CODE_MOST ? n : WT_PROCESS_CODE_MOST,
				    .address = offset};
	uint8_t *answer;
	size_t len = 0;

	if (!process->pid || !is_this_boot(tables) || !still_runs(process))
		return;
	if (image->kind != WT_IMAGE_ANON && (image->kind != WT_IMAGE_FILE || !image->inode ||
					     !find_mapping(process->pid, image, offset, &question.address)))
		return;
	answer = malloc(WT_APART_OUT);
	if (answer &&
	    wt_apart_ask(process->pid, read_memory, &question, sizeof(question), answer, &len, NULL) &&
	    len == question.n)
		wt_buf_put(out, answer, len);
	free(answer);
}
