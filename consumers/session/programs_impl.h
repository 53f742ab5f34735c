/* SPDX-License-Identifier: MIT */
/**
 * @file
 * State and functions shared by the parts of the programs' side; for programs*.c only.
 */
#ifndef CONSUMERS_SESSION_PROGRAMS_IMPL_H
#define CONSUMERS_SESSION_PROGRAMS_IMPL_H

#include <dirent.h>

#include "consumers/session/programs.h"
#include "consumers/session/accounts.h"
#include "consumers/session/publishers.h"

/** Processes that walk their own stacks and lack unwind tables; programs_tables.c. */
struct wt_programs_lack {
	bool any;     /**< an entry is marked */
	uint64_t due; /**< session clock: nothing is published before */
	struct wt_programs_lacking {
		uint32_t pid;
		bool marked;       /**< met since its tables were last published */
		uint32_t patience; /**< ms until its tables are looked at again, doubled each time */
		uint64_t due;
	} list[64]; /**< by pid; a later process takes over the entry */
};

struct wt_programs_directory {
	struct wt_programs *programs;
	uid_t uid;
	bool as_root;
	bool beacon; /**< root's own announcement: there are no programs here */
	char path[PATH_MAX];
	struct wt_allowance *allowance; /**< of the account; NULL: the session's own user */
	uint32_t complaints;            /**< number of complaints about its files */
	char trouble[WT_ERR_TEXT_SIZE]; /**< text of the last complaint */
	uint64_t woke;                  /**< session clock: when its news last woke the worker */
	struct wt_control *control;
	struct wt_rings *rings; /**< NULL before begin */
	uint32_t n_schemas;     /**< schemas that came with this directory, and their manifests' bytes */
	uint64_t schema_bytes;
	uint32_t n_pids;   /**< number of processes looked up for it */
	uint32_t n_states; /**< state records taken from it in this pass */
	bool unpublished;  /**< the rules in force could not be written there */
	bool learned; /**< unknown numbers were looked up in this round: its records contain no newer ones */
	struct wt_ring_kinds kinds;
	struct wt_programs_lack lack;
};

/** A schema that has kinds; programs of several users may share it. */
struct wt_programs_schema {
	const struct wt_provider *provider; /**< the kinds' */
	char *manifest;                     /**< as registered; owned */
	uint32_t manifest_len;
	uint32_t first_kind;
};

struct wt_programs {
	struct wt_session *session;
	struct wt_recorder *rec;                    /**< NULL before begin */
	struct wt_programs_directory **directories; /**< owned */
	size_t n_directories;
	struct wt_accounts accounts;   /**< of other users */
	struct wt_program_rule *rules; /**< owned; in force, or about to be */
	size_t n_rules;
	struct wt_strings wanted;           /**< names, in lower case, of all rules since the session began */
	struct wt_programs_schema *schemas; /**< owned */
	size_t n_schemas;
	struct wt_reported_losses reported; /**< reported by the recorder before this one */
	struct wt_tick_line line;
	struct wt_intern pids; /**< processes looked up, in sessions without the kernel's events */
	bool looks_up; /**< stacks were enabled while the session ran: mapped files are then looked up with
			  each program */
	bool ended;    /**< no program writes any more */
	bool alone;    /**< root's: there is no slot to reach other users */
	uint32_t n_cpus;
	uint64_t last_scan, last_busy; /**< session clock */
	uint64_t last_processes;       /**< session clock: when processes were last looked at */
	uint64_t last_missed; /**< session clock: when programs were last asked for losses that they could
				 count in no ring */
	uint64_t room_seen;   /**< session clock: when room for programs' files was last checked */
	bool told_full;       /**< the lack of room was reported */
	uint64_t written;     /**< bytes in rings, at the last settle */
	int sleep_ms;
	bool rest_told; /**< nothing more is taken from other users */
	DIR *walk;      /**< walk over directories of other users, in progress */
	struct wt_publishers publishers;
	uint64_t last_tables; /**< session clock: when publishers were last looked at */
	size_t next_tables;   /**< the directory that is looked at first */
};

/** The uid of the place where root's sessions are announced, which belongs to no user. */
#define WT_PROGRAMS_BEACON ((uid_t)-1)

/** From now on the rings may contain events of a provider of that name. */
int wt_programs_want(struct wt_programs *programs, const char *provider, struct wt_err *err);

/** programs_directory.c: takes in a directory that was found, or one that an earlier worker published. Either
 * may be left out; that returns 0, too. ctx: the programs. */
int wt_programs_open_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
			       struct wt_err *err);
int wt_programs_adopt_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
				struct wt_err *err);
/** Finds the present providers and rings. */
int wt_programs_begin_directory(struct wt_programs_directory *directory, struct wt_err *err);
void wt_programs_destroy_directory(struct wt_programs_directory *directory);
/** Most bytes of one ring. */
uint64_t wt_programs_ring_bytes(const struct wt_programs *programs);

/** programs_trouble.c: a step with another user's directory failed. Reports that (left_out: the user's data
 * that the log lacks) and clears *err, and the session goes on. Returns 0; -1 when the trouble is the
 * session's own: its own directory, or no memory. */
int wt_programs_bear(struct wt_programs_directory *directory, const char *left_out, struct wt_err *err);
/** Counts one more complaint about the directory's files; false: enough were reported. */
bool wt_programs_may_complain(struct wt_programs_directory *directory);

/** programs_round.c: looks for directories until all have been seen; directories that are found begin
 * recording. */
void wt_programs_look_last(struct wt_programs *programs);

/** programs_kinds.c: registers every wanted and new provider of the directory. all: look at every provider
 * again. */
int wt_programs_scan(struct wt_programs_directory *directory, bool all, struct wt_err *err);
/** Callback of the directory's kinds for unknown numbers, and the one for processes that write. */
void wt_programs_learn(void *ctx, uint32_t number);
void wt_programs_seen(void *ctx, uint32_t pid);
/** programs_rules.c: the rules have changed. */
void wt_programs_look_up(struct wt_programs *programs);

/** programs_tables.c: unwind tables for programs, made and published by children with the rights of their
 * user (publishers.h). lacking is a callback of the directory's kinds; look starts a child when something is
 * due and there is a place for it. */
void wt_programs_lacking(void *ctx, uint32_t pid);
void wt_programs_look_tables(struct wt_programs *programs);
void wt_programs_end_tables(struct wt_programs *programs);

/** programs_standing.c: publishes the rights of the directory's processes, and makes rings for processes that
 * may not make any; runs 20 times a second over all directories. */
void wt_programs_look_at_processes(struct wt_programs_directory *directory);
void wt_programs_look_at_all_processes(struct wt_programs *programs);
/** programs_missed.c: turns programs' losses that they could count in no ring into events. now: however
 * recently this was done. */
int wt_programs_tell_missed(struct wt_programs *programs, bool now, struct wt_err *err);

/** programs_room.c: a lack of room for programs' files since the last look becomes a loss without a number.
 * Rules that could not be published for lack of room are published again. */
int wt_programs_tell_room(struct wt_programs *programs, uint64_t now, struct wt_err *err);

/** programs_rules.c: publishes the rules in one directory. */
int wt_programs_publish(struct wt_programs_directory *directory, struct wt_err *err);

#endif
