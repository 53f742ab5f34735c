// SPDX-License-Identifier: MIT
/* Completes events of processes with the program, its surroundings, and the way the process ended. */
#include "consumers/record/recorder_state.h"

#include <fcntl.h>

/* Takes from the identity the fields of the process that the event lacks. */
static void take_known(const struct wt_process *process, struct wt_proc_payload *ret)
{
	const struct wt_program_facts *facts = wt_program_facts(process->program);

	if (!ret->exe.len)
		ret->exe = process->exe;
	if (!ret->caught) {
		ret->caught = facts->caught;
		ret->command_line = facts->command_line;
	}
	if (!ret->cgroup.len)
		ret->cgroup = facts->cgroup;
	if (!ret->container.len)
		ret->container = facts->container;
	if (!ret->inside_pid)
		ret->inside_pid = process->inside_pid;
}

static bool ask(struct wt_recorder *rec, enum wt_life_news news, const struct wt_proc_payload *told,
		uint64_t time, struct wt_life *ret)
{
	*ret = (struct wt_life){0};
	return rec->config.life &&
	       rec->config.life(rec->config.life_ctx, news, told->pid, time, told->name, ret);
}

void wt_recorder_complete_exec(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret)
{
	struct wt_life life;
	bool seen = ask(rec, WT_LIFE_EXEC, ret, time, &life);

	/* The process may be in another group than before: containers are entered in this way. */
	rec->stats.execs++;
	if (seen || rec->identity.probing)
		wt_whereabouts_of(&rec->where, seen ? &life : NULL, ret);
	rec->stats.execs_caught += ret->caught != WT_CAUGHT_NO;
}

void wt_recorder_complete_begin(const struct wt_recorder *rec, struct wt_proc_payload *ret)
{
	const struct wt_process *process = wt_tasks_process(&rec->identity.tasks, ret->pid);

	if (process)
		take_known(process, ret);
}

void wt_recorder_complete_end(struct wt_recorder *rec, uint64_t time, struct wt_proc_payload *ret)
{
	const struct wt_process *process = wt_tasks_process(&rec->identity.tasks, ret->pid);
	struct wt_life life;

	if (process)
		take_known(process, ret);
	rec->stats.ends++;
	if (!ask(rec, WT_LIFE_EXIT, ret, time, &life))
		return;
	rec->stats.ends_caught++;
	ret->ended = true;
	ret->exit_code = life.exit_code;
	ret->exit_signal = life.exit_signal;
	if (life.inside_pid)
		ret->inside_pid = life.inside_pid;
}

size_t wt_recorder_take_roots(struct wt_recorder *rec, int *fds, size_t cap)
{
	const struct wt_roots *roots = &rec->identity.roots;
	size_t n = 0;

	for (uint32_t i = 0; i < roots->n && n < cap; i++) {
		fds[n] = fcntl(roots->list[i].fd, F_DUPFD_CLOEXEC, 0);
		n += fds[n] >= 0;
	}
	return n;
}
