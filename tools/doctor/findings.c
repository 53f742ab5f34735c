// SPDX-License-Identifier: MIT
#include "tools/doctor/findings.h"

#include "tracecore/base/fold.h"
#include "tracecore/base/foreign.h"

/* Of meanings. */
enum { COLUMN = 30, WIDTH = 101 };

/* Paths come from the environment and may contain any bytes. */
static void escaped(struct wt_buf *out, const char *text)
{
	wt_text_escape(out, text, strlen(text));
}

static void put_check(const struct wt_check *check, struct wt_buf *out)
{
	wt_buf_printf(out, "%-8s %-20s ", wt_check_state_name(check->state), check->name);
	escaped(out, check->value);
	wt_buf_puts(out, "\n");
	wt_fold(check->meaning, 0, COLUMN, WIDTH, out);
	if (check->fix[0]) {
		wt_buf_printf(out, "%29s to change it: ", "");
		escaped(out, check->fix);
		wt_buf_puts(out, "\n");
	}
}

void wt_findings_text(const struct wt_findings *findings, struct wt_buf *out)
{
	for (size_t i = 0; i < findings->n; i++)
		put_check(&findings->checks[i], out);
	if (findings->possible) {
		wt_buf_printf(out, "\nRecording is possible for you (uid %u): %s.\n", findings->facts->uid,
			      findings->scope);
		return;
	}
	wt_buf_printf(out, "\nRecording is not possible for you (uid %u):", findings->facts->uid);
	for (size_t i = 0, found = 0; i < findings->n; i++) {
		if (findings->checks[i].needed && findings->checks[i].state == WT_CHECK_MISSING)
			wt_buf_printf(out, "%s %s", found++ ? "," : "", findings->checks[i].name);
	}
	wt_buf_puts(out, ".\n");
}
