/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Decodes payload bytes by a schema into typed values, and writes values as text.
 *
 * Payloads are foreign: every read goes through the cursor. Values point into the payload and are valid as
 * long as it is. No allocation, except in the text functions, which append to a wt_buf.
 */
#ifndef TRACECORE_SCHEMA_DECODE_H
#define TRACECORE_SCHEMA_DECODE_H

#include "tracecore/base/foreign.h"
#include "tracecore/schema/schema.h"

struct wt_value {
	const struct wt_field *field;
	uint32_t n; /**< elements: 1 for a scalar */
	/** Integer types (sign-extended, BOOL, POINTER, TIME) of a scalar. */
	uint64_t u;
	/** F32 and F64 of a scalar. */
	double f;
	/** Counted types: the content. UUID, IPV4, IPV6: their bytes. Arrays: the first element's bytes. */
	const uint8_t *bytes;
	/** Bytes at `bytes`. */
	uint32_t len;
	/** One element taken from an array: shown without brackets. */
	bool element;
};

/** Reads the next field. 0, or -1 when the payload is too short or a length exceeds it (cur->bad is set). */
int wt_decode_field(struct wt_cursor *cur, const struct wt_field *field, struct wt_value *ret);

/** Element i of an array value, as a scalar value. -1 when there is none. */
int wt_value_element(const struct wt_value *value, uint32_t i, struct wt_value *ret);

/** For people: numbers by radix, map names, strings escaped as foreign.h says, arrays as [a, b], binary as
 * hex, addresses in their usual form. */
void wt_value_text(const struct wt_value *value, struct wt_buf *out);
/** As JSON: numbers as numbers (64-bit ones too), maps as strings (bitmap: an array of strings), binary as a
 * hex string, invalid UTF-8 as U+FFFD, f32/f64 that are not finite as null. */
void wt_value_json(const struct wt_value *value, struct wt_buf *out);
/** True when the texts of its numbers carry a meaning: from a map, or as devices. */
bool wt_field_has_words(const struct wt_field *field);
/** Appends the 16 bytes as a UUID: 01234567-89ab-cdef-0123-456789abcdef. */
void wt_uuid_text(const uint8_t bytes[16], struct wt_buf *out);
#endif
