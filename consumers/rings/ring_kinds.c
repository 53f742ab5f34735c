// SPDX-License-Identifier: MIT
#include "consumers/rings/ring_kinds.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"

static void destroy(struct wt_ring_provider *provider)
{
	if (provider)
		free(provider->taken); /* lost is in the same allocation */
	free(provider);
}

static struct wt_ring_provider *create(uint32_t number, const struct wt_provider *provider,
				       uint32_t first_kind, uint32_t n_cpus)
{
	struct wt_ring_provider *ret = malloc(sizeof(*ret));

	if (!ret)
		return NULL;
	*ret = (struct wt_ring_provider){
		.number = number,
		.first_kind = first_kind,
		.n_events = provider->n_events,
		.name = provider->name,
		.taken = calloc(2 * (n_cpus + (size_t)1), sizeof(*ret->taken)),
	};
	if (ret->taken) {
		ret->lost = ret->taken + n_cpus + 1;
		return ret;
	}
	destroy(ret);
	return NULL;
}

int wt_ring_kinds_add(struct wt_ring_kinds *kinds, uint32_t number, const struct wt_provider *provider,
		      uint32_t first_kind, struct wt_err *err)
{
	struct wt_ring_provider *added;
	bool fresh;
	uint32_t at;

	if (wt_ring_kinds_known(kinds, number))
		return 0;
	if (wt_grow(&kinds->list, &kinds->cap, kinds->numbers.count, 1, err))
		return -1;
	added = create(number, provider, first_kind, kinds->n_cpus);
	at = added ? wt_intern(&kinds->numbers, number, 0, &fresh) : WT_INTERN_NONE;
	if (at == WT_INTERN_NONE) {
		destroy(added);
		return wt_fail_nomem(err);
	}
	kinds->list[at] = added;
	return 0;
}

struct wt_ring_provider *wt_ring_kinds_known(struct wt_ring_kinds *kinds, uint32_t number)
{
	uint32_t at = kinds->last;

	if (at < kinds->numbers.count && kinds->list[at]->number == number)
		return kinds->list[at];
	at = wt_intern_find(&kinds->numbers, number, 0);
	if (at == WT_INTERN_NONE)
		return NULL;
	kinds->last = at;
	return kinds->list[at];
}

struct wt_ring_provider *wt_ring_kinds_find(struct wt_ring_kinds *kinds, uint32_t number)
{
	struct wt_ring_provider *found = wt_ring_kinds_known(kinds, number);

	if (found || !kinds->learn)
		return found;
	kinds->learn(kinds->ctx, number);
	return wt_ring_kinds_known(kinds, number);
}

void wt_ring_kinds_deinit(struct wt_ring_kinds *kinds)
{
	for (uint32_t i = 0; i < kinds->numbers.count; i++)
		destroy(kinds->list[i]);
	free(kinds->list);
	wt_intern_deinit(&kinds->numbers);
	kinds->list = NULL;
	kinds->cap = 0;
}
