/* SPDX-License-Identifier: MIT */
/* Finds the samples of the event that a column weighs. */
#include <string.h>

#include "consumers/analysis/column.h"

/* Returns the number that a log's part has for the event. */
static bool number_of(const struct wt_valmap *map, const char *source, uint64_t *ret)
{
	for (uint32_t i = 0; map && i < map->n_entries; i++)
		if (!strcmp(map->entries[i].name, source)) {
			*ret = map->entries[i].value;
			return true;
		}
	return false;
}

bool wt_view_column_sources(const struct wt_view_column *column, const struct wt_log_batch *batch,
			    const uint64_t **ret, uint64_t *number)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	int at = wt_event_field(event, "source");

	if (at < 0 || !batch->columns[at].values || !number_of(event->fields[at].map, column->source, number))
		return false;
	*ret = batch->columns[at].values;
	return true;
}
