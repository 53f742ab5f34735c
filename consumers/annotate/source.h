/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Source files by the path that debug information gives, and their lines. A file is looked for at its path
 * and, with a prefix, below that directory: with its whole path, then with fewer and fewer of the path's
 * first directories. Only regular files of at most 16 MiB. One thread.
 */
#ifndef CONSUMERS_ANNOTATE_SOURCE_H
#define CONSUMERS_ANNOTATE_SOURCE_H

#include "tracecore/base/intern.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/str.h"

struct wt_source_file {
	struct wt_buf text; /**< owned, as lines */
	uint32_t *lines;    /**< offsets of the beginnings of lines; one more than lines */
	uint32_t n;         /**< 0: the file is not on this machine */
	uint64_t modified;  /**< last change of its content, ns since 1970 */
};

/** Zeroed except for prefix (or NULL): empty. */
struct wt_sources {
	const char *prefix; /**< borrowed */
	struct wt_strings paths;
	struct wt_source_file *files; /**< by path; owned */
	uint32_t cap;
};

/** The file; NULL: it is not on this machine. */
const struct wt_source_file *wt_source_find(struct wt_sources *sources, struct wt_str path);
/** The text of a line, without its end; p NULL: there is no such line. */
struct wt_str wt_source_line(const struct wt_source_file *source, uint32_t line);
void wt_sources_deinit(struct wt_sources *sources);

#endif
