// SPDX-License-Identifier: MIT
#include "tracecore/event.h"

#include <stdlib.h>
#include <strings.h>

static bool has_provider(const struct wt_kinds *kinds, const char *name)
{
	for (uint32_t i = 0; i < kinds->n_providers; i++) {
		if (!strcasecmp(kinds->providers[i]->name, name))
			return true;
	}
	return false;
}

/* Makes room for one more provider with n events. Without memory, the content stays as it was. */
static bool grow(struct wt_kinds *kinds, uint32_t n)
{
	struct wt_provider **providers;
	struct wt_kind *rows;

	providers = realloc(kinds->providers,
			    (kinds->n_providers + (size_t)1) * sizeof(struct wt_provider *));
	if (!providers)
		return false;
	kinds->providers = providers;
	if (!n)
		return true;
	rows = realloc(kinds->kinds, (kinds->n + (size_t)n) * sizeof(*rows));
	if (!rows)
		return false;
	kinds->kinds = rows;
	return true;
}

int wt_kinds_append(struct wt_kinds *kinds, struct wt_provider *provider, uint32_t *first, struct wt_err *err)
{
	if (provider->n_events >= WT_KIND_NONE - kinds->n)
		return wt_fail(err, WT_ERR_LIMIT, "too many events for one session with provider '%s'",
			       provider->name);
	if (!grow(kinds, provider->n_events))
		return wt_fail_nomem(err);
	*first = kinds->n;
	for (uint32_t i = 0; i < provider->n_events; i++)
		kinds->kinds[kinds->n++] = (struct wt_kind){.provider = provider,
							    .event = &provider->events[i]};
	kinds->providers[kinds->n_providers++] = provider;
	return 0;
}

int wt_kinds_add(struct wt_kinds *kinds, struct wt_provider *provider, uint32_t *first, struct wt_err *err)
{
	if (has_provider(kinds, provider->name))
		return wt_fail(err, WT_ERR_EXISTS, "provider '%s' is in this session already",
			       provider->name);
	return wt_kinds_append(kinds, provider, first, err);
}

uint32_t wt_kinds_find(const struct wt_kinds *kinds, const char *provider, const char *event)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < kinds->n_providers; i++) {
		const struct wt_provider *p = kinds->providers[i];

		if (!strcasecmp(p->name, provider)) {
			const struct wt_event_desc *found = wt_provider_event(p, event);

			return found ? first + (uint32_t)(found - p->events) : WT_KIND_NONE;
		}
		first += p->n_events;
	}
	return WT_KIND_NONE;
}

void wt_kinds_deinit(struct wt_kinds *kinds)
{
	for (uint32_t i = 0; i < kinds->n_providers; i++)
		wt_provider_destroy(kinds->providers[i]);
	free(kinds->providers);
	free(kinds->kinds);
	*kinds = (struct wt_kinds){0};
}
