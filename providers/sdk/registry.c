// SPDX-License-Identifier: MIT
#include "providers/sdk/registry.h"

#include <stdlib.h>

#include "providers/sdk/modules.h"
#include "providers/sdk/thread.h"
#include "tracecore/ring/self.h"

pthread_mutex_t wt_sdk_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t wt_sdk_dispatch_lock = PTHREAD_MUTEX_INITIALIZER;
struct wt_sdk_provider *wt_sdk_providers;

/* Another thread of the parent may have held the locks; it is not in the child. What the kernel empties in a
 * fork is emptied once more, for emulators that promise it and do not do it. */
static void begin_in_child(void)
{
	__atomic_store_n(&wt_ring_image->token, 0, __ATOMIC_RELAXED);
	wt_sdk_forget_ids();
	wt_sdk_modules_begin_in_child();
	wt_sdk_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	wt_sdk_dispatch_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void follow_forks(void)
{
	static bool done;

	if (!done)
		done = !pthread_atfork(NULL, NULL, begin_in_child);
}

/* Where the provider's inline checks look, from now on. */
static void show(const struct wt_sdk_provider *impl, const volatile uint8_t *bytes)
{
	struct wtrace_provider *provider = impl->provider;
	const struct wt_sdk_description *desc = &impl->description;

	for (uint32_t i = 0; i < desc->n_sites; i++)
		__atomic_store_n(&desc->sites[i]->enabled,
				 bytes ? bytes + desc->sites[i]->event : provider->never, __ATOMIC_RELEASE);
	if (provider->manifest)
		__atomic_store_n(&provider->enabled, bytes ? bytes : provider->zeros, __ATOMIC_RELEASE);
}

static int enable(struct wt_sdk_provider *impl, struct wtrace_site *const *sites,
		  struct wtrace_site *const *end)
{
	struct wtrace_provider *provider = impl->provider;
	struct wt_sdk_description *desc = &impl->description;
	struct wt_enable_desc wanted = {.name = provider->name};

	if (provider->abi > WTRACE_ABI)
		return wt_fail(&impl->why, WT_ERR_VERSION,
			       "the program needs a newer libwtrace (layout %u, this one knows %u)",
			       provider->abi, WTRACE_ABI);
	if (wt_sdk_describe(provider, sites, end, desc, &impl->why))
		return -1;
	wanted.manifest = provider->manifest ? provider->manifest : (const char *)desc->manifest.data;
	wanted.manifest_len = provider->manifest ? provider->manifest_len : (uint32_t)desc->manifest.len;
	wanted.events = desc->events;
	wanted.n_events = desc->n_events;
	if (wt_enable_register(&wanted, &impl->enable, &impl->why))
		return -1;
	impl->bytes = wt_enable_bytes(impl->enable);
	impl->stack_bytes = wt_enable_stack_bytes(impl->enable);
	impl->number = wt_enable_number(impl->enable);
	impl->n_events = desc->n_events;
	return 0;
}

static int register_locked(struct wtrace_provider *provider, struct wtrace_site *const *sites,
			   struct wtrace_site *const *end)
{
	struct wt_sdk_provider *impl;

	if (wt_sdk_registered(provider))
		return 0;
	free(provider->impl); /* the reason of an earlier failure */
	impl = (struct wt_sdk_provider *)calloc(1, sizeof(*impl));
	__atomic_store_n(&provider->impl, impl, __ATOMIC_RELEASE);
	if (!impl)
		return -1;
	impl->provider = provider;
	if (enable(impl, sites, end)) {
		wt_sdk_description_deinit(&impl->description);
		return -1;
	}
	impl->next = wt_sdk_providers;
	wt_sdk_providers = impl;
	show(impl, impl->bytes);
	return 0;
}

int wtrace_register_sites_(struct wtrace_provider *provider, struct wtrace_site *const *sites,
			   struct wtrace_site *const *end)
{
	int rc;

	pthread_mutex_lock(&wt_sdk_lock);
	follow_forks();
	rc = register_locked(provider, sites, end);
	pthread_mutex_unlock(&wt_sdk_lock);
	return rc;
}

void wtrace_unregister(struct wtrace_provider *provider)
{
	struct wt_sdk_provider *impl;

	pthread_mutex_lock(&wt_sdk_dispatch_lock);
	pthread_mutex_lock(&wt_sdk_lock);
	impl = (struct wt_sdk_provider *)provider->impl;
	if (impl && impl->enable) {
		show(impl, NULL);
		for (struct wt_sdk_provider **p = &wt_sdk_providers; *p; p = &(*p)->next)
			if (*p == impl) {
				*p = impl->next;
				break;
			}
		wt_enable_unregister(impl->enable);
		wt_sdk_description_deinit(&impl->description);
	}
	__atomic_store_n(&provider->impl, NULL, __ATOMIC_RELEASE);
	free(impl);
	pthread_mutex_unlock(&wt_sdk_lock);
	pthread_mutex_unlock(&wt_sdk_dispatch_lock);
}

const char *wtrace_why(const struct wtrace_provider *provider)
{
	const struct wt_sdk_provider *impl = (const struct wt_sdk_provider *)__atomic_load_n(
		&provider->impl, __ATOMIC_ACQUIRE);

	if (!impl)
		return "not registered, or there was no memory for it";
	return impl->enable ? NULL : impl->why.text;
}

uint32_t wtrace_sessions(const struct wtrace_provider *provider)
{
	const struct wt_sdk_provider *impl = wt_sdk_registered(provider);
	uint32_t sessions = 0;

	for (uint32_t i = 0; impl && i < impl->n_events; i++)
		sessions |= impl->bytes[i];
	return sessions;
}
