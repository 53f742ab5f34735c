// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tracecore/base/list.h"
#include "tracecore/base/nearest.h"

enum { NAME_SIZE = 48 };

const struct wt_option wt_options_common[] = {
	{"quiet", 'q', NULL, "no notes and no progress, only warnings and errors", .set = NULL},
	{"verbose", 'v', NULL, "more messages about the work", .set = NULL},
	{"help", 'h', NULL, "the command's options, with examples", .set = NULL},
	WT_OPTIONS_END,
};

size_t wt_options_rows(const struct wt_option *options, const struct wt_option *ret[WT_OPTIONS_MAX])
{
	size_t n = 0;

	for (; options && (options->name || options->rows); options++) {
		if (options->rows)
			n += wt_options_rows(options->rows, ret + n);
		else
			ret[n++] = options;
	}
	return n;
}

int wt_set_flag(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)value;
	(void)err;
	*(bool *)((char *)ctx + option->where) = true;
	return 0;
}

int wt_set_text(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	const char **at = (const char **)(void *)((char *)ctx + option->where);

	if (*at)
		return wt_fail(err, WT_ERR_USAGE, "--%s is given twice", option->name);
	*at = value;
	return 0;
}

int wt_set_word(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	return option->take(ctx, value, err);
}

struct parse {
	int argc;
	char **argv;
	int next; /* the argument to look at next */
	const struct wt_option *options[WT_OPTIONS_MAX];
	size_t n;
	void *ctx;
	struct wt_err *err;
};

static const struct wt_option *by_name(const struct parse *parse, const char *name, size_t len)
{
	for (size_t i = 0; i < parse->n; i++) {
		const char *candidate = parse->options[i]->name;

		if (strlen(candidate) == len && !memcmp(candidate, name, len))
			return parse->options[i];
	}
	return NULL;
}

static const struct wt_option *by_letter(const struct parse *parse, char letter)
{
	for (size_t i = 0; i < parse->n; i++) {
		if (parse->options[i]->letter == letter)
			return parse->options[i];
	}
	return NULL;
}

static int fail_unknown_option(const struct parse *parse, const char *word)
{
	char text[WT_OPTIONS_MAX + 3][NAME_SIZE];
	const char *names[WT_OPTIONS_MAX + 3];
	size_t n = 0;

	for (size_t i = 0; i < parse->n; i++)
		snprintf(text[n++], NAME_SIZE, "--%s", parse->options[i]->name);
	for (const struct wt_option *common = wt_options_common; common->name; common++)
		snprintf(text[n++], NAME_SIZE, "--%s", common->name);
	for (size_t i = 0; i < n; i++)
		names[i] = text[i];
	return wt_fail_unknown(parse->err, "option", word, names, n);
}

/* For -f where only -F is known, the error says that only the case is wrong. */
static int fail_unknown_letter(const struct parse *parse, char letter)
{
	char other = islower((unsigned char)letter) ? (char)toupper((unsigned char)letter)
						    : (char)tolower((unsigned char)letter);
	char word[] = {'-', letter, '\0'};

	if (by_letter(parse, other))
		return wt_fail(parse->err, WT_ERR_USAGE, "unknown option '%s'; did you mean '-%c'?", word,
			       other);
	return fail_unknown_option(parse, word);
}

/* -o is a file name in every command. */
static int check_output(const char *value, struct wt_err *err)
{
	if (!value[0])
		return wt_fail(err, WT_ERR_USAGE, "-o needs the name of a file: it is empty");
	if (!strcmp(value, "-"))
		return wt_fail(err, WT_ERR_USAGE,
			       "-o - is not standard output; a file of that name is written -o ./-");
	return 0;
}

static bool is_flag(const struct wt_option *option)
{
	return !option->argument;
}

static bool needs_value(const struct wt_option *option)
{
	return option->argument && option->argument[0] != '[';
}

static int set(const struct parse *parse, const struct wt_option *option, const char *value)
{
	if (value && !strcmp(option->name, "output") && check_output(value, parse->err))
		return -1;
	return option->set(parse->ctx, option, value, parse->err);
}

/* Takes the next argument as the option's value. "--" is never a value: the user forgot the value before a
 * command. */
static int set_from_next(struct parse *parse, const struct wt_option *option, const char *as_given)
{
	if (parse->next >= parse->argc || !strcmp(parse->argv[parse->next], "--"))
		return wt_fail(parse->err, WT_ERR_USAGE, "option '%s' needs a value", as_given);
	return set(parse, option, parse->argv[parse->next++]);
}

