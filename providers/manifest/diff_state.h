/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside the comparison of two manifests: diff.c compares the lists, diff_event.c one event.
 */
#ifndef PROVIDERS_MANIFEST_DIFF_STATE_H
#define PROVIDERS_MANIFEST_DIFF_STATE_H

#include "providers/manifest/diff.h"
#include "tracecore/base/intern.h"

struct wt_diff {
	const struct wt_manifest_file *old, *fresh;
	struct wt_remarks *remarks;
	struct wt_strings names; /**< of the events or maps of one of the two manifests; id = index */
	struct wt_strings rows;  /**< of rows of a name and a number; id = index */
};

/** A change at a line of the new file. */
#define wt_diff_bad(diff, line, ...) \
	wt_remarks_add((diff)->remarks, WT_REMARK_INCOMPATIBLE, (diff)->fresh->path, line, __VA_ARGS__)
#define wt_diff_good(diff, line, ...) \
	wt_remarks_add((diff)->remarks, WT_REMARK_COMPATIBLE, (diff)->fresh->path, line, __VA_ARGS__)
/** A change at a line of the old file. */
#define wt_diff_gone(diff, kind, line, ...) \
	wt_remarks_add((diff)->remarks, kind, (diff)->old->path, line, __VA_ARGS__)

/** True when two texts, each of which may be NULL, differ. */
bool wt_diff_text(const char *a, const char *b);

/** Compares two events of one name and id, given by their index. */
void wt_diff_event(const struct wt_diff *diff, uint32_t old_at, uint32_t fresh_at);

#endif
