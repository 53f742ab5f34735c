/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The columns of WPA's table "CPU Usage (Precise)", in this program's words for turns of threads.
 */
#ifndef TOOLS_WPA_COLUMNS_H
#define TOOLS_WPA_COLUMNS_H

#include <stdbool.h>

#include "tracecore/base/buf.h"

/** Divides a list like "ReadyingProcess,NewThreadStack,Ready (us)" into keys ("waker_process,stack") and
 * columns ("ready"). Words that WPA does not have are columns and stay as they are. False: WPA has none of
 * them. A lack of memory is noted in the buffers. */
bool wt_wpa_columns(const char *typed, struct wt_buf *keys, struct wt_buf *columns);

#endif
