// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "docs/templates.h"

/* Text between single quotes of the shell. */
static void put_quoted(const char *text, struct wt_buf *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			wt_buf_puts(out, "'\\''");
		else
			wt_buf_put(out, text, 1);
	}
}

/* 'NAME|LETTER|KIND|VALUES|HELP' */
static void put_row(const struct wt_option *option, struct wt_buf *out)
{
	const char *kind = !option->argument ? "flag" : option->argument[0] == '[' ? "optional" : "value";

	wt_buf_printf(out, " \\\n\t\t'--%s|", option->name);
	if (option->letter)
		wt_buf_printf(out, "-%c", option->letter);
	wt_buf_printf(out, "|%s|%s|", kind, option->values ? option->values : "");
	put_quoted(option->help, out);
	wt_buf_puts(out, "'");
}

static void put_rows(const struct wt_option *options, struct wt_buf *out)
{
	const struct wt_option *rows[WT_OPTIONS_MAX];
	size_t n = wt_options_rows(options, rows);

	if (!n)
		return;
	wt_buf_puts(out, "printf '%s\\n'");
	for (size_t i = 0; i < n; i++)
		put_row(rows[i], out);
	wt_buf_puts(out, " ");
}

static void put_names(const struct wt_command *commands, size_t n, struct wt_buf *out)
{
	wt_buf_puts(out, "_wtrace_commands='");
	for (size_t i = 0; i < n; i++)
		wt_buf_printf(out, "%s ", commands[i].name);
	wt_buf_puts(out, "help'\n");
}

static void put_options(const struct wt_command *commands, size_t n, struct wt_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		wt_buf_printf(out, "\t%s) ", commands[i].name);
		put_rows(commands[i].options, out);
		wt_buf_puts(out, ";;\n");
	}
	wt_buf_puts(out, "\t*) ");
	put_rows(wt_options_common, out);
	wt_buf_puts(out, ";;\n");
}

static void put_words(const struct wt_command *commands, size_t n, struct wt_buf *out)
{
	for (size_t i = 0; i < n; i++)
		if (commands[i].words)
			wt_buf_printf(out, "\t%s) echo '%s' ;;\n", commands[i].name, commands[i].words);
}

int wt_help_bash(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		 struct wt_err *err)
{
	while (*source) {
		size_t len = strcspn(source, "\n");

		if (len == strlen("@commands") && !memcmp(source, "@commands", len))
			put_names(commands, n, out);
		else if (len == strlen("@options") && !memcmp(source, "@options", len))
			put_options(commands, n, out);
		else if (len == strlen("@words") && !memcmp(source, "@words", len))
			put_words(commands, n, out);
		else
			wt_buf_printf(out, "%.*s\n", (int)len, source);
		source += len + (source[len] == '\n');
	}
	return out->failed ? wt_fail_nomem(err) : 0;
}
