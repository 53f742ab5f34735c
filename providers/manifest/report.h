/* SPDX-License-Identifier: MIT */
/** @file The result of a check and of a comparison of manifests, as text and as JSON. */
#ifndef PROVIDERS_MANIFEST_REPORT_H
#define PROVIDERS_MANIFEST_REPORT_H

#include "providers/manifest/file.h"

/** The remarks, and a line that counts them. provider: NULL when the manifest has errors. */
void wt_manifest_check_text(const char *path, const struct wt_provider *provider, struct wt_remarks *remarks,
			    struct wt_buf *out);
/** {"file", "provider", "events", "errors", "warnings", "remarks"[, "error"]}: failure says why the file
 * could not be read, which is its only error; NULL: it was. */
void wt_manifest_check_json(const char *path, const struct wt_provider *provider, struct wt_remarks *remarks,
			    const char *failure, struct wt_buf *out);
/** The changes as remarks, and a line that says whether they are compatible. */
void wt_manifest_diff_text(struct wt_remarks *remarks, struct wt_buf *out);
/** {"old", "new", "compatible", "changes"} */
void wt_manifest_diff_json(const char *old, const char *fresh, struct wt_remarks *remarks,
			   struct wt_buf *out);

#endif
