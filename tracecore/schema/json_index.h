/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The line of each value in a JSON text.
 *
 * One pass over the text makes the index. After that a line costs one step per level of nesting, so a
 * manifest with thousands of errors, or thousands of differences to another one, is handled in linear time.
 * The index takes 24 bytes per value of the text.
 *
 * Works on text that a JSON parser has accepted. On any other text the answers are useless but harmless:
 * nothing outside [text, text + len) is read.
 */
#ifndef TRACECORE_SCHEMA_JSON_INDEX_H
#define TRACECORE_SCHEMA_JSON_INDEX_H

#include <stddef.h>
#include <stdint.h>

/** One step from a value to a value inside it: a member by its key or, with key NULL, an array element. */
struct wt_json_step {
	const char *key;
	size_t index;
};

/** Zeroed is a valid empty index. */
struct wt_json_index {
	const char *text;           /**< borrowed */
	struct wt_json_node *nodes; /**< in the order of the text; owned */
	uint32_t *children;         /**< node numbers, grouped by parent; owned */
	uint32_t n, cap;
};

/** Reads at most 2^32 - 1 bytes of text, which must outlive the index. -1: no memory, and the index is
 * empty. */
int wt_json_index_init(struct wt_json_index *index, const char *text, size_t len);
void wt_json_index_deinit(struct wt_json_index *index);

/** Line, counted from 1, of the value at the end of the path (of the key for a member), or of the last step
 * that exists. 0 when the index is empty. */
size_t wt_json_index_line(const struct wt_json_index *index, const struct wt_json_step *path, size_t n);

#endif
