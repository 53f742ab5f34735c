/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A manifest as a file: its text, the lines of its parts, and the provider it describes.
 */
#ifndef PROVIDERS_MANIFEST_FILE_H
#define PROVIDERS_MANIFEST_FILE_H

#include "providers/manifest/remarks.h"
#include "tracecore/schema/json_index.h"
#include "tracecore/schema/schema.h"

/** Zeroed is a valid empty file. */
struct wt_manifest_file {
	const char *path; /**< as given; borrowed */
	struct wt_buf text;
	struct wt_json_index index;
	struct wt_provider *provider; /**< NULL when the manifest has errors */
};

/** Reads the file. Errors in the manifest are added to remarks and leave provider NULL. Returns -1 when
 * nothing can be checked: the file cannot be read, or memory is out. */
int wt_manifest_file_read(struct wt_manifest_file *file, const char *path, struct wt_remarks *remarks,
			  struct wt_err *err);
void wt_manifest_file_deinit(struct wt_manifest_file *file);

/** Returns the line of element i of one of the manifest's lists ("events"), and of element j of a list inside
 * that element ("fields"). */
size_t wt_manifest_file_line(const struct wt_manifest_file *file, const char *list, size_t i);
size_t wt_manifest_file_line_in(const struct wt_manifest_file *file, const char *list, size_t i,
				const char *inner, size_t j);
/** Returns the line of a member of the manifest ("guid"), or of the manifest's beginning when there is none.
 */
size_t wt_manifest_file_line_of(const struct wt_manifest_file *file, const char *key);
/** Returns the line of a member of element i ("level" of an event), or of the element when there is none. */
size_t wt_manifest_file_line_at(const struct wt_manifest_file *file, const char *list, size_t i,
				const char *key);

#endif
