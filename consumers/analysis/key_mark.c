/* SPDX-License-Identifier: MIT */
/* The key mark: the last of the log's marks before an event. */
#include <string.h>

#include "consumers/analysis/key.h"
#include "tracecore/base/grow.h"

static bool is_mark(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(k->provider->name, "wtrace") && !strcmp(k->event->name, "mark");
}

static int push(struct wt_view_key *key, uint64_t time, uint32_t text, struct wt_err *err)
{
	if (text == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	if (wt_grow_one(&key->marks, key->n_marks, err))
		return -1;
	key->marks[key->n_marks++] = (struct wt_view_mark){time, text};
	return 0;
}

static int push_mark(struct wt_view_file *file, struct wt_view_key *key, const struct wt_log_batch *batch,
		     uint32_t i, struct wt_err *err)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, "text");
	struct wt_value value;

	if (at < 0 || wt_log_value(batch, i, (uint32_t)at, &value))
		return push(key, batch->time[i], wt_view_text(file, "(damaged)", 9), err);
	return push(key, batch->time[i], wt_view_text(file, value.bytes, value.len), err);
}

int wt_view_key_read_marks(struct wt_view_file *file, struct wt_view_key *key, struct wt_err *err)
{
	static const char before[] = "(before all marks)";
	struct wt_log_filter filter = {.want = is_mark};
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t i;
	int rc;

	if (!file->log)
		return wt_fail(err, WT_ERR_USAGE, "key 'mark' needs the marks of a whole log: wtrace view");
	if (push(key, 0, wt_view_text(file, before, strlen(before)), err) ||
	    wt_log_iter_create(file->log, &filter, &iter, err))
		return -1;
	while (!(rc = wt_log_iter_next(iter, &batch, &i, err)))
		if ((rc = push_mark(file, key, batch, i, err)))
			break;
	wt_log_iter_destroy(iter);
	return rc < 0 ? -1 : 0;
}

/* Events of a batch mostly follow each other in time, so the previous event's mark is a good guess. */
void wt_view_key_fill_marks(const struct wt_view_key *key, const struct wt_log_batch *batch, uint32_t *ids)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < batch->n; i++) {
		while (at && batch->time[i] < key->marks[at].time)
			at--;
		while (at + 1 < key->n_marks && batch->time[i] >= key->marks[at + 1].time)
			at++;
		ids[i] = key->marks[at].text;
	}
}
