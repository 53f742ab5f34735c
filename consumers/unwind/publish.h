/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Unwind tables for programs that walk their own stack: made from what a process has mapped, put where
 * programs look for them (tracecore/enable/tables.h).
 *
 * It opens and reads other people's ELF files and takes milliseconds for each that is new: for a process of
 * its own, with the rights of the program's user. The directory keeps earlier tables, so each file is read in
 * full only once.
 */
#ifndef CONSUMERS_UNWIND_PUBLISH_H
#define CONSUMERS_UNWIND_PUBLISH_H

#include <stdint.h>
#include <sys/types.h>

#include "tracecore/base/err.h"

/** Publishes the tables of everything executable that a process has mapped and that has a build id, and of
 * the vdso. directory: the user's, open. *fresh counts tables that were not there before; the caller
 * announces them. Files that cannot be read are left out. */
int wt_unwind_publish(int directory, pid_t pid, uint32_t *fresh, struct wt_err *err);

/** Before any program runs: publishes the tables of libraries that nearly all programs have mapped (this
 * process has them too), and of the program that will run first (NULL: not known). Otherwise like
 * wt_unwind_publish. */
int wt_unwind_publish_first(int directory, const char *program, uint32_t *fresh, struct wt_err *err);

#endif
