// SPDX-License-Identifier: MIT
#include "consumers/analysis/question.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/moment.h"

/* Prepares the filter from --where; an error in it shows its place. */
static int parse_where(const char *where, struct wt_view_filter *filter, struct wt_buf *shown,
		       struct wt_err *err)
{
	struct wt_expr_place place = {0};

	if (!wt_view_filter_where(filter, where, &place, err))
		return 0;
	if (err->code == WT_ERR_USAGE && shown)
		wt_expr_show_place(where, &place, shown);
	return wt_fail_prefix(err, "--where");
}

static int find_regions(const struct wt_question *ask, struct wt_view_filter *filter, struct wt_err *err)
{
	if (!wt_view_filter_asks_regions(filter))
		return 0;
	if (ask->follow)
		return wt_fail(err, WT_ERR_USAGE,
			       "--where: 'in region' does not go with --follow: a region is known when it "
			       "has ended");
	return wt_view_filter_regions(filter, &ask->pairs, err) ? wt_fail_prefix(err, "--where") : 0;
}

int wt_question_explain(struct wt_err *err)
{
	static const char *const words[] = {"region",       "duration", "self_time", "within",
					    "region_state", "ended",    "end_cpu",   "end_tid"};
	const char *unknown = err->code == WT_ERR_USAGE ? strstr(err->text, "unknown ") : NULL;
	const char *word = unknown ? strchr(unknown, '\'') : NULL;

	for (size_t i = 0; word && i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if (!strncmp(word + 1, words[i], len) && word[len + 1] == '\'')
			return wt_fail(err, WT_ERR_USAGE,
				       "'%s' belongs to regions: --regions shows them, and 'in region (%s "
				       "...)' selects the events inside",
				       words[i], words[i]);
	}
	return -1;
}

bool wt_question_by_region(const struct wt_question *ask)
{
	const char *at = ask->group_by;
	bool inside = ask->where && strstr(ask->where, "in region");

	if (ask->regions ||
	    (ask->histogram && (!strcmp(ask->histogram, "duration") || !strcmp(ask->histogram, "self_time"))))
		return true;
	/* True when the word is in a list with commas. */
	for (; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == 6 && !memcmp(at, "region", 6))
			return true;
	return ask->pairs.n && !ask->histogram && !ask->missing && !ask->folded && !inside;
}

int wt_question_check(const struct wt_question *ask, struct wt_err *err)
{
	if (ask->regions && ask->follow)
		return wt_fail(err, WT_ERR_USAGE,
			       "--regions does not go with --follow: a region is known when it has ended");
	if (ask->waits && (ask->pairs.n || wt_question_by_region(ask)))
		return wt_fail(err, WT_ERR_USAGE, "--waits counts waits, not regions: %s does not go with it",
			       ask->pairs.n ? "--pair" : "--regions or the key region");
	if (ask->waits && ask->n_events)
		return wt_fail(err, WT_ERR_USAGE,
			       "--event does not go with --waits, which reads switches and wakes");
	return 0;
}

int wt_question_filter(const struct wt_question *ask, struct wt_view_filter *filter,
		       struct wt_view_select *select, struct wt_buf *shown, struct wt_err *err)
{
	filter->no_self = ask->no_self;
	filter->proved = ask->proved;
	if (ask->where && parse_where(ask->where, filter, shown, err))
		return -1;
	if (find_regions(ask, filter, err))
		return -1;
	for (size_t i = 0; i < ask->n_events; i++)
		if (wt_view_select_add(select, ask->events[i], err))
			return -1;
	if (!select->n_sources)
		return 0;
	return wt_view_filter_sources(filter, select->sources, select->n_sources, err);
}

int wt_question_range(const struct wt_question *ask, const struct wt_view_file *file,
		      struct wt_log_filter *ret, struct wt_err *err)
{
	if (ask->from && wt_view_moment(file, "--from", ask->from, &ret->from, err))
		return -1;
	if (ask->to && wt_view_moment(file, "--to", ask->to, &ret->to, err))
		return -1;
	if (ask->to && !ret->to)
		ret->to = 1;
	if (ask->from && ask->to && ret->to <= ret->from)
		return wt_fail(err, WT_ERR_USAGE, "--to %s is not after --from %s", ask->to, ask->from);
	return 0;
}

void wt_question_deinit(struct wt_question *ask)
{
	for (size_t i = 0; i < ask->n_events; i++)
		free(ask->events[i]);
	free(ask->events);
	wt_region_pairs_deinit(&ask->pairs);
	*ask = (struct wt_question){0};
}
