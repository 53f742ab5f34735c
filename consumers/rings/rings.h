/* SPDX-License-Identifier: MIT */
/**
 * @file
 * All rings of one session and one user, feeding a recorder: finds rings that appear, tells of what they
 * lost, drops those that ended.
 *
 * Losses are exact: a ring counts them per provider and cause from its birth, and each count becomes a `lost`
 * event that names the ring. Who takes over from a dead recorder says what its log tells already
 * (wt_rings_told), and only the difference is told again. One thread.
 */
#ifndef CONSUMERS_RINGS_RINGS_H
#define CONSUMERS_RINGS_RINGS_H

#include "consumers/recorder.h"
#include "consumers/rings/ring_source.h"

/** Source ids of rings begin here; those of the kernel's are far below. */
#define WT_RINGS_SOURCE UINT32_C(0x80000000)

struct wt_rings;

struct wt_rings_config {
	int dir_fd;                  /**< the ring folder; stays the caller's */
	uid_t owner;                 /**< of its files */
	const char *path;            /**< for messages */
	struct wt_tick_line *line;   /**< borrowed, as all below */
	struct wt_ring_kinds *kinds; /**< of this user's folder */
	struct wt_recorder *rec;
	uint32_t lost_kind; /**< WT_CORE_LOST */
};

int wt_rings_create(const struct wt_rings_config *config, struct wt_rings **ret, struct wt_err *err);

/** Adds a source to the recorder for every ring that appeared. Cheap when none did. */
int wt_rings_look(struct wt_rings *rings, struct wt_err *err);
/** Readable when a ring appears; -1: look by time. */
int wt_rings_fd(const struct wt_rings *rings);

/** A loss of that ring (source id) an earlier recorder has told of already. provider as in the lost event. */
int wt_rings_told(struct wt_rings *rings, uint32_t ring, struct wt_str provider, uint8_t cause,
		  uint64_t count, struct wt_err *err);
/** Injects a lost event for everything newly lost. */
int wt_rings_tell(struct wt_rings *rings, struct wt_err *err);
/** Drops the rings of processes that are gone. They must be drained, told of and flushed: call it right after
 * a successful flush that left nothing pending. */
int wt_rings_drop_ended(struct wt_rings *rings, struct wt_err *err);

/** What all rings together hold, for status. Bytes; used is what writers may not overwrite, memory in force
 * is what writers may use without growing.
 */
struct wt_rings_sum {
	uint32_t n_rings, n_lanes;
	uint64_t used, in_force, cap, written;
	uint64_t most_used;  /**< of the fullest ring: used per cap, in thousandths */
	uint64_t most_grown; /**< of the ring that filled fastest: written between two rounds per cap,
				thousandths */
	uint64_t damaged;    /**< places and records skipped */
	uint64_t lost;       /**< events, as told so far by this recorder */
};
/** As of the last refresh of each ring. */
void wt_rings_sum(const struct wt_rings *rings, struct wt_rings_sum *ret);

/** The recorder, and with it the sources, is about to be destroyed: what they hold is summed up for later. */
void wt_rings_part(struct wt_rings *rings);

/** Ends all writing: see wt_ring_folder_close_rings. Then a last round drains them. */
int wt_rings_close(struct wt_rings *rings, int wait_ms, struct wt_err *err);
/** Removes the ring files. */
int wt_rings_unlink(struct wt_rings *rings, struct wt_err *err);
/** The sources belong to the recorder: destroy that first. NULL is allowed. */
void wt_rings_destroy(struct wt_rings *rings);

#endif
