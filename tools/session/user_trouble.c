// SPDX-License-Identifier: MIT
/* Folders of other users that are not what they must be: whoever spoils one spoils that one alone. */
#include <stdio.h>
#include <string.h>

#include "tools/session/user_impl.h"
#include "tracecore/base/diag.h"

/* Complaints about one other user's files that are said; the rest is counted. */
#define COMPLAINTS_OTHER 4u

bool wt_user_may_complain(struct wt_user_folder *folder)
{
	if (folder->allowance)
		folder->allowance->refused++;
	return !folder->as_root || folder->complaints++ < COMPLAINTS_OTHER;
}

int wt_user_bear(struct wt_user_folder *folder, const char *left_out, struct wt_err *err)
{
	if (!folder->as_root || folder->beacon || err->code == WT_ERR_NOMEM)
		return -1;
	if (strcmp(folder->trouble, err->text) && wt_user_may_complain(folder))
		wt_warn("uid %u: %s: %s", folder->uid, left_out, err->text);
	snprintf(folder->trouble, sizeof(folder->trouble), "%s", err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}
