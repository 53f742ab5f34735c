/* SPDX-License-Identifier: MIT */
/**
 * @file
 * All rings of one session and one user, feeding a recorder: finds new rings, reports their losses, drops
 * rings that have ended.
 *
 * Losses are exact: a ring counts them per provider and cause from its birth, and each count becomes a
 * `lost` event that names the ring. After a take-over from a dead recorder, the losses that its log reports
 * already are given (reported_losses.h), and only the difference is reported. One thread.
 */
#ifndef CONSUMERS_RINGS_RINGS_H
#define CONSUMERS_RINGS_RINGS_H

#include "consumers/record/recorder.h"
#include "consumers/rings/ring_source.h"
#include "consumers/rings/reported_losses.h"

/** Source ids of rings begin here, far above those of the kernel's rings. */
#define WT_RINGS_SOURCE UINT32_C(0x80000000)

struct wt_rings;

struct wt_rings_config {
	int dir_fd;                  /**< the ring directory; the caller keeps it */
	uid_t owner;                 /**< of its files */
	const char *path;            /**< for messages */
	struct wt_tick_line *line;   /**< borrowed, as all below */
	struct wt_ring_kinds *kinds; /**< of this user's directory */
	struct wt_recorder *rec;
	uint32_t lost_kind; /**< WT_CORE_LOST */
	/** For an untrusted user. The caller measures the cost of looking at the rings, the recorder that of
	 * taking their events. Overflows of the rings while it is spent count as the owner's doing. NULL:
	 * trusted. */
	struct wt_allowance *allowance;
	struct wt_reported_losses *reported; /**< borrowed; NULL: nothing was reported before */
	uint64_t began; /**< of the session, session clock: bounds the losses that are possible since */
};

int wt_rings_create(const struct wt_rings_config *config, struct wt_rings **ret, struct wt_err *err);

/** Adds a source to the recorder for every new ring. Cheap when there are none. */
int wt_rings_look(struct wt_rings *rings, struct wt_err *err);
/** For programs that may not allocate memory or make system calls: makes rings for all CPUs that all programs
 * may use, in this process's memory, and prepares their first blocks. is_bound says which processes these
 * are. */
void wt_rings_ready(struct wt_rings *rings, const struct wt_ring_spec *spec, uint32_t n_cpus,
		    bool (*is_bound)(void *ctx, uint32_t pid), void *ctx);
/** Readable when a ring appears; -1: look at intervals. */
int wt_rings_fd(const struct wt_rings *rings);
/** True when the last wt_rings_look found the descriptor readable. */
bool wt_rings_heard(const struct wt_rings *rings);

/** Reports n lost events of a provider that no ring has counted. */
int wt_rings_miss(struct wt_rings *rings, uint32_t provider, uint64_t n, struct wt_err *err);
/** All providers were asked: losses found later happened after this. */
void wt_rings_looked_for_missed(struct wt_rings *rings);
/** Injects a lost event for every new loss. */
int wt_rings_tell(struct wt_rings *rings, struct wt_err *err);
/** Drops the rings of processes that have ended. They must be drained, reported and flushed: call this right
 * after a successful flush that left nothing pending. */
int wt_rings_drop_ended(struct wt_rings *rings, struct wt_err *err);

/** Figures of all rings together, for status. Bytes; used: not yet free for writers; in force: usable by
 * writers without growing. */
struct wt_rings_sum {
	uint32_t n_rings, n_lanes;
	uint64_t used, in_force, cap, written;
	uint64_t most_used;  /**< of the fullest ring: used per cap, in thousandths */
	uint64_t most_grown; /**< of the ring that filled fastest: bytes written between two rounds per cap,
				thousandths */
	uint64_t damaged;    /**< places and records skipped */
	uint64_t lost;       /**< events, as reported so far by this recorder */
};
/** Number of rings and lanes that are read. */
uint32_t wt_rings_n(const struct wt_rings *rings);
/** Sums the rings as of the last refresh of each. With an allowance: as of the last wt_rings_tell, and no
 * ring counts as full while the allowance is spent. */
void wt_rings_sum(const struct wt_rings *rings, struct wt_rings_sum *ret);

/** The recorder and with it the sources are about to be destroyed: their figures are summed up for later. */
void wt_rings_part(struct wt_rings *rings);

/** Ends all writing: see wt_ring_directory_close_rings. Then a last round drains them. */
int wt_rings_close(struct wt_rings *rings, int wait_ms, struct wt_err *err);
/** At the end of rings with an allowance: reports losses although it is spent, and the number of rings not
 * read to their end as a loss of that cause. */
int wt_rings_tell_rest(struct wt_rings *rings, struct wt_err *err);
/** Removes the ring files. */
int wt_rings_unlink(struct wt_rings *rings, struct wt_err *err);
/** The sources belong to the recorder: destroy the recorder first. NULL is allowed. */
void wt_rings_destroy(struct wt_rings *rings);

#endif
