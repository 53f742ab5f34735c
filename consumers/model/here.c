/* SPDX-License-Identifier: MIT */
#include "consumers/model/here.h"

#include <stdlib.h>

#include "consumers/model/frame_name.h"

int wt_here_enter(struct wt_here *here, const struct wt_log_segment *tables, struct wt_err *err)
{
	struct wt_symbols_options options = {.lines = here->lines,
					     .inlines = here->inlines,
					     .any_machine = true,
					     .elsewhere = true,
					     .watched = here->watched,
					     .watched_ctx = here->watched_ctx};

	if (!here->symbols && wt_symbols_create(&options, &here->symbols, err))
		return -1;
	wt_symbols_prove(here->symbols, tables);
	return 0;
}

/* Whoever wrote to a file when its names were read may be gone now. */
static bool stays_unproved(const struct wt_here *here, const struct wt_log_segment *tables, uint32_t frame)
{
	return wt_frame_log_symbol(tables, frame)->reason == WT_UNRESOLVED_UNPROVED &&
	       !wt_symbols_is_elsewhere(here->symbols);
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
		ret[i] = stays_unproved(here, tables, frames[i]) ? *wt_frame_log_symbol(tables, frames[i])
								 : wt_frame_merge(tables, frames[i], &ret[i]);
	free(offsets);
	return failed;
}

void wt_here_deinit(struct wt_here *here)
{
	if (here->symbols)
		wt_symbols_destroy(here->symbols);
	here->symbols = NULL;
}
