/* SPDX-License-Identifier: MIT */
#include "consumers/model/here.h"

#include <stdlib.h>

#include "consumers/model/frame_name.h"

int wt_here_enter(struct wt_here *here, const struct wt_log_segment *tables, struct wt_err *err)
{
	struct wt_symbols_options options = {.lines = here->lines, .any_machine = true, .elsewhere = true};

	if (!here->symbols && wt_symbols_create(&options, &here->symbols, err))
		return -1;
	wt_symbols_prove(here->symbols, tables);
	return 0;
}

int wt_here_look_up(struct wt_here *here, const struct wt_log_segment *tables, const uint32_t *frames,
		    uint32_t n, struct wt_log_symbol *ret, struct wt_err *err)
{
	uint64_t *offsets = malloc(n * sizeof(*offsets));
	int failed;

	if (!offsets)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		offsets[i] = tables->frames[frames[i]].offset;
	failed = wt_symbols_resolve(here->symbols, wt_frame_image(tables, frames[0]), offsets, n, ret, err);
	for (uint32_t i = 0; i < n && !failed; i++)
		ret[i] = wt_frame_merge(tables, frames[i], &ret[i]);
	free(offsets);
	return failed;
}

void wt_here_deinit(struct wt_here *here)
{
	if (here->symbols)
		wt_symbols_destroy(here->symbols);
	here->symbols = NULL;
}
