/* SPDX-License-Identifier: MIT */
#include "consumers/model/identity.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"

/* Marks both identities when a number appears a second time. */
static int note_number(struct wt_view_identities *ids, uint32_t id)
{
	bool fresh = false;
	uint32_t at = wt_intern(&ids->first, ids->rows[id].number, 0, &fresh);

	if (at == WT_INTERN_NONE)
		return -1;
	if (!fresh) {
		ids->rows[id].shared = ids->rows[ids->firsts[at]].shared = true;
		return 0;
	}
	if (wt_grow(&ids->firsts, &ids->firsts_cap, at, 1, NULL))
		return -1;
	ids->firsts[at] = id;
	return 0;
}

uint32_t wt_view_identity(struct wt_view_identities *ids, uint32_t number, uint64_t start, uint32_t name)
{
	bool fresh = false;
	struct wt_key key = wt_view_identity_key(number, start, name);
	uint32_t id = wt_intern(&ids->keys, key.a, key.b, &fresh);

	if (id == WT_INTERN_NONE || wt_grow(&ids->rows, &ids->cap, id, 1, NULL))
		return WT_INTERN_NONE;
	if (!fresh) {
		ids->rows[id].name = name;
		return id;
	}
	ids->rows[id] = (struct wt_view_identity){.name = name, .number = number, .start = start};
	return note_number(ids, id) ? WT_INTERN_NONE : id;
}

/* The recorder's row has a number outside the 32 bits of pids, so that no process has it. */
uint32_t wt_view_identity_of_self(struct wt_view_identities *ids, uint32_t name)
{
	bool fresh;
	uint32_t id = wt_intern(&ids->keys, UINT64_MAX, UINT64_MAX, &fresh);

	if (id == WT_INTERN_NONE || wt_grow(&ids->rows, &ids->cap, id, 1, NULL))
		return WT_INTERN_NONE;
	ids->rows[id] = (struct wt_view_identity){.name = name, .number = UINT32_MAX};
	return id;
}

void wt_view_identities_deinit(struct wt_view_identities *ids)
{
	wt_intern_deinit(&ids->keys);
	wt_intern_deinit(&ids->first);
	free(ids->rows);
	free(ids->firsts);
}
