/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How much of the kernel's sideband each user's processes may fill, in sessions that hear processes of many
 * (tracecore/enable/ENABLE.md section 10).
 *
 * The sideband tells what processes map and what their threads are called; its rings are everybody's, and a
 * process can make the kernel tell a million such things a second. Root and the session's own user have no
 * share. Of each other user so many are taken a second as WT_SIDE_RATE says, for each CPU; what is beyond
 * that is left out, counted as lost with the cause WT_LOSS_SHARE, and reported in diagnostics. Time is that
 * of the events, so that the same events give the same answer. One thread.
 */
#ifndef CONSUMERS_RECORD_SIDE_SHARES_H
#define CONSUMERS_RECORD_SIDE_SHARES_H

#include "consumers/record/user_shares.h"
#include "tracecore/kernel_events.h"

/** Events a second that are taken of one user, for each CPU of the machine. Taking one costs the recorder
 * about a microsecond. */
#define WT_SIDE_RATE 10000
/** Seconds of that which are saved up: building large programs comes in bursts. */
#define WT_SIDE_SAVED 2
/** Users whose shares all others together may use up. Beyond it only who has half of theirs saved up is
 * heard: however many there are, a quiet one is. */
#define WT_SIDE_USERS 5

enum wt_side_kind { WT_SIDE_NAME, WT_SIDE_MAP, WT_N_SIDE_KINDS };

/** Events that are left, and came back by a time. */
struct wt_side_bucket {
	uint64_t left;   /**< events, times a second in ns */
	uint64_t filled; /**< time of the youngest event */
};

struct wt_side_share {
	struct wt_user_share user;
	struct wt_side_bucket own; /**< of it alone */
	struct wt_side_missing {   /**< not yet reported as lost */
		uint64_t count, from, to;
	} missing[WT_N_SIDE_KINDS];
};

/** Zeroed: nobody has a share, all are taken. */
struct wt_side_shares {
	uint64_t rate;                /**< events a second; 0: no shares */
	struct wt_side_bucket common; /**< of all together */
	bool missing;                 /**< of somebody something is */
	struct wt_user_shares users;
};

/** From now on shares count. own: never has one, nor has root. */
void wt_side_shares_begin(struct wt_side_shares *shares, uint32_t n_cpus, uint32_t own);
/** Takes an event of that user's process out of its share; false: there is none left, the event is left out.
 * `count`: it is missing in the log then. True when memory is out. */
bool wt_side_shares_take(struct wt_side_shares *shares, uint32_t uid, uint64_t time);
/** An event that was refused. is_missing: the session wanted it in its log. */
void wt_side_shares_leave_out(struct wt_side_shares *shares, uint32_t uid, uint32_t pid,
			      enum wt_side_kind kind, uint64_t time, bool is_missing);
/** What is missing and not reported yet, one user and kind at a time; false: no more. text, of size bytes:
 * what ret->event points to. */
bool wt_side_shares_next(struct wt_side_shares *shares, struct wt_lost_payload *ret, char *text, size_t size);
/** Names whoever had something left out that was not named yet: at first, whenever it is ten times as much,
 * and with `last` all there is. */
void wt_side_shares_tell(struct wt_side_shares *shares, bool last);
void wt_side_shares_deinit(struct wt_side_shares *shares);

#endif
