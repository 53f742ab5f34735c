// SPDX-License-Identifier: MIT
#include "tracecore/schema/builtin.h"

#include <stdio.h>
#include <strings.h>

#include "tracecore/base/embed.h"

#define EMBED(symbol, path) WT_EMBED(wt_builtin_##symbol, path)

EMBED(wtrace, "manifests/wtrace.json");
EMBED(proc_thread, "manifests/kernel_proc_thread.json");
EMBED(loader, "manifests/kernel_loader.json");
EMBED(pmu_profile, "manifests/pmu_profile.json");
EMBED(counters, "manifests/counters.json");
EMBED(windowsperf, "manifests/windowsperf.json");
EMBED(cswitch, "manifests/kernel_cswitch.json");
EMBED(dispatcher, "manifests/kernel_dispatcher.json");

static const char *const names[] = {"wtrace",   "proc_thread", "loader",  "pmu-profile",
				    "counters", "windowsperf", "cswitch", "dispatcher"};

static const struct {
	const char *begin, *end;
} texts[] = {
	{wt_builtin_wtrace, wt_builtin_wtrace_end},     {wt_builtin_proc_thread, wt_builtin_proc_thread_end},
	{wt_builtin_loader, wt_builtin_loader_end},     {wt_builtin_pmu_profile, wt_builtin_pmu_profile_end},
	{wt_builtin_counters, wt_builtin_counters_end}, {wt_builtin_windowsperf, wt_builtin_windowsperf_end},
	{wt_builtin_cswitch, wt_builtin_cswitch_end},   {wt_builtin_dispatcher, wt_builtin_dispatcher_end},
};

#define N_BUILTINS (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(texts) / sizeof(texts[0]) == N_BUILTINS, "one text per name");

const char *wt_builtin_manifest(const char *provider, size_t *len)
{
	for (size_t i = 0; i < N_BUILTINS; i++) {
		if (!strcasecmp(names[i], provider)) {
			*len = (size_t)(texts[i].end - texts[i].begin);
			return texts[i].begin;
		}
	}
	return NULL;
}

int wt_builtin_provider(const char *name, struct wt_provider **ret, struct wt_err *err)
{
	char origin[64];
	size_t len;
	const char *text = wt_builtin_manifest(name, &len);

	if (!text)
		return wt_fail(err, WT_ERR_NOTFOUND, "no provider '%s' is built in", name);
	snprintf(origin, sizeof(origin), "built-in manifest of %s", name);
	return wt_manifest_parse(text, len, origin, ret, err);
}

size_t wt_builtin_names(const char *const **ret)
{
	*ret = names;
	return N_BUILTINS;
}
