/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Filter expressions: `process == 'make' && (cpu >= 2 || !(function =~ '^x_'))`.
 *
 *   or    := and { ("||" | "or") and }          and  := unary { ("&&" | "and") unary }
 *   unary := ("!" | "not") unary | "(" or ")" | name op (value | word) | value op name | name
 *          | name "has" (value | word) | "in" "region" (text | "(" or ")")
 *   op    := "==" "!=" "<" "<=" ">" ">=" "=~"
 *
 * A word is a name that stands for itself as a text: it needs no quotes where nothing else is called so. A
 * name is letters, digits and _ . / : - # (not ending in ':'). A value is 'text' or "text" (with \\ before a
 * quote or a backslash), or a number: decimal or 0x, with a fraction and one of the units ns us ms s (in ns)
 * or K M G (powers of 1024). `=~` searches a POSIX extended regular expression (pattern.h). A name alone
 * means "is not 0". A name that stands for many names at once (the functions of a stack) takes `has 'NAME'`
 * (one of them is exactly NAME) and `=~` (one of them matches).
 *
 * The words and, or and not, in small or capital letters, are operators only where no name can stand: `not`
 * before a comparison sign is a name, and so is any of them behind one.
 *
 * `in region ( ... )` stands for the name "in region" that has a text: the expression between the brackets,
 * which is read when the regions are looked for. `in region 'NAME'` is `in region (region == 'NAME')`.
 *
 * Three steps: parse knows no names; bind asks a scope for each; eval works on whole columns. A comparison on
 * an event that does not have the field is false, whatever the operator. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_EXPR_H
#define CONSUMERS_ANALYSIS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Bounds; beyond them parsing fails with WT_ERR_USAGE. */
enum { WT_EXPR_MAX_TEXT = 4096, WT_EXPR_MAX_DEPTH = 64, WT_EXPR_MAX_NODES = 512 };

/** The name that `in region` looks up in the scope. */
#define WT_EXPR_IN_REGION "in region"

/** The types that a name can be compared with, as bits. */
enum wt_expr_types {
	WT_EXPR_NUMBER = 1,   /**< a number */
	WT_EXPR_TEXT = 2,     /**< a quoted text */
	WT_EXPR_DURATION = 4, /**< with NUMBER: only a number with a time unit (or 0) */
	WT_EXPR_NAMES = 8,    /**< alone: many names, asked with `has` and `=~` */
	WT_EXPR_CALLS =
		16, /**< texts and names are functions': they are equal without their parameters too */
};

struct wt_expr;

/** The place of an error: bytes [at, at + len) of the expression's text. */
struct wt_expr_place {
	size_t at, len;
};

/** Reads text. -1: WT_ERR_USAGE, and *place (may be NULL) says where. */
int wt_expr_parse(const char *text, struct wt_expr **ret, struct wt_expr_place *place, struct wt_err *err);
void wt_expr_destroy(struct wt_expr *expr);

/** Writes to ret, in order, the places of each && (or and) that joins the whole filter's conditions, outside
 * of brackets; at most max. Returns how many there are; none when an || joins them. */
size_t wt_expr_joints(const struct wt_expr *expr, struct wt_expr_place *ret, size_t max);

/** The meaning of names. lookup gives a handle of its own choice and the types; it fails with WT_ERR_USAGE
 * naming the nearest valid name. */
struct wt_expr_scope {
	int (*lookup)(void *ctx, const char *name, uint32_t *handle, unsigned *types, struct wt_err *err);
	void *ctx;
};

/** Resolves the names, checks the types, compiles regular expressions. Once per expression. */
int wt_expr_bind(struct wt_expr *expr, const struct wt_expr_scope *scope, struct wt_expr_place *place,
		 struct wt_err *err);

/** One name's values for n events. */
struct wt_expr_vector {
	enum wt_expr_vector_kind {
		WT_EXPR_ABSENT, /**< these events do not have it */
		WT_EXPR_U64,    /**< numbers: unsigned */
		WT_EXPR_I64,    /**< numbers: signed */
		WT_EXPR_F64,    /**< numbers: bits of a double */
		WT_EXPR_IDS,    /**< dictionary ids, see wt_expr_source.text */
		WT_EXPR_BYTES,  /**< texts in place: bytes[offsets[i] .. offsets[i + 1]) */
	} kind;
	const uint64_t *numbers;
	bool has_none; /**< events whose number is `none` do not have it; of WT_EXPR_U64 */
	uint64_t none;
	const uint32_t *ids;
	const uint32_t *offsets;
	const uint8_t *bytes;
};

/** The test that `has` and `=~` make on a name. */
struct wt_expr_test;
bool wt_expr_test(const struct wt_expr_test *test, const char *text, size_t len);

/** Where values come from. */
struct wt_expr_source {
	/** The values of a handle, valid until the next fetch. as: WT_EXPR_NUMBER or WT_EXPR_TEXT. */
	int (*fetch)(void *ctx, uint32_t handle, enum wt_expr_types as, struct wt_expr_vector *ret,
		     struct wt_err *err);
	/** The text of an id; an id means the same text for as long as the expression lives. */
	const char *(*text)(void *ctx, uint32_t handle, uint32_t id, size_t *len);
	/** For WT_EXPR_NAMES: mask[i] = 1 where the test holds for one of event i's names, else 0. A handle
	 * always comes with the same test. */
	int (*any)(void *ctx, uint32_t handle, const struct wt_expr_test *test, uint8_t *mask,
		   struct wt_err *err);
	void *ctx;
};

/** Sets mask[i] to 1 where event i of n passes, else 0. Fails only for memory and when fetch does. */
int wt_expr_eval(struct wt_expr *expr, const struct wt_expr_source *source, uint32_t n, uint8_t *mask,
		 struct wt_err *err);

/** The range of a name's numbers, known without a look at each. */
struct wt_expr_span {
	enum wt_expr_span_kind {
		WT_EXPR_ANY,    /**< nothing */
		WT_EXPR_NONE,   /**< these events do not have it */
		WT_EXPR_WITHIN, /**< they are integers from least to most */
	} kind;
	__int128 least, most;
};
/** Returns whether some event may pass, by the span of each handle; false: none does. */
bool wt_expr_may_pass(const struct wt_expr *expr, struct wt_expr_span (*span)(void *ctx, uint32_t handle),
		      void *ctx);

/** Two lines that show the place: the text (a window of it when long) and carets under the bytes meant. */
void wt_expr_show_place(const char *text, const struct wt_expr_place *place, struct wt_buf *out);

#endif
