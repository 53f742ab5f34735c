/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A source of events in time order: a perf ring, a rundown, a ring of programs. Providers give sources to
 * consumers.
 *
 * A consumer merges many sources by time. It looks at the head of each source (peek) and takes the earliest
 * event (pop). When the batch is safely in the log, it allows the source to overwrite the bytes (release).
 * Between pop and release the event's bytes stay in the ring, so nothing is lost when a recorder dies in
 * between: the next recorder seeks each source to the position in the log's last checkpoint.
 *
 * One thread uses a source.
 */
#ifndef TRACECORE_SOURCE_H
#define TRACECORE_SOURCE_H

#include "tracecore/base/allowance.h"
#include "tracecore/event.h"

struct wt_source;

/** The most events of one run. */
#define WT_RUN_MAX 128

/** An event of a run: no stack, ids or flags. */
struct wt_run_event {
	uint64_t time;
	const uint8_t *payload;
	uint32_t payload_len;
	uint32_t kind;
	uint32_t pid, tid;
};

/** Consecutive events of one CPU, for consumers that take many at once. */
struct wt_run {
	struct wt_run_event *events; /**< owned by the source; valid until the next call to the source */
	uint32_t n;                  /**< at most WT_RUN_MAX */
	uint32_t cpu;
	uint32_t claimer; /**< as in struct wt_event */
};

/** The most events of one strip. */
#define WT_STRIP_MAX 512

/** Consecutive events of one CPU that differ in time and payload only: no stack, ids or flags; one kind,
 * thread and size. Owned by the source; valid until the next call to the source. */
struct wt_strip {
	const uint64_t *times;  /**< n times, in order; equal times are possible */
	const uint8_t *payload; /**< of the first event; the payload of each next event lies `stride` bytes
				 * further */
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
	/** Looks for new bytes (one acquire load of the ring's head). peek never goes past the bytes that
	 * refresh saw. */
	void (*refresh)(struct wt_source *source);
	/** 0: *ret is the next event; repeated calls give the same event until pop. 1: the last refresh saw
	 * no further event. Damaged bytes are skipped, counted, and reported by an event of the `wtrace`
	 * provider; they never end the source. */
	int (*peek)(struct wt_source *source, struct wt_event *ret);
	/** Moves past the event that peek gave. */
	void (*pop)(struct wt_source *source);
	/** Optional (NULL). Gives the event that peek gave and the events after it that are earlier than
	 * `before` and plain enough for a run, in rising time. Gives none when the first event is not. The
	 * source's position does not change. */
	void (*run)(struct wt_source *source, uint64_t before, struct wt_run *ret);
	/** Moves past the first n events of the last run; n is not 0. */
	void (*pop_run)(struct wt_source *source, uint32_t n);
	/** Optional (NULL; a source that has it also has run). As run, for events that are alike; gives
	 * none when they are too few. */
	void (*strip)(struct wt_source *source, uint64_t before, struct wt_strip *ret);
	/** Moves past the first n events of the last strip; n is not 0. */
	void (*pop_strip)(struct wt_source *source, uint32_t n);
	/** The position after the last popped event. A checkpoint stores it. */
	uint64_t (*position)(const struct wt_source *source);
	/** Goes to a position that a checkpoint stored; only before the first refresh. -1: that position is
	 * no longer in the ring. */
	int (*seek)(struct wt_source *source, uint64_t position);
	/** Allows the source to overwrite everything before position(). */
	void (*release)(struct wt_source *source);
	/** Optional (NULL). How much of the ring is filled with bytes that have not been released,
	 * thousandths. */
	uint32_t (*fill)(const struct wt_source *source);
	/** Optional (NULL). Moves the ring's content to another memory, so that the ring has room. The
	 * content is as safe there and keeps its positions; the memory is bounded. True when the ring has
	 * more room now; the event that peek gave is then invalid: refresh. */
	bool (*hold)(struct wt_source *source);
	void (*destroy)(struct wt_source *source);
};

/** Embedded as the first member of each implementation. */
struct wt_source {
	const struct wt_source_ops *ops;
	struct wt_allowance *allowance; /**< borrowed; NULL: the writer is trusted */
	uint64_t effort;  /**< written by the source: work that gave no event, in units, since it was last
			   * set to 0 */
	uint32_t id;      /**< identifies the source in checkpoints: stable across a take-over, unique in the
			   * session */
	const char *name; /**< for diagnostics: "samples cpu 3"; owned by the source */
};

#endif
