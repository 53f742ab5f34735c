// SPDX-License-Identifier: MIT
/* Makes the man page or the completion of its template: `make` runs it. */
#include <stdio.h>
#include <string.h>

#include "docs/templates.h"

static int read_all(const char *path, struct wt_buf *ret, struct wt_err *err)
{
	FILE *file = fopen(path, "r");
	char block[4096];
	size_t n;

	if (!file)
		return wt_fail_errno(err, "cannot open %s", path);
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		wt_buf_put(ret, block, n);
	fclose(file);
	return ret->failed ? wt_fail_nomem(err) : 0;
}

int main(int argc, char **argv)
{
	struct wt_buf source = {0}, out = {0};
	struct wt_err err = WT_ERR_INIT;
	int rc;

	if (argc != 2)
		return fputs("usage: generate TEMPLATE >RESULT\n", stderr), 2;
	rc = read_all(argv[1], &source, &err);
	if (!rc)
		rc = (strstr(argv[1], ".bash") ? wt_help_bash : wt_help_man)(
			wt_commands, wt_n_commands, wt_buf_cstr(&source), &out, &err);
	if (!rc)
		rc = wt_output_put(&out, &err) || wt_output_end(&err);
	if (rc)
		fprintf(stderr, "generate: %s: %s\n", argv[1], err.text);
	wt_buf_deinit(&source);
	wt_buf_deinit(&out);
	return rc ? 1 : 0;
}
