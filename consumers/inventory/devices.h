/* SPDX-License-Identifier: MIT */
/** @file The PMUs of this machine and the ways to trace that are open to the caller, for `detect`. */
#ifndef CONSUMERS_INVENTORY_DEVICES_H
#define CONSUMERS_INVENTORY_DEVICES_H

#include "tracecore/base/err.h"
#include "tracecore/base/table.h"

/** A row for each PMU and each way to trace: "Device Instance ID", "Hardware IDs", and with `more` "Usable
 * Here": "yes", or "no: " and why. No rights are needed. root: a directory in place of the root of /sys
 * and /proc, "" for this machine. Results of trying are always of this machine. */
int wt_devices_list(const char *root, bool more, struct wt_table *ret, struct wt_err *err);

#endif
