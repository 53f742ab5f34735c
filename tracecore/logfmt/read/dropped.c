// SPDX-License-Identifier: MIT
/* The account of segments that were dropped (--max-file): writes it to a block and reads it from one. */
#include "tracecore/logfmt/read/tally.h"

#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

void wt_log_dropped_deinit(struct wt_log_dropped *dropped)
{
	wt_log_tally_deinit(&dropped->tally);
	wt_log_lost_deinit(&dropped->lost);
	*dropped = (struct wt_log_dropped){0};
}

void wt_log_dropped_put(const struct wt_log_dropped *dropped, struct wt_buf *out)
{
	struct wt_disk_dropped disk = {.segments = dropped->segments, .events = dropped->events};

	wt_buf_put(out, &disk, sizeof(disk));
	for (uint32_t i = 0; i < dropped->tally.keys.count; i++) {
		const struct wt_log_tally_line *line = &dropped->tally.lines[i];
		const char *provider = wt_log_tally_provider(&dropped->tally, line);
		const char *name = wt_log_tally_name(&dropped->tally, line);

		wt_buf_put_counted(out, provider, strlen(provider));
		wt_buf_put_counted(out, name, strlen(name));
		wt_buf_put_u32(out, line->cpu);
		wt_buf_put_u64(out, line->events);
	}
	wt_log_lost_put(&dropped->lost, out);
}

static struct wt_str take_text(struct wt_cursor *cur)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_str_of(bytes, len);
}

int wt_log_dropped_get(struct wt_cursor *payload, uint32_t lines, struct wt_log_dropped *ret,
		       struct wt_err *err)
{
	int rc;

	*ret = (struct wt_log_dropped){0};
	ret->segments = wt_cur_u64(payload);
	ret->events = wt_cur_u64(payload);
	for (uint32_t i = 0; i < lines && !payload->bad; i++) {
		struct wt_str provider = take_text(payload), name = take_text(payload);
		uint32_t cpu = wt_cur_u32(payload);
		uint64_t events = wt_cur_u64(payload);

		if (!payload->bad &&
		    wt_log_tally_add(&ret->tally, provider, name, cpu, events, events, err)) {
			wt_log_dropped_deinit(ret);
			return -1;
		}
	}
	rc = payload->bad ? 1 : wt_log_lost_get(payload, &ret->lost, err);
	if (rc)
		wt_log_dropped_deinit(ret);
	return rc;
}

int wt_log_read_dropped(struct wt_log_reader *log, struct wt_log_dropped *ret, struct wt_err *err)
{
	char text[WT_LOG_WHAT_SIZE];
	const char *what = text;
	const struct wt_log_ref *ref = log->refs;
	struct wt_cursor cur;
	const uint8_t *raw;
	int rc;

	*ret = (struct wt_log_dropped){0};
	if (!log->n_refs || ref->header.type != WT_DISK_DROPPED)
		return 0;
	rc = wt_log_unpack(log->decoder.unpacker, log->fd, ref->offset, &ref->header, &raw, text, err);
	if (rc == 0) {
		cur = wt_cursor(raw, ref->header.raw_size);
		what = "record of dropped events";
		rc = wt_log_dropped_get(&cur, ref->header.count, ret, err);
	}
	if (rc > 0)
		wt_log_damage(log, ref->offset, "%s", what);
	return rc < 0 ? -1 : 0;
}
