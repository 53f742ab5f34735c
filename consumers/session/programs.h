/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The programs' side of a session: rules published in the users' directories, providers that register, rings.
 *
 * A session of root reaches the programs of all users, one directory each; others have their own directory.
 * Life: open (by the command, under the session's lock: takes a slot in each directory) -> begin (in the
 * worker: providers and rings there are) -> arm (publishes the rules) -> round, tell, drop while it runs ->
 * end (takes the rules back, closes the rings) -> a last drain -> remove. A worker that takes over adopts
 * instead of open, begin and arm: rules and rings are where the dead one left them. One thread.
 */
#ifndef CONSUMERS_SESSION_PROGRAMS_H
#define CONSUMERS_SESSION_PROGRAMS_H

#include "consumers/rings/rings.h"
#include "consumers/session/session.h"
#include "consumers/session/program_rule.h"

struct wt_programs;

/** Takes a slot for the session in every directory there is. The rules are the spec's (which keeps them). */
int wt_programs_open(struct wt_session *session, struct wt_programs **ret, struct wt_err *err);
/** Goes on with what an earlier worker published; *ret is NULL when there was nothing. What this process
 * inherited as session->user is taken over and destroyed: ret may be &session->user. */
int wt_programs_adopt(struct wt_session *session, struct wt_programs **ret, struct wt_err *err);

/** Finds providers and rings there are, feeding rec from now on. */
int wt_programs_begin(struct wt_programs *programs, struct wt_recorder *rec, struct wt_err *err);
/** Publishes the rules; from here on programs write. */
int wt_programs_arm(struct wt_programs *programs, struct wt_err *err);
/** Copies the programs' state records into the recorder. */
int wt_programs_copy_state(struct wt_programs *programs, struct wt_err *err);

/** Before a round of the recorder: new rings and, once in a while, new providers and directories. */
int wt_programs_look(struct wt_programs *programs, struct wt_err *err);
/** Behind it: losses become events; *flush is set when writers need room soon. */
int wt_programs_settle(struct wt_programs *programs, bool *flush, struct wt_err *err);
/** At the end, behind the last settle: what other users' shares were not enough for becomes a loss. */
int wt_programs_tell_rest(struct wt_programs *programs, struct wt_err *err);
/** After a flush that left nothing: rings of dead processes go. */
int wt_programs_drop_ended(struct wt_programs *programs, struct wt_err *err);
/** For poll: fills at most cap descriptors, returns how many; and how long it may sleep, ms. */
size_t wt_programs_poll_fds(const struct wt_programs *programs, int *fds, size_t cap);
int wt_programs_timeout(const struct wt_programs *programs);

/** Adds rules, replacing those of the same provider; or takes a provider's away (its name). Publishes. */
int wt_programs_enable(struct wt_programs *programs, const struct wt_program_rule *rules, size_t n,
		       struct wt_err *err);
int wt_programs_disable(struct wt_programs *programs, const char *provider, struct wt_err *err);
size_t wt_programs_rules(const struct wt_programs *programs, const struct wt_program_rule **ret);

/** The session is about to end: users whose programs came since the last look are taken in. */
void wt_programs_last(struct wt_programs *programs);
/** Takes the rules back and closes the rings, waiting a bounded time for writers. Nothing is written after
 * it. */
int wt_programs_end(struct wt_programs *programs, struct wt_err *err);
/** The recorder is about to be destroyed; what status tells of the rings stays. */
void wt_programs_part(struct wt_programs *programs);
/** Removes the ring files: everything in them is in the log. */
int wt_programs_remove(struct wt_programs *programs, struct wt_err *err);

/** Counts of every provider and CPU, as wt_perf_counters gives them: produced is what this worker took from
 * rings plus what it reported as lost. */
void wt_programs_counters(const struct wt_programs *programs,
			  void (*fn)(void *ctx, const struct wt_counted_payload *counted), void *ctx);
/** After a take-over: losses of rings that the log reports are not reported again. */
int wt_programs_take_losses(struct wt_programs *programs, const char *log, struct wt_err *err);

struct wt_programs_sum {
	struct wt_rings_sum rings;
	uint32_t providers, directories;
	uint64_t ring_bytes; /**< what one ring may have, also when there is none now */
};
void wt_programs_sum(const struct wt_programs *programs, struct wt_programs_sum *ret);
/** One line for each rule and for the rings, for status; fn borrows the line. */
void wt_programs_lines(const struct wt_programs *programs, void (*fn)(void *ctx, const char *line),
		       void *ctx);

/** Calls fn with the name of each rule's provider that nobody has registered. */
void wt_programs_absent(const struct wt_programs *programs, void (*fn)(void *ctx, const char *provider),
			void *ctx);

/** Work in common that a user caused, in units (allowance.h): the account it belongs to pays now, at the
 * usual price. The account's owner; uid itself when nobody has to pay. */
uid_t wt_programs_charge(struct wt_programs *programs, uid_t uid, uint64_t units);

/** Leaves rows, rules and rings as they are. NULL is allowed. */
void wt_programs_destroy(struct wt_programs *programs);

/** Before programs write: unwind tables for those that will walk their own stacks, as far as they can be
 * known: of the command, and of what nearly every program has mapped. Short programs would be gone before
 * they came. */
void wt_programs_first_tables(struct wt_programs *programs);

#endif
