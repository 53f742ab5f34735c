/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The losses of one ring as events: from the kernel's records, from its counters, and from the recorder's
 * observations.
 *
 * Each function makes at most one loss the pending event of the source. A source belongs to one thread.
 */
#ifndef PROVIDERS_PERF_SOURCE_LOSSES_H
#define PROVIDERS_PERF_SOURCE_LOSSES_H

#include "providers/perf/internal.h"

#include "providers/perf/copy.h"
#include "providers/perf/translate.h"
#include "providers/perf/twins.h"
#include "providers/perf/unsampled.h"

/* One ring as a source of events. A record gives one event or none. `done` is the state before position();
 * `next` is the state once the pending event is popped. */
struct wt_perf_source {
	struct wt_source base;
	struct wt_perf *perf;
	struct wt_perf_ring *ring;
	struct wt_perf_reader reader;
	struct wt_perf_translator translator;
	struct wt_perf_twins twins;
	struct wt_perf_copy copy;
	bool pending;
	struct wt_event event;  /* while pending */
	uint64_t pending_start; /* of its record */
	uint64_t twin_start;    /* of the mapping that waits for its twin */
	struct wt_perf_carry done, next;
	struct wt_perf_chain done_chain, next_chain; /* state of the ring's counters in done and next */
	struct wt_perf_gpc {                         /* events of windowsperf that one record gives */
		uint32_t left;
		uint64_t time, value[WT_PERF_COUNTS_MOST], step[WT_PERF_COUNTS_MOST];
	} gpc;
	struct wt_perf_counted before; /* of the interval: next_chain before the record */
	uint32_t ends;                 /* number of last events of counters that were given */
	struct wt_perf_account account;
	bool carried;              /* done.lost and the account count since the ring was made */
	bool after_end;            /* the last refresh came after the events had stopped */
	bool was_full;             /* the last refresh found little room: records may have been lost */
	bool settled;              /* the losses of which there was no record have been reported */
	uint64_t *throttled_since; /* by slot; 0: not throttled */
	struct wt_buf providers;   /* providers whose events a loss record of this ring counts */
	const char *event_name;
	bool exact;
	struct {
		uint32_t pid; /* 0: none */
		uint64_t address;
	} kept_back;         /* the mapping in the record before, if that was held back */
	bool seeking;        /* the records read are in the log already */
	bool account_lost;   /* only an earlier reader of the ring knew the threads with samples */
	bool twice;          /* mappings come twice (twins.h), or switches (scheduler.h) */
	uint64_t tasks;      /* forks and exits read */
	uint64_t discounted; /* lost names that may have been forks and exits, which are in the first ring */
	bool from_start;     /* this source has read everything that was ever in the ring */
	const struct wt_perf_slot *accounts; /* the slot whose time without samples is reported; NULL: none */
	struct wt_perf_unsampled unsampled;
	uint64_t credited; /* next.lost when the lost samples were last counted */
	uint64_t seen;     /* when the ring was last looked at: no record is younger */
	uint32_t sampled,
		of;  /* thread of the sample that was read, until it is taken, and its process; 0: none */
	bool rest;   /* this source reports the rest of all rings */
	struct due { /* events that one record gives */
		uint64_t time, cpu_time, spans;
		uint32_t pid, tid;
	} due;
};

/** Makes the next of the last events of the ring's counters pending (counts_end.c). False: all have been
 * given. */
bool wt_perf_counts_end(struct wt_perf_source *s);

/** Call when a record of a group was taken: the events of windowsperf follow its event (counts_gpc.c). */
void wt_perf_gpc_begin(struct wt_perf_source *s, const struct wt_perf_record *record);
/** Makes the next of these events pending; false: there is none. */
bool wt_perf_gpc_next(struct wt_perf_source *s);

/** Sets the providers whose events the ring holds, for losses that name none. */
void wt_perf_losses_name(struct wt_perf_source *s);
/** Reports that the record at start makes no sense. */
void wt_perf_losses_damage(struct wt_perf_source *s, uint64_t start);
/** Takes a loss record of the kernel, at start. */
void wt_perf_losses_record(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start);
/** Takes a record that sampling was stopped, or resumed. */
void wt_perf_losses_throttle(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start);
/**
 * Reads the kernel's counters when the sideband was nearly full. The kernel reports a loss only with the
 * next record that has room, and until then stale mappings would name other code.
 */
void wt_perf_losses_look(struct wt_perf_source *s);
/** Reports that the CPU was offline before this ring was made. */
void wt_perf_losses_gone(struct wt_perf_source *s);
/**
 * Call when the events have stopped and the ring is empty. Reports losses that no record will report any
 * more, because the kernel writes a loss record only when there is room for another record. False: all is
 * reported.
 */
bool wt_perf_losses_settle(struct wt_perf_source *s);

#endif
