// SPDX-License-Identifier: MIT
// Covers: consumers/analysis/pattern*.c
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/pattern.h"

/* Any bytes up to a zero as a regular expression, what follows as the text : two searches say
 * the same, and an error has one line. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t len = zero ? (size_t)(zero - data) : size, left = size - len - (zero != NULL);
	char *text = strndup((const char *)data, len), *behind = malloc(left + 1);
	struct wt_err err = WT_ERR_INIT;
	struct wt_pattern *pattern;

	memcpy(behind, data + size - left, left);
	if (text && !wt_pattern_compile(text, &pattern, &err)) {
		bool found = wt_pattern_find(pattern, behind, left);

		if (found != wt_pattern_find(pattern, behind, left))
			abort();
		wt_pattern_destroy(pattern);
	} else if (text && (!err.text[0] || strchr(err.text, '\n'))) {
		abort();
	}
	free(text);
	free(behind);
	return 0;
}
