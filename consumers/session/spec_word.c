// SPDX-License-Identifier: MIT
#include "consumers/session/spec_word.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/nearest.h"

/* Two of them have no flag in ETW: their second name is the first. */
const struct wt_spec_known wt_spec_known[] = {
	{"pmu-profile", "PROFILE", true},     {"loader", "LOADER", true},
	{"proc_thread", "PROC_THREAD", true}, {"cswitch", "CSWITCH", true},
	{"dispatcher", "DISPATCHER", true},   {"spe", "SPE", false},
	{"counters", "counters", true},       {"windowsperf", "windowsperf", true},
	{"dispatcher", "READYTHREAD", true},
};
const size_t wt_spec_n_known = sizeof(wt_spec_known) / sizeof(wt_spec_known[0]);

const char *wt_spec_alias(const char *provider)
{
	for (size_t i = 0; i < wt_spec_n_known; i++)
		if (!strcmp(provider, wt_spec_known[i].name) && strcmp(provider, wt_spec_known[i].alias))
			return wt_spec_known[i].alias;
	return NULL;
}

bool wt_spec_is_alias(const char *provider, const char *word)
{
	for (size_t i = 0; i < wt_spec_n_known; i++)
		if (!strcmp(provider, wt_spec_known[i].name) && !strcasecmp(word, wt_spec_known[i].alias))
			return true;
	return false;
}

int wt_spec_copy(char **ret, const char *text, struct wt_err *err)
{
	char *copy = strdup(text);

	if (!copy)
		return wt_fail_nomem(err);
	free(*ret);
	*ret = copy;
	return 0;
}

int wt_spec_number(const char *text, const char *what, uint64_t max, uint64_t *ret, struct wt_err *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)text[0]) || *end || errno || *ret > max)
		return wt_fail(err, WT_ERR_USAGE, "%s '%s' is not a number from 0 to %llu", what, text,
			       (unsigned long long)max);
	return 0;
}

enum { N_KNOWN = sizeof(wt_spec_known) / sizeof(wt_spec_known[0]) };

static int fail_name(const char *text, const char *const *names, struct wt_err *err)
{
	const char *nearest = wt_nearest(text, names, N_KNOWN);

	if (strchr(text, '+'))
		return wt_fail(
			err, WT_ERR_USAGE,
			"'%.80s' cannot be the name of a provider; names in a list are separated by ','",
			text);
	if (!nearest)
		return wt_fail(err, WT_ERR_USAGE,
			       "'%.80s' cannot be the name of a provider: letters, digits, '_', '.', '-'",
			       text);
	return wt_fail(err, WT_ERR_USAGE,
		       "unknown provider '%s'; did you mean '%s'? (a program's provider of that name: "
		       "user:%s)",
		       text, nearest, text);
}

/* Sets *user for a name that is a program's provider. */
static int canonical_name(const char *text, char **ret, bool *user, struct wt_err *err)
{
	const char *names[N_KNOWN];

	for (size_t i = 0; i < N_KNOWN; i++) {
		names[i] = wt_spec_known[i].name;
		if (strcasecmp(text, wt_spec_known[i].name) && strcasecmp(text, wt_spec_known[i].alias))
			continue;
		if (!wt_spec_known[i].here)
			return wt_fail(
				err, WT_ERR_USAGE,
				"provider '%s' is not in this version; its kernel events can be recorded as "
				"tracepoints, for example -p linux:sched:sched_switch",
				text);
		return wt_spec_copy(ret, wt_spec_known[i].name, err);
	}
	if (wt_program_provider_name(text) && !wt_nearest(text, names, N_KNOWN)) {
		*user = true;
		return wt_spec_copy(ret, text, err);
	}
	return fail_name(text, names, err);
}

static int parse_level(const char *text, uint8_t *ret, struct wt_err *err)
{
	static const char *const names[] = {"always", "critical", "error", "warning", "info", "verbose"};
	uint64_t number;

	for (uint8_t i = 0; i < 6; i++)
		if (!strcasecmp(text, names[i]))
			return *ret = i, 0;
	if (!isdigit((unsigned char)text[0]))
		return wt_fail_unknown(err, "level", text, names, 6);
	if (wt_spec_number(text, "level", 255, &number, err) < 0)
		return -1;
	*ret = (uint8_t)number;
	return 0;
}

/* Returns the next part of a ':'-separated word; NULL at its end. */
static char *next_part(char **rest)
{
	return *rest ? strsep(rest, ":") : NULL;
}

