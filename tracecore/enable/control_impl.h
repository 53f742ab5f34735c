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

/** Enable files of another user that are known, or brought up to date in one go. */
#define WT_CONTROL_FILES_OTHER 4096u

/** An enable file that a scan has reported. */
struct wt_control_known {
	char *name; /**< the provider's; owned */
	ino_t ino;
	uint32_t begun;  /**< when the bits were last compared */
	bool stale;      /**< they have to be */
	uint64_t missed; /**< of our slot, as far as reported */
};

struct wt_control {
	int directory, providers; /**< descriptors; the user's directory and below it */
	int rows_dir, rows;       /**< where the row is: the directory or root's; its `sessions` */
	int lock;  /**< of root's rows: everybody may open `sessions` there. -1: `sessions` is it */
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
	uint32_t next_known;            /**< to be looked at by the next scan */
	uint32_t next_missed;           /**< to be asked next what it missed */
	struct wt_allowance *allowance; /**< borrowed; NULL: none */
	DIR *listing;                   /**< of providers, under way; NULL: none is */
	bool all;                       /**< the listing reports every file */
	uint64_t damaged;
	struct wt_control_looking *looking; /**< control_look.c's; NULL: not looked yet */
};

/** Frees what wt_control_look has made. */
void wt_control_end_looking(struct wt_control *control);

/** The bytes of a rules file. */
int wt_rules_encode(const struct wt_enable_rule *rules, uint32_t n, struct wt_buf *ret, struct wt_err *err);

/** Rows, control_rows.c: the `sessions` file through its descriptor. Lock: waits some seconds at most. */
int wt_rows_lock(struct wt_control *control, struct wt_err *err);
void wt_rows_unlock(struct wt_control *control);
/** Sweeps the dead and takes a slot for control->row; *swept gets the bits of slots that are free or newly
 * taken. Under the lock. */
int wt_rows_take(struct wt_control *control, uint8_t *swept, struct wt_err *err);
/** Finds the slot that control->row.session has. Under the lock. WT_ERR_NOTFOUND. */
int wt_rows_find(struct wt_control *control, struct wt_err *err);
/** Stores the stamp life, number, then a full fence. */
int wt_rows_store_stamp(struct wt_control *control, uint32_t life, uint32_t number, struct wt_err *err);
/** The slot's stamp now. */
uint64_t wt_rows_stamp(const struct wt_control *control);
/** Removes the session's rules files but number `keep` (0: all). */
void wt_rows_remove_rules(const struct wt_control *control, const char *session, uint32_t keep);

/** An enable file in private memory, checked. */
struct wt_enable_copy {
	struct wt_abi_enable head;
	struct wt_enable_layout layout;
	struct wt_rule_events events; /**< in data */
	uint8_t *data;                /**< layout.end bytes; owned */
	ino_t ino;
};

/** Reads dir/file: 0; 1 when it makes no sense or is gone; -1 error. */
int wt_enable_copy_read(int dir, const char *file, uid_t owner, struct wt_enable_copy *ret,
			struct wt_err *err);
void wt_enable_copy_deinit(struct wt_enable_copy *copy);
/** Makes the slots' bits of a file what rules say for this provider (rules NULL: none). slots is a mask.
 * Returns how many bits changed; -1 when the file could not be changed (somebody cut it). */
long wt_enable_copy_apply(int dir, const char *file, uid_t owner, const struct wt_enable_copy *copy,
			  uint8_t slots, const struct wt_rules *rules);
/** Counts of what was missed begin anew in these slots, which nobody has at the moment. */
int wt_control_forget_missed(struct wt_control *control, uint8_t slots, struct wt_err *err);
/** Tells the directory's programs that enable bytes have changed. */
void wt_control_announce(const struct wt_control *control);
/** Applies rules to every file of the control's directory and announces it; damaged files are counted. */
int wt_control_apply_all(struct wt_control *control, uint8_t slots, const struct wt_rules *rules,
			 struct wt_err *err);
/** What stands where that directory of the user's should be, as errno of opening it tells; -1. */
int wt_control_fail_part(const struct wt_control *control, const char *part, struct wt_err *err);
/** Calls fn with each name in the directory that does not begin with a dot; stops at the first that is not 0.
 */
int wt_control_each_name(int dir, int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err);

/** Records in a state file's bytes (private memory, foreign): fn for each that holds. Returns fn's first
 * result that is not 0. *damaged counts what did not hold. */
int wt_state_parse(const uint8_t *bytes, size_t len,
		   int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		   void *ctx, uint64_t *damaged, struct wt_err *err);

#endif
