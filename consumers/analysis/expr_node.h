/* SPDX-License-Identifier: MIT */
/** @file The tree of a filter expression, shared by its parser and its evaluator. */
#ifndef CONSUMERS_ANALYSIS_EXPR_NODE_H
#define CONSUMERS_ANALYSIS_EXPR_NODE_H

#include "consumers/analysis/expr.h"
#include "consumers/analysis/pattern.h"

enum wt_expr_op {
	WT_EXPR_OR,
	WT_EXPR_AND,
	WT_EXPR_NOT,
	WT_EXPR_EQ,
	WT_EXPR_NE,
	WT_EXPR_LT,
	WT_EXPR_LE,
	WT_EXPR_GT,
	WT_EXPR_GE,
	WT_EXPR_MATCH,
	WT_EXPR_HAS,
};

/** A literal. Numbers are exact: whole is the value rounded down, fraction says whether rounding cut
 * something off.
 */
struct wt_expr_value {
	bool is_text;
	bool has_unit; /**< a time unit was given */
	bool fraction;
	__int128 whole;
	double real;
	char *text; /**< owned; zero behind it */
	size_t len;
};

struct wt_expr_node {
	enum wt_expr_op op;
	uint32_t left, right;             /**< OR, AND: both; NOT: left */
	char *name;                       /**< comparisons: owned */
	struct wt_expr_value value;       /**< comparisons */
	struct wt_expr_place place;       /**< the comparison's name; AND, OR: the word */
	struct wt_expr_place value_place; /**< and its value */
	uint32_t handle;                  /**< after bind */
	struct wt_pattern *pattern;       /**< after bind, MATCH only; owned */
	bool grouped;                     /**< stands between brackets */
	bool word;                        /**< the value is a text without quotes */
	bool calls;                       /**< after bind: texts are functions' names */
	bool names;                       /**< after bind: the name is WT_EXPR_NAMES */
	uint8_t *memo;                    /**< by dictionary id: 0 not yet known, 1 false, 2 true; owned */
	uint32_t n_memo;
};

struct wt_expr {
	struct wt_expr_node nodes[WT_EXPR_MAX_NODES];
	uint32_t n;
	uint32_t root;
	uint32_t n_rows; /**< masks an evaluation needs at one time beside the result; after bind */
	uint8_t *masks;  /**< scratch of eval: n_rows rows; owned */
	size_t masks_size;
};

#endif
