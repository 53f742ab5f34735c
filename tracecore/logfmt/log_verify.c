// SPDX-License-Identifier: MIT
#include <string.h>

#include "tracecore/logfmt/log_census.h"
#include "tracecore/logfmt/log_reader_impl.h"
#include "tracecore/logfmt/log_tally.h"

/* Progress is told after so many blocks. */
#define BLOCKS_PER_LOOK 16

static void condemn(struct wt_log_reader *log, struct wt_log_ref *ref, const char *what)
{
	wt_log_damage(log, ref->offset, "%s", what);
	if (ref->header.type == WT_DISK_EVENTS)
		log->info.events -= ref->header.count;
	ref->bad = true;
}

/* The reader may have the header from the index. */
static int check_header(struct wt_log_reader *log, struct wt_log_ref *ref, struct wt_err *err)
{
	uint8_t bytes[sizeof(struct wt_disk_block_header)];
	int64_t n = wt_log_pread(log->fd, bytes, sizeof(bytes), ref->offset);

	if (n < 0)
		return wt_fail_errno(err, "cannot read %s", log->name);
	if (n != (int64_t)sizeof(bytes) || memcmp(bytes, &ref->header, sizeof(bytes)))
		condemn(log, ref, "block header differs from the index");
	return 0;
}

/* Blocks the tables are not made of have nothing that could be wrong but their bytes. */
static int check_payload(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			 struct wt_err *err)
{
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *raw;
	int rc = wt_log_unpack(decoder->unpacker, log->fd, ref->offset, &ref->header, &raw, what, err);

	if (rc < 0)
		return wt_fail_prefix(err, "%s", log->name);
	if (rc)
		condemn(log, ref, what);
	return 0;
}

static int check_events(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			struct wt_err *err)
{
	const struct wt_log_segment *segment = &log->segments[wt_log_segment_of(log, ref)].segment;

	if (!wt_log_kind_known(segment, ref->header.kind)) {
		condemn(log, ref, "events of a kind without a schema");
		return 0;
	}
	return wt_log_decode_block(log, decoder, ref, NULL, err) < 0 ? -1 : 0;
}

struct told {
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	uint64_t done, blocks;
};

static void tell(struct wt_log_reader *log, struct told *told, const struct wt_log_ref *ref)
{
	told->done += wt_log_block_extent(&ref->header);
	if (told->progress && ++told->blocks % BLOCKS_PER_LOOK == 0)
		told->progress(told->ctx, told->done, log->info.file_bytes);
}

static int check_segment(struct wt_log_reader *log, struct wt_log_decoder *decoder, uint32_t i,
			 struct told *told, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	int rc = 0;

	for (uint32_t r = log->segments[i].first; r != WT_LOG_NONE && !rc; r = log->refs[r].next)
		rc = log->refs[r].bad ? 0 : check_header(log, &log->refs[r], err);
	if (rc || wt_log_load_segment(log, i, &segment, err))
		return -1;
	for (uint32_t r = log->segments[i].first; r != WT_LOG_NONE && !rc; r = log->refs[r].next) {
		struct wt_log_ref *ref = &log->refs[r];

		tell(log, told, ref);
		if (ref->bad)
			continue;
		rc = ref->header.type == WT_DISK_EVENTS ? check_events(log, decoder, ref, err)
							: check_payload(log, decoder, ref, err);
	}
	wt_log_unload_segment(log, i);
	return rc;
}

static int check_dropped(struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_log_dropped dropped;
	int rc = check_header(log, &log->refs[0], err);

	if (!rc)
		rc = wt_log_read_dropped(log, &dropped, err);
	if (!rc)
		wt_log_dropped_deinit(&dropped);
	return rc;
}

int wt_log_verify(struct wt_log_reader *log, void (*progress)(void *ctx, uint64_t done, uint64_t total),
		  void *ctx, struct wt_err *err)
{
	struct told told = {.progress = progress, .ctx = ctx};
	struct wt_log_decoder decoder;
	int rc = 0;

	if (wt_log_decoder_take(log, &decoder, err))
		return -1;
	if (log->n_refs && log->refs[0].header.type == WT_DISK_DROPPED) {
		tell(log, &told, &log->refs[0]);
		rc = check_dropped(log, err);
	}
	for (uint32_t i = 0; i < log->info.n_segments && !rc; i++)
		rc = check_segment(log, &decoder, i, &told, err);
	wt_log_decoder_put(log, &decoder);
	return rc;
}
