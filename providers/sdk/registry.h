/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The library's side of a registered provider, and the list of them.
 */
#ifndef PROVIDERS_SDK_REGISTRY_H
#define PROVIDERS_SDK_REGISTRY_H

#include <assert.h>
#include <pthread.h>

#include "providers/sdk/describe.h"
#include "providers/sdk/slots.h"
#include "providers/sdk/wtrace.h"
#include "tracecore/enable/enable.h"

/** The last state that a provider's callback heard of. */
struct wt_sdk_notice {
	wtrace_callback *callback; /**< NULL: none */
	void *context;
	uint64_t digest;                 /**< of the enable bytes */
	uint32_t sessions;               /**< that wanted it */
	uint32_t lives[WT_ENABLE_SLOTS]; /**< the session of each slot that has been announced; 0: none */
};

/** The route that the last event found for a slot's session: the session wants from this process every event
 * that the bytes admit, and these are its rings. Valid while slot and process have this stamp and token. */
struct wt_sdk_route {
	uint64_t stamp; /**< 0: nothing */
	uint64_t token; /**< of the process's image (tracecore/ring/self.h) */
	struct wt_sdk_rings *rings;
	uint64_t reserved;
};

/** Made by wtrace_register, freed by wtrace_unregister; wtrace_provider.impl. A provider whose registration
 * failed has one, too, with the reason. */
struct wt_sdk_provider {
	/* Read by every event; set before the provider's enable pointer shows the bytes. */
	const volatile uint8_t *bytes;       /**< the sessions that want each event */
	const volatile uint8_t *stack_bytes; /**< the sessions that want each event with its stack */
	struct wt_enable_provider *enable;   /**< NULL: not registered */
	uint32_t number;                     /**< in records */
	uint32_t n_events;
	struct wt_sdk_route routes[WT_ENABLE_SLOTS];
	/* Under the registry's lock. */
	struct wtrace_provider *provider;
	struct wt_sdk_description description; /**< self-describing providers: its sites */
	struct wt_sdk_notice notice;
	struct wt_sdk_provider *next;
	struct wt_err why;
};

/* An event reads the words before the routes, and one route; the object begins a line of 64 bytes. */
static_assert(sizeof(struct wt_sdk_route) == 32 && offsetof(struct wt_sdk_provider, routes) == 32,
	      "what an event reads");

/** Guards the list and all its fields that events do not read. Free in a child after fork. */
extern pthread_mutex_t wt_sdk_lock;
/** Held while callbacks run; taken before wt_sdk_lock. Free in a child after fork. */
extern pthread_mutex_t wt_sdk_dispatch_lock;
/** Registered providers; under wt_sdk_lock. */
extern struct wt_sdk_provider *wt_sdk_providers;

/** Returns NULL when the provider is not registered. Any thread, also signal handlers. */
static inline struct wt_sdk_provider *wt_sdk_registered(const struct wtrace_provider *provider)
{
	struct wt_sdk_provider *impl = (struct wt_sdk_provider *)__atomic_load_n(&provider->impl,
										 __ATOMIC_ACQUIRE);

	return impl && impl->enable ? impl : NULL;
}

#endif
