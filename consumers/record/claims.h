/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whose events are: what another user's program says of itself, against what the kernel says.
 *
 * A ring belongs to the user the kernel gives as its file's owner; process and thread in its records are
 * claims. A claim is believed when that process is one of that user now, or was one at the time and has gone
 * since. It is not believed when the process is or was somebody else's, had ended before, was never seen, or
 * when the thread is another process's: then the event has no process, and the claim is counted for its user.
 * Against a process that has gone its ids speak only where all changes of them were reported since they were
 * read (watched_from): programs take other ids. Else nobody knows whose it was.
 * Within one user every program can speak for every other: that is as good as it gets. One thread.
 */
#ifndef CONSUMERS_RECORD_CLAIMS_H
#define CONSUMERS_RECORD_CLAIMS_H

#include "consumers/record/tasks.h"
#include "tracecore/event.h"

/** Users whose false claims are counted one by one; the rest is counted with the last. */
#define WT_CLAIMANTS    64
#define WT_CLAIMS_KNOWN 1024

/** Zeroed is valid. */
struct wt_claims {
	bool unseen;   /**< processes may live and end without being seen: one that is gone is believed */
	bool late;     /**< the event is so old that who ended then may have been forgotten */
	bool past;     /**< the events are of a time gone by: what counts is what was seen, the kernel is not
			  asked */
	bool asked;    /**< the last check asked the kernel, which costs something */
	bool unproved; /**< the last check failed because nobody knows whose the process was */
	uint64_t watched_from; /**< since then every process that takes other user ids is reported (owners.h);
				  session clock; 0: it is not */
	struct wt_claim {
		uint32_t pid, claimer;
		uint64_t until; /**< session clock; 0: void */
		bool believed, gone;
	} known[WT_CLAIMS_KNOWN];
	struct wt_claimant {
		uint32_t uid;
		uint32_t pid;      /**< the first that was claimed */
		uint64_t forged;   /**< checks that failed */
		uint64_t unproved; /**< checks that failed because nobody knows */
		bool told, told_unproved;
	} claimants[WT_CLAIMANTS];
	uint32_t n_claimants;
};

/** True when the event's process and thread may be believed. Events whose claimer is 0 always are. */
bool wt_claims_check(struct wt_claims *claims, const struct wt_tasks *tasks, const struct wt_event *event);

/** Names the claimants that were not named yet, each once, in diagnostics. */
void wt_claims_tell(struct wt_claimant *list, uint32_t n);

/** The text of /proc/PID/status: true when uid is one of the process's four. */
bool wt_claims_status_has(const char *status, uint32_t uid);

#endif
