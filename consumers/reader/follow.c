// SPDX-License-Identifier: MIT
/* Traces that grow: the log of a running session, or a file. */
#include <stdlib.h>

#include "consumers/reader/impl.h"

/* following: 0 when trace->follow has been opened. */
static int open_growing(struct wtr_trace *trace, int following, struct wtr_trace **ret)
{
	struct wt_log_reader *log;

	trace->grows = true;
	if (following || wt_follow_open(&trace->follow, &log, wtr_err()) ||
	    wtr_add_file(trace, trace->follow.path, log) || wtr_take_facts(trace)) {
		wtr_close(trace);
		return wtr_failed();
	}
	*ret = trace;
	return WTR_OK;
}

int wtr_open_growing(const char *path, struct wtr_trace **ret)
{
	struct wtr_trace *trace = wtr_trace_alloc(1);

	if (!trace)
		return WTR_ERR_NOMEM;
	return open_growing(trace, wt_follow_file(&trace->follow, path, WT_LOG_GROWS, wtr_err()), ret);
}

int wtr_open_session(const char *name, struct wtr_trace **ret)
{
	struct wtr_trace *trace = wtr_trace_alloc(1);

	if (!trace)
		return WTR_ERR_NOMEM;
	return open_growing(
		trace, wt_follow_session(&trace->follow, name ? name : WT_SESSION_DEFAULT, wtr_err()), ret);
}

static int lost_between(uint64_t from, uint64_t to)
{
	return wt_fail(wtr_err(), WT_ERR_LIMIT,
		       "the session dropped the events from %llu.%09llu s to %llu.%09llu s before they were "
		       "read (--max-file)",
		       (unsigned long long)(from / WT_NSEC), (unsigned long long)(from % WT_NSEC),
		       (unsigned long long)(to / WT_NSEC), (unsigned long long)(to % WT_NSEC));
}

/* Nothing of the old file may be in use. Types and facts belong to the trace. */
static void use_log(struct wtr_file *file, struct wt_log_reader *log)
{
	wt_log_close(file->log);
	free(file->parts);
	free(file->known);
	file->parts = NULL;
	file->known = NULL;
	file->n_parts = file->n_known = 0;
	file->log = log;
}

/* Continues in the file that the session writes now. */
static int move_on(struct wtr_trace *trace, uint64_t *behind)
{
	struct wtr_file *file = &trace->files[0];
	uint64_t last = wt_log_info(file->log)->last_time;
	struct wt_log_succession next;
	struct wt_log_reader *log;

	if (wt_follow_move(&trace->follow, file->log, &log, &next, wtr_err()))
		return WT_FOLLOW_FAILED;
	use_log(file, log);
	*behind = next.behind;
	if (!next.gap)
		return next.behind == wt_log_followed(log) ? WT_FOLLOW_NOT_YET : WT_FOLLOW_MORE;
	lost_between(last, wt_log_info(log)->first_time);
	return WTR_GAP;
}

int wtr_refresh(struct wtr_trace *trace, uint64_t *behind)
{
	enum wt_follow_state state;

	*behind = wt_log_followed(trace->files[0].log);
	state = wt_follow_look(&trace->follow, &trace->files[0].log, wtr_err());
	if (state == WT_FOLLOW_MORE && wtr_take_facts(trace))
		return WT_FOLLOW_FAILED;
	return state == WT_FOLLOW_LEFT ? move_on(trace, behind) : (int)state;
}
