/* SPDX-License-Identifier: MIT */
/** @file The tree of a regular expression, made by pattern_parse.c for pattern.c. */
#ifndef CONSUMERS_ANALYSIS_PATTERN_TREE_H
#define CONSUMERS_ANALYSIS_PATTERN_TREE_H

#include <stdint.h>

#include "consumers/analysis/pattern.h"

/** A set of bytes. */
struct wt_pattern_set {
	uint64_t bits[4];
};

static inline bool wt_pattern_has(const struct wt_pattern_set *set, uint8_t c)
{
	return set->bits[c >> 6] >> (c & 63) & 1;
}

/** Places between two bytes. */
enum wt_pattern_place {
	WT_PLACE_BEGIN,
	WT_PLACE_END,
	WT_PLACE_WORD_BEGIN,
	WT_PLACE_WORD_END,
	WT_PLACE_WORD_EDGE,
	WT_PLACE_NO_WORD_EDGE,
};

struct wt_pattern_node {
	enum wt_pattern_kind {
		WT_PATTERN_EMPTY,
		WT_PATTERN_SET,
		WT_PATTERN_PLACE,
		WT_PATTERN_BOTH,   /**< left, then right */
		WT_PATTERN_EITHER, /**< left or right */
		WT_PATTERN_REPEAT, /**< left, min to max times */
	} kind;
	uint32_t left, right;
	int min, max; /**< max -1: no bound */
	enum wt_pattern_place place;
	struct wt_pattern_set set;
};

struct wt_pattern_tree {
	struct wt_pattern_node *nodes; /**< owned */
	uint32_t n, cap, root;
};

/** A letter, a digit or '_'. */
bool wt_pattern_is_word(uint8_t c);

/** -1: WT_ERR_USAGE or no memory; the tree must be freed in this case too. */
int wt_pattern_parse(const char *text, struct wt_pattern_tree *ret, struct wt_err *err);
/** pattern_set.c: reads what is behind a '[' up to its ']'; *at is moved behind that. NULL, or what is wrong.
 */
const char *wt_pattern_read_set(const char **at, struct wt_pattern_set *ret);

#endif
