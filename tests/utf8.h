/* SPDX-License-Identifier: MIT */
/** @file Whether text is UTF-8. */
#ifndef TESTS_UTF8_H
#define TESTS_UTF8_H

#include "tracecore/base/utf8.h"

/** Bytes before the first that is not valid UTF-8; len when all are. */
static inline size_t utf8_valid_len(const uint8_t *p, size_t len)
{
	bool valid = true;
	size_t i = 0;

	while (i < len) {
		unsigned n = wt_utf8_step(p + i, len - i, &valid);

		if (!valid)
			break;
		i += n;
	}
	return i;
}

#endif
