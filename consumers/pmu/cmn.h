/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Arm's coherent mesh networks (CMN, CI-700) of the machine, as far as the kernel reports them. sysfs has the
 * product of each, the CPU that counts for it and its number of events; the driver's map in debugfs, where it
 * can be read, has the geometry.
 */
#ifndef CONSUMERS_PMU_CMN_H
#define CONSUMERS_PMU_CMN_H

#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

#define WT_CMN_KINDS 24

/** Devices of one kind: "RN-F_B", "HN-F", "SBSX". */
struct wt_cmn_kind {
	char name[12];
	uint32_t n;
};

struct wt_cmn {
	uint32_t number;
	char name[32];     /**< of the PMU: "arm_cmn_0" */
	char product[16];  /**< "CMN-700"; "": not said */
	char revision[16]; /**< "r1p0"; "": not said */
	char cpus[64];     /**< the CPU that counts */
	uint32_t n_events;
	uint32_t x, y; /**< crosspoints; 0: the map cannot be read */
	uint32_t dtcs; /**< domains of debug and trace that crosspoints name in the map */
	struct wt_cmn_kind kinds[WT_CMN_KINDS];
	size_t n_kinds;
};

/** Meshes by number; *ret is freed by the caller. None is no error. sys: in front of /sys, "" for the
 * machine's own. */
int wt_cmns_read(const char *sys, struct wt_cmn **ret, size_t *n, struct wt_err *err);

#endif
