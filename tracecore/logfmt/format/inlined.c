// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/inlined.h"

static struct wt_str take_counted(struct wt_cursor *cur)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_str_of(bytes ? (const char *)bytes : "", bytes ? len : 0);
}

bool wt_log_inlined_next(struct wt_cursor *chain, struct wt_log_inlined *ret)
{
	if (!wt_cur_left(chain))
		return false;
	ret->function = take_counted(chain);
	ret->file = take_counted(chain);
	ret->line = wt_cur_u32(chain);
	return !chain->bad;
}

uint32_t wt_log_inlined_count(const struct wt_log_symbol *symbol)
{
	struct wt_cursor chain = wt_log_inlined_begin(symbol);
	struct wt_log_inlined call;
	uint32_t n = 0;

	while (n < WT_LOG_INLINED_MAX && wt_log_inlined_next(&chain, &call))
		n++;
	return n;
}

bool wt_log_inlined_put(struct wt_buf *chain, const struct wt_log_inlined *call)
{
	size_t bytes = 2 + (size_t)call->function.len + 2 + call->file.len + 4;

	if (chain->len + bytes > UINT16_MAX)
		return false;
	wt_buf_put_counted(chain, call->function.p, call->function.len);
	wt_buf_put_counted(chain, call->file.p, call->file.len);
	wt_buf_put_u32(chain, call->line);
	return true;
}
