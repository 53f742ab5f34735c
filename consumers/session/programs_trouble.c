// SPDX-License-Identifier: MIT
/* Faulty directories of other users: a user who damages a directory affects only that directory. */
#include <stdio.h>
#include <string.h>

#include "consumers/session/programs_impl.h"
#include "tracecore/base/diag.h"

/* Complaints about one other user's files that are reported; further ones are counted. */
#define COMPLAINTS_OTHER 4u

bool wt_programs_may_complain(struct wt_programs_directory *directory)
{
	if (directory->allowance)
		directory->allowance->refused++;
	return !directory->as_root || directory->complaints++ < COMPLAINTS_OTHER;
}

int wt_programs_bear(struct wt_programs_directory *directory, const char *left_out, struct wt_err *err)
{
	if (!directory->as_root || directory->beacon || err->code == WT_ERR_NOMEM)
		return -1;
	if (strcmp(directory->trouble, err->text) && wt_programs_may_complain(directory))
		wt_warn("uid %u: %s: %s", directory->uid, left_out, err->text);
	snprintf(directory->trouble, sizeof(directory->trouble), "%s", err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}