static int parse_tracepoint(char **rest, struct wt_spec_provider *ret, struct wt_err *err)
{
	char *subsystem = next_part(rest), *event = next_part(rest);
	char name[256];

	if (!subsystem || !subsystem[0] || !event || !event[0])
		return wt_fail(err, WT_ERR_USAGE,
			       "a kernel tracepoint is written linux:SUBSYSTEM:EVENT, for example "
			       "linux:sched:sched_switch; 'wtrace list events' shows all");
	if (snprintf(name, sizeof(name), "linux:%s", subsystem) >= (int)sizeof(name))
		return wt_fail(err, WT_ERR_USAGE, "subsystem name '%.60s...' is too long", subsystem);
	return wt_spec_copy(&ret->name, name, err) < 0 || wt_spec_copy(&ret->event, event, err) < 0 ? -1 : 0;
}

static bool is_level(const char *text)
{
	struct wt_err ignored;
	uint8_t level;

	return text[0] && !parse_level(text, &level, &ignored);
}

static int add_counter(struct wt_spec *spec, const char *name, struct wt_err *err)
{
	if (!name[0])
		return wt_fail(err, WT_ERR_USAGE,
			       "counters:EVENT+EVENT... names the events to count, for example "
			       "counters:task-clock+page-faults+sched:sched_switch");
	if (spec->n_counters == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d counters", WT_SPEC_MAX);
	spec->counters[spec->n_counters] = NULL;
	return wt_spec_copy(&spec->counters[spec->n_counters++], name, err);
}

/* EVENT+EVENT...[:LEVEL][:stack]: events may contain colons, so only the last part can be a level. */
static int parse_counters(struct wt_spec *spec, char **rest, struct wt_spec_provider *ret, struct wt_err *err)
{
	char *word = *rest ? *rest : (char[]){""}, *last = strrchr(word, ':');

	*rest = NULL;
	ret->stack = last && !strcmp(last, ":stack");
	if (ret->stack) {
		*last = 0;
		last = strrchr(word, ':');
	}
	if (spec->n_counters)
		return wt_fail(err, WT_ERR_USAGE,
			       "counters is given twice in -p: all counters are read together, so name them "
			       "at once (counters:EVENT+EVENT...)");
	if (last && !strchr(last, '/') && is_level(last + 1)) {
		*last = 0;
		if (parse_level(last + 1, &ret->level, err) < 0)
			return -1;
	}
	if (ret->level && ret->level < WT_LEVEL_INFO)
		return wt_fail(err, WT_ERR_USAGE,
			       "counters: level info counts CPUs at an interval, level verbose threads at "
			       "switches too; a lower level counts nothing");
	do
		if (add_counter(spec, strsep(&word, "+"), err) < 0)
			return -1;
	while (word);
	return 0;
}

static int user_name(char **rest, struct wt_spec_provider *ret, struct wt_err *err)
{
	char *name = next_part(rest);

	if (!name || !wt_program_provider_name(name))
		return wt_fail(err, WT_ERR_USAGE,
			       "user:NAME needs the name of a program's provider: letters, digits, '_', '.', "
			       "'-', and none of the kernel's");
	ret->user = ret->sure = true;
	return wt_spec_copy(&ret->name, name, err);
}

static int parse_name(char **rest, struct wt_spec_provider *ret, struct wt_err *err)
{
	char *name = next_part(rest);

	if (!strcmp(name, "linux"))
		return parse_tracepoint(rest, ret, err);
	if (!strcmp(name, "user"))
		return user_name(rest, ret, err);
	return canonical_name(name, &ret->name, &ret->user, err);
}

int wt_spec_parse_provider(struct wt_spec *spec, char *word, struct wt_err *err)
{
	struct wt_spec_provider *item = &spec->providers[spec->n_providers];
	char *rest = word, *part;

	if (spec->n_providers == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d providers in one session", WT_SPEC_MAX);
	*item = (struct wt_spec_provider){0};
	spec->n_providers++;
	if (parse_name(&rest, item, err))
		return -1;
	if (!item->user && !strcmp(item->name, "counters"))
		return parse_counters(spec, &rest, item, err);
	part = next_part(&rest);
	if (part && part[0] && wt_spec_copy(&item->keywords, part, err) < 0)
		return -1;
	part = next_part(&rest);
	if (part && part[0] && parse_level(part, &item->level, err) < 0)
		return -1;
	part = next_part(&rest);
	if (part && strcmp(part, "stack"))
		return wt_fail(err, WT_ERR_USAGE,
			       "'%s' after the level of provider %s: only 'stack' is allowed there", part,
			       item->name);
	item->stack = part != NULL;
	if (rest)
		return wt_fail(err, WT_ERR_USAGE,
			       "too many ':' in provider %s: NAME[:KEYWORDS[:LEVEL[:stack]]]", item->name);
	return 0;
}
