/* SPDX-License-Identifier: MIT */
/**
 * @file
 * C and C++ identifiers for the names of a manifest.
 *
 * A manifest's names may contain '.', '-' and, in map entries, anything; all characters but letters, digits
 * and '_' become '_'. Names that programs use are not changed further, so two names with one result are an
 * error. Names of parameters do not matter to callers: a field whose name is taken (a keyword, a macro of
 * the C library) gets a '_' appended.
 */
#ifndef PROVIDERS_MANIFEST_NAMES_H
#define PROVIDERS_MANIFEST_NAMES_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/intern.h"

/** Appends text with '_' for characters that C does not allow, in capitals on request. */
void wt_c_name(struct wt_buf *out, const char *text, bool capitals);

/** Appends a parameter name for text that is neither taken nor in one of the tables, and adds it to own. */
void wt_c_parameter(struct wt_buf *out, const char *text, const struct wt_strings *others,
		    struct wt_strings *own);

#endif
