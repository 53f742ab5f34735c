// SPDX-License-Identifier: MIT
/* Reports the processes that run already when a session starts, and those that still run when it ends. */
#include <malloc.h>

#include "consumers/record/identity.h"
#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"

static int on_rundown_event(void *ctx, const struct wt_event *event, struct wt_err *err)
{
	return wt_recorder_inject(((struct wt_worker *)ctx)->rec, event, err);
}

static int on_rundown_pause(void *ctx, struct wt_err *err)
{
	return wt_worker_drain(ctx, WT_FLUSH_WHEN_DUE, err);
}

static struct wt_rundown rundown_of(struct wt_worker *worker)
{
	const struct wt_spec *spec = &worker->session->spec;

	return (struct wt_rundown){
		.kinds = &worker->session->kinds,
		.pids = spec->pids,
		.n_pids = spec->n_pids,
		.no_images = spec->no_images,
		.fn = on_rundown_event,
		.pause = on_rundown_pause,
		.ctx = worker,
	};
}

int wt_worker_rundown(struct wt_worker *worker, enum wt_worker_rundown which, struct wt_err *err)
{
	struct wt_rundown rundown = rundown_of(worker);
	size_t due = wt_map_turns_due(worker->turns);
	int rc;

	/* In this case programs are looked up one by one, when they first write. */
	if (worker->session->spec.no_kernel)
		return 0;
	if (!rundown.n_pids && !worker->turns && !(worker->turns = wt_map_turns_create()))
		return wt_fail_nomem(err);
	rundown.turns = worker->turns;
	rundown.end = which == WT_RUNDOWN_END;
	rundown.waits = which == WT_RUNDOWN_START && !worker->waits_told;
	worker->waits_told = true;
	rundown.stacks = wt_perf_reads_waits(worker->session->perf);
	if (rundown.end && due)
		wt_warn("the mappings of %zu processes were not read by the end: addresses in these "
			"processes have no names",
			due);
	rc = wt_perf_rundown(&rundown, err);
	/* Returns the memory of the rundown to the system. */
	malloc_trim(0);
	return rc;
}

int wt_worker_rundown_waits(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_rundown rundown = rundown_of(worker);

	if (worker->session->spec.no_kernel)
		return 0;
	rundown.no_images = rundown.end = rundown.waits = rundown.waits_alone = true;
	rundown.stacks = wt_perf_reads_waits(worker->session->perf);
	return wt_perf_rundown(&rundown, err);
}

/* Mappings of the process are not looked at here, so they must not be marked as known. */
static int on_name(void *ctx, const struct wt_event *event, struct wt_err *err)
{
	struct wt_worker *worker = ctx;
	struct wt_event name = *event;
	struct wt_proc_payload who;

	if (wt_proc_get(event->payload, event->payload_len, &who) || !who.name.len)
		return 0;
	name.kind = wt_recorder_name_kind(worker->rec);
	name.flags |= WT_EVENT_QUIET;
	return wt_recorder_inject(worker->rec, &name, err);
}

int wt_worker_rundown_names(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_rundown rundown = rundown_of(worker);

	if (worker->session->spec.no_kernel)
		return 0;
	rundown.no_images = true;
	rundown.fn = on_name;
	return wt_perf_rundown(&rundown, err);
}

int wt_worker_rundown_missed(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_rundown rundown = rundown_of(worker);
	pid_t pids[WT_IDENTITY_MISSED];
	uint32_t pid;

	rundown.n_pids = 0;
	while (rundown.n_pids < WT_IDENTITY_MISSED && (pid = wt_recorder_next_missed(worker->rec)))
		pids[rundown.n_pids++] = (pid_t)pid;
	if (!rundown.n_pids)
		return 0;
	rundown.pids = pids;
	rundown.turns = worker->turns;
	return wt_perf_rundown_only(&rundown, err);
}

int wt_worker_rundown_due(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_rundown rundown = rundown_of(worker);

	rundown.turns = worker->turns;
	return wt_map_turns_due(worker->turns) ? wt_perf_rundown_due(&rundown, err) : 0;
}
