/* SPDX-License-Identifier: MIT */
/* Finds the samples of the event that a column weighs. */
#include "consumers/analysis/column.h"

bool wt_view_column_sources(const struct wt_view_column *column, const struct wt_log_batch *batch,
			    const uint64_t **ret, uint64_t *number)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	int at = wt_event_field(event, "source");
	const struct wt_named *entry = at < 0 ? NULL
					      : wt_valmap_of_name(event->fields[at].map, column->source);

	if (!entry || !batch->columns[at].values)
		return false;
	*number = entry->value;
	*ret = batch->columns[at].values;
	return true;
}
