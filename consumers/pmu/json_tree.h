/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A JSON text as a tree, for tables of PMUs and vendors' files. Only json_tree.c knows the JSON library.
 *
 * Nodes belong to the tree. A value that is missing, or is of another kind, reads as nothing: NULL, 0, an
 * empty list. A text with a zero byte or with bytes that are not UTF-8 is none.
 */
#ifndef CONSUMERS_PMU_JSON_TREE_H
#define CONSUMERS_PMU_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

struct json_object;

/** At most 4 MiB, nested at most 32 deep. Errors: WT_ERR_FORMAT with the line ("origin:line: ..."). */
int wt_tree_parse(const char *text, size_t len, const char *origin, struct json_object **ret,
		  struct wt_err *err);
void wt_tree_free(struct json_object *root);

struct json_object *wt_tree_member(struct json_object *node, const char *key);
bool wt_tree_is_object(struct json_object *node);
bool wt_tree_is_list(struct json_object *node);
/** Elements of a list, members of an object. */
size_t wt_tree_count(struct json_object *node);
struct json_object *wt_tree_element(struct json_object *list, size_t i);

/** NULL: no text. */
const char *wt_tree_text_of(struct json_object *node);
const char *wt_tree_member_text(struct json_object *node, const char *key);
/** A whole number, or a text "0x..." or of decimal digits. False: none, or it does not fit. */
bool wt_tree_number_of(struct json_object *node, uint64_t *ret);
/** A number with a point or without; `other` when there is none. */
double wt_tree_real_of(struct json_object *node, double other);

/** Calls fn for each member in the order of the text, until one returns anything but 0, which is returned. */
int wt_tree_members(struct json_object *node,
		    int (*fn)(void *ctx, const char *key, struct json_object *value), void *ctx);

#endif
