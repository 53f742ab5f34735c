// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "providers/perf/perf.h"
#include "providers/perf/tracepoint.h"
#include "consumers/catalog/catalog.h"
#include "tracecore/base/diag.h"

static void on_event(void *ctx, const char *group, const char *name, const char *help)
{
	wt_catalog_add(ctx, group, name, help);
}

/* Hardware and software events come first; every user has them. tracefs may be closed or absent. */
int wt_catalog_read(struct wt_catalog *catalog, struct wt_err *err)
{
	if (wt_perf_list(on_event, catalog, err)) {
		if (!catalog->n || (err->code != WT_ERR_PERMISSION && err->code != WT_ERR_NOTFOUND))
			return -1;
		wt_note("%s", err->text);
		*err = (struct wt_err)WT_ERR_INIT;
	}
	if (catalog->failed)
		return wt_fail_nomem(err);
	wt_catalog_sort(catalog);
	return 0;
}

/* Each is read by itself: one that cannot be described must not hide the others. */
static int describe(struct wt_catalog_item *item, struct wt_err *err)
{
	const char *name = item->name + strlen(WT_CATALOG_PREFIX);
	struct wt_tp_system *systems = NULL;
	struct wt_err flaw = WT_ERR_INIT;
	size_t n = 0;

	if (wt_tp_load(NULL, &name, 1, &systems, &n, &flaw)) {
		item->flaw = strdup(flaw.text);
		return item->flaw ? 0 : wt_fail_nomem(err);
	}
	if (n) {
		item->schema = systems[0].provider;
		systems[0].provider = NULL;
	}
	wt_tp_destroy(systems, n);
	return 0;
}

int wt_catalog_describe(struct wt_catalog *catalog, struct wt_err *err)
{
	for (size_t i = 0; i < catalog->n; i++) {
		if (wt_catalog_is_tracepoint(&catalog->items[i]) && describe(&catalog->items[i], err))
			return -1;
	}
	return 0;
}
