/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Text of a valid manifest that its author probably did not intend.
 */
#ifndef PROVIDERS_MANIFEST_DOUBTS_H
#define PROVIDERS_MANIFEST_DOUBTS_H

#include "providers/manifest/file.h"

/** Adds a warning for each doubtful thing; the file has a provider. -1: no memory. */
int wt_manifest_doubts(const struct wt_manifest_file *file, struct wt_remarks *remarks, struct wt_err *err);

#endif
