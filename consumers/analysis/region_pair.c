/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/region_pair.h"

#include <stdlib.h>
#include <string.h>

static int fail_form(const char *text, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_USAGE,
		       "--pair '%.80s': BEGIN,END or 'BEGIN,END by FIELD' expected, as in "
		       "'block_rq_issue,block_rq_complete by sector'",
		       text);
}

static void pair_deinit(struct wt_region_pair *pair)
{
	free(pair->begin);
	free(pair->end);
	for (uint32_t i = 0; i < WT_REGION_MAX_FIELDS; i++) {
		free(pair->begin_field[i]);
		free(pair->end_field[i]);
	}
}

void wt_region_pairs_deinit(struct wt_region_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->n; i++)
		pair_deinit(&pairs->pairs[i]);
	free(pairs->pairs);
	*pairs = (struct wt_region_pairs){0};
}

/* ---- words ---- */

/* Bytes of a name at text: up to a blank, a comma or an equals sign. */
static size_t word_len(const char *text)
{
	return strcspn(text, " \t,=");
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* linux:SUBSYSTEM:EVENT, as -p has it, is linux:SUBSYSTEM/EVENT in a log. */
static char *event_word(const char *text, size_t len)
{
	char *word = strndup(text, len), *colon = word ? strrchr(word, ':') : NULL;

	if (colon && !strncmp(word, "linux:", 6) && colon > word + 5 && !strchr(word, '/'))
		*colon = '/';
	return word;
}

static int take_field(struct wt_region_pair *pair, const char **at, const char *text, struct wt_err *err)
{
	size_t len = word_len(*at), end_len = len;
	const char *name = *at, *end = *at;

	if (!len)
		return fail_form(text, err);
	if (pair->n_fields == WT_REGION_MAX_FIELDS)
		return wt_fail(err, WT_ERR_USAGE, "--pair '%.80s': more than %d fields", text,
			       WT_REGION_MAX_FIELDS);
	*at += len;
	if (**at == '=') {
		end = *at + 1;
		end_len = word_len(end);
		*at = end + end_len;
		if (!end_len)
			return fail_form(text, err);
	}
	pair->begin_field[pair->n_fields] = strndup(name, len);
	pair->end_field[pair->n_fields] = strndup(end, end_len);
	pair->n_fields++;
	if (!pair->begin_field[pair->n_fields - 1] || !pair->end_field[pair->n_fields - 1])
		return wt_fail_nomem(err);
	*at = skip_blanks(*at);
	return 0;
}

static int take_fields(struct wt_region_pair *pair, const char *at, const char *text, struct wt_err *err)
{
	if (strncmp(at, "by", 2) != 0 || (at[2] != ' ' && at[2] != '\t'))
		return fail_form(text, err);
	at = skip_blanks(at + 2);
	for (;;) {
		if (take_field(pair, &at, text, err))
			return -1;
		if (!*at)
			return 0;
		if (*at != ',')
			return fail_form(text, err);
		at = skip_blanks(at + 1);
	}
}

static int parse(const char *text, struct wt_region_pair *pair, struct wt_err *err)
{
	const char *at = skip_blanks(text);
	size_t len = word_len(at);

	pair->begin = event_word(at, len);
	at = skip_blanks(at + len);
	if (!len || *at != ',')
		return fail_form(text, err);
	at = skip_blanks(at + 1);
	len = word_len(at);
	pair->end = event_word(at, len);
	if (!len)
		return fail_form(text, err);
	if (!pair->begin || !pair->end)
		return wt_fail_nomem(err);
	at = skip_blanks(at + len);
	return *at ? take_fields(pair, at, text, err) : 0;
}

int wt_region_pairs_add(struct wt_region_pairs *pairs, const char *text, struct wt_err *err)
{
	struct wt_region_pair pair = {0}, *grown;

	if (pairs->n == WT_REGION_MAX_PAIRS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d times --pair", WT_REGION_MAX_PAIRS);
	if (parse(text, &pair, err)) {
		pair_deinit(&pair);
		return -1;
	}
	grown = realloc(pairs->pairs, (pairs->n + 1) * sizeof(*grown));
	if (!grown) {
		pair_deinit(&pair);
		return wt_fail_nomem(err);
	}
	grown[pairs->n++] = pair;
	pairs->pairs = grown;
	return 0;
}
