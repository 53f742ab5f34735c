/* SPDX-License-Identifier: MIT */
/**
 * @file
 * All rings of one session and one user, feeding a recorder: finds rings that appear, tells of what they
 * lost, drops those that ended.
 *
 * Losses are exact: a ring counts them per provider and cause from its birth, and each count becomes a `lost`
 * event that names the ring. Who takes over from a dead recorder says what its log tells already
 * (reported_losses.h), and only the difference is reported again. One thread.
 */
#ifndef CONSUMERS_RINGS_RINGS_H
#define CONSUMERS_RINGS_RINGS_H

#include "consumers/record/recorder.h"
#include "consumers/rings/ring_source.h"
#include "consumers/rings/reported_losses.h"

/** Source ids of rings begin here; those of the kernel's are far below. */
#define WT_RINGS_SOURCE UINT32_C(0x80000000)

struct wt_rings;

struct wt_rings_config {
	int dir_fd;                  /**< the ring directory; stays the caller's */
	uid_t owner;                 /**< of its files */
	const char *path;            /**< for messages */
	struct wt_tick_line *line;   /**< borrowed, as all below */
	struct wt_ring_kinds *kinds; /**< of this user's directory */
	struct wt_recorder *rec;
	uint32_t lost_kind; /**< WT_CORE_LOST */
	/** Of a user who is not trusted: what looking at the rings costs is the caller's to measure, what
	 * taking their events costs the recorder's. Rings that overflow while it is spent lost by its owner's
	 * doing. NULL: trusted. */
	struct wt_allowance *allowance;
	struct wt_reported_losses *reported; /**< borrowed; NULL: nothing was reported before */
	uint64_t began; /**< of the session, session clock: what can have been lost since is bounded */
};

int wt_rings_create(const struct wt_rings_config *config, struct wt_rings **ret, struct wt_err *err);

/** Adds a source to the recorder for every ring that appeared. Cheap when none did. */
int wt_rings_look(struct wt_rings *rings, struct wt_err *err);
/** For programs that may not take memory, or make no call: rings for all CPUs that everybody may use, made in
 * this process's memory, and the first blocks of theirs. is_bound says whose rings are meant. */
void wt_rings_ready(struct wt_rings *rings, const struct wt_ring_spec *spec, uint32_t n_cpus,
		    bool (*is_bound)(void *ctx, uint32_t pid), void *ctx);
/** Readable when a ring appears; -1: look by time. */
int wt_rings_fd(const struct wt_rings *rings);
/** The last wt_rings_look found it readable. */
bool wt_rings_heard(const struct wt_rings *rings);

/** n events of a provider were lost that no ring has counted: they become a lost event. */
int wt_rings_miss(struct wt_rings *rings, uint32_t provider, uint64_t n, struct wt_err *err);
/** All providers were asked: what is missed from now on was missed since. */
void wt_rings_looked_for_missed(struct wt_rings *rings);
/** Injects a lost event for everything newly lost. */
int wt_rings_tell(struct wt_rings *rings, struct wt_err *err);
/** Drops the rings of processes that are gone. They must be drained, reported and flushed: call it right
 * after a successful flush that left nothing pending. */
int wt_rings_drop_ended(struct wt_rings *rings, struct wt_err *err);

/** What all rings together hold, for status. Bytes; used is what writers may not reuse yet, memory in force
 * is what writers may use without growing.
 */
struct wt_rings_sum {
	uint32_t n_rings, n_lanes;
	uint64_t used, in_force, cap, written;
	uint64_t most_used;  /**< of the fullest ring: used per cap, in thousandths */
	uint64_t most_grown; /**< of the ring that filled fastest: written between two rounds per cap,
				thousandths */
	uint64_t damaged;    /**< places and records skipped */
	uint64_t lost;       /**< events, as reported so far by this recorder */
};
/** Rings and lanes that are read. */
uint32_t wt_rings_n(const struct wt_rings *rings);
/** As of the last refresh of each ring; with an allowance as of the last wt_rings_tell, and then nothing is
 * full while it is spent. */
void wt_rings_sum(const struct wt_rings *rings, struct wt_rings_sum *ret);

/** The recorder, and with it the sources, is about to be destroyed: what they hold is summed up for later. */
void wt_rings_part(struct wt_rings *rings);

/** Ends all writing: see wt_ring_directory_close_rings. Then a last round drains them. */
int wt_rings_close(struct wt_rings *rings, int wait_ms, struct wt_err *err);
/** At the end of one with an allowance: tells of what was lost although it is spent, and how many rings were
 * not read to their end, as a loss of that cause. */
int wt_rings_tell_rest(struct wt_rings *rings, struct wt_err *err);
/** Removes the ring files. */
int wt_rings_unlink(struct wt_rings *rings, struct wt_err *err);
/** The sources belong to the recorder: destroy that first. NULL is allowed. */
void wt_rings_destroy(struct wt_rings *rings);

#endif
