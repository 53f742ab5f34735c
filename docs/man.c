// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "docs/templates.h"

/* A stretch of the template: whole lines. */
struct lines {
	const char *at, *end;
};

static size_t line_len(const struct lines *lines)
{
	const char *end = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));

	return (size_t)((end ? end : lines->end) - lines->at);
}

static void next_line(struct lines *lines)
{
	lines->at += line_len(lines);
	lines->at += lines->at < lines->end;
}

/* The text behind the word that begins the line; NULL: the line begins with another word. */
static const char *argument(const struct lines *lines, const char *word, size_t *len)
{
	size_t skip = strlen(word);

	if (lines->at >= lines->end || strncmp(lines->at, word, skip))
		return NULL;
	*len = line_len(lines) - skip;
	return lines->at + skip;
}

static bool is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

/* Text as the man macros take it: a '-' is one that can be copied. */
static void put_text(const char *text, struct wt_buf *out)
{
	for (; *text; text++) {
		if (*text == '-')
			wt_buf_puts(out, "\\-");
		else if (*text == '\\')
			wt_buf_puts(out, "\\e");
		else if (*text == '\'')
			wt_buf_puts(out, "\\(aq");
		else
			wt_buf_put(out, text, 1);
	}
}

/* A sentence: the first letter large, a full stop. A word with other than letters stays as it is written. */
static void put_sentence(const char *text, struct wt_buf *out)
{
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz"), len = strlen(text);
	char first[] = {text[0], '\0'};

	if (word && (text[word] == ' ' || text[word] == ',' || !text[word]))
		first[0] = (char)toupper((unsigned char)text[0]);
	put_text(first, out);
	put_text(text + 1, out);
	wt_buf_puts(out, len && strchr(".?", text[len - 1]) ? "\n" : ".\n");
}

static void put_option(const struct wt_option *option, struct wt_buf *out)
{
	wt_buf_puts(out, ".TP\n\\fB");
	if (option->letter)
		wt_buf_printf(out, "\\-%c\\fR, \\fB", option->letter);
	wt_buf_puts(out, "\\-\\-");
	put_text(option->name, out);
	wt_buf_puts(out, "\\fR");
	if (option->argument) {
		bool optional = option->argument[0] == '[';

		wt_buf_puts(out, optional ? "[=" : " ");
		wt_buf_puts(out, "\\fI");
		put_text(option->argument + optional, out);
		if (optional)
			out->len--;
		wt_buf_puts(out, optional ? "\\fR]" : "\\fR");
	}
	wt_buf_puts(out, "\n");
	put_sentence(option->help, out);
}

/* The lines behind "@more NAME", up to the next of its kind. */
static void put_more(struct lines lines, const char *name, struct wt_buf *out)
{
	bool on = false;

	for (; lines.at < lines.end; next_line(&lines)) {
		size_t len;
		const char *whose = argument(&lines, "@more ", &len);

		if (whose)
			on = is(name, whose, len);
		else if (on)
			wt_buf_printf(out, "%.*s\n", (int)line_len(&lines), lines.at);
	}
}

static int check_more(struct lines lines, const struct wt_command *command,
		      const struct wt_option *const *rows, size_t n, struct wt_err *err)
{
	for (; lines.at < lines.end; next_line(&lines)) {
		size_t len, i;
		const char *whose = argument(&lines, "@more ", &len);

		for (i = 0; whose && i < n && !is(rows[i]->name, whose, len); i++)
			;
		if (whose && i == n)
			return wt_fail(err, WT_ERR_FORMAT, "@more %.*s: %s has no such option", (int)len,
				       whose, command->name);
	}
	return 0;
}

static int put_options(struct lines lines, const struct wt_command *command, struct wt_buf *out,
		       struct wt_err *err)
{
	const struct wt_option *rows[WT_OPTIONS_MAX];
	size_t n = wt_options_rows(command->options, rows);

	if (check_more(lines, command, rows, n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		put_option(rows[i], out);
		put_more(lines, rows[i]->name, out);
	}
	return 0;
}

/* Cuts out what stands up to "@end", and goes on behind it. */
static int take_block(struct lines *lines, struct lines *ret, struct wt_err *err)
{
	size_t len;

	next_line(lines);
	ret->at = lines->at;
	for (; lines->at < lines->end; next_line(lines)) {
		if (argument(lines, "@options ", &len))
			break;
		if (argument(lines, "@end", &len)) {
			ret->end = lines->at;
			next_line(lines);
			return 0;
		}
	}
	return wt_fail(err, WT_ERR_FORMAT, "an @options without its @end");
}

static int find(const struct wt_command *commands, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (is(commands[i].name, name, len))
			return (int)i;
	return -1;
}

int wt_help_man(const struct wt_command *commands, size_t n, const char *source, struct wt_buf *out,
		struct wt_err *err)
{
	struct lines lines = {source, source + strlen(source)}, block;
	uint64_t shown = 0;

	while (lines.at < lines.end) {
		size_t len;
		const char *name = argument(&lines, "@options ", &len);
		int i = name ? find(commands, n, name, len) : 0;

		if (i < 0)
			return wt_fail(err, WT_ERR_FORMAT, "@options %.*s: there is no such command",
				       (int)len, name);
		if (!name) {
			wt_buf_printf(out, "%.*s\n", (int)line_len(&lines), lines.at);
			next_line(&lines);
			continue;
		}
		shown |= UINT64_C(1) << i;
		if (take_block(&lines, &block, err) || put_options(block, &commands[i], out, err))
			return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (commands[i].options->name && !(shown >> i & 1))
			return wt_fail(err, WT_ERR_FORMAT, "@options %s stands nowhere", commands[i].name);
	return out->failed ? wt_fail_nomem(err) : 0;
}
