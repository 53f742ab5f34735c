// SPDX-License-Identifier: MIT
/* A shared library with a provider of its own, loaded and unloaded by sdk_app. */
#include "providers/sdk/wtrace.h"

static struct wtrace_provider plugin = WTRACE_PROVIDER_INIT(plugin, "sdk-plugin");

static __attribute__((constructor)) void loaded(void)
{
	wtrace_register(&plugin);
}

static __attribute__((destructor)) void unloaded(void)
{
	wtrace_unregister(&plugin);
}

void wt_plugin_work(int n);

void wt_plugin_work(int n)
{
	wtrace_event(&plugin, "work", WTRACE_INFO, 0, wtrace_i32("n", n));
}
