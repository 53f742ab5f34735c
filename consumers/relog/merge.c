// SPDX-License-Identifier: MIT
#include "consumers/relog/merge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "tracecore/base/diag.h"
#include "tracecore/base/json.h"
#include "tracecore/logfmt/read/host.h"

/* ---- the logs ---- */

static int open_logs(struct wt_log_merge *merge, struct wt_err *err)
{
	struct wt_host first, host;

	for (size_t i = 0; i < merge->n_logs; i++) {
		if (wt_log_open(merge->paths[i], &merge->logs[i], err) ||
		    wt_host_read(merge->logs[i], &host, err))
			return -1;
		if (i == 0)
			first = host;
		else if (wt_host_same(&first, merge->paths[0], &host, merge->paths[i], err))
			return -1;
		if (!wt_log_info(merge->logs[i])->complete)
			wt_warn("%s is not complete: the part that can be read is taken", merge->paths[i]);
	}
	return 0;
}

static int add_parts(struct wt_log_merge *merge, size_t i, struct wt_err *err)
{
	uint32_t n = wt_log_info(merge->logs[i])->n_segments;
	struct wt_log_part *parts = realloc(merge->parts, (merge->n_parts + n + 1) * sizeof(*parts));

	if (!parts)
		return wt_fail_nomem(err);
	merge->parts = parts;
	for (uint32_t s = 0; s < n; s++) {
		struct wt_log_part *part = &parts[merge->n_parts++];

		*part = (struct wt_log_part){.log = merge->logs[i], .order = i, .segment = s};
		if (wt_log_extent(part->log, s, &part->extent, err))
			return -1;
		wt_log_unload_segment(part->log, s);
		merge->bytes += part->extent.bytes;
	}
	return 0;
}

/* Logs that begin at one time keep the order of their paths. */
static int by_time(const void *a, const void *b)
{
	const struct wt_log_part *x = a, *y = b;

	if (x->extent.first_time != y->extent.first_time)
		return x->extent.first_time < y->extent.first_time ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

int wt_log_merge_open(struct wt_log_merge *merge, const char *const *paths, size_t n, struct wt_err *err)
{
	*merge = (struct wt_log_merge){.paths = paths, .logs = calloc(n, sizeof(*merge->logs))};
	if (!merge->logs)
		return wt_fail_nomem(err);
	merge->n_logs = n;
	if (open_logs(merge, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (add_parts(merge, i, err))
			return -1;
	if (merge->n_parts)
		qsort(merge->parts, merge->n_parts, sizeof(*merge->parts), by_time);
	return 0;
}

void wt_log_merge_close(struct wt_log_merge *merge)
{
	for (size_t i = 0; i < merge->n_logs; i++)
		if (merge->logs[i])
			wt_log_close(merge->logs[i]);
	free(merge->logs);
	free(merge->parts);
	*merge = (struct wt_log_merge){0};
}

/* ---- one of them ---- */

/* Uses the session id of the logs if all have one and the same, or else a new id, and the clocks of the
 * log that began first. */
static int choose_origin(const struct wt_log_merge *merge, uint8_t id[16], struct wt_clockset *began,
			 struct wt_err *err)
{
	const struct wt_log_info *first = wt_log_info(merge->logs[0]);
	bool same = true;

	*began = first->clock;
	memcpy(id, first->session_id, 16);
	for (size_t i = 1; i < merge->n_logs; i++) {
		const struct wt_log_info *info = wt_log_info(merge->logs[i]);

		same &= !memcmp(id, info->session_id, 16);
		if (info->clock.raw < began->raw)
			*began = info->clock;
	}
	if (!same && getrandom(id, 16, 0) != 16)
		return wt_fail_errno(err, "no random bytes");
	return 0;
}

static int copy_parts(const struct wt_log_merge *merge, struct wt_log_copy *copy,
		      const struct wt_listener *listener, struct wt_err *err)
{
	uint64_t done = 0;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct wt_log_part *part = &merge->parts[i];
		int rc = wt_log_copy_segment(copy, part->log, part->segment, NULL, err);

		wt_log_unload_segment(part->log, part->segment);
		if (rc)
			return -1;
		done += part->extent.bytes;
		wt_listener_tell(listener, done, merge->bytes);
	}
	return 0;
}

int wt_log_merge_write(const struct wt_log_merge *merge, int fd, const struct wt_listener *listener,
		       uint64_t *events, struct wt_err *err)
{
	struct wt_log_copy *copy;
	struct wt_clockset began;
	uint8_t id[16];
	int rc;

	if (choose_origin(merge, id, &began, err) || wt_log_copy_create(fd, id, &began, &copy, err))
		return -1;
	rc = copy_parts(merge, copy, listener, err) || wt_log_copy_finish(copy, events, err) ? -1 : 0;
	wt_log_copy_destroy(copy);
	return rc;
}

void wt_log_merge_json(const struct wt_log_merge *merge, const char *file, uint64_t events,
		       struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", file);
	wt_json_number(&json, "logs", merge->n_logs);
	wt_json_number(&json, "segments", merge->n_parts);
	wt_json_number(&json, "events", events);
	wt_json_end_document(&json);
}
