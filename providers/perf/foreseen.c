// SPDX-License-Identifier: MIT
#include "providers/perf/foreseen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "providers/perf/twins.h"
#include "tracecore/base/bytes.h"

/* Records that are searched for mappings of the process. */
enum { SEARCHED = 128 };

/* True for a mapping that may have other bytes than its file: private, of a file, executable, not writable.
 */
static bool may_be_written(const struct wt_perf_record *record)
{
	return wt_perf_is_map(record) &&
	       (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL &&
	       record->map.path.len && record->map.path.p[0] == '/' && record->map.path.p[1] != '/' &&
	       !record->map.shared && record->map.prot & PROT_EXEC && !(record->map.prot & PROT_WRITE);
}

/* One question: the stretches, and the records that they belong to. */
struct plan {
	struct wt_stretch stretches[WT_WRITTEN_MOST];
	uint32_t n, n_records;
	struct {
		uint64_t position;
		uint32_t stretch;
	} records[WT_FORESEEN_RECORDS];
};

/* False: there is no room. */
static bool add(struct plan *plan, const struct wt_perf_record *record, uint64_t position)
{
	const struct wt_stretch stretch = {.start = record->map.address,
					   .end = record->map.address + record->map.size};
	uint32_t i = 0;

	while (i < plan->n &&
	       (plan->stretches[i].start != stretch.start || plan->stretches[i].end != stretch.end))
		i++;
	if (i == WT_WRITTEN_MOST || plan->n_records == WT_FORESEEN_RECORDS)
		return false;
	if (i == plan->n)
		plan->stretches[plan->n++] = stretch;
	plan->records[plan->n_records].position = position;
	plan->records[plan->n_records++].stretch = i;
	return true;
}

static bool is_map_type(const uint8_t *bytes)
{
	uint32_t type = wt_load_u32(bytes + offsetof(struct perf_event_header, type));

	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
}

/* Adds the mappings of the process that lie ahead. */
static void search(struct wt_foreseen *foreseen, struct plan *plan, struct wt_perf_reader ahead, uint32_t pid)
{
	struct wt_perf_record record;
	uint64_t len;

	if (!foreseen->whole)
		foreseen->whole = malloc(WT_PERF_RECORD_MOST);
	if (!foreseen->whole)
		return;
	ahead.whole = foreseen->whole;
	for (uint32_t i = 0; i < SEARCHED; i++) {
		uint64_t position = ahead.pos;

		if (wt_perf_reader_next(&ahead, &len) != WT_PERF_RECORD)
			return;
		if (!is_map_type(ahead.record) ||
		    wt_perf_record_parse(ahead.ids, ahead.record, len, &record) < 0 ||
		    record.map.pid != pid || !may_be_written(&record))
			continue;
		if (!add(plan, &record, position))
			return;
	}
}

static const struct wt_foreseen_record *find(const struct wt_foreseen *foreseen, uint64_t position)
{
	for (uint32_t i = 0; i < foreseen->n; i++)
		if (foreseen->records[i].position == position)
			return &foreseen->records[i];
	return NULL;
}

enum wt_written wt_foreseen_written(struct wt_foreseen *foreseen, const struct wt_perf_reader *reader,
				    const struct wt_perf_record *record, uint64_t position)
{
	const struct wt_foreseen_record *known = find(foreseen, position);
	struct plan plan = {.n = 0};

	if (known)
		return known->written;
	if (!record->map.size)
		return WT_WRITTEN_NOT;
	add(&plan, record, position);
	search(foreseen, &plan, *reader, record->map.pid);
	wt_perf_look_written(record->map.pid, plan.stretches, plan.n);
	foreseen->n = plan.n_records;
	for (uint32_t i = 0; i < plan.n_records; i++)
		foreseen->records[i] = (struct wt_foreseen_record){
			plan.records[i].position, plan.stretches[plan.records[i].stretch].written};
	return plan.stretches[0].written;
}

void wt_foreseen_deinit(struct wt_foreseen *foreseen)
{
	free(foreseen->whole);
	*foreseen = (struct wt_foreseen){0};
}
