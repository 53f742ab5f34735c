/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The C and C++ header of a provider: one typed call per event, made from its manifest.
 *
 * The same manifest gives the same bytes. The top of the header says what it offers a program; it needs
 * providers/sdk/wtrace.h.
 */
#ifndef PROVIDERS_MANIFEST_HEADER_H
#define PROVIDERS_MANIFEST_HEADER_H

#include "providers/manifest/file.h"

/** Appends the header to out. Names that C cannot tell apart are added to remarks as errors: then out is not
 * to be used. -1: no memory, or the provider cannot be written as a manifest. */
int wt_manifest_header(const struct wt_manifest_file *file, struct wt_remarks *remarks, struct wt_buf *out,
		       struct wt_err *err);

#endif
