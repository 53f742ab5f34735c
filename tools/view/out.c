/* SPDX-License-Identifier: MIT */
#include "tools/view/out.h"

#include <errno.h>

void wt_csv_field(struct wt_buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	bool quote = false;

	for (size_t i = 0; i < len && !quote; i++)
		quote = p[i] == ',' || p[i] == '"' || p[i] == '\r' || p[i] == '\n';
	if (!quote) {
		wt_buf_put(out, p, len);
		return;
	}
	wt_buf_put_u8(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '"')
			wt_buf_put_u8(out, '"');
		wt_buf_put_u8(out, p[i]);
	}
	wt_buf_put_u8(out, '"');
}

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
