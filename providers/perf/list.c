// SPDX-License-Identifier: MIT
/* Everything that can be enabled here, for `list`. */
#include "providers/perf/perf.h"

#include "providers/perf/spec.h"
#include "providers/perf/tracepoint.h"

struct list {
	void (*fn)(void *ctx, const char *group, const char *name, const char *help);
	void *ctx;
};

static void list_tracepoint(void *ctx, const char *name)
{
	const struct list *list = ctx;

	list->fn(list->ctx, "tracepoint", name, "");
}

int wt_perf_list(void (*fn)(void *ctx, const char *group, const char *name, const char *help), void *ctx,
		 struct wt_err *err)
{
	struct list list = {fn, ctx};

	wt_perf_spec_each(fn, ctx);
	wt_perf_pmu_each(NULL, fn, ctx);
	return wt_tp_each(NULL, list_tracepoint, &list, err);
}
