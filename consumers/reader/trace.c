// SPDX-License-Identifier: MIT
/* Traces: opening, closing, and facts about them. */
#include <stdlib.h>
#include <string.h>

#include "consumers/reader/impl.h"
#include "tracecore/logfmt/read/host.h"

enum { MAX_FILES = 1024 };

/* ---- open and close ---- */

static void file_deinit(struct wtr_file *file)
{
	wt_log_close(file->log);
	free(file->parts);
	free(file->known);
	free(file->path);
}

void wtr_close(struct wtr_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->n_files; i++)
		file_deinit(&trace->files[i]);
	free(trace->files);
	wtr_schemas_deinit(trace);
	wt_here_deinit(&trace->here);
	free(trace->facts);
	wt_arena_deinit(&trace->arena);
	wt_follow_close(&trace->follow);
	free(trace);
}

static int copy_str(struct wtr_trace *trace, struct wt_str from, struct wt_str *ret)
{
	*ret = (struct wt_str){.p = wt_arena_copy(&trace->arena, from.p, from.len), .len = from.len};
	return ret->p ? 0 : wt_fail_nomem(wtr_err());
}

/* The first segment of the first log describes the machine for all logs. */
int wtr_take_facts(struct wtr_trace *trace)
{
	struct wt_log_reader *log = trace->files[0].log;
	const struct wt_log_segment *segment;
	int rc = 0;

	if (trace->facts || !wt_log_info(log)->n_segments)
		return 0;
	if (wt_log_load_segment(log, 0, &segment, wtr_err()))
		return -1;
	trace->facts = calloc(segment->n_facts + (size_t)1, sizeof(*trace->facts));
	if (!trace->facts)
		return wt_fail_nomem(wtr_err());
	for (uint32_t i = 0; i < segment->n_facts && !rc; i++) {
		struct wt_log_fact *fact = &trace->facts[i];

		rc = copy_str(trace, segment->facts[i].key, &fact->key) ||
		     copy_str(trace, segment->facts[i].value, &fact->value);
		trace->n_facts += !rc;
	}
	wt_log_unload_segment(log, 0);
	return rc ? -1 : 0;
}

int wtr_add_file(struct wtr_trace *trace, const char *path, struct wt_log_reader *log)
{
	struct wtr_file *file = &trace->files[trace->n_files];

	*file = (struct wtr_file){.trace = trace, .number = trace->n_files, .path = strdup(path), .log = log};
	if (!file->path) {
		wt_log_close(log);
		return wt_fail_nomem(wtr_err());
	}
	trace->n_files++;
	return 0;
}

struct wtr_trace *wtr_trace_alloc(size_t n)
{
	struct wtr_trace *trace = calloc(1, sizeof(*trace));

	if (trace)
		trace->files = calloc(n, sizeof(*trace->files));
	if (!trace || !trace->files) {
		free(trace);
		wt_fail_nomem(wtr_err());
		return NULL;
	}
	trace->how = WTR_SYMBOLS_MACHINE;
	trace->here.inlines = true;
	trace->follow.fd = -1;
	return trace;
}

/* Times of different machines or boots cannot be compared. */
static int check_hosts(struct wtr_trace *trace)
{
	struct wt_host first, other;

	if (trace->n_files < 2)
		return 0;
	if (wt_host_read(trace->files[0].log, &first, wtr_err()))
		return -1;
	for (uint32_t i = 1; i < trace->n_files; i++) {
		if (wt_host_read(trace->files[i].log, &other, wtr_err()))
			return -1;
		if (wt_host_same(&first, trace->files[0].path, &other, trace->files[i].path, wtr_err())) {
			wtr_err()->code = WT_ERR_USAGE;
			return -1;
		}
	}
	return 0;
}

