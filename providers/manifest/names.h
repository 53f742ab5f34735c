/* SPDX-License-Identifier: MIT */
/**
 * @file
 * C and C++ identifiers for what a manifest names.
 *
 * A manifest's names may hold '.', '-' and, in map entries, anything: all but letters, digits and '_' becomes
 * '_'. What programs call is never changed further: two names that come out as one are an error. Parameters
 * have no meaning to callers: a field whose name is taken (a keyword, a macro of the C library) gets '_'
 * behind it.
 */
#ifndef PROVIDERS_MANIFEST_NAMES_H
#define PROVIDERS_MANIFEST_NAMES_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/intern.h"

/** Appends text with what C does not take replaced by '_', in capitals on request. */
void wt_c_name(struct wt_buf *out, const char *text, bool capitals);

/** Appends a parameter name for text that is neither taken nor in one of the tables; adds it to own. */
void wt_c_parameter(struct wt_buf *out, const char *text, const struct wt_strings *others,
		    struct wt_strings *own);

#endif
