/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes the C and C++ header of a provider from its manifest: one typed call per event.
 *
 * Equal manifests give equal bytes. The top of the header lists its calls for programs; it needs
 * providers/sdk/wtrace.h.
 */
#ifndef PROVIDERS_MANIFEST_HEADER_H
#define PROVIDERS_MANIFEST_HEADER_H

#include "providers/manifest/file.h"

/** Appends the header to out. Names that are equal in C are added to remarks as errors; then out must not be
 * used. -1: no memory, or the provider cannot be written as a manifest. */
int wt_manifest_header(const struct wt_manifest_file *file, struct wt_remarks *remarks, struct wt_buf *out,
		       struct wt_err *err);

#endif
