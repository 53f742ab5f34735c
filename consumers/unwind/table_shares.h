/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The builder's time for each user's files, and the memory for tables of them, in sessions that meet
 * processes of many users (UNWIND.md section 2).
 *
 * A table is made on the account of the user whose process it was first wanted for. Root and the session's
 * own user have no share. A user whose time is used up waits, after all others, until some comes back:
 * meanwhile the user's stacks end there, and a warning names the user. Time is the session clock's, from a
 * request handed out to its answer. There are as many shares as users; processes nobody knows the user of
 * have one together. One thread.
 */
#ifndef CONSUMERS_UNWIND_TABLE_SHARES_H
#define CONSUMERS_UNWIND_TABLE_SHARES_H

#include "consumers/record/user_shares.h"
#include "tracecore/base/allowance.h"

/** Time of one user and of all others together: a second, and saved up; ns. */
#define WT_TABLE_RATE   UINT64_C(40000000)
#define WT_TABLE_SAVED  UINT64_C(1500000000)
#define WT_TABLES_RATE  UINT64_C(200000000)
#define WT_TABLES_SAVED UINT64_C(3000000000)
/** For one table of them; beyond it there is none. */
#define WT_TABLE_MOST UINT64_C(2000000000)
/** While others wait, one request of them is worked on for so long; then it begins anew behind the others. */
#define WT_TABLE_SLICE UINT64_C(100000000)
/** A stack waits for a table of theirs for so long. */
#define WT_TABLE_PATIENCE UINT64_C(200000000)
/** Bytes of tables in memory, of one user and of all others together; for more of them those that they have
 * not used for longest go. */
#define WT_TABLE_BYTES_ONE (UINT64_C(64) << 20)
#define WT_TABLE_BYTES_ALL (UINT64_C(256) << 20)

struct wt_table_share {
	struct wt_user_share user;
	bool reported; /**< said that its tables have to wait */
	struct wt_allowance time;
};

/** Zeroed: nobody has a share. */
struct wt_table_shares {
	struct wt_user_shares users;
	struct wt_allowance common;
	struct wt_table_share rest; /**< of those for whom there was no memory */
};

/** From now on there are shares. */
void wt_table_shares_begin(struct wt_table_shares *shares, uint32_t own, uint64_t now);
void wt_table_shares_deinit(struct wt_table_shares *shares);
/** The user's, with what came back by now. NULL: needs none. */
struct wt_table_share *wt_table_share_of(struct wt_table_shares *shares, uint32_t uid, uint64_t now);
/** No time is left; NULL: never. */
bool wt_table_share_is_spent(struct wt_table_share *share);
/** Charges a request of ns. Warns when a user has nothing left for the first time; path: of that file. */
void wt_table_share_spend(struct wt_table_share *share, uint64_t ns, const char *path);

#endif
