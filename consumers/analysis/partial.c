/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/partial.h"

#include <string.h>

/* The word stands in a list with commas between. */
static bool listed(const char *list, const char *word, size_t len)
{
	for (;;) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, n))
			return true;
		if (!list[n])
			return false;
		list += n + 1;
	}
}

/* PROVIDER/EVENT, PROVIDER or EVENT, as --event takes them. A loss of any event of its providers may be one
 * of an event that is named alone. */
static bool named(const char *word, const char *providers, const char *event)
{
	const char *slash = strrchr(word, '/');

	if (slash)
		return listed(providers, word, (size_t)(slash - word)) &&
		       (!*event || !strcmp(event, slash + 1));
	return !*event || !strcmp(event, word) || listed(providers, word, strlen(word));
}

static bool touches(const struct wt_view_facts *facts, const struct wt_view_chosen *chosen,
		    const struct wt_view_loss *loss, const char *source)
{
	const struct wt_strings *texts = &facts->file->texts;
	const char *providers = wt_strings_get(texts, loss->provider, NULL);
	const char *event = wt_strings_get(texts, loss->event, NULL);

	if (!loss->count && !loss->blind_ns)
		return false;
	/* The kernel's losses name the source, the log's the event, which is the same for all sources. */
	if (*source)
		return listed(providers, "pmu-profile", strlen("pmu-profile")) &&
		       (!*event || !strcmp(event, source) || !strcmp(event, "sample"));
	for (size_t i = 0; i < chosen->n_words; i++)
		if (named(chosen->words[i], providers, event))
			return true;
	return !chosen->n_words;
}

bool wt_view_partial(const struct wt_view_agg *agg, uint32_t root, const struct wt_view_facts *facts,
		     const struct wt_view_chosen *chosen)
{
	const struct wt_log_info *info = facts->file->log ? wt_log_info(facts->file->log) : NULL;
	const char *source = wt_strings_get(&facts->file->texts, agg->rows.nodes[root].id, NULL);

	if (info && ((!info->complete && !facts->growing) || info->n_damages))
		return true;
	for (uint32_t i = 0; i < facts->n_losses; i++)
		if (touches(facts, chosen, &facts->losses[i], source))
			return true;
	return false;
}

bool wt_view_has_shares(const struct wt_view_agg *agg)
{
	for (uint32_t c = 0; c < agg->n_shown; c++)
		if (agg->columns[c].what == WT_COLUMN_OVERHEAD ||
		    agg->columns[c].what == WT_COLUMN_OVERHEAD_INCLUSIVE)
			return true;
	return false;
}

bool wt_view_any_partial(const struct wt_view_agg *agg, const struct wt_view_facts *facts,
			 const struct wt_view_chosen *chosen)
{
	if (!wt_view_has_shares(agg))
		return false;
	for (uint32_t i = 0; i < agg->children.n_roots; i++)
		if (wt_view_partial(agg, agg->children.roots[i], facts, chosen))
			return true;
	return false;
}
