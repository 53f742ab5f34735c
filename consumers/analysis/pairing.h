/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Pairs beginnings with ends into regions, in one pass over events in the order of time.
 *
 * A region has an owner: an activity, a thread, or a key (the values of fields). An end closes the region of
 * its class and owner that began last: of an activity, the last one on the end's own thread, and where that
 * has none, the last one on any. All regions of the class that are open in the activity are in doubt when one
 * is closed by another thread while there are several, or by another process, which may only be a child that
 * has its parent's activity. A beginning that came before the first event may make an end close another
 * thread's region, and regions that end without an event (a jump out of them) make the ones around them end
 * too late: nothing tells. Memory is that of the open regions. What does not nest is kept and marked:
 *
 *   unfinished   no end came, or (exclusive owners) the next beginning came before it
 *   unbegun      an end without a beginning
 *   overlapping  a region inside of it was still open when it ended, or never ended; or the one around it
 *                ended first
 *
 * Nesting is by thread and activity: the region around a new one is the one that was opened last on the same
 * thread, unless it is another activity's; where there is none, or one without an activity that is older, the
 * one of another class that was opened last in the same activity. Regions by key nest in nothing. Self time
 * is the time in which no region directly inside was open. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_PAIRING_H
#define CONSUMERS_ANALYSIS_PAIRING_H

#include "tracecore/base/err.h"
#include "tracecore/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One side of a region. */
struct wt_region_side {
	uint64_t time; /**< ns */
	uint32_t cpu;
	uint32_t thread; /**< in numbers of the caller's choice */
	uint32_t tid;
	uint32_t process; /**< in numbers of the caller's choice */
};

enum wt_region_state { WT_REGION_WHOLE, WT_REGION_UNFINISHED, WT_REGION_UNBEGUN };

/** What a region is given out as. */
struct wt_region {
	uint32_t class, group, name; /**< of its beginning; of its end when it is unbegun */
	uint32_t around;             /**< name of the region around it; WT_REGION_NONE: none */
	uint32_t around_class;
	uint64_t around_since; /**< when that began */
	enum wt_region_state state;
	bool overlapping, doubtful;
	bool crossed;                     /**< another thread ended it, by its activity */
	bool around_doubtful;             /**< to be set by who takes it */
	struct wt_region_side begin, end; /**< begin not of an unbegun one, end only of a whole one */
	uint64_t self;                    /**< ns; of a whole one */
	uint64_t until;          /**< an unfinished one is not open any more then; UINT64_MAX: not known */
	const uint8_t *activity; /**< NULL: none */
	const void *payload;     /**< as given with its beginning */
	size_t payload_len;
};

#define WT_REGION_NONE UINT32_MAX

/** Who owns a region. */
enum wt_region_owner {
	WT_OWNER_WORK,   /**< the activity, or without one the thread */
	WT_OWNER_THREAD, /**< the thread */
	WT_OWNER_CALL,   /**< the thread, which is in at most one of a group: a new one ends the one before */
	WT_OWNER_KEY,    /**< the key: a new one with the same key ends the one before */
};

/** A beginning or an end. */
struct wt_region_event {
	struct wt_region_side side;
	const uint8_t *activity; /**< WT_ACTIVITY_ID bytes, NULL: none */
	enum wt_region_owner owner;
	uint32_t class; /**< ends close beginnings of the same class */
	uint32_t group; /**< a loose end closes the last beginning of the same group, whatever its class */
	uint32_t name;  /**< for `around`; of WT_OWNER_CALL also what an end must have in common */
	bool loose;
	bool doubtful; /**< the order of this event and others is not known */
	const void *key;
	size_t key_len; /**< of WT_OWNER_KEY */
};

struct wt_pairing_list;
struct wt_pairing_open;

/** Zeroed with fn and ctx set is one without regions. */
struct wt_pairing {
	/** Takes a region; it is gone afterwards. Not 0: an error, which is handed on. */
	int (*fn)(void *ctx, const struct wt_region *region, struct wt_err *err);
	void *ctx;

	uint64_t open; /**< regions open now */
	uint64_t most; /**< the most there were at one time */

	/* working state */
	struct wt_pairing_list **buckets;
	uint32_t mask; /**< of buckets; they are mask + 1 */
	uint32_t n_lists;
	struct wt_pairing_open *first, *last; /**< open ones in the order they began */
};

/** Opens a region; copies the payload. */
int wt_pairing_begin(struct wt_pairing *pairing, const struct wt_region_event *event, const void *payload,
		     size_t len, struct wt_err *err);
/** Closes one, or gives an unbegun one out. */
int wt_pairing_end(struct wt_pairing *pairing, const struct wt_region_event *event, struct wt_err *err);
/** Whether an end would close a region that began before that time. */
bool wt_pairing_closes(const struct wt_pairing *pairing, const struct wt_region_event *event,
		       uint64_t before);
/** Gives all that are still open out as unfinished, in the order in which they began. */
int wt_pairing_finish(struct wt_pairing *pairing, struct wt_err *err);
void wt_pairing_deinit(struct wt_pairing *pairing);

#endif
