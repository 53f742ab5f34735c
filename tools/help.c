// SPDX-License-Identifier: MIT
#include "tools/help.h"

#include <stdio.h>
#include <string.h>

#include "tracecore/base/fold.h"

enum { LEFT = 26, WIDTH = 100 };

/* "  -x, --name ARGUMENT" */
static size_t put_left(const struct wt_option *option, struct wt_buf *out)
{
	size_t start = out->len;

	if (option->letter)
		wt_buf_printf(out, "  -%c, --%s", option->letter, option->name);
	else
		wt_buf_printf(out, "      --%s", option->name);
	if (option->argument && option->argument[0] == '[')
		wt_buf_printf(out, "[=%s", option->argument + 1);
	else if (option->argument)
		wt_buf_printf(out, " %s", option->argument);
	return out->len - start;
}

static size_t column_of(const struct wt_option *const *rows, size_t n)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		struct wt_buf left = {0};
		size_t width = put_left(rows[i], &left) + 2;

		if (width > column && width <= LEFT)
			column = width;
		wt_buf_deinit(&left);
	}
	return column;
}

void wt_help_options(const struct wt_option *options, struct wt_buf *out)
{
	const struct wt_option *rows[WT_OPTIONS_MAX];
	size_t n = wt_options_rows(options, rows), column = column_of(rows, n);

	for (size_t i = 0; i < n; i++) {
		size_t at = put_left(rows[i], out);

		if (at + 2 > column) {
			wt_buf_puts(out, "\n");
			at = 0;
		}
		wt_fold(rows[i]->help, at, column, WIDTH, out);
	}
}

void wt_help_command(const struct wt_command *command, struct wt_buf *out)
{
	static const char mark[] = "@options\n";
	const char *at = strstr(command->help, mark);

	if (!at) {
		wt_buf_puts(out, command->help);
		return;
	}
	wt_buf_put(out, command->help, (size_t)(at - command->help));
	wt_help_options(command->options, out);
	wt_buf_puts(out, at + strlen(mark));
}
