// SPDX-License-Identifier: MIT
#include "consumers/session/spec_set.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "consumers/session/spec_word.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"

#define EVENTS "/sys/kernel/tracing/events/"

enum { MOST_WORDS = 4 };

/* The set's keywords, as in ETW's group Latency: Interrupt, DPC, timers, DiskIO, hard faults, and calls. */
static const struct part {
	const char *keyword;
	const char *points[MOST_WORDS]; /* SUBSYSTEM:EVENT, with patterns */
} parts[] = {
	{"irq", {"irq:irq_handler_*"}},
	{"softirq", {"irq:softirq_*"}},
	{"timer", {"timer:hrtimer_expire_*", "timer:timer_expire_*"}},
	{"disk", {"block:block_rq_insert", "block:block_rq_issue", "block:block_rq_complete"}},
	{"faults", {"exceptions:page_fault_*"}},
	{"syscall", {"raw_syscalls:sys_*"}},
};
enum { N_PARTS = sizeof(parts) / sizeof(parts[0]) };

/* What ETW's group has besides, in the whole set alone. */
static const char *const usual[] = {"pmu-profile", "loader", "proc_thread"};
enum { N_USUAL = sizeof(usual) / sizeof(usual[0]) };

static const char set_name[] = "latency";

bool wt_spec_is_set(const char *word)
{
	size_t len = strcspn(word, ":");

	return len == strlen(set_name) && !strncasecmp(word, set_name, len);
}

/* Whoever may not look is told by the session what is missing. */
static bool is_missing(const char *point)
{
	char pattern[256];
	glob_t found;
	bool none;

	snprintf(pattern, sizeof(pattern), EVENTS "%.*s/%s", (int)strcspn(point, ":"), point,
		 strchr(point, ':') + 1);
	if (access(EVENTS, R_OK | X_OK) < 0)
		return false;
	none = glob(pattern, GLOB_NOSORT, NULL, &found) == GLOB_NOMATCH;
	globfree(&found);
	return none;
}

static int add_word(struct wt_spec *spec, const char *prefix, const char *name, struct wt_err *err)
{
	char word[256];

	snprintf(word, sizeof(word), "%s%s", prefix, name);
	return wt_spec_parse_provider(spec, word, err);
}

static int add_part(struct wt_spec *spec, const struct part *part, bool named, struct wt_err *err)
{
	size_t before = spec->n_providers;

	for (size_t i = 0; i < MOST_WORDS && part->points[i]; i++) {
		if (is_missing(part->points[i]))
			wt_note("%s:%s: this kernel has no tracepoint %s", set_name, part->keyword,
				part->points[i]);
		else if (add_word(spec, "linux:", part->points[i], err) < 0)
			return -1;
	}
	if (named && spec->n_providers == before)
		return wt_fail(err, WT_ERR_UNSUPPORTED, "%s:%s: this kernel has no tracepoint for it",
			       set_name, part->keyword);
	/* Their number is too large for copies of stacks that nobody asked for by name. */
	for (size_t i = before; i < spec->n_providers; i++)
		spec->providers[i].bare = true;
	return 0;
}

static int add_keyword(struct wt_spec *spec, const char *word, struct wt_err *err)
{
	const char *names[N_PARTS];

	for (size_t i = 0; i < N_PARTS; i++) {
		names[i] = parts[i].keyword;
		if (!strcasecmp(word, names[i]))
			return add_part(spec, &parts[i], true, err);
	}
	return wt_fail_unknown(err, "keyword", word, names, N_PARTS);
}

static int add_keywords(struct wt_spec *spec, char *keywords, struct wt_err *err)
{
	int rc = 0;

	if (keywords && *keywords) {
		while (!rc && keywords)
			rc = add_keyword(spec, strsep(&keywords, "|"), err);
		return rc;
	}
	for (size_t i = 0; !rc && i < N_USUAL; i++)
		rc = add_word(spec, "", usual[i], err);
	for (size_t i = 0; !rc && i < N_PARTS; i++)
		rc = add_part(spec, &parts[i], false, err);
	return rc;
}

int wt_spec_add_set(struct wt_spec *spec, char *word, struct wt_err *err)
{
	char *keywords = strchr(word, ':');

	if (keywords)
		keywords++;
	if (keywords && strchr(keywords, ':'))
		return wt_fail(err, WT_ERR_USAGE,
			       "%s is a set of providers: only keywords go with it, as in %s:irq|disk; "
			       "levels and stacks belong to its providers (--stackwalk=LIST)",
			       set_name, set_name);
	return add_word(spec, "", "cswitch", err) < 0 || add_word(spec, "", "dispatcher", err) < 0
		       ? -1
		       : add_keywords(spec, keywords, err);
}
