/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The session rows as this process sees them: its directory's `sessions` file mapped, and root's beside it.
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

/** Maps the directory's `sessions`, making it if absent, and root's if there are any. path is the
 * directory's, for later and for errors. Cheap when they are mapped and still in place. Under the
 * registration lock. */
int wt_rows_map(int directory, const char *path, struct wt_err *err);
/** The directory that is mapped; NULL before. */
const char *wt_rows_directory(void);
/** Opens the directory `name` below the directory that is mapped. make: if absent. -1 with errno. */
int wt_rows_open_below(const char *name, bool make);
/** Tells everybody that enable bytes have changed. */
void wt_rows_changed(void);
/** A provider number nobody else gets in this directory. */
uint32_t wt_rows_new_number(void);
/** Root's rows are there and this process may not see them: whatever is wanted in such a slot cannot be
 * known, and is counted. */
bool wt_rows_hidden(unsigned slot);
/** 0: a consistent, checked copy of a row with a session (stamp included); 1: none. */
int wt_rows_read(unsigned slot, struct wt_abi_row *ret);
/** The rules that the row refers to, in memory of their own: 0, 1 when there are none, -1 when they are not
 * to be had (errno: ENOENT when the row has changed, EBADMSG when they are damaged). */
int wt_rows_rules(unsigned slot, const struct wt_abi_row *row, struct wt_rules *ret);
/** errno says that this process has no descriptor or no memory left. */
bool wt_rows_out_of_means(void);
void wt_rows_free_rules(struct wt_rules *rules);
/** Whether a row's fields make sense, foreign bytes as they are. */
bool wt_row_valid(const struct wt_abi_row *row);
/** "SESSION.rules-N" into ret. False when it does not fit. Async-signal-safe. */
bool wt_rules_name(const char *session, uint32_t number, char *ret, size_t size);

/** What to do where there is no `sessions` file. */
enum wt_sessions_absent { WT_SESSIONS_FAIL, WT_SESSIONS_MAKE };
/** The directory's `sessions` file, which must belong to owner; an empty one of that mode is made if absent
 * and wanted. Its descriptor, checked, and what fstat said of it; or -1 with errno (EPERM: not the owner's
 * regular file; EINVAL: damaged). */
int wt_sessions_open(int directory, uid_t owner, enum wt_sessions_absent absent, mode_t mode, int flags,
		     struct stat *ret);

#endif
