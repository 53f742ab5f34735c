// SPDX-License-Identifier: MIT
/* Reads every byte of a log and notes all damage. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/pool.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/read/tally.h"

/* Progress is reported after this many blocks. */
#define BLOCKS_PER_LOOK 16

/* The number of a segment's blocks for each thread below which threads cost more than they save. */
#define BLOCKS_PER_THREAD 8

/* Compares with the file, because the reader may have the header from the index. */
static int check_header(struct wt_log_reader *log, struct wt_log_ref *ref, struct wt_err *err)
{
	uint8_t bytes[sizeof(struct wt_disk_block_header)];
	int64_t n = wt_log_pread(log->fd, bytes, sizeof(bytes), ref->offset);

	if (n < 0)
		return wt_fail_errno(err, "cannot read %s", log->name);
	if (n != (int64_t)sizeof(bytes) || memcmp(bytes, &ref->header, sizeof(bytes)))
		wt_log_condemn(log, ref, "block header differs from the index");
	return 0;
}

/* In blocks without table rows only the bytes can be damaged. */
static int check_payload(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			 struct wt_err *err)
{
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *raw;
	int rc = wt_log_unpack(decoder->unpacker, log->fd, ref->offset, &ref->header, &raw, what, err);

	if (rc < 0)
		return wt_fail_prefix(err, "%s", log->name);
	if (rc)
		wt_log_condemn(log, ref, what);
	return 0;
}

static int check_events(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			struct wt_err *err)
{
	const struct wt_log_segment *segment = &log->segments[wt_log_segment_of(log, ref)].segment;

	if (!wt_log_kind_known(segment, ref->header.kind)) {
		wt_log_condemn(log, ref, "events of a kind without a schema");
		return 0;
	}
	return wt_log_decode_block(log, decoder, ref, NULL, err) < 0 ? -1 : 0;
}

struct progress {
	const struct wt_listener *listener;
	uint64_t done, blocks;
};

static void tell(struct wt_log_reader *log, struct progress *progress, const struct wt_log_ref *ref)
{
	progress->done += wt_log_block_extent(&ref->header);
	if (++progress->blocks % BLOCKS_PER_LOOK == 0)
		wt_listener_tell(progress->listener, progress->done, log->info.file_bytes);
}

/* ---- the blocks of a segment, on several threads ---- */

struct crew {
	struct wt_log_reader *log;
	uint32_t threads;     /* at most */
	pthread_mutex_t lock; /* of what follows */
	struct progress progress;
	uint32_t next; /* block to be checked next */
	bool failed;
};

struct worker {
	struct crew *crew;
	struct wt_log_decoder decoder;
};

/* NULL: no block is left, or checking failed. */
static struct wt_log_ref *take_block(struct crew *crew)
{
	struct wt_log_ref *ref = NULL;

	pthread_mutex_lock(&crew->lock);
	while (crew->next != WT_LOG_NONE && !crew->failed && (!ref || ref->bad)) {
		ref = &crew->log->refs[crew->next];
		crew->next = ref->next;
		tell(crew->log, &crew->progress, ref);
	}
	if (crew->failed || (ref && ref->bad))
		ref = NULL;
	pthread_mutex_unlock(&crew->lock);
	return ref;
}

static int check_block(struct worker *worker, struct wt_log_ref *ref, struct wt_err *err)
{
	struct wt_log_reader *log = worker->crew->log;

	return ref->header.type == WT_DISK_EVENTS ? check_events(log, &worker->decoder, ref, err)
						  : check_payload(log, &worker->decoder, ref, err);
}

static int check_some(void *arg, struct wt_err *err)
{
	struct worker *worker = arg;
	struct crew *crew = worker->crew;
	struct wt_log_ref *ref;
	int rc = wt_log_decoder_take(crew->log, &worker->decoder, err);

	if (!rc) {
		while (!rc && (ref = take_block(crew)))
			rc = check_block(worker, ref, err);
		wt_log_decoder_put(crew->log, &worker->decoder);
	}
	if (rc) {
		pthread_mutex_lock(&crew->lock);
		crew->failed = true;
		pthread_mutex_unlock(&crew->lock);
	}
	return rc;
}

static int check_blocks(struct crew *crew, uint32_t n, struct wt_err *err)
{
	struct worker *workers = calloc(n, sizeof(*workers));
	int rc;

	if (!workers)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		workers[i].crew = crew;
	wt_log_together_begin(crew->log);
	rc = wt_pool_run(workers, n, sizeof(*workers), check_some, err);
	wt_log_together_end(crew->log);
	free(workers);
	return rc;
}

static int check_segment(struct crew *crew, uint32_t i, struct wt_err *err)
{
	struct wt_log_reader *log = crew->log;
	const struct wt_log_segment *segment;
	uint32_t blocks = 0, n;
	int rc = 0;

	for (uint32_t r = log->segments[i].first; r != WT_LOG_NONE && !rc; r = log->refs[r].next) {
		rc = log->refs[r].bad ? 0 : check_header(log, &log->refs[r], err);
		blocks++;
	}
	if (rc || wt_log_load_segment(log, i, &segment, err))
		return -1;
	crew->next = log->segments[i].first;
	n = blocks / BLOCKS_PER_THREAD < crew->threads ? blocks / BLOCKS_PER_THREAD : crew->threads;
	rc = check_blocks(crew, n ? n : 1, err);
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

int wt_log_verify(struct wt_log_reader *log, uint32_t threads, const struct wt_listener *listener,
		  struct wt_err *err)
{
	struct crew crew = {.log = log,
			    .threads = threads,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .progress = {.listener = listener}};
	int rc = 0;

	if (log->n_refs && log->refs[0].header.type == WT_DISK_DROPPED) {
		tell(log, &crew.progress, &log->refs[0]);
		rc = check_dropped(log, err);
	}
	for (uint32_t i = 0; i < log->info.n_segments && !rc; i++)
		rc = check_segment(&crew, i, err);
	return rc;
}
