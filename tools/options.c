// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tracecore/base/nearest.h"

enum { MAX_OPTIONS = 64, NAME_SIZE = 48 };

struct parse {
	int argc;
	char **argv;
	int next; /* the argument to look at next */
	const struct wt_option *options;
	size_t n;
	void *ctx;
	struct wt_err *err;
};

static const struct wt_option *by_name(const struct parse *parse, const char *name, size_t len)
{
	for (size_t i = 0; i < parse->n; i++) {
		const char *candidate = parse->options[i].name;

		if (strlen(candidate) == len && !memcmp(candidate, name, len))
			return &parse->options[i];
	}
	return NULL;
}

static const struct wt_option *by_letter(const struct parse *parse, char letter)
{
	for (size_t i = 0; i < parse->n; i++) {
		if (parse->options[i].letter == letter)
			return &parse->options[i];
	}
	return NULL;
}

static int fail_unknown_option(const struct parse *parse, const char *word)
{
	static const char *const common[] = {"help", "quiet", "verbose"};
	char text[MAX_OPTIONS + 3][NAME_SIZE];
	const char *names[MAX_OPTIONS + 3];
	size_t n = 0;

	for (size_t i = 0; i < parse->n && n < MAX_OPTIONS; i++)
		snprintf(text[n++], NAME_SIZE, "--%s", parse->options[i].name);
	for (size_t i = 0; i < 3; i++)
		snprintf(text[n++], NAME_SIZE, "--%s", common[i]);
	for (size_t i = 0; i < n; i++)
		names[i] = text[i];
	return wt_fail_unknown(parse->err, "option", word, names, n);
}

/* -f where only -F is known: the case is all that is wrong. */
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

/* -o is a file's name in every command. */
static int check_output(const char *value, struct wt_err *err)
{
	if (!value[0])
		return wt_fail(err, WT_ERR_USAGE, "-o needs the name of a file: it is empty");
	if (!strcmp(value, "-"))
		return wt_fail(err, WT_ERR_USAGE,
			       "-o - is not standard output; a file of that name is written -o ./-");
	return 0;
}

static int set(const struct parse *parse, const struct wt_option *option, const char *value)
{
	if (value && !strcmp(option->name, "output") && check_output(value, parse->err))
		return -1;
	return option->set(parse->ctx, option, value, parse->err);
}

/* The next argument as the option's value. "--" is never one: it is a forgotten value before a command. */
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
	if (equals && option->arg == WT_OPT_FLAG)
		return wt_fail(parse->err, WT_ERR_USAGE, "option '%s' takes no value", given);
	if (equals)
		return set(parse, option, equals + 1);
	if (option->arg == WT_OPT_VALUE)
		return set_from_next(parse, option, given);
	return set(parse, option, NULL);
}

/* A long option's name behind one dash, as other tools write it: its letters are not meant. */
static int check_dashes(const struct parse *parse, const char *arg)
{
	size_t len = strcspn(arg + 1, "=");

	if (len < 2 || !by_name(parse, arg + 1, len))
		return 0;
	return wt_fail(parse->err, WT_ERR_USAGE, "unknown option '%.*s'; did you mean '-%.*s'?", (int)len + 1,
		       arg, (int)len + 1, arg);
}

/* -x, -xVALUE, and several flags behind one dash. */
static int parse_letters(struct parse *parse, const char *arg)
{
	if (check_dashes(parse, arg))
		return -1;
	for (const char *p = arg + 1; *p; p++) {
		const struct wt_option *option = by_letter(parse, *p);
		char given[] = {'-', *p, '\0'};

		if (!option)
			return fail_unknown_letter(parse, *p);
		if (option->arg == WT_OPT_VALUE)
			return p[1] ? set(parse, option, p + 1) : set_from_next(parse, option, given);
		if (set(parse, option, NULL))
			return -1;
	}
	return 0;
}

int wt_options_parse(int argc, char **argv, const struct wt_option *options, size_t n,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err)
{
	struct parse parse = {argc, argv, 1, options, n, ctx, err};

	while (parse.next < argc) {
		const char *arg = argv[parse.next++];
		int rc;

		if (!strcmp(arg, "--"))
			return parse.next;
		if (!strncmp(arg, "--", 2))
			rc = parse_long(&parse, arg);
		else if (arg[0] == '-' && arg[1])
			rc = parse_letters(&parse, arg);
		else if (word)
			rc = word(ctx, arg, err);
		else
			rc = wt_fail(err, WT_ERR_USAGE, "'%s' is not expected here", arg);
		if (rc)
			return -1;
	}
	return argc;
}
