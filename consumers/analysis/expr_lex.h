/* SPDX-License-Identifier: MIT */
/** @file The words of a filter expression. */
#ifndef CONSUMERS_ANALYSIS_EXPR_LEX_H
#define CONSUMERS_ANALYSIS_EXPR_LEX_H

#include "consumers/analysis/expr_node.h"

enum wt_expr_word {
	WT_WORD_END,
	WT_WORD_NAME,
	WT_WORD_VALUE,
	WT_WORD_OP, /**< a comparison: see op */
	WT_WORD_AND,
	WT_WORD_OR,
	WT_WORD_NOT,
	WT_WORD_OPEN,
	WT_WORD_CLOSE,
};

struct wt_expr_lexer {
	const char *text;
	size_t pos;
	enum wt_expr_word word; /**< the current one, at place */
	struct wt_expr_place place;
	enum wt_expr_op op;
	struct wt_expr_value value; /**< VALUE: the caller that takes it sets value.text to NULL */
};

/** Reads the next word. -1: WT_ERR_USAGE, place says where. */
int wt_expr_next(struct wt_expr_lexer *lex, struct wt_err *err);

/** Reads a number with its unit from len bytes, all of them. -1 and no message when it is not one. */
int wt_expr_number(const char *text, size_t len, struct wt_expr_value *ret);

#endif