int wtr_open_files(const char *const *paths, size_t n, struct wtr_trace **ret)
{
	struct wtr_trace *trace;
	int rc = 0;

	if (!paths || n < 1 || n > MAX_FILES) {
		wt_fail(wtr_err(), WT_ERR_USAGE, "cannot open %zu logs as one trace, only 1 to %d", n,
			MAX_FILES);
		return WTR_ERR_USAGE;
	}
	trace = wtr_trace_alloc(n);
	if (!trace)
		return WTR_ERR_NOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		struct wt_log_reader *log;

		rc = wt_log_open(paths[i], &log, wtr_err()) || wtr_add_file(trace, paths[i], log);
	}
	if (rc || check_hosts(trace) || wtr_take_facts(trace)) {
		wtr_close(trace);
		return wtr_failed();
	}
	*ret = trace;
	return WTR_OK;
}

int wtr_open(const char *path, struct wtr_trace **ret)
{
	return wtr_open_files(&path, 1, ret);
}

/* ---- facts about a trace ---- */

static void add_file(struct wtr_info *info, const struct wt_log_info *log)
{
	if (log->events && (!info->events || log->first_time < info->first_time))
		info->first_time = log->first_time;
	if (log->last_time > info->last_time)
		info->last_time = log->last_time;
	info->file_bytes += log->file_bytes;
	info->events += log->events;
	info->damages += log->n_damages;
	info->segments += log->n_segments;
	info->complete &= log->complete;
}

/* Copies as much into a caller's struct as it has room for. */
static int give(void *ret, uint32_t room, void *from, uint32_t size)
{
	if (room < 2 * sizeof(uint32_t)) {
		wt_fail(wtr_err(), WT_ERR_USAGE, "the size in the struct must be set by the caller");
		return WTR_ERR_USAGE;
	}
	if (size > room)
		size = room;
	memcpy(from, &size, sizeof(size));
	memcpy(ret, from, size);
	return WTR_OK;
}

int wtr_get_info(const struct wtr_trace *trace, struct wtr_info *ret)
{
	struct wtr_info info = {.files = trace->n_files, .complete = 1};

	for (uint32_t i = 0; i < trace->n_files; i++)
		add_file(&info, wt_log_info(trace->files[i].log));
	return give(ret, ret->size, &info, sizeof(info));
}

int wtr_get_damage(const struct wtr_trace *trace, size_t i, struct wtr_damage *ret)
{
	for (uint32_t f = 0; f < trace->n_files; f++) {
		const struct wt_log_reader *log = trace->files[f].log;
		uint32_t n = wt_log_info(log)->n_damages;

		n = n < WT_LOG_DAMAGES ? n : WT_LOG_DAMAGES;
		if (i < n) {
			const struct wt_log_damage *from = &wt_log_damages(log)[i];
			struct wtr_damage damage = {.file = f, .offset = from->offset, .text = from->what};

			return give(ret, ret->size, &damage, sizeof(damage));
		}
		i -= n;
	}
	return WTR_END;
}

const char *wtr_fact(struct wtr_trace *trace, const char *key)
{
	for (uint32_t i = 0; i < trace->n_facts; i++) {
		if (!strcmp(trace->facts[i].key.p, key))
			return trace->facts[i].value.p;
	}
	return NULL;
}

uint64_t wtr_wall_time(const struct wtr_trace *trace, uint64_t time)
{
	const struct wt_clockset *clock = &wt_log_info(trace->files[0].log)->clock;

	return clock->realtime + (time - clock->raw);
}

int wtr_set_symbols(struct wtr_trace *trace, enum wtr_symbols how)
{
	if (trace->here.symbols || how < WTR_SYMBOLS_LOG || how > WTR_SYMBOLS_LINES) {
		wt_fail(wtr_err(), WT_ERR_USAGE,
			"the source of names must be set before the first frame is looked up");
		return WTR_ERR_USAGE;
	}
	trace->how = how;
	trace->here.lines = how == WTR_SYMBOLS_LINES;
	return WTR_OK;
}
