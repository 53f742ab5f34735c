/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Pairs beginnings with ends into regions, in one pass over events sorted by time.
 *
 * A region has an owner: an activity, a thread, or a key (the values of fields). An end closes the region
 * of its class and owner that began last. In an activity that is the last region on the end's own thread
 * or, if that thread has none, the last one on any thread. All open regions of the class in the activity
 * are in doubt when another thread closes one of several, or when another process closes one: that process
 * may only be a child with its parent's activity. Two errors leave no trace. If a beginning came before the
 * first event, its end may close another thread's region. If a region ends without an event (a jump out of
 * it), the regions around it end too late. Memory is that of the open regions. Regions that do not nest are
 * kept and marked:
 *
 *   unfinished   no end came, or (exclusive owners) the next beginning came before it
 *   unbegun      an end without a beginning
 *   overlapping  a region inside of it was still open when it ended, or never ended; or the one around it
 *                ended first
 *
 * Nesting is by thread and activity. The region around a new one is the last one opened on its thread,
 * unless that belongs to another activity. If there is none, or only an older one without an activity, it
 * is the last one of another class that was opened in the new region's activity. Regions by key nest in
 * nothing. Self time is the time in which no region directly inside was open. Single-threaded.
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

/** The form in which a region is handed to the caller. */
struct wt_region {
	uint32_t class, group, name; /**< of its beginning; of its end when it is unbegun */
	uint32_t around;             /**< name of the region around it; WT_REGION_NONE: none */
	uint32_t around_class;
	uint64_t around_since; /**< when that began */
	enum wt_region_state state;
	bool overlapping, doubtful;
	bool crossed;                     /**< another thread ended it, by its activity */
	bool around_doubtful;             /**< to be set by the receiver */
	struct wt_region_side begin, end; /**< begin not of an unbegun one, end only of a whole one */
	uint64_t self;                    /**< ns; of a whole one */
	uint64_t until;          /**< from then on an unfinished one is not open; UINT64_MAX: not known */
	const uint8_t *activity; /**< NULL: none */
	const void *payload;     /**< as given with its beginning */
	size_t payload_len;
};

#define WT_REGION_NONE UINT32_MAX

/** Who owns a region. */
enum wt_region_owner {
	WT_OWNER_WORK,   /**< the activity, or without one the thread */
	WT_OWNER_THREAD, /**< the thread */
	WT_OWNER_CALL,   /**< the thread, which is in at most one of a group: a new one ends the last */
	WT_OWNER_KEY,    /**< the key: a new one with an equal key ends the previous one */
};

/** A beginning or an end. */
struct wt_region_event {
	struct wt_region_side side;
	const uint8_t *activity; /**< WT_ACTIVITY_ID bytes, NULL: none */
	enum wt_region_owner owner;
	uint32_t class; /**< ends close beginnings of the same class */
	uint32_t group; /**< an end that is loose closes the last beginning of its group, of any class */
	uint32_t name;  /**< for `around`; with WT_OWNER_CALL an end must have the same name */
	const uint32_t *or_name; /**< of an end: its beginning may have this name too; NULL: no other */
	bool loose;
	bool doubtful; /**< the order of this event and others is not known */
	const void *key;
	size_t key_len; /**< of WT_OWNER_KEY */
};

struct wt_pairing_list;
struct wt_pairing_open;

/** Zeroed with fn and ctx set is one without regions. */
struct wt_pairing {
	/** Takes a region, which is valid during the call only. A result other than 0 is an error and is
	 * handed on. */
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
/** Closes a region, or delivers an unbegun one. */
int wt_pairing_end(struct wt_pairing *pairing, const struct wt_region_event *event, struct wt_err *err);
/** Whether an end would close a region that began before that time. */
bool wt_pairing_closes(const struct wt_pairing *pairing, const struct wt_region_event *event,
		       uint64_t before);
/** Delivers all regions that are still open as unfinished, in the order in which they began. */
int wt_pairing_finish(struct wt_pairing *pairing, struct wt_err *err);
void wt_pairing_deinit(struct wt_pairing *pairing);

#endif
