// SPDX-License-Identifier: MIT
#include "tools/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/diag.h"
#include "tracecore/schema/decode.h"

static void show(void *ctx, uint64_t done, uint64_t total)
{
	struct wt_progress *progress = ctx;
	unsigned percent = total && done < total ? (unsigned)((double)done * 100 / (double)total) : 100;
	struct wt_buf line = {0};

	if ((progress->shown && percent == progress->percent) || !wt_diag_enabled() || !isatty(STDERR_FILENO))
		return;
	wt_buf_puts(&line, "\r");
	wt_text_escape(&line, progress->what, strlen(progress->what));
	wt_buf_printf(&line, ": %3u %%\033[K", percent);
	fwrite(line.data, 1, line.len, stderr);
	fflush(stderr);
	wt_buf_deinit(&line);
	progress->percent = percent;
	progress->shown = true;
}

struct wt_listener wt_progress_listener(struct wt_progress *progress)
{
	return (struct wt_listener){show, progress};
}

void wt_progress_end(struct wt_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
