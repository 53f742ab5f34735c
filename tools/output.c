// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"

/* A reader that has closed the pipe gets no error message. */
static int fail(int error, struct wt_err *err)
{
	errno = error;
	return error == EPIPE ? -1 : wt_fail_errno(err, "cannot write to standard output");
}

int wt_output_put(const struct wt_buf *text, struct wt_err *err)
{
	if (text->failed)
		return wt_fail_nomem(err);
	if (text->len && fwrite(text->data, 1, text->len, stdout) < text->len)
		return fail(errno, err);
	return 0;
}

int wt_output_end(struct wt_err *err)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return fail(errno ? errno : EIO, err);
}

bool wt_output_wants_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

bool wt_output_names_json(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len > 5 && !strcmp(path + len - 5, ".json");
}
