/* SPDX-License-Identifier: MIT */
/** @file Programs that can be run by their names. */
#ifndef TRACECORE_BASE_IN_PATH_H
#define TRACECORE_BASE_IN_PATH_H

#include <stdbool.h>

/** True when a directory of PATH has an executable file of that name. Any thread, unless one changes PATH. */
bool wt_is_in_path(const char *name);

#endif
