/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The user half of recorded stacks: from registers and a copy of the stack to return addresses, while
 * recording (UNWIND.md).
 *
 * The unwinder knows the tables of the images that stacks were found in, by build id or file identity, and
 * walks with tracecore/stackwalk. A table that is not in memory comes from the cache on disk, and where it is
 * not there it is made by a process of its own (the builder), so that the drain path never waits for an ELF
 * file and a hostile one harms nobody: a builder that dies costs the module it died of. One thread.
 */
#ifndef CONSUMERS_UNWIND_UNWINDER_H
#define CONSUMERS_UNWIND_UNWINDER_H

#include <limits.h>
#include <sys/types.h>

#include "consumers/record/generated.h"
#include "consumers/record/user_stack.h"
#include "consumers/unwind/unseen.h"

struct wt_unwinder;

/** Environment variable that names the directory of tables. */
#define WT_UNWIND_CACHE_NAME "WTRACE_UNWIND_CACHE"

struct wt_unwinder_config {
	const char *cache;       /**< directory for tables, made if need be; NULL: wt_unwind_cache_path */
	const char *spare;       /**< used where that one cannot be written; NULL: none */
	uint64_t cache_bytes;    /**< 0: WT_UNWIND_CACHE_BYTES */
	uint64_t patience;       /**< ns a stack waits for a table; 0: 2 s */
	uint64_t build_time;     /**< ns the builder may take for a table; 0: 60 s */
	bool shared;             /**< processes of many users are met: the builder's time is shared out */
	wt_unseen_look_fn *look; /**< looks at mappings of which the recorder does not know yet whether they
				    have the file's bytes; NULL: no check is made */
	struct wt_file_watch *watch;     /**< as in struct wt_recorder_config */
	wt_generated_rule_fn *generated; /**< how to walk through generated code; NULL: not known */
	void *generated_ctx;
	bool past; /**< the events are old: no living process is read */
};

/** The user's own directory of tables, as UNWIND.md section 1 says. -1: the environment names no home. */
int wt_unwind_cache_path(char ret[PATH_MAX]);

/** Neither directory can be used: WT_ERR_PERMISSION or WT_ERR_SYSTEM. */
int wt_unwinder_create(const struct wt_unwinder_config *config, struct wt_unwinder **ret, struct wt_err *err);
/** Ends the builder too. */
void wt_unwinder_destroy(struct wt_unwinder *unwinder);

/** Takes the builder's answers, watches its time, and warns of modules it died of. Call it when
 * wt_unwinder_fd is readable, and before each round. */
void wt_unwinder_serve(struct wt_unwinder *unwinder);
/** Becomes readable when the builder answers or dies; for poll. -1: there is none. */
int wt_unwinder_fd(const struct wt_unwinder *unwinder);
/** CPU time that making tables has taken so far in processes of its own, ns. */
uint64_t wt_unwinder_builder_cpu(struct wt_unwinder *unwinder);
/** From now on a stack waits that long for a table, ns. */
void wt_unwinder_set_patience(struct wt_unwinder *unwinder, uint64_t patience);

/** A wt_unwind_fn; ctx is the unwinder. raw has a dump. */
enum wt_unwound wt_unwind(void *ctx, const struct wt_unwind_task *task, const struct wt_raw_stack *raw,
			  enum wt_unwind_when when, struct wt_raw_stack *ret);

/** Counts since the unwinder was made, for status and for the log's end. */
struct wt_unwinder_stats {
	uint64_t stacks, frames; /**< walked; frames of the user half */
	uint64_t by_status[WT_STACK_LAST + 1];
	uint64_t spliced, read_on; /**< of the probable ones: from a walk before, from the living process */
	uint64_t waited_on;        /**< completed from a thread that had not run since */
	uint64_t tables;           /**< in memory now */
	uint64_t table_bytes;      /**< of them; mapped files, not the process's own memory */
	uint64_t built, failed;    /**< tables made for this session, and those that could not be */
	uint64_t waited_ns;        /**< time events waited for tables */
	uint64_t given_up;         /**< stacks that were walked without a table that was being made */
};
void wt_unwinder_stats(const struct wt_unwinder *unwinder, struct wt_unwinder_stats *ret);

#endif
