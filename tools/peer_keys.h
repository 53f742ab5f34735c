/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The keys by which perf report groups, in this program's words.
 */
#ifndef TOOLS_PEER_KEYS_H
#define TOOLS_PEER_KEYS_H

#include <stdbool.h>

#include "tracecore/base/buf.h"

/** Translates "dso,sym" to "module,function"; what perf shows as a column (overhead) is left out. False: a
 * word is no such key, or no key is left. */
bool wt_peer_keys(const char *keys, struct wt_buf *ret);

#endif
