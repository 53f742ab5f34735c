// SPDX-License-Identifier: MIT
#include "providers/sdk/registry.h"

#include <stdlib.h>
#include <string.h>

#include "providers/sdk/bounds.h"
#include "providers/sdk/modules.h"
#include "providers/sdk/thread.h"
#include "tracecore/base/lines.h"
#include "tracecore/base/quiet.h"
#include "tracecore/ring/self.h"
#include "tracecore/ring/standing.h"

/* Blocks of each CPU's ring that get memory at the start, until a session has found the restrictions of the
 * process. */
#define PREPARED_BLOCKS 2u
/* Blocks that get memory when the program has announced that it will make no calls: as many as a session
 * prepares for it. */
#define TOLD_BLOCKS 8u

pthread_mutex_t wt_sdk_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t wt_sdk_dispatch_lock = PTHREAD_MUTEX_INITIALIZER;
struct wt_sdk_provider *wt_sdk_providers;

/* Prepares the needs of the first events for sessions that want the provider now: the program may filter its
 * system calls in the next moment. */
static void prepare(struct wt_sdk_provider *impl, uint32_t blocks)
{
	uint32_t asked = 0;

	for (uint32_t i = 0; i < impl->n_events; i++) {
		uint32_t bits = impl->bytes[i] & ~asked;

		for (; bits; bits &= bits - 1) {
			unsigned slot = (unsigned)__builtin_ctz(bits);
			struct wt_enable_slot session;
			struct wt_sdk_rings *rings;

			if (!wt_enable_admits(impl->enable, slot, (uint16_t)i))
				continue;
			if (!(wt_standing() & WT_STANDING_KNOWN) && !wt_enable_slot(slot, &session))
				wt_enable_look_at_memory(&session);
			asked |= 1u << slot;
			rings = wt_sdk_rings(slot);
			if (rings)
				wt_ring_writer_prepare(wt_sdk_writer(rings), blocks, blocks == TOLD_BLOCKS);
		}
	}
}

static bool is_wanted(void)
{
	uint32_t wanted = 0;

	for (const struct wt_sdk_provider *impl = wt_sdk_providers; impl; impl = impl->next)
		for (uint32_t i = 0; i < impl->n_events; i++)
			wanted |= impl->bytes[i];
	return wanted;
}

/* Another thread of the parent may have held the locks; it does not exist in the child. Without a session
 * that wants its events the child makes no system call, because its parent may have filtered them. */
static void begin_in_child(void)
{
	struct wt_quiet quiet = wt_quiet_begin();
	bool ask = is_wanted() && wt_may_call() && !wt_clock_is_forbidden();

	wt_ring_image_begin_in_child();
	wt_sdk_forget_ids();
	wt_sdk_bounds_begin_in_child();
	wt_sdk_modules_begin_in_child();
	wt_enable_begin_in_child(ask);
	for (struct wt_sdk_provider *impl = wt_sdk_providers; ask && impl; impl = impl->next)
		prepare(impl, 1);
	wt_quiet_end(&quiet);
	wt_sdk_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	wt_sdk_dispatch_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void follow_forks(void)
{
	static bool done;

	if (!done)
		done = !pthread_atfork(wt_sdk_ids_before_fork, NULL, begin_in_child);
}

/* Sets the bytes that the provider's inline checks read from now on. */
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
	if (!wt_may_call())
		return -1;
	wt_lines_free(provider->impl); /* the reason of an earlier failure */
	/* On lines of its own: events read it, and other data beside it are written. */
	impl = (struct wt_sdk_provider *)wt_lines_calloc(sizeof(*impl));
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
	__atomic_store_n(&wt_has_stack, wt_sdk_has_stack, __ATOMIC_RELAXED);
	show(impl, impl->bytes);
	prepare(impl, PREPARED_BLOCKS);
	return 0;
}

int wtrace_register_sites_(struct wtrace_provider *provider, struct wtrace_site *const *sites,
			   struct wtrace_site *const *end)
{
	struct wt_quiet quiet = wt_quiet_begin();
	int rc;

	pthread_mutex_lock(&wt_sdk_lock);
	if (wt_may_call())
		follow_forks();
	rc = register_locked(provider, sites, end);
	pthread_mutex_unlock(&wt_sdk_lock);
	wt_quiet_end(&quiet);
	return rc;
}

/* Freeing may be a system call. */
static void let_go(struct wt_sdk_provider *impl)
{
	if (!wt_may_call())
		return;
	if (impl && impl->enable)
		wt_sdk_description_deinit(&impl->description);
	wt_lines_free(impl);
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
	}
	__atomic_store_n(&provider->impl, NULL, __ATOMIC_RELEASE);
	let_go(impl);
	pthread_mutex_unlock(&wt_sdk_lock);
	pthread_mutex_unlock(&wt_sdk_dispatch_lock);
}

const char *wtrace_why(const struct wtrace_provider *provider)
{
	const struct wt_sdk_provider *impl = (const struct wt_sdk_provider *)__atomic_load_n(
		&provider->impl, __ATOMIC_ACQUIRE);

	if (!impl && !wt_may_call())
		return "not registered: this process may make no system calls";
	if (!impl)
		return "not registered, or there was no memory for it";
	return impl->enable ? NULL : impl->why.text;
}

/* Prepares for sessions that do not exist yet, so that a later first event finds rings. */
static void make_ready(void)
{
	for (struct wt_sdk_provider *impl = wt_sdk_providers; impl; impl = impl->next)
		prepare(impl, TOLD_BLOCKS);
}

/* Forgets routes that were found without a look at the restrictions. */
static void forget_routes(void)
{
	for (struct wt_sdk_provider *impl = wt_sdk_providers; impl; impl = impl->next)
		for (unsigned slot = 0; slot < WT_ENABLE_SLOTS; slot++)
			__atomic_store_n(&impl->routes[slot].stamp, 0, __ATOMIC_RELAXED);
}

void wtrace_forbid(uint32_t what)
{
	unsigned told = (what & WTRACE_NO_CALLS ? WT_STANDING_NO_CALLS : 0) |
			(what & WTRACE_NO_CLOCK ? WT_STANDING_NO_CLOCK : 0);
	struct wt_quiet quiet = wt_quiet_begin();

	pthread_mutex_lock(&wt_sdk_lock);
	if (wt_may_call())
		wt_sdk_draw_ids();
	if (wt_may_call() && wt_may_read_clock() && !(told & WT_STANDING_NO_CLOCK))
		make_ready();
	__atomic_fetch_or(&wt_standing_told, told, __ATOMIC_SEQ_CST);
	if (told & WT_STANDING_NO_CLOCK)
		forget_routes();
	pthread_mutex_unlock(&wt_sdk_lock);
	wt_quiet_end(&quiet);
}

uint32_t wtrace_sessions(const struct wtrace_provider *provider)
{
	const struct wt_sdk_provider *impl = wt_sdk_registered(provider);
	uint32_t sessions = 0;

	for (uint32_t i = 0; impl && i < impl->n_events; i++)
		sessions |= impl->bytes[i];
	return sessions;
}
