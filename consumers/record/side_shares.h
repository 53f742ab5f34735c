/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Each user's share of the kernel's sideband, in sessions that record processes of many users
 * (tracecore/enable/ENABLE.md section 10).
 *
 * The sideband reports the mappings of processes and the names of threads. All users share its rings, and
 * one process can cause a million such events a second. Root and the session's own user have no share. Of
 * each other user WT_SIDE_RATE events are taken a second for each CPU. Events beyond that are left out,
 * counted as lost with the cause WT_LOSS_SHARE, and reported in diagnostics. Time is the time of the events,
 * so that equal events give equal results. One thread.
 */
#ifndef CONSUMERS_RECORD_SIDE_SHARES_H
#define CONSUMERS_RECORD_SIDE_SHARES_H

#include "consumers/record/user_shares.h"
#include "tracecore/kernel_events.h"

/** Events a second that are taken from one user, for each CPU of the machine. One such event costs the
 * recorder about a microsecond. */
#define WT_SIDE_RATE 10000
/** Seconds of unused share that are saved up, because building large programs comes in bursts. */
#define WT_SIDE_SAVED 2
/** Number of users whose shares all such users together may use up. Beyond it, only a user with at least half
 * of the share saved up is taken, so that a quiet user is recorded however many others there are. */
#define WT_SIDE_USERS 5

enum wt_side_kind { WT_SIDE_NAME, WT_SIDE_MAP, WT_N_SIDE_KINDS };

/** Events that are left, as refilled by a time. */
struct wt_side_bucket {
	uint64_t left;   /**< events times ns in a second */
	uint64_t filled; /**< time of the youngest event */
};

struct wt_side_share {
	struct wt_user_share user;
	struct wt_side_bucket own; /**< of it alone */
	struct wt_side_missing {   /**< not yet reported as lost */
		uint64_t count, from, to;
	} missing[WT_N_SIDE_KINDS];
};

/** Zeroed: nobody has a share, and all events are taken. */
struct wt_side_shares {
	uint64_t rate;                /**< events a second; 0: no shares */
	struct wt_side_bucket common; /**< of all together */
	bool missing;                 /**< some user has events missing */
	struct wt_user_shares users;
};

/** From now on shares count. own: this user and root never have a share. */
void wt_side_shares_begin(struct wt_side_shares *shares, uint32_t n_cpus, uint32_t own);
/** Takes an event of that user's process out of its share. False: the share is used up and the event is left
 * out. `count`: the event is then missing in the log. True when memory is out. */
bool wt_side_shares_take(struct wt_side_shares *shares, uint32_t uid, uint64_t time);
/** Counts an event that was refused. is_missing: the session wanted it in its log. */
void wt_side_shares_leave_out(struct wt_side_shares *shares, uint32_t uid, uint32_t pid,
			      enum wt_side_kind kind, uint64_t time, bool is_missing);
/** Returns the next missing events that are not reported yet, one user and kind at a time; false: none are
 * left. text, of size bytes, receives the string that ret->event points to. */
bool wt_side_shares_next(struct wt_side_shares *shares, struct wt_lost_payload *ret, char *text, size_t size);
/** Names each user with newly left out events: the first time, then each time the number has grown tenfold,
 * and with `last` all. */
void wt_side_shares_tell(struct wt_side_shares *shares, bool last);
void wt_side_shares_deinit(struct wt_side_shares *shares);

#endif
