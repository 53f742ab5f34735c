/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside of the manifest parser: typed reading of a JSON tree with errors that name the line.
 *
 * The reader remembers the path to the current value; the text is searched only for an error. A caller that
 * wants all errors gets them one by one: a failed row is left out and reading continues after it
 * (wt_mf_stop). Rows may then be incomplete, and the provider is discarded at the end. All functions return
 * 0, or -1 with the reader's error filled ("origin:line: text", WT_ERR_FORMAT). Only manifest_read.c knows
 * the JSON library; the manifest language itself is in manifest_names.c, manifest_event.c and
 * manifest_provider.c.
 */
#ifndef TRACECORE_SCHEMA_MANIFEST_READ_H
#define TRACECORE_SCHEMA_MANIFEST_READ_H

#include "tracecore/base/intern.h"
#include "tracecore/schema/json_index.h"
#include "tracecore/schema/json_place.h"
#include "tracecore/schema/schema.h"

struct json_object;

/** Lists whose rows have names that other parts refer to or that must differ. */
enum wt_mf_list {
	WT_MF_KEYWORDS,
	WT_MF_LEVELS,
	WT_MF_TASKS,
	WT_MF_OPCODES,
	WT_MF_MAPS,
	WT_MF_EVENTS,
	WT_MF_ENTRIES,
	WT_MF_LISTS, /**< how many there are */
};

/** The form of a name. */
enum wt_mf_name {
	WT_MF_NAME_PROVIDER, /**< letters, digits, '_', '.', '-'; ':' only as in linux:SUBSYSTEM */
	WT_MF_NAME_EVENT,    /**< letters, digits, '_', '.', '-' */
	WT_MF_NAME_WORD,     /**< as of an event, not beginning with a digit, '.' or '-' */
	WT_MF_NAME_FIELD,    /**< a C identifier */
	WT_MF_NAME_FREE,     /**< any text without control characters */
};

struct wt_mf {
	const char *text; /**< the manifest, borrowed */
	size_t len;
	const char *origin;
	struct wt_err *err;
	wt_manifest_tell *tell; /**< NULL: the first error is the last; otherwise err is not NULL */
	void *tell_ctx;
	size_t n_errors;
	struct wt_json_index index;  /**< empty until a line is needed */
	struct wt_json_step path[8]; /**< from the root to the value being read */
	size_t depth;
	size_t members;                       /**< of all objects seen so far */
	struct wt_provider *provider;         /**< being built */
	struct wt_strings names[WT_MF_LISTS]; /**< lower-cased; id = index of the row */
};

int wt_mf_fail(struct wt_mf *mf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Fails with an error in that line, counted from 1; text is one line. */
int wt_mf_fail_line(struct wt_mf *mf, size_t line, const char *text);
/** "unknown WHAT 'WORD'; did you mean ...", as wt_fail_unknown. */
int wt_mf_fail_unknown(struct wt_mf *mf, const char *what, const char *word, const char *const *known,
		       size_t n);

/** Makes the tree of mf->text. Failure or not: wt_mf_tree_free, which takes NULL. */
int wt_mf_tree(struct wt_mf *mf, struct json_object **ret);
void wt_mf_tree_free(struct json_object *root);

/** Called after a failure in a part of the manifest that other parts do not need. 0: reading continues,
 * with the path back at depth. -1: the failure ends the reading. */
int wt_mf_stop(struct wt_mf *mf, size_t depth);

/** Goes to a member (key) or an element (key NULL), and back. */
void wt_mf_enter(struct wt_mf *mf, const char *key, size_t index);
void wt_mf_leave(struct wt_mf *mf);

bool wt_mf_is_object(struct json_object *node);
/** node must be an object with no other keys than these. */
int wt_mf_object(struct wt_mf *mf, struct json_object *node, const char *what, const char *const *keys,
		 size_t n);
bool wt_mf_has(struct json_object *node, const char *key);
struct json_object *wt_mf_member(struct json_object *node, const char *key);
/** A list of at most max elements; absent is empty. */
int wt_mf_array(struct wt_mf *mf, struct json_object *node, const char *key, size_t max,
		struct json_object **ret, size_t *n);
struct json_object *wt_mf_element(struct json_object *array, size_t i);

bool wt_mf_is_text(struct json_object *node);
/** The text of a node that is a string, up to its first zero byte. */
const char *wt_mf_text_of(struct json_object *node);
/** Optional text, copied; absent leaves *ret. */
int wt_mf_text(struct wt_mf *mf, struct json_object *node, const char *key, char **ret);
/** Optional text, borrowed from the tree. */
int wt_mf_word(struct wt_mf *mf, struct json_object *node, const char *key, const char **ret);
/** A name that must be there, copied. */
int wt_mf_name(struct wt_mf *mf, struct json_object *node, enum wt_mf_name rule, char **ret);
/** A whole number or a "0x..." string within [min, max]; absent leaves *ret. */
int wt_mf_number(struct wt_mf *mf, struct json_object *node, const char *key, uint64_t min, uint64_t max,
		 uint64_t *ret);
/** Any 64-bit number, negative ones in two's complement; must be there. */
int wt_mf_bits(struct wt_mf *mf, struct json_object *node, const char *key, uint64_t *ret);
/** Any 64-bit number, of a node that is not a member. */
int wt_mf_bits_of(struct wt_mf *mf, struct json_object *node, uint64_t *ret);

/** Registers row i's name; a name that exists already is an error. The mf is at the row. */
int wt_mf_unique(struct wt_mf *mf, enum wt_mf_list list, const char *what, const char *name);
/** Index of the row called name, or WT_INTERN_NONE. */
uint32_t wt_mf_find(const struct wt_mf *mf, enum wt_mf_list list, const char *name);

/** Parses the language. mf->provider is empty and is filled; on failure it has the parts made so far. */
int wt_mf_provider(struct wt_mf *mf, struct json_object *root);
/** Parses one event; keywords, levels, tasks, opcodes and maps are known by then. */
int wt_mf_event(struct wt_mf *mf, struct json_object *node, struct wt_event_desc *event);

/** Names of the standard opcodes 0..4 and levels 0..5. */
extern const char *const wt_mf_standard_opcodes[5];
extern const char *const wt_mf_standard_levels[6];

#endif
