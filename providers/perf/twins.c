// SPDX-License-Identifier: MIT
#include "providers/perf/twins.h"

#include <linux/perf_event.h>
#include <string.h>

static void keep(struct wt_perf_twins *twins, const struct wt_perf_record *record)
{
	struct wt_perf_twin *last = &twins->last;

	last->there = record->map.path.len <= sizeof(last->path) &&
		      record->map.build_id.len <= sizeof(last->build_id);
	if (!last->there)
		return;
	twins->inodes = record->slot == WT_PERF_SLOT_INODES;
	last->time = record->time;
	last->pid = record->map.pid;
	last->address = record->map.address;
	last->size = record->map.size;
	last->file_offset = record->map.file_offset;
	last->device = record->map.device;
	last->inode = record->map.inode;
	last->build_id_len = (uint8_t)record->map.build_id.len;
	if (last->build_id_len)
		memcpy(last->build_id, record->map.build_id.p, last->build_id_len);
	last->path_len = record->map.path.len;
	if (last->path_len)
		memcpy(last->path, record->map.path.p, last->path_len);
}

/* True when both are of one mapping. Two similar mappings of one process have two pairs, each complete
 * before the next begins. */
static bool is_twin(const struct wt_perf_twins *twins, const struct wt_perf_record *record)
{
	const struct wt_perf_twin *last = &twins->last;

	return last->there && twins->inodes != (record->slot == WT_PERF_SLOT_INODES) &&
	       record->time >= last->time && last->pid == record->map.pid &&
	       last->address == record->map.address && last->size == record->map.size &&
	       last->file_offset == record->map.file_offset && last->path_len == record->map.path.len &&
	       (!last->path_len || !memcmp(last->path, record->map.path.p, last->path_len));
}

/* True when the second of the pair has facts that the first, already delivered, lacked. */
static bool complete(struct wt_perf_twins *twins, struct wt_perf_record *record)
{
	const struct wt_perf_twin *first = &twins->last;

	twins->last.there = false;
	if (twins->inodes) {
		record->map.device = first->device;
		record->map.inode = first->inode;
		return true;
	}
	record->map.build_id = wt_str_of(first->build_id, first->build_id_len);
	return first->build_id_len;
}

bool wt_perf_twins_pair(struct wt_perf_twins *twins, struct wt_perf_record *record)
{
	bool inodes = record->slot == WT_PERF_SLOT_INODES;

	if (record->slot != WT_PERF_SLOT_SIDEBAND && !inodes)
		return true;
	if (is_twin(twins, record))
		return complete(twins, record);
	keep(twins, record);
	return !inodes;
}
