/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The programs' side of a session: rules published in the users' directories, providers that register, rings.
 *
 * A session of root reaches the programs of all users, one directory each; a session of another user has
 * only the user's own directory. Life: open (by the command, under the session's lock: takes a slot in each
 * directory) -> begin (in the worker: finds present providers and rings) -> arm (publishes the rules) ->
 * round, tell, drop while it runs -> end (takes the rules back, closes the rings) -> a last drain -> remove.
 * A worker that takes over adopts instead of open, begin and arm: rules and rings are as the dead worker
 * left them. One thread.
 */
#ifndef CONSUMERS_SESSION_PROGRAMS_H
#define CONSUMERS_SESSION_PROGRAMS_H

#include "consumers/rings/rings.h"
#include "consumers/session/session.h"
#include "consumers/session/program_rule.h"

struct wt_programs;

/** Takes a slot for the session in every present directory. The rules are the spec's, which keeps them. */
int wt_programs_open(struct wt_session *session, struct wt_programs **ret, struct wt_err *err);
/** Adopts the rules and rings of an earlier worker; *ret is NULL when there are none. The inherited
 * session->user is taken over and destroyed: ret may be &session->user. */
int wt_programs_adopt(struct wt_session *session, struct wt_programs **ret, struct wt_err *err);

/** Finds the present providers and rings, which feed rec from now on. */
int wt_programs_begin(struct wt_programs *programs, struct wt_recorder *rec, struct wt_err *err);
/** Publishes the rules; from here on programs write. */
/** The recorder's config.met, with the struct wt_programs as ctx: looks up a process and what it has mapped.
 */
void wt_programs_met(void *ctx, uint32_t pid, uint64_t time);
int wt_programs_arm(struct wt_programs *programs, struct wt_err *err);
/** Copies the programs' state records into the recorder. */
int wt_programs_copy_state(struct wt_programs *programs, struct wt_err *err);

/** Call before a round of the recorder: finds new rings and, at intervals, new providers and directories. */
int wt_programs_look(struct wt_programs *programs, struct wt_err *err);
/** Call after the round: turns losses into events; sets *flush when writers need room soon. */
int wt_programs_settle(struct wt_programs *programs, bool *flush, struct wt_err *err);
/** Call at the end, after the last settle: reports events beyond other users' shares as lost. */
int wt_programs_tell_rest(struct wt_programs *programs, struct wt_err *err);
/** Call after a flush that left nothing pending: drops rings of dead processes. */
int wt_programs_drop_ended(struct wt_programs *programs, struct wt_err *err);
/** Fills at most cap descriptors for poll and returns their number, and how long the caller may sleep, ms. */
size_t wt_programs_poll_fds(const struct wt_programs *programs, int *fds, size_t cap);
int wt_programs_timeout(const struct wt_programs *programs);

/** Adds rules, replacing those of the same provider, or removes a provider's rule by its name. Publishes the
 * result. */
int wt_programs_enable(struct wt_programs *programs, const struct wt_program_rule *rules, size_t n,
		       struct wt_err *err);
int wt_programs_disable(struct wt_programs *programs, const char *provider, struct wt_err *err);
size_t wt_programs_rules(const struct wt_programs *programs, const struct wt_program_rule **ret);

/** The session is about to end: takes in users whose programs came since the last look. */
void wt_programs_last(struct wt_programs *programs);
/** Takes the rules back and closes the rings, waiting a bounded time for writers. Nothing is written after
 * this. */
int wt_programs_end(struct wt_programs *programs, struct wt_err *err);
/** The recorder is about to be destroyed; the figures about rings for status stay. */
void wt_programs_part(struct wt_programs *programs);
/** Removes the ring files: everything in them is in the log. */
int wt_programs_remove(struct wt_programs *programs, struct wt_err *err);

/** Counts of every provider and CPU, in the form of wt_perf_counters: produced counts the events that this
 * worker took from rings or reported as lost. */
void wt_programs_counters(const struct wt_programs *programs,
			  void (*fn)(void *ctx, const struct wt_counted_payload *counted), void *ctx);
/** After a take-over: losses of rings that the log reports already are not reported again. */
int wt_programs_take_losses(struct wt_programs *programs, const char *log, struct wt_err *err);

struct wt_programs_sum {
	struct wt_rings_sum rings;
	uint32_t providers, directories;
	uint64_t ring_bytes; /**< most bytes of one ring, also when there is none now */
};
void wt_programs_sum(const struct wt_programs *programs, struct wt_programs_sum *ret);
/** Calls fn with one line for each rule and for the rings, for status; fn borrows the line. */
void wt_programs_lines(const struct wt_programs *programs, void (*fn)(void *ctx, const char *line),
		       void *ctx);

/** Calls fn with the name of each rule's provider that nobody has registered. */
void wt_programs_absent(const struct wt_programs *programs, void (*fn)(void *ctx, const char *provider),
			void *ctx);

/** Charges work in common that a user caused, in units (allowance.h) at the usual price, to that user's
 * account. Returns the account's owner; uid itself when nobody has to pay. */
uid_t wt_programs_charge(struct wt_programs *programs, uid_t uid, uint64_t units);

/** Frees the object; rows, rules and rings stay as they are. NULL is allowed. */
void wt_programs_destroy(struct wt_programs *programs);

/** Call before programs write. Makes unwind tables for programs that will walk their own stacks, as far as
 * these are known: for the command, and for files that nearly every program maps. Otherwise short programs
 * would end before their tables came. */
void wt_programs_first_tables(struct wt_programs *programs);

#endif
