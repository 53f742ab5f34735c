/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The parts of a control; not for users of control.h.
 */
#ifndef TRACECORE_ENABLE_CONTROL_IMPL_H
#define TRACECORE_ENABLE_CONTROL_IMPL_H

#include <dirent.h>
#include <sys/types.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/dir_time.h"
#include "tracecore/base/intern.h"
#include "tracecore/enable/control.h"
#include "tracecore/enable/enable_file.h"

/** The most enable files of another user that are known, or brought up to date at once. */
#define WT_CONTROL_FILES_OTHER 4096u

/** An enable file that a scan has reported. */
struct wt_control_known {
	char *name; /**< the provider's; owned */
	ino_t ino;
	uint32_t begun;  /**< the file's `begun` when the bits were last compared */
	bool stale;      /**< they have to be */
	uint64_t missed; /**< missed events of our slot that have been reported */
};

struct wt_control {
	int directory, providers; /**< descriptors: the user's directory, and `providers` below it */
	int rows_dir, rows;       /**< the directory of the row (the user's or root's), and its `sessions` */
	int lock;  /**< the lock of root's rows, because everybody may open root's `sessions`; -1:
		    * `sessions` itself is locked */
	int rings; /**< -1: not opened yet */
	struct wt_dir_time providers_time;
	uid_t owner; /**< of the user's directory */
	unsigned slot;
	uint32_t life, number; /**< halves of the stamp in force */
	bool as_root, listed;
	bool browsing; /**< no session: there is no row, and nothing is written */
	char *path;    /**< of the user's directory, for messages */
	struct wt_abi_row row;
	struct wt_buf rules; /**< encoded, in force */
	struct wt_control_known *known;
	uint32_t n_known, cap_known;
	struct wt_strings known_files;  /**< their names; ids are indexes */
	uint32_t next_known;            /**< the next scan begins with this one */
	uint32_t next_missed;           /**< the next one to be asked for missed events */
	struct wt_allowance *allowance; /**< borrowed; NULL: none */
	DIR *listing;                   /**< a listing of providers in progress; NULL: none */
	bool all;                       /**< the listing reports every file */
	uint64_t damaged;
	struct wt_control_looking *looking; /**< control_look.c's; NULL: not looked yet */
};

/** Frees what wt_control_look has made. */
void wt_control_end_looking(struct wt_control *control);

/** The bytes of a rules file. */
int wt_rules_encode(const struct wt_enable_rule *rules, uint32_t n, struct wt_buf *ret, struct wt_err *err);

/** Rows, control_rows.c: the `sessions` file through its descriptor. wt_rows_lock waits some seconds at
 * most. */
int wt_rows_lock(struct wt_control *control, struct wt_err *err);
void wt_rows_unlock(struct wt_control *control);
/** Sweeps rows of dead sessions and takes a slot for control->row. *swept gets the bits of slots that are
 * free or newly taken. Under the lock. */
int wt_rows_take(struct wt_control *control, uint8_t *swept, struct wt_err *err);
/** Finds the slot of control->row.session. Under the lock. WT_ERR_NOTFOUND: there is none. */
int wt_rows_find(struct wt_control *control, struct wt_err *err);
/** Stores the stamp (life, number), then makes a full fence. */
int wt_rows_store_stamp(struct wt_control *control, uint32_t life, uint32_t number, struct wt_err *err);
/** The slot's stamp now. */
uint64_t wt_rows_stamp(const struct wt_control *control);
/** Removes the session's rules files except number `keep` (0: all). */
void wt_rows_remove_rules(const struct wt_control *control, const char *session, uint32_t keep);

/** An enable file, copied to private memory and checked. */
struct wt_enable_copy {
	struct wt_abi_enable head;
	struct wt_enable_layout layout;
	struct wt_rule_events events; /**< in data */
	uint8_t *data;                /**< layout.end bytes; owned */
	ino_t ino;
};

/** Reads dir/file: 0; 1 when it is invalid or no longer exists; -1 error. */
int wt_enable_copy_read(int dir, const char *file, uid_t owner, struct wt_enable_copy *ret,
			struct wt_err *err);
void wt_enable_copy_deinit(struct wt_enable_copy *copy);
/** Sets the slots' bits of a file to those that the rules give this provider (rules NULL: none). slots is a
 * mask. Returns the number of changed bits; -1 when the file could not be changed (another process
 * truncated it). */
long wt_enable_copy_apply(int dir, const char *file, uid_t owner, const struct wt_enable_copy *copy,
			  uint8_t slots, const struct wt_rules *rules);
/** Sets the counts of missed events to 0 in these slots, which no session has at the moment. */
int wt_control_forget_missed(struct wt_control *control, uint8_t slots, struct wt_err *err);
/** Announces to the directory's programs that enable bytes have changed. */
void wt_control_announce(const struct wt_control *control);
/** Applies rules to every file of the control's directory and announces the change. Damaged files are
 * counted. */
int wt_control_apply_all(struct wt_control *control, uint8_t slots, const struct wt_rules *rules,
			 struct wt_err *err);
/** Fails with a message that names what is in the place of that directory of the user, from the errno of
 * opening it. Returns -1. */
int wt_control_fail_part(const struct wt_control *control, const char *part, struct wt_err *err);
/** Calls fn with each name in the directory that does not begin with a dot. Stops at the first result that
 * is not 0. */
int wt_control_each_name(int dir, int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err);

/** Reads the records in a state file's bytes (private memory, foreign) and calls fn for each valid one.
 * Returns fn's first result that is not 0. *damaged counts invalid records. */
int wt_state_parse(const uint8_t *bytes, size_t len,
		   int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		   void *ctx, uint64_t *damaged, struct wt_err *err);

#endif
