/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the changes from one manifest to another, and whether programs and sessions made for the old one
 * work with the new one: MANIFEST.md section 8.
 */
#ifndef PROVIDERS_MANIFEST_DIFF_H
#define PROVIDERS_MANIFEST_DIFF_H

#include "providers/manifest/file.h"

/** Adds a remark (compatible or incompatible) for each change: at its line in the new file, or at the line in
 * the old file for a removed part. Both files have a provider. -1: no memory. */
int wt_manifest_diff(const struct wt_manifest_file *old, const struct wt_manifest_file *fresh,
		     struct wt_remarks *remarks, struct wt_err *err);

#endif
