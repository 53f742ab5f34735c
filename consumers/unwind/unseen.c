// SPDX-License-Identifier: MIT
#include "consumers/unwind/unseen.h"

#include "tracecore/base/clock.h"

/* The unseen mappings of a stack, each once. */
struct found {
	struct wt_unseen_range ranges[WT_UNSEEN_MOST];
	uint32_t n;
};

static void add(struct found *found, struct wt_space *space, uint64_t pc)
{
	const struct wt_range *range = wt_space_find(space, pc);

	if (!range || !range->unseen || found->n == WT_UNSEEN_MOST)
		return;
	for (uint32_t i = 0; i < found->n; i++)
		if (found->ranges[i].start == range->start)
			return;
	found->ranges[found->n++] = (struct wt_unseen_range){.start = range->start, .end = range->end};
}

/* A call may be the last instruction of its mapping. */
static void collect(struct found *found, struct wt_space *space, const struct wt_walk_frames *frames)
{
	for (uint32_t i = 0; i < frames->result.n; i++) {
		add(found, space, frames->pc[i]);
		if (i)
			add(found, space, frames->pc[i] - 1);
	}
}

/* What is no proof of an end (no descriptor is left) is remembered too, and so only for a while. */
static bool has_ended(struct wt_unseen *unseen, struct wt_living *living, const struct wt_unwind_task *task)
{
	struct wt_unseen_process *process = &unseen->ended[task->pid % WT_UNSEEN_ENDED];
	uint64_t now = wt_clock_now();

	if (process->pid == task->pid && process->start_time == task->start_time && now < process->until)
		return true;
	if (wt_living_is(living, task))
		return false;
	*process = (struct wt_unseen_process){
		.pid = task->pid, .start_time = task->start_time, .until = now + WT_UNSEEN_REST};
	return true;
}

/* False: some of them are not known to have the file's bytes. */
static bool settle(struct wt_space *space, const struct found *found)
{
	bool all = true;

	for (uint32_t i = 0; i < found->n; i++) {
		if (found->ranges[i].is_files)
			wt_space_seen(space, wt_space_look(space, found->ranges[i].start));
		all &= found->ranges[i].is_files;
	}
	return all;
}

bool wt_unseen_in(struct wt_unseen *unseen, wt_unseen_look_fn *look, struct wt_living *living,
		  const struct wt_unwind_task *task, const struct wt_walk_frames *frames)
{
	struct wt_space *space = task->space;

	while (space && space->unseen) {
		struct found found = {.n = 0};

		collect(&found, space, frames);
		if (!found.n)
			return false;
		if (!look || has_ended(unseen, living, task))
			return true;
		look(task->pid, found.ranges, found.n);
		/* Otherwise another process may have been looked at. */
		if (!wt_living_is(living, task) || !settle(space, &found))
			return true;
	}
	return false;
}
