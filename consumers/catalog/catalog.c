// SPDX-License-Identifier: MIT
#include "consumers/catalog/catalog.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

static const char *const group_order[] = {"hardware", "software", "pmu", "model", "tracepoint"};

bool wt_catalog_is_tracepoint(const struct wt_catalog_item *item)
{
	return !strcmp(item->group, "tracepoint");
}

static void free_item(struct wt_catalog_item *item)
{
	free(item->group);
	free(item->name);
	free(item->help);
	free(item->flaw);
	wt_provider_destroy(item->schema);
}

static char *full_name(const char *group, const char *name)
{
	char *full;

	if (strcmp(group, "tracepoint") != 0 || !strncmp(name, WT_CATALOG_PREFIX, strlen(WT_CATALOG_PREFIX)))
		return strdup(name);
	return asprintf(&full, "%s%s", WT_CATALOG_PREFIX, name) < 0 ? NULL : full;
}

void wt_catalog_add(struct wt_catalog *catalog, const char *group, const char *name, const char *help)
{
	struct wt_catalog_item item = {
		.group = strdup(group), .name = full_name(group, name), .help = strdup(help ? help : "")};

	if (!item.group || !item.name || !item.help ||
	    wt_grow(&catalog->items, &catalog->cap, catalog->n, 1, NULL)) {
		catalog->failed = true;
		free_item(&item);
		return;
	}
	catalog->items[catalog->n++] = item;
}

static size_t group_rank(const char *group)
{
	size_t i = 0;

	while (i < sizeof(group_order) / sizeof(group_order[0]) && strcmp(group, group_order[i]) != 0)
		i++;
	return i;
}

static int compare(const void *a, const void *b)
{
	const struct wt_catalog_item *x = a, *y = b;
	size_t rank_x = group_rank(x->group), rank_y = group_rank(y->group);

	return rank_x != rank_y ? (rank_x < rank_y ? -1 : 1) : strcmp(x->name, y->name);
}

void wt_catalog_sort(struct wt_catalog *catalog)
{
	if (catalog->n)
		qsort(catalog->items, catalog->n, sizeof(catalog->items[0]), compare);
}

/* Other tools write a kind in front of a tracepoint's name. */
static const char *without_kind(const char *word)
{
	static const char *const kinds[] = {"tracepoint:", "linux:", "t:"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(word, kinds[i], strlen(kinds[i])) && word[strlen(kinds[i])])
			return word + strlen(kinds[i]);
	return word;
}

/* A word with '*' must match the whole name; any other word must be a part of it. */
static bool matches(const struct wt_catalog_item *item, const char *as_typed)
{
	const char *word = without_kind(as_typed);

	if (strchr(word, '*'))
		return !fnmatch(word, without_kind(item->name), FNM_CASEFOLD);
	return strcasestr(item->name, word) || strcasestr(item->group, word);
}

/* Looks for the nearest word among whole names and, for tracepoints, among their last parts. */
static int fail_no_match(const struct wt_catalog *catalog, const char *word, struct wt_err *err)
{
	const char **names = calloc(catalog->n * 2 + 1, sizeof(*names));
	const char *near = NULL;
	size_t n = 0;

	for (size_t i = 0; names && i < catalog->n; i++) {
		const char *colon = strrchr(catalog->items[i].name, ':');

		names[n++] = catalog->items[i].name;
		if (colon)
			names[n++] = colon + 1;
	}
	if (names)
		near = wt_nearest(word, names, n);
	if (near)
		wt_fail(err, WT_ERR_NOTFOUND, "no event has '%s' in its name; did you mean '%s'?", word,
			near);
	else
		wt_fail(err, WT_ERR_NOTFOUND, "no event has '%s' in its name; 'wtrace list events' shows all",
			word);
	free(names);
	return -1;
}

int wt_catalog_keep(struct wt_catalog *catalog, const char *word, struct wt_err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < catalog->n; i++)
		kept += matches(&catalog->items[i], word);
	if (!kept)
		return fail_no_match(catalog, word, err);
	kept = 0;
	for (size_t i = 0; i < catalog->n; i++) {
		if (matches(&catalog->items[i], word))
			catalog->items[kept++] = catalog->items[i];
		else
			free_item(&catalog->items[i]);
	}
	catalog->n = kept;
	return 0;
}

void wt_catalog_deinit(struct wt_catalog *catalog)
{
	for (size_t i = 0; i < catalog->n; i++)
		free_item(&catalog->items[i]);
	free(catalog->items);
	*catalog = (struct wt_catalog){0};
}
