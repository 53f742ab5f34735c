/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/task_ids.h"

#include <stdlib.h>

static uint32_t id_of(struct wt_task_ids *tasks, const struct wt_log_thread *thread)
{
	const uint64_t by_name = UINT64_C(1) << 63;
	uint64_t second = thread->start_time & ~by_name;
	bool fresh;

	if (!thread->start_time) {
		uint32_t name = wt_strings_add(&tasks->names, thread->name.p, thread->name.len, &fresh);

		if (name == WT_INTERN_NONE)
			return WT_INTERN_NONE;
		second = name | by_name;
	}
	return wt_intern(&tasks->keys, thread->tid, second, &fresh);
}

static uint32_t *ids_of(struct wt_task_ids *tasks, const struct wt_log_segment *segment)
{
	uint32_t *ids = malloc((segment->n_threads + (size_t)1) * sizeof(*ids));

	for (uint32_t i = 0; ids && i < segment->n_threads; i++) {
		ids[i] = id_of(tasks, &segment->threads[i]);
		if (ids[i] == WT_INTERN_NONE) {
			free(ids);
			return NULL;
		}
	}
	return ids;
}

const uint32_t *wt_task_ids(struct wt_task_ids *tasks, const struct wt_log_segment *segment)
{
	struct wt_task_ids_segment *grown;
	uint32_t i = tasks->last;

	if (i < tasks->n && tasks->segments[i].threads == segment->threads)
		return tasks->segments[i].ids;
	for (i = 0; i < tasks->n && tasks->segments[i].threads != segment->threads; i++)
		;
	tasks->last = i;
	if (i < tasks->n)
		return tasks->segments[i].ids;
	grown = realloc(tasks->segments, (tasks->n + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	tasks->segments = grown;
	grown[i] = (struct wt_task_ids_segment){segment->threads, ids_of(tasks, segment)};
	if (!grown[i].ids)
		return NULL;
	tasks->n++;
	return grown[i].ids;
}

void wt_task_ids_deinit(struct wt_task_ids *tasks)
{
	for (uint32_t i = 0; i < tasks->n; i++)
		free(tasks->segments[i].ids);
	free(tasks->segments);
	wt_intern_deinit(&tasks->keys);
	wt_strings_deinit(&tasks->names);
	*tasks = (struct wt_task_ids){0};
}
