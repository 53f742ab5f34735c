/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the parts of the programs' side share; for programs*.c only.
 */
#ifndef CONSUMERS_SESSION_PROGRAMS_IMPL_H
#define CONSUMERS_SESSION_PROGRAMS_IMPL_H

#include <dirent.h>

#include "consumers/session/programs.h"
#include "consumers/session/accounts.h"

/** Processes that walk their own stacks and lack unwind tables; programs_tables.c. */
struct wt_programs_lack {
	bool any;     /**< an entry is marked */
	uint64_t due; /**< session clock: nothing is published before */
	struct wt_programs_lacking {
		uint32_t pid;
		bool marked;       /**< since its tables were last published */
		uint32_t patience; /**< ms until they are looked at again, doubled each time */
		uint64_t due;
	} list[64]; /**< by pid; who comes later takes the entry */
};

struct wt_programs_directory {
	struct wt_programs *programs;
	uid_t uid;
	bool as_root;
	bool beacon; /**< root's own announcement: there are no programs here */
	char path[PATH_MAX];
	struct wt_allowance *allowance; /**< of the account; NULL: the session's own user */
	uint32_t complaints;            /**< said about its files */
	char trouble[WT_ERR_TEXT_SIZE]; /**< said last of what is not as it must be */
	uint64_t woke;                  /**< when its news last woke the worker; session clock */
	struct wt_control *control;
	struct wt_rings *rings; /**< NULL before begin */
	uint32_t n_schemas;     /**< that came with this directory, and their manifests' bytes */
	uint64_t schema_bytes;
	uint32_t n_pids;   /**< processes looked up for it */
	uint32_t n_states; /**< state records taken of it this time */
	bool unpublished;  /**< the rules in force could not be written there */
	bool learned;      /**< looked for unknown numbers in this round: records of it are no newer */
	struct wt_ring_kinds kinds;
	struct wt_programs_lack lack;
};

/** A schema that has kinds: programs of several users may share it. */
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
	struct wt_program_rule *rules; /**< owned; in force, or to be */
	size_t n_rules;
	struct wt_strings wanted;           /**< names, lower case, of all rules there ever were */
	struct wt_programs_schema *schemas; /**< owned */
	size_t n_schemas;
	struct wt_reported_losses reported; /**< by the recorder before this one */
	struct wt_tick_line line;
	struct wt_intern pids; /**< processes looked at: for sessions without the kernel's help */
	bool looks_up;         /**< stacks came when the session ran: so do mapped files, with each program */
	bool ended;            /**< nobody writes any more */
	bool alone;            /**< root's: there is no slot to reach other users */
	uint32_t n_cpus;
	uint64_t last_scan, last_busy; /**< session clock */
	uint64_t last_processes;       /**< session clock: processes were looked at */
	uint64_t last_missed; /**< session clock: programs were asked what they could count nowhere else */
	uint64_t room_seen;   /**< session clock: it was looked whether there is room for programs' files */
	bool told_full;       /**< said that there is none */
	uint64_t written;     /**< bytes in rings, at the last settle */
	int sleep_ms;
	bool rest_told;  /**< nothing more is taken from other users */
	DIR *walk;       /**< for directories of other users, under way */
	pid_t publisher; /**< makes and publishes unwind tables; 0: none runs */
};

/** Nobody's: the uid of the place where root's sessions are announced. */
#define WT_PROGRAMS_BEACON ((uid_t)-1)

/** From now on events of a provider of that name may be in the rings. */
int wt_programs_want(struct wt_programs *programs, const char *provider, struct wt_err *err);

/** programs_directory.c: takes in a directory that was found, or what an earlier worker published there;
 * either may be left out (0 then, too). ctx: the programs. */
int wt_programs_open_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
			       struct wt_err *err);
int wt_programs_adopt_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
				struct wt_err *err);
/** Finds providers and rings there are. */
int wt_programs_begin_directory(struct wt_programs_directory *directory, struct wt_err *err);
void wt_programs_destroy_directory(struct wt_programs_directory *directory);
/** Bytes of one ring at its cap. */
uint64_t wt_programs_ring_bytes(const struct wt_programs *programs);

/** programs_trouble.c: the directory is another user's, and a step with it has failed: that is said
 * (left_out: what of that user the log lacks), *err is clear, and the session goes on without. 0; -1 where it
 * is the session's own trouble: its own directory, or no memory. */
int wt_programs_bear(struct wt_programs_directory *directory, const char *left_out, struct wt_err *err);
/** One more complaint about the directory's files; false: enough was said, it is only counted. */
bool wt_programs_may_complain(struct wt_programs_directory *directory);

/** programs_round.c: looks for directories until all have been seen; those found are begun with. */
void wt_programs_look_last(struct wt_programs *programs);

/** programs_kinds.c: registers every provider of the directory that is wanted and new. all: look at every one
 * again.
 */
int wt_programs_scan(struct wt_programs_directory *directory, bool all, struct wt_err *err);
/** Learn callback of the directory's kinds, and the one for processes that write. */
void wt_programs_learn(void *ctx, uint32_t number);
void wt_programs_seen(void *ctx, uint32_t pid, uint64_t time);
/** programs_rules.c: the rules have changed. */
void wt_programs_look_up(struct wt_programs *programs);

/** programs_tables.c: unwind tables for programs, made and published by a child with the rights of their
 * user. Lacking is a callback of the directory's kinds; look starts the child when something is due and takes
 * leave of it when it is done. */
void wt_programs_lacking(void *ctx, uint32_t pid);
void wt_programs_look_tables(struct wt_programs *programs);
void wt_programs_end_tables(struct wt_programs *programs);

/** programs_standing.c: publishes what the directory's processes may do, and makes rings ready for those who
 * may not make any themselves; of all directories 20 times a second. */
void wt_programs_look_at_processes(struct wt_programs_directory *directory);
void wt_programs_look_at_all_processes(struct wt_programs *programs);
/** programs_missed.c: what programs lost and could count in no ring becomes events. now: whenever it was last
 * asked for. */
int wt_programs_tell_missed(struct wt_programs *programs, bool now, struct wt_err *err);

/** programs_room.c: where there is no room for programs' files, since it was last looked, is lost without a
 * number; what could not be published for want of it is published again. */
int wt_programs_tell_room(struct wt_programs *programs, uint64_t now, struct wt_err *err);

/** programs_rules.c: publishes the rules in one directory. */
int wt_programs_publish(struct wt_programs_directory *directory, struct wt_err *err);

#endif
