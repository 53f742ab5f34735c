/* SPDX-License-Identifier: MIT */
#include "tracecore/base/out.h"

#include <errno.h>

enum { FLOW_BYTES = 64 * 1024 };

static int hand_out(struct wt_out *out, struct wt_err *err)
{
	if (out->buf.failed)
		return wt_fail_nomem(err);
	if (out->buf.len && fwrite(out->buf.data, 1, out->buf.len, out->stream) < out->buf.len) {
		if (errno == EPIPE)
			return -1;
		return wt_fail_errno(err, "cannot write the results");
	}
	wt_buf_clear(&out->buf);
	return 0;
}

int wt_out_flow(struct wt_out *out, struct wt_err *err)
{
	return out->buf.len < FLOW_BYTES && !out->buf.failed ? 0 : hand_out(out, err);
}

int wt_out_end(struct wt_out *out, struct wt_err *err)
{
	int failed = hand_out(out, err);

	if (!failed && fflush(out->stream)) {
		failed = -1;
		if (errno != EPIPE)
			wt_fail_errno(err, "cannot write the results");
	}
	wt_buf_deinit(&out->buf);
	return failed;
}
