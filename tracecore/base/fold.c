// SPDX-License-Identifier: MIT
#include "tracecore/base/fold.h"

#include <string.h>

#include "tracecore/base/foreign.h"

void wt_fold(const char *text, size_t at, size_t column, size_t width, struct wt_buf *out)
{
	text += strspn(text, " ");
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > column && at + 1 + word > width) {
			wt_buf_puts(out, "\n");
			at = 0;
		}
		if (at < column) {
			wt_buf_printf(out, "%*s", (int)(column - at), "");
			at = column;
		} else if (at > column) {
			wt_buf_puts(out, " ");
			at++;
		}
		wt_text_escape(out, text, word);
		at += word;
		text += word;
		text += strspn(text, " ");
	}
	wt_buf_puts(out, "\n");
}
