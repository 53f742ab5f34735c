/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A source of events in time order: a perf ring, a rundown, later a wtrace ring. What providers give
 * consumers.
 *
 * A consumer merges many sources by time: it looks at the head of each (peek), takes the earliest (pop), and
 * only when the batch is safely in the log tells the source that the bytes may be overwritten (release).
 * Between pop and release the event's bytes stay in the ring, so a recorder that dies in between loses
 * nothing: whoever takes over seeks each source to the position the log's last checkpoint gives.
 *
 * Sources are used by one thread.
 */
#ifndef TRACECORE_SOURCE_H
#define TRACECORE_SOURCE_H

#include "tracecore/base/allowance.h"
#include "tracecore/event.h"

struct wt_source;

/** The most events of one run. */
#define WT_RUN_MAX 128

/** An event of a run: without stack, ids and flags. */
struct wt_run_event {
	uint64_t time;
	const uint8_t *payload;
	uint32_t payload_len;
	uint32_t kind;
	uint32_t pid, tid;
};

/** Events that come one behind the other from one CPU, for consumers that take many at once. */
struct wt_run {
	struct wt_run_event *events; /**< owned by the source; valid until it is asked for anything else */
	uint32_t n;                  /**< at most WT_RUN_MAX */
	uint32_t cpu;
	uint32_t claimer; /**< as in struct wt_event */
};

/** The most events of one strip. */
#define WT_STRIP_MAX 512

/** Events that come one behind the other from one CPU and differ in time and payload only: without stack, ids
 * and flags, of one kind, thread and size. Owned by the source; valid until it is asked for anything else. */
struct wt_strip {
	const uint64_t *times;  /**< n of them, which do not fall */
	const uint8_t *payload; /**< of the first event; that of the next one lies `stride` bytes behind */
	uint32_t stride;
	uint32_t payload_len;
	uint32_t n; /**< at most WT_STRIP_MAX */
	uint32_t kind, cpu, pid, tid;
	uint32_t claimer; /**< as in struct wt_event */
};

/** Leaves out the first n events. */
static inline void wt_strip_skip(struct wt_strip *strip, uint32_t n)
{
	strip->times += n;
	strip->payload += (size_t)strip->stride * n;
	strip->n -= n;
}

struct wt_source_ops {
	/** Looks for new bytes (one acquire load of the ring's head); peek never goes beyond what refresh
	 * saw. */
	void (*refresh)(struct wt_source *source);
	/** 0: *ret is the next event, the same one until pop. 1: nothing more in what refresh saw. Damaged
	 * bytes are skipped, counted, and reported by an event of the `wtrace` provider; they never end the
	 * source. */
	int (*peek)(struct wt_source *source, struct wt_event *ret);
	/** Moves behind the event peek gave. */
	void (*pop)(struct wt_source *source);
	/** Optional (NULL). The event peek gave and those behind it that are earlier than `before` and plain
	 * enough for a run, in rising time; none when that event is not. The source stands where it stood. */
	void (*run)(struct wt_source *source, uint64_t before, struct wt_run *ret);
	/** Moves behind the first n events of the run just given; n is not 0. */
	void (*pop_run)(struct wt_source *source, uint32_t n);
	/** Optional (NULL; else there is run too). As run, for events alike; none when they are too few to be
	 * worth it. */
	void (*strip)(struct wt_source *source, uint64_t before, struct wt_strip *ret);
	/** Moves behind the first n events of the strip just given; n is not 0. */
	void (*pop_strip)(struct wt_source *source, uint32_t n);
	/** Position behind the last popped event: what a checkpoint stores. */
	uint64_t (*position)(const struct wt_source *source);
	/** Goes to a position a checkpoint stored; only before the first refresh. -1: not in the ring any
	 * more. */
	int (*seek)(struct wt_source *source, uint64_t position);
	/** Everything before position() may be overwritten. */
	void (*release)(struct wt_source *source);
	/** Optional (NULL). How full the ring is with bytes that have not been released, thousandths. */
	uint32_t (*fill)(const struct wt_source *source);
	/** Optional (NULL). Keeps what is in the ring elsewhere, so that the ring has room: as safely, at the
	 * same positions, within bounds. True when it has more now; what peek gave is then void: refresh. */
	bool (*hold)(struct wt_source *source);
	void (*destroy)(struct wt_source *source);
};

/** Embedded as the first member of each implementation. */
struct wt_source {
	const struct wt_source_ops *ops;
	struct wt_allowance *allowance; /**< borrowed; NULL: who writes is trusted */
	uint64_t effort; /**< the source's: work that gave no event, in units, since this was last set to 0 */
	uint32_t id; /**< names the source in checkpoints: stable across a take-over, unique in the session */
	const char *name; /**< for diagnostics: "samples cpu 3"; owned by the source */
};

#endif
