/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * The parts of the module scripted_pmu.ko: the core PMU, the uncore PMUs, and the device that threads ring.
 * The law that they follow is in law.h.
 */
#ifndef TESTS_VM_PMU_SCRIPTED_H
#define TESTS_VM_PMU_SCRIPTED_H

struct scripted_ring;

/** Registers the core PMU; undone by deinit. Negative errno. */
int scripted_core_init(void);
void scripted_core_deinit(void);

/** Counts a ring on the CPU this runs on, for the current task. */
void scripted_core_ring(const struct scripted_ring *ring);

int scripted_uncore_init(void);
void scripted_uncore_deinit(void);

#endif
