/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Remarks on a manifest: each has a line of a file and a text.
 *
 * Remarks are added in any order and shown by file name and line.
 */
#ifndef PROVIDERS_MANIFEST_REMARKS_H
#define PROVIDERS_MANIFEST_REMARKS_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"
#include "tracecore/base/json.h"

enum wt_remark_kind {
	WT_REMARK_ERROR,
	WT_REMARK_WARNING, /**< valid, but probably unintended */
	WT_REMARK_INCOMPATIBLE,
	WT_REMARK_COMPATIBLE,
	WT_REMARK_KINDS, /**< the number of kinds */
};

struct wt_remark {
	enum wt_remark_kind kind;
	const char *path; /**< borrowed */
	size_t line;      /**< from 1 */
	char *text;       /**< owned */
	uint32_t order;
};

/** Zeroed is a valid empty list. */
struct wt_remarks {
	struct wt_remark *rows; /**< owned */
	uint32_t n, cap;
	uint32_t of_kind[WT_REMARK_KINDS]; /**< number of remarks of each kind */
	bool failed;                       /**< memory was out: test once at the end */
};

void wt_remarks_add(struct wt_remarks *remarks, enum wt_remark_kind kind, const char *path, size_t line,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** "PATH:LINE: KIND: text", one line each. */
void wt_remarks_text(struct wt_remarks *remarks, struct wt_buf *out);
/** A member that is an array of {"file", "line", "kind", "text"}. */
void wt_remarks_json(struct wt_remarks *remarks, const char *key, struct wt_json *json);
void wt_remarks_deinit(struct wt_remarks *remarks);

#endif
