/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes JSON: objects, arrays and values, with commas where they belong and strings made safe (foreign.h).
 *
 * Every function that puts a value takes the key first: the name of a member within an object, NULL within
 * an array and at the top. Misuse is not detected. The buffer may be emptied between two calls. A lack of
 * memory is noted in the buffer (buf.h).
 */
#ifndef TRACECORE_BASE_JSON_H
#define TRACECORE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/buf.h"

struct wt_json {
	struct wt_buf *out; /**< not owned */
	bool more;          /**< this object or array has an item already: the next needs a comma */
};

static inline struct wt_json wt_json(struct wt_buf *out)
{
	return (struct wt_json){.out = out};
}

/** Puts the beginning of a member: a comma when one is due, and the key. The caller puts the value into
 * `out`. */
void wt_json_key(struct wt_json *json, const char *key);

void wt_json_object(struct wt_json *json, const char *key);
void wt_json_end_object(struct wt_json *json);
void wt_json_array(struct wt_json *json, const char *key);
void wt_json_end_array(struct wt_json *json);

/** A string; null for NULL. */
void wt_json_text(struct wt_json *json, const char *key, const char *text);
/** A string of len arbitrary bytes. */
void wt_json_bytes(struct wt_json *json, const char *key, const void *bytes, size_t len);
/** Bytes as a string of hexadecimal digits, two for each. */
void wt_json_hex(struct wt_json *json, const char *key, const void *bytes, size_t len);
/** 16 bytes as "01234567-89ab-cdef-0123-456789abcdef". */
void wt_json_uuid(struct wt_json *json, const char *key, const uint8_t bytes[16]);
/** A mask as a string: "0x1f". */
void wt_json_mask(struct wt_json *json, const char *key, uint64_t mask);
void wt_json_number(struct wt_json *json, const char *key, uint64_t number);
void wt_json_signed(struct wt_json *json, const char *key, int64_t number);
void wt_json_bool(struct wt_json *json, const char *key, bool value);
void wt_json_null(struct wt_json *json, const char *key);
/** null where number equals `unknown`. */
void wt_json_known(struct wt_json *json, const char *key, uint64_t number, uint64_t unknown);

/** The next item of the array stands on a line of its own. */
void wt_json_next_line(struct wt_json *json);
/** Ends an array whose items stand on lines. */
void wt_json_end_lines(struct wt_json *json);
/** Ends the object at the top, and its line. */
void wt_json_end_document(struct wt_json *json);

#endif
