// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "providers/perf/tracepoint.h"

enum { LAST_ERRNO = 133, FIRST_INNER = 512 };

/* Errors inside the kernel for calls that are to be restarted; programs see EINTR or nothing. */
static const char *const inner[] = {"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD",
				    "ERESTART_RESTARTBLOCK"};
enum { N_INNER = sizeof(inner) / sizeof(inner[0]) };

static int add(struct wt_valmap *map, const char *name, int number)
{
	struct wt_named *entry = &map->entries[map->n_entries];

	if (!name)
		return 0;
	*entry = (struct wt_named){.name = strdup(name), .value = (uint64_t) - (int64_t)number};
	if (!entry->name)
		return -1;
	map->n_entries++;
	return 0;
}

int wt_tp_errno_map(struct wt_valmap *ret)
{
	*ret = (struct wt_valmap){.name = strdup("errno"),
				  .entries = calloc(LAST_ERRNO + N_INNER, sizeof(*ret->entries))};
	if (!ret->name || !ret->entries)
		return -1;
	for (int number = 1; number <= LAST_ERRNO; number++)
		if (add(ret, strerrorname_np(number), number))
			return -1;
	for (int i = 0; i < N_INNER; i++)
		if (add(ret, inner[i], FIRST_INNER + i))
			return -1;
	return 0;
}
