// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "tracecore/base/regular.h"

#include "consumers/reader/impl.h"

static int open_growing(struct wtr_trace *trace, const char *path, enum wtr_growth growth,
			struct wtr_trace **ret)
{
	trace->growth = growth;
	if (wtr_add_file(trace, path) || wtr_take_facts(trace)) {
		wtr_close(trace);
		return wtr_failed();
	}
	*ret = trace;
	return WTR_OK;
}

int wtr_open_growing(const char *path, struct wtr_trace **ret)
{
	struct wtr_trace *trace = wtr_trace_alloc(1);

	return trace ? open_growing(trace, path, WTR_GROWS, ret) : WTR_ERR_NOMEM;
}

int wtr_open_session(const char *name, struct wtr_trace **ret)
{
	char path[PATH_MAX];
	struct wtr_trace *trace;
	struct wt_place place;

	if (wt_place_open(name ? name : WT_SESSION_DEFAULT, &place, wtr_err()))
		return wtr_failed();
	if (!wt_place_alive(&place) || !wt_place_has_part(&place)) {
		wt_fail(wtr_err(), WT_ERR_NOTFOUND,
			"session '%s' is not running: no such session of this user, in %s", place.name,
			place.runtime);
		wt_place_close(&place);
		return WTR_ERR_NOTFOUND;
	}
	trace = wtr_trace_alloc(1);
	if (!trace) {
		wt_place_close(&place);
		return WTR_ERR_NOMEM;
	}
	wt_place_part_path(&place, path);
	trace->place = place;
	return open_growing(trace, path, WTR_SESSION, ret);
}

/* Somebody writes the file still. A session of the same name that was started later writes another one. */
static bool is_written(const struct wtr_trace *trace)
{
	return trace->growth == WTR_GROWS ||
	       (wt_place_alive(&trace->place) && wt_place_part_is(&trace->place, trace->files[0].log_fd));
}

/* A session that runs writes another file now: it has dropped the oldest part of its log. */
static bool has_moved(const struct wtr_trace *trace)
{
	return trace->growth == WTR_SESSION && wt_place_alive(&trace->place) &&
	       !wt_log_info(trace->files[0].log)->complete;
}

static int open_anew(void)
{
	return wt_fail(wtr_err(), WT_ERR_LIMIT,
		       "the session dropped the oldest part of its log (--max-file): open it anew");
}

static int lost_between(uint64_t from, uint64_t to)
{
	return wt_fail(
		wtr_err(), WT_ERR_LIMIT,
		"the session dropped what was behind %llu.%09llu s and before %llu.%09llu s before it was "
		"read (--max-file)",
		(unsigned long long)(from / WT_NSEC), (unsigned long long)(from % WT_NSEC),
		(unsigned long long)(to / WT_NSEC), (unsigned long long)(to % WT_NSEC));
}

/* Nothing of the old file may be in use; types and facts are the trace's own. */
static void use_log(struct wtr_file *file, struct wt_log_reader *log, int fd)
{
	wt_log_close(file->log);
	free(file->parts);
	free(file->known);
	file->parts = NULL;
	file->known = NULL;
	file->n_parts = file->n_known = 0;
	file->log = log;
	file->log_fd = fd;
}

/* Goes on in the file the session writes now. As wtr_refresh. */
static int move_on(struct wtr_trace *trace, uint64_t *behind)
{
	struct wtr_file *file = &trace->files[0];
	uint64_t last = wt_log_info(file->log)->last_time;
	int fd = wt_regular_open(file->path, NULL);
	struct wt_log_succession next;
	struct wt_log_reader *log;

	if (fd < 0)
		return open_anew();
	if (wt_log_open_growing(fd, file->path, WT_LOG_GROWS, &log, wtr_err()))
		return -1;
	if (!wt_log_succeeds(log, file->log, &next)) {
		wt_log_close(log);
		return open_anew();
	}
	use_log(file, log, fd);
	trace->ended = false;
	*behind = next.behind;
	if (!next.gap)
		return next.behind == wt_log_followed(log);
	lost_between(last, wt_log_info(log)->first_time);
	return WTR_GAP;
}

int wtr_refresh(struct wtr_trace *trace, uint64_t *behind)
{
	/* Asked first: what is written before the end is in the file then. */
	bool written = !trace->ended && is_written(trace);
	int rc;

	if (trace->ended || trace->growth == WTR_WHOLE)
		return 2;
	*behind = wt_log_followed(trace->files[0].log);
	rc = wt_log_follow(trace->files[0].log, written ? WT_LOG_GROWS : WT_LOG_ENDED, wtr_err());
	if (rc < 0 || (rc == 0 && wtr_take_facts(trace)))
		return -1;
	trace->ended = rc > 0 && (!written || wt_log_info(trace->files[0].log)->complete);
	if (trace->ended && has_moved(trace))
		return move_on(trace, behind);
	return rc > 0 && trace->ended ? 2 : rc;
}
