// SPDX-License-Identifier: MIT
#include "tools/doctor/findings.h"

#include "tracecore/base/foreign.h"

enum { TEXT_WIDTH = 72 };

/* Paths come from the environment and may contain any bytes. */
static void escaped(struct wt_buf *out, const char *text)
{
	wt_text_escape(out, text, strlen(text));
}

/* Folds text between words, under the column of values. */
static void put_folded(const char *text, struct wt_buf *out)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column == 0 || column + 1 + word > TEXT_WIDTH) {
			wt_buf_printf(out, "%s%29s", column ? "\n" : "", "");
			column = 0;
		}
		wt_buf_puts(out, " ");
		wt_text_escape(out, text, word);
		column += 1 + word;
		text += word + strspn(text + word, " ");
	}
	wt_buf_puts(out, "\n");
}

static void put_check(const struct wt_check *check, struct wt_buf *out)
{
	wt_buf_printf(out, "%-8s %-20s ", wt_check_state_name(check->state), check->name);
	escaped(out, check->value);
	wt_buf_puts(out, "\n");
	put_folded(check->meaning, out);
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
