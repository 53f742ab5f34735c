/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Checks the process and thread that another user's program gives for its events against the kernel's
 * answer.
 *
 * The owner of a ring is the owner of its file, as the kernel reports it. The process and thread in the
 * ring's records are claims. A claim is accepted when the process belongs to that user now, or belonged to
 * that user at the time of the event and has ended since. A claim is rejected when the process belongs or
 * belonged to another user, had ended before the event, or was never seen, or when the thread belongs to
 * another process. In these cases the event gets no process, and the claim is counted for its user. The ids
 * of an ended process count against a claim only where all changes of them were reported since they were
 * read (watched_from), because programs can change their ids. Otherwise the owner is unknown. A program can
 * claim to be any other program of the same user; nothing prevents that. One thread.
 */
#ifndef CONSUMERS_RECORD_CLAIMS_H
#define CONSUMERS_RECORD_CLAIMS_H

#include "consumers/record/tasks.h"
#include "tracecore/event.h"

/** Users whose false claims are counted separately; all further users are counted with the last one. */
#define WT_CLAIMANTS    64
#define WT_CLAIMS_KNOWN 1024

/** Zeroed is valid. */
struct wt_claims {
	bool unseen; /**< processes may begin and end unseen: claims about ended ones are accepted */
	bool late;   /**< the event is so old that a process which ended by then may have been forgotten */
	bool past;   /**< the events are from the past: only processes that were seen count, the kernel is not
			asked */
	bool asked;  /**< the last check asked the kernel, which costs something */
	bool unproved;         /**< the last check failed because the owner of the process is unknown */
	uint64_t watched_from; /**< since then every change of a process's user ids is reported (owners.h);
				  session clock; 0: changes are not reported */
	struct wt_claim {
		uint32_t pid, claimer;
		uint64_t until; /**< session clock; 0: the entry is not valid */
		bool believed, gone;
	} known[WT_CLAIMS_KNOWN];
	struct wt_claimant {
		uint32_t uid;
		uint32_t pid;      /**< the first process that was claimed falsely */
		uint64_t forged;   /**< checks that failed */
		uint64_t unproved; /**< checks that failed because the owner is unknown */
		bool told, told_unproved;
	} claimants[WT_CLAIMANTS];
	uint32_t n_claimants;
};

/** Returns true when the event's process and thread are accepted. Those of events with claimer 0 always
 * are. */
bool wt_claims_check(struct wt_claims *claims, const struct wt_tasks *tasks, const struct wt_event *event);

/** Names in diagnostics each claimant that has not been named yet. */
void wt_claims_tell(struct wt_claimant *list, uint32_t n);

/** Takes the text of /proc/PID/status. Returns true when uid is one of the process's four user ids. */
bool wt_claims_status_has(const char *status, uint32_t uid);

#endif