static int parse_long(struct parse *parse, const char *arg)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
	const struct wt_option *option = by_name(parse, arg + 2, len - 2);
	char given[NAME_SIZE];

	snprintf(given, sizeof(given), "%.*s", (int)(len < NAME_SIZE ? len : NAME_SIZE - 1), arg);
	if (!option)
		return fail_unknown_option(parse, given);
	if (equals && is_flag(option))
		return wt_fail(parse->err, WT_ERR_USAGE, "option '%s' takes no value", given);
	if (equals)
		return set(parse, option, equals + 1);
	if (needs_value(option))
		return set_from_next(parse, option, given);
	return set(parse, option, NULL);
}

/* Refuses a long option's name behind one dash, as other tools write it, before it is read as letters. */
static int check_dashes(const struct parse *parse, const char *arg)
{
	size_t len = strcspn(arg + 1, "=");

	if (len < 2 || !by_name(parse, arg + 1, len))
		return 0;
	return wt_fail(parse->err, WT_ERR_USAGE, "unknown option '%.*s'; did you mean '-%.*s'?", (int)len + 1,
		       arg, (int)len + 1, arg);
}

/* Parses -x, -xVALUE, and several flags behind one dash. */
static int parse_letters(struct parse *parse, const char *arg)
{
	if (check_dashes(parse, arg))
		return -1;
	for (const char *p = arg + 1; *p; p++) {
		const struct wt_option *option = by_letter(parse, *p);
		char given[] = {'-', *p, '\0'};

		if (!option)
			return fail_unknown_letter(parse, *p);
		if (needs_value(option))
			return p[1] ? set(parse, option, p + 1) : set_from_next(parse, option, given);
		if (set(parse, option, NULL))
			return -1;
	}
	return 0;
}

static int takes_long(const struct parse *parse, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct wt_option *option = by_name(parse, word + 2, len - 2);

	return !option ? 0 : !word[len] && needs_value(option) ? 2 : 1;
}

int wt_options_takes(const struct wt_option *options, const char *word)
{
	struct parse parse = {.n = wt_options_rows(options, parse.options)};

	if (word[0] != '-' || !word[1] || !strcmp(word, "--"))
		return 0;
	if (word[1] == '-')
		return takes_long(&parse, word);
	while (*++word) {
		const struct wt_option *option = by_letter(&parse, *word);

		if (!option)
			return 0;
		if (needs_value(option))
			return word[1] ? 1 : 2;
	}
	return 1;
}

int wt_set_list(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	char what[NAME_SIZE];

	snprintf(what, sizeof(what), "--%s", option->name);
	return wt_list_each(value, what, option->each, ctx, err);
}

static int refuse(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	return wt_fail(err, WT_ERR_USAGE, "'%s' is not expected here", word);
}

int wt_begin_command(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	(void)word;
	(void)err;
	return 1;
}

int wt_options_parse(int argc, char **argv, const struct wt_option *options,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err)
{
	struct parse parse = {.argc = argc, .argv = argv, .next = 1, .ctx = ctx, .err = err};

	word = word ? word : refuse;
	parse.n = wt_options_rows(options, parse.options);
	while (parse.next < argc) {
		const char *arg = argv[parse.next++];
		int rc;

		if (!strcmp(arg, "--"))
			return parse.next;
		if (!strncmp(arg, "--", 2))
			rc = parse_long(&parse, arg);
		else if (arg[0] == '-' && arg[1])
			rc = parse_letters(&parse, arg);
		else
			rc = word(ctx, arg, err);
		if (rc > 0)
			return parse.next - 1;
		if (rc)
			return -1;
	}
	return argc;
}

int wt_options_words(int argc, char **argv, const struct wt_option *options,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err)
{
	int at = wt_options_parse(argc, argv, options, word, ctx, err), rc = at < 0 ? -1 : 0;

	for (; !rc && at < argc; at++)
		rc = (word ? word : refuse)(ctx, argv[at], err);
	return rc;
}

int wt_take_one(const char **ret, const char *word, const char *what, struct wt_err *err)
{
	if (*ret)
		return wt_fail(err, WT_ERR_USAGE, "one %s at a time: '%s' is too many", what, word);
	*ret = word;
	return 0;
}
