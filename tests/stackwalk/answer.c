/* SPDX-License-Identifier: MIT */
/* Walks stacks of processes that somebody else has stopped (gdb_compare.py). Each line of standard input is
 *
 *   PID PC R0 R1 ... (hexadecimal; 16 registers on x86-64, 32 on arm64, by DWARF number)
 *
 * and is answered by one line: STATUS FRAMES_BY_FRAME_POINTER PC..., innermost first, with an = before those
 * that were interrupted. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/stackwalk/status.h"
#include "tests/stackwalk/target.h"

static struct target target;

static void answer(pid_t pid, const struct wt_walk_regs *regs)
{
	static uint64_t pc[WT_WALK_MAX];
	static struct wt_walk_result result;
	struct wt_walk_input in = {.regs = regs,
				   .read = target_read,
				   .find = target_find,
				   .ctx = &target,
				   .max = WT_WALK_MAX,
				   .pc = pc};

	target_load(&target, pid);
	wt_walk(WT_WALK_MACHINE, &in, &result);
	printf("%s %u", walk_status_text(result.status), result.n_fp);
	for (uint32_t i = 0; i < result.n; i++)
		printf(" %s%llx", wt_walk_is_exact(&result, i) ? "=" : "", (unsigned long long)pc[i]);
	printf("\n");
	fflush(stdout);
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		struct wt_walk_regs regs = {0};
		char *at = line;
		long pid = strtol(at, &at, 10);

		regs.pc = strtoull(at, &at, 16);
		for (unsigned i = 0; i < 32 && *at && *at != '\n'; i++)
			regs.r[i] = strtoull(at, &at, 16);
		answer((pid_t)pid, &regs);
	}
	target_deinit(&target);
	return 0;
}
