/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Debug files from the servers that DEBUGINFOD_URLS names. Only for a user who asks for it explicitly: it
 * tells the servers which programs run here, and waits for them.
 *
 * Through libdebuginfod.so.1, which is loaded when the first file is asked for; its cache and its settings
 * are the user's (debuginfod(8)). All files of a process together may take WT_DEBUGINFOD_TIME; after that,
 * and without the library or a server, there are none, which is reported once. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_DEBUGINFOD_H
#define CONSUMERS_SYMBOLS_DEBUGINFOD_H

#include "tracecore/base/buf.h"
#include "tracecore/base/str.h"

/** ns. */
#define WT_DEBUGINFOD_TIME UINT64_C(120000000000)

/** Returns whether files can come from a server now; reports it when none ever can.
 */
bool wt_debuginfod_ready(void);
/** Appends the path of the debug file of that build, which is in the user's cache then. The file there is to
 * be trusted no more than any other file. False: there is none. */
bool wt_debuginfod_find(struct wt_str build_id, struct wt_buf *path);

#endif
