// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tools/sample/args.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/write_all.h"

static bool wants_json(const struct wt_sample_args *args)
{
	return args->json || wt_output_names_json(args->output);
}

static int put(const struct wt_sample_args *args, const struct wt_buf *out, struct wt_err *err)
{
	if (!args->output)
		return wt_output_put(out, err) || wt_output_end(err) ? -1 : 0;
	if (out->failed)
		return wt_fail_nomem(err);
	/* A pipe or a device has no length. */
	if ((ftruncate(args->fd, 0) && errno != EINVAL) || wt_write_all(args->fd, out->data, out->len))
		return wt_fail_errno(err, "cannot write %.300s", args->output);
	return 0;
}

void wt_sample_announce_begin(struct wt_sample_args *args)
{
	args->announced = !args->output && !wants_json(args);
	if (args->announced)
		fputs("sampling ...", stdout), fflush(stdout);
}

void wt_sample_announce_end(const struct wt_sample_args *args)
{
	if (args->announced)
		fputs(" done!\n", stdout), fflush(stdout);
}

int wt_sample_show(const struct wt_sample_args *args, const char *log, struct wt_err *err)
{
	struct wt_sample_result result = {0};
	struct wt_buf out = {0};
	int rc = wt_sample_result_read(log, &args->choice, &result, err);

	if (!rc && wants_json(args))
		wt_sample_json(&result, &args->choice, &out);
	else if (!rc)
		wt_buf_puts(&out, args->announced ? "" : "sampling ... done!\n"),
			wt_sample_text(&result, &args->choice, &out);
	if (!rc && result.missing.len)
		wt_warn("%s", wt_buf_cstr(&result.missing));
	if (!rc)
		rc = put(args, &out, err);
	wt_buf_deinit(&out);
	wt_sample_result_deinit(&result);
	return rc;
}
