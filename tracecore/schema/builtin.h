/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The manifests that are part of the program: the recorder's own provider and the kernel-side ones.
 *
 * Their text equals the files in `manifests/`, byte for byte. Pure functions, any thread.
 */
#ifndef TRACECORE_SCHEMA_BUILTIN_H
#define TRACECORE_SCHEMA_BUILTIN_H

#include "tracecore/schema/schema.h"

/** Returns the manifest's text and its length in bytes (not zero-ended), or NULL when there is no such
 * provider. Names compare without case. */
const char *wt_builtin_manifest(const char *provider, size_t *len);

/** A fresh parsed copy, which the caller owns. WT_ERR_NOTFOUND when there is no such provider. */
int wt_builtin_provider(const char *name, struct wt_provider **ret, struct wt_err *err);

/** Gives the names of all built-in providers, `wtrace` first. Returns their number. */
size_t wt_builtin_names(const char *const **ret);

#endif
