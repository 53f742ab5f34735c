/* SPDX-License-Identifier: MIT */
/* An arm64 program in qemu's user mode, driven through its gdb server. Its memory lies at the same addresses
 * in qemu's own process, so that everything but registers and steps works as for any process. */
#ifndef TESTS_STACKWALK_QEMU_H
#define TESTS_STACKWALK_QEMU_H

#include "tests/stackwalk/target.h"

/* Starts qemu-aarch64-static on argv, with its libraries below root; the program has run nothing. */
pid_t qemu_start(const char *root, char **argv);
void qemu_regs(struct wt_walk_regs *ret);
/* Runs to an address. */
void qemu_run_to(uint64_t address);
/* One instruction, after a signal (GDB's number) has been delivered, 0: none. Returns the signal it stopped
 * for, 0: just the step; -1: the program has ended, *code is its exit code. */
int qemu_step(int signal_number, int *code);

#endif
