// SPDX-License-Identifier: MIT
#include "providers/perf/made_exec.h"

#include <stdlib.h>

#include "tracecore/base/clock.h"

enum { BUCKETS = 1024, RECORDS = 8192, NONE = -1 };

/* Most records of a bucket that an answer looks at, the newest first: a process that makes many must not
 * delay the others. */
#define LOOKED_AT 64

/* A record comes before its event, in one system call. That narrows the choice of the event's record, but no
 * answer CLEAN depends on it, because the two clocks may drift apart before the record is read. */
#define SLACK (WT_NSEC / 500)
#define MOST  (WT_NSEC * 10)

struct record {
	uint64_t time, start, end;
	uint64_t event; /* time of the event it belongs to; 0: not known yet */
	uint32_t pid;
	int32_t next; /* the next in its bucket, an older one */
	int32_t newer;
};

/* The records are a ring: each new one takes the place of the oldest. */
struct wt_made_exec {
	struct record records[RECORDS];
	int32_t buckets[BUCKETS];
	bool dropped[BUCKETS]; /* records of the bucket's processes were dropped */
	uint64_t n;            /* added in all */
	uint64_t known;        /* the records are complete for mappings made since then */
};

struct wt_made_exec *wt_made_exec_create(uint64_t since)
{
	struct wt_made_exec *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->known = since;
	for (int i = 0; i < BUCKETS; i++)
		made->buckets[i] = NONE;
	return made;
}

void wt_made_exec_destroy(struct wt_made_exec *made)
{
	free(made);
}

void wt_made_exec_lose(struct wt_made_exec *made, uint64_t before)
{
	if (before > made->known)
		made->known = before;
}

/* Ends the bucket's list here: the records behind are older and were overwritten. */
static void take_out(struct wt_made_exec *made, const struct record *oldest)
{
	uint32_t bucket = oldest->pid % BUCKETS;

	if (oldest->newer == NONE)
		made->buckets[bucket] = NONE;
	else
		made->records[oldest->newer].next = NONE;
	made->dropped[bucket] = true;
}

void wt_made_exec_add(struct wt_made_exec *made, const struct wt_bpf_made_exec *record, uint64_t time)
{
	int32_t at = (int32_t)(made->n % RECORDS);
	int32_t *bucket = &made->buckets[record->pid % BUCKETS];

	if (made->n >= RECORDS)
		take_out(made, &made->records[at]);
	made->n++;
	made->records[at] = (struct record){.time = time,
					    .start = record->start,
					    .end = record->end,
					    .pid = record->pid,
					    .next = *bucket,
					    .newer = NONE};
	if (*bucket != NONE)
		made->records[*bucket].newer = at;
	*bucket = at;
}

static bool is_of(const struct record *record, uint64_t time)
{
	if (record->event)
		return record->event == time;
	return record->time <= time + SLACK && time <= record->time + MOST;
}

enum wt_made_exec_answer wt_made_exec_ask(struct wt_made_exec *made, uint32_t pid, uint64_t start,
					  uint64_t end, uint64_t time)
{
	bool clean = time >= made->known && !made->dropped[pid % BUCKETS];
	int32_t at = made->buckets[pid % BUCKETS];
	uint32_t looks = 0;

	for (; at != NONE && looks < LOOKED_AT; at = made->records[at].next, looks++) {
		struct record *record = &made->records[at];

		if (record->pid != pid || record->start >= end || record->end <= start)
			continue;
		if (is_of(record, time)) {
			record->event = time;
			return WT_MADE_EXEC_WRITTEN;
		}
		/* The record belongs to another event there; its memory may have been merged with this
		 * mapping. */
		clean = false;
	}
	return clean && at == NONE ? WT_MADE_EXEC_CLEAN : WT_MADE_EXEC_UNKNOWN;
}
