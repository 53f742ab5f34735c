/* SPDX-License-Identifier: MIT */
/**
 * @file
 * This process's view of the session rows: the mapped `sessions` files of its own directory and of root's.
 *
 * Process-wide. Mapping happens under the registration lock; reading is async-signal-safe, from any thread.
 * Mappings are replaced, never unmapped: a signal handler may be reading them.
 */
#ifndef TRACECORE_ENABLE_ROWS_H
#define TRACECORE_ENABLE_ROWS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "tracecore/enable/enable.h"
#include "tracecore/enable/rules.h"

/** Maps the directory's `sessions`, making it if absent, and root's if it exists. path is the directory's,
 * for later use and for errors. Cheap when both are mapped and still in place. Under the registration
 * lock. */
int wt_rows_map(int directory, const char *path, struct wt_err *err);
/** The path of the mapped directory; NULL before. */
const char *wt_rows_directory(void);
/** Opens the directory `name` below the mapped directory. make: if absent. -1 with errno. */
int wt_rows_open_below(const char *name, bool make);
/** Announces to all sleepers that enable bytes have changed. */
void wt_rows_changed(void);
/** A new provider number, unique in this directory. */
uint32_t wt_rows_new_number(void);
/** True when root's rows exist and this process may not see them: it cannot know which events are wanted in
 * such a slot, and counts them. */
bool wt_rows_hidden(unsigned slot);
/** Called for an event that is wanted in a slot that may be root's and whose row is not mapped: root's
 * directory may have been made since then, or anew. After a look without success the next one comes after
 * twice as many such events. Async-signal-safe. */
void wt_rows_look(unsigned slot);
/** 0: a consistent, checked copy of a row with a session (stamp included); 1: none. */
int wt_rows_read(unsigned slot, struct wt_abi_row *ret);
/** Reads the rules to which the row refers into new memory: 0; 1 when there are none; -1 when they cannot
 * be read (errno: ENOENT when the row has changed, EBADMSG when they are damaged). */
int wt_rows_rules(unsigned slot, const struct wt_abi_row *row, struct wt_rules *ret);
/** True when errno says that this process has no descriptor or no memory left. */
bool wt_rows_out_of_means(void);
void wt_rows_free_rules(struct wt_rules *rules);
/** True when a row's fields are valid. The row consists of foreign bytes. */
bool wt_row_valid(const struct wt_abi_row *row);
/** "SESSION.rules-N" into ret. False when it does not fit. Async-signal-safe. */
bool wt_rules_name(const char *session, uint32_t number, char *ret, size_t size);

/** The action to take when there is no `sessions` file. */
enum wt_sessions_absent { WT_SESSIONS_FAIL, WT_SESSIONS_MAKE };
/** Opens the directory's `sessions` file, which must belong to owner. An empty one of that mode is made if
 * absent and wanted. Returns its checked descriptor and the result of fstat; or -1 with errno (EPERM: not
 * the owner's regular file; EINVAL: damaged). */
int wt_sessions_open(int directory, uid_t owner, enum wt_sessions_absent absent, mode_t mode, int flags,
		     struct stat *ret);

#endif
