// SPDX-License-Identifier: MIT
// Covers: consumers/analysis/region_pair.c
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/region_pair.h"

/* Any text as the value of --pair, twice: what is read has names for both events and both ends of every
 * field, and an error has one line. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct wt_region_pair *pair)
{
	if (!pair->begin[0] || !pair->end[0] || pair->n_fields > WT_REGION_MAX_FIELDS)
		abort();
	for (uint32_t i = 0; i < pair->n_fields; i++)
		if (!pair->begin_field[i][0] || !pair->end_field[i][0])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct wt_region_pairs pairs = {0};
	struct wt_err err = WT_ERR_INIT;

	for (int i = 0; text && i < 2; i++)
		if (wt_region_pairs_add(&pairs, text, &err) && (!err.text[0] || strchr(err.text, '\n')))
			abort();
	for (uint32_t i = 0; i < pairs.n; i++)
		check(&pairs.pairs[i]);
	wt_region_pairs_deinit(&pairs);
	free(text);
	return 0;
}
