// SPDX-License-Identifier: MIT
#include "consumers/counting/sampled_word.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "consumers/counting/event_list.h"

struct sampled_word {
	char name[sizeof(((struct wt_perf_spec *)0)->name)];
	const char *period; /* with its colon, or "" */
	int (*fn)(void *ctx, const char *word, struct wt_err *err);
	void *ctx;
	const struct wt_cores *cores;
	bool counted; /* else sampled */
	struct wt_count_list list;
	struct wt_err *err;
};

/* Names in models have letters, digits, '_' and '.' only. A word with other characters is no such name. */
static bool read_name(const char *word, struct sampled_word *ret)
{
	size_t len = strcspn(word, ":");

	if (!isalpha((unsigned char)word[0]) || len >= sizeof(ret->name))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("_.-", word[i]))
			return false;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)len, word);
	ret->period = word + len;
	return true;
}

static int hand_on(const struct sampled_word *word, const struct wt_count_event *event,
		   const struct wt_count_way *way)
{
	const char *pmu = way->core < 0 ? "cpu" : word->cores->types[way->core].name;
	char text[sizeof(word->name)], full[2 * sizeof(word->name) + 32];

	if (!wt_perf_spec_word(&way->spec, pmu, text, sizeof(text)))
		return wt_fail(word->err, WT_ERR_LIMIT, "event '%s': its PMU's name is too long", word->name);
	snprintf(full, sizeof(full), "%s=%s%s", event->name, text, word->period);
	return word->fn(word->ctx, full, word->err);
}

static int fail_way(const struct sampled_word *word, const char *how)
{
	return wt_fail(word->err, WT_ERR_USAGE,
		       "event '%s' is counted %s, and cannot be %s: wtrace stat -e %s", word->name, how,
		       word->counted ? "counted into a log" : "sampled", word->name);
}

static int hand_on_all(const struct sampled_word *word, const struct wt_count_event *event)
{
	for (size_t i = 0; i < event->n_ways; i++) {
		if (i && event->ways[i].spec.type < WT_SPEC_RAW)
			break; /* one word has it on all kinds of cores */
		if (event->ways[i].spec.shared || event->exclude)
			return fail_way(word, event->exclude ? "in one mode alone" : "outside the cores");
		/* Every CPU has one group, which has one number for an event. */
		if (word->counted && event->n_ways > 1 && event->ways[i].spec.type >= WT_SPEC_RAW)
			return fail_way(word, "by another number on each kind of core");
		if (hand_on(word, event, &event->ways[i]))
			return -1;
	}
	return 0;
}

static bool is_here(const struct sampled_word *word)
{
	for (size_t i = 0; i < word->cores->n; i++)
		if (wt_pmu_event_named(word->cores->types[i].model, word->name))
			return true;
	return false;
}

/* Nobody's word is an error of who samples or counts, who knows tracepoints too. */
static int fail_elsewhere(const struct sampled_word *word, const char *typed)
{
	const struct wt_pmu_model *model, *has = NULL;

	for (size_t i = 0; !has && word->cores->models && (model = wt_pmu_model_at(word->cores->models, i));
	     i++)
		has = wt_pmu_event_named(model, word->name) ? model : NULL;
	if (!has)
		return word->fn(word->ctx, typed, word->err);
	return wt_fail(
		word->err, WT_ERR_USAGE,
		"event '%s' is one of other CPUs (such as %s), not of this one; 'wtrace list' shows what "
		"there is here, and %s",
		word->name, has->name,
		word->counted ? "task-clock works everywhere: -p counters:task-clock"
			      : "cpu-clock works everywhere: -e cpu-clock:1000000");
}

static int look_up(struct sampled_word *word, const char *typed)
{
	struct wt_count_event *event;
	struct wt_err why = WT_ERR_INIT;

	if (!wt_count_list_word(&word->list, word->name, word->cores, NULL, &event, &why))
		return hand_on_all(word, event);
	if (!is_here(word))
		return fail_elsewhere(word, typed);
	*word->err = why;
	return -1;
}

/* Opens the tables of all models for a word that means nothing without them. */
static int look_up_here(struct sampled_word *word, const char *typed)
{
	struct wt_cores here;
	int rc = wt_cores_init(&here, NULL, word->err);

	rc = rc ? rc : wt_cores_find(&here, word->err);
	word->cores = &here;
	if (!rc)
		rc = look_up(word, typed);
	wt_cores_deinit(&here);
	return rc;
}

static int read_word(struct sampled_word *word, const char *typed)
{
	struct wt_err unknown = WT_ERR_INIT;
	struct wt_perf_spec spec;
	int rc;

	if (!read_name(typed, word) || !wt_perf_spec_parse(word->name, NULL, &spec, &unknown))
		return word->fn(word->ctx, typed, word->err);
	rc = word->cores ? look_up(word, typed) : look_up_here(word, typed);
	wt_count_list_deinit(&word->list);
	return rc;
}

int wt_sampled_word(const char *typed, const struct wt_cores *cores,
		    int (*fn)(void *ctx, const char *word, struct wt_err *err), void *ctx, struct wt_err *err)
{
	struct sampled_word word = {.cores = cores, .fn = fn, .ctx = ctx, .err = err};

	return read_word(&word, typed);
}

int wt_sampled_check(const char *word, struct wt_err *err)
{
	struct wt_perf_spec spec;

	return wt_perf_spec_parse(word, NULL, &spec, err);
}

int wt_counter_word(const char *typed, const struct wt_cores *cores,
		    int (*fn)(void *ctx, const char *word, struct wt_err *err), void *ctx, struct wt_err *err)
{
	struct sampled_word word = {.cores = cores, .fn = fn, .ctx = ctx, .counted = true, .err = err};
	const char *colon = strchr(typed, ':');

	/* SUBSYSTEM:EVENT is no model's name; what a number stands behind may be one. */
	return colon && !isdigit((unsigned char)colon[1]) ? fn(ctx, typed, err) : read_word(&word, typed);
}
