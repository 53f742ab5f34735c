/* SPDX-License-Identifier: MIT */
// Covers: consumers/counting/event_list.c consumers/counting/event_word.c
/* Lists of events to count: what was found is whole, what was refused leaves the list as it was. */
#include <stdlib.h>
#include <string.h>

#include "consumers/counting/event_list.h"

static const struct wt_pmu_event events[] = {
	{.name = "inst_spec", .config = 0x1b},
	{.name = "l1d_cache", .config = 4},
	{.name = "sup_only", .config = 0x30, .no_user = true},
};
static const struct wt_pmu_model model = {.name = "m", .vendor = "v", .events = events, .n_events = 3};

static void check(const struct wt_count_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct wt_count_event *event = &list->events[i];

		if (!event->n_ways || !event->name[0] || strlen(event->name) >= sizeof(event->name))
			abort();
		if (event->group >= list->n_groups)
			abort();
		/* The events of a group follow each other. */
		if (i && event->group >= 0 && list->events[i - 1].group > event->group)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_cores cores = {.n = size && data[0] % 2 ? 2 : 1, .devices = "/nowhere"};
	struct wt_count_list list = {0};
	struct wt_err err = WT_ERR_INIT;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < cores.n; i++)
		cores.types[i] = (struct wt_core_type){
			.name = "core", .pmu = cores.n > 1 ? 10 + (int)i : -1, .model = &model};
	if (wt_count_list_add(&list, text, &cores, "/nowhere", &err)) {
		if (list.n || list.n_groups || !err.text[0])
			abort();
	} else {
		check(&list);
	}
	wt_count_list_deinit(&list);
	free(text);
	return 0;
}
