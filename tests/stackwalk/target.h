/* SPDX-License-Identifier: MIT */
/* Another process as the walker sees it: its modules with their tables, its memory, its registers. For tests
 * and benchmarks; errors end the program. */
#ifndef TESTS_STACKWALK_TARGET_H
#define TESTS_STACKWALK_TARGET_H

#include <sys/types.h>

#include "tracecore/stackwalk/walk.h"

enum { TARGET_MODULES = 512 };

struct target {
	pid_t pid;
	struct target_module {
		struct wt_walk_module walk;
		struct wt_unwind_view view;
		void *table;
		uint64_t offset; /* in the file */
		char path[256];
	} modules[TARGET_MODULES]; /* ascending */
	uint32_t n;
	uint64_t stack_start, stack_end; /* of the main thread; 0 when there is none */
	uint32_t machine;                /* set before target_load; 0: this one */
	bool emulated;                   /* by qemu's user mode: guest code is not executable here */
};

/* Reads the memory map and makes the tables that are not there yet. */
void target_load(struct target *target, pid_t pid);
void target_deinit(struct target *target);

/* Callbacks of struct wt_walk_input; ctx is the target. */
bool target_find(void *ctx, uint64_t address, struct wt_walk_module *ret);
enum wt_walk_read target_read(void *ctx, uint64_t address, uint64_t *ret);

/* Copies up to len bytes; returns how many. */
size_t target_copy(const struct target *target, uint64_t address, void *to, size_t len);

/* Registers of a thread that is stopped under ptrace. */
void target_regs(pid_t tid, struct wt_walk_regs *ret);

void target_fail(const char *what) __attribute__((noreturn));

#endif
