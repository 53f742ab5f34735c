/* SPDX-License-Identifier: MIT */
/** @file Decodes a whole payload, for tests of those who make them. */
#ifndef TESTS_UNIT_TRACECORE_SCHEMA_PAYLOAD_H
#define TESTS_UNIT_TRACECORE_SCHEMA_PAYLOAD_H

#include "tracecore/schema/decode.h"

/** Reads all fields into values (at least n_fields of them). -1: the payload does not fit the schema: too
 * short, a length that runs out of it, or bytes left behind the last field. */
static inline int payload_decode(const struct wt_event_desc *event, const void *payload, size_t len,
				 struct wt_value *values)
{
	struct wt_cursor cur = wt_cursor(payload, len);

	for (uint32_t i = 0; i < event->n_fields; i++) {
		if (wt_decode_field(&cur, &event->fields[i], &values[i]))
			return -1;
	}
	return wt_cur_left(&cur) ? -1 : 0;
}

#endif
