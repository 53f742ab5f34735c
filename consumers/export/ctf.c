// SPDX-License-Identifier: MIT
#include "consumers/export/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/export/ctf_metadata.h"
#include "consumers/export/ctf_stream.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/write_all.h"

struct export
{
	struct wt_view_file *file;
	const struct wt_log_info *info;
	int dir;
	struct wt_ctf_stream *streams; /* owned; by CPU + 1 */
	uint32_t n_streams;
	uint32_t n_cpus;          /* of the files made */
	struct wt_intern numbers; /* of the events, by the address of their description */
	struct wt_buf metadata;   /* of the events */
	struct wt_ctf_count count;
	/* the event on its way */
	struct wt_buf *out;
	struct wt_buf frames;
	uint16_t n_frames;
};

/* ---- values ---- */

static void put_text(struct export *export, struct wt_buf *out, const void *bytes, size_t len)
{
	const void *zero = len ? memchr(bytes, 0, len) : NULL;

	if (zero) {
		len = (size_t)((const char *)zero - (const char *)bytes);
		export->count.strings_cut++;
	}
	wt_buf_put(out, bytes, len);
	wt_buf_put_u8(out, 0);
}

static void put_number(struct wt_buf *out, uint64_t value, unsigned width)
{
	uint8_t bytes[8];

	wt_store_u64(bytes, value);
	wt_buf_put(out, bytes, width);
}

static void put_float(struct wt_buf *out, const struct wt_value *value)
{
	float single = (float)value->f;

	if (value->field->type == WT_TYPE_F32)
		wt_buf_put(out, &single, sizeof(single));
	else
		wt_buf_put(out, &value->f, sizeof(value->f));
}

/* Writes a scalar or an element of an array, as the metadata describe it. */
static void put_scalar(struct export *export, const struct wt_value *value)
{
	enum wt_type type = value->field->type;

	if (wt_type_is_integer(type))
		put_number(export->out, value->u, wt_type_width(type));
	else if (type == WT_TYPE_F32 || type == WT_TYPE_F64)
		put_float(export->out, value);
	else if (type == WT_TYPE_STRING)
		put_text(export, export->out, value->bytes, value->len);
	else if (wt_type_is_counted(type))
		wt_buf_put_counted(export->out, value->bytes, value->len);
	else
		wt_buf_put(export->out, value->bytes, value->len);
}

static void put_array(struct export *export, const struct wt_value *value)
{
	if (value->field->variable)
		wt_buf_put_u16(export->out, (uint16_t)value->n);
	for (uint32_t i = 0; i < value->n; i++) {
		struct wt_value element;

		if (wt_value_element(value, i, &element))
			export->out->failed = true;
		else
			put_scalar(export, &element);
	}
}

static int put_fields(struct export *export, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	for (uint32_t f = 0; f < event->n_fields; f++) {
		const struct wt_field *field = &event->fields[f];
		struct wt_value value;

		if (wt_log_value(batch, i, f, &value))
			return wt_fail(err, WT_ERR_FORMAT, "field %s of an event %s does not decode",
				       field->name, event->name);
		if (field->variable || field->count != 1)
			put_array(export, &value);
		else
			put_scalar(export, &value);
	}
	return 0;
}

/* ---- context ---- */

static void put_frame(void *ctx, const struct wt_view_frame *frame, uint32_t index)
{
	struct export *export = ctx;
	struct wt_buf text = {0};

	(void)index;
	wt_view_symbol_text(export->file, frame->symbol, &text);
	put_text(export, &export->frames, text.data, text.len);
	export->frames.failed |= text.failed;
	export->n_frames++;
	wt_buf_deinit(&text);
}

static int put_stack(struct export *export, struct wt_view_segment *segment, uint32_t stack,
		     struct wt_err *err)
{
	uint8_t status = stack ? segment->tables->stacks[stack - 1].status : WT_STACK_NONE;
	const char *text = status < WT_N_STACK_STATUSES ? wt_stack_status_names[status]
							: "of a newer version";

	export->n_frames = 0;
	wt_buf_clear(&export->frames);
	if (stack && wt_view_each_frame(export->file, segment, stack, put_frame, export, err))
		return -1;
	put_text(export, export->out, text, strlen(text));
	wt_buf_put_u16(export->out, export->n_frames);
	wt_buf_put(export->out, export->frames.data, export->frames.len);
	return export->frames.failed ? wt_fail_nomem(err) : 0;
}

static void put_activity(struct wt_buf *out, const uint8_t *ids, uint32_t i)
{
	const uint8_t *id = ids ? ids + (size_t)i * WT_ACTIVITY_ID : NULL;

	if (!id || wt_activity_is_none(id)) {
		wt_buf_put_u8(out, 0);
		return;
	}
	wt_buf_put_u8(out, WT_ACTIVITY_ID);
	wt_buf_put(out, id, WT_ACTIVITY_ID);
}

static int put_context(struct export *export, const struct wt_log_batch *batch, uint32_t i,
		       struct wt_err *err)
{
	const struct wt_log_thread *thread = &batch->segment->threads[batch->thread[i]];
	const struct wt_log_process *process = wt_process_of(batch->segment, batch->thread[i]);
	struct wt_view_segment *segment;

	wt_buf_put_u32(export->out, process->pid);
	wt_buf_put_u32(export->out, thread->tid);
	put_text(export, export->out, process->name.p, process->name.len);
	put_text(export, export->out, thread->name.p, thread->name.len);
	wt_buf_put_u8(export->out, batch->self[i]);
	put_activity(export->out, batch->activity, i);
	put_activity(export->out, batch->related, i);
	if (wt_view_file_segment(export->file, batch->segment, &segment, err))
		return -1;
	return put_stack(export, segment, batch->stack[i], err);
}

/* ---- events ---- */

/* The number of an event's description, which the first event of a kind adds. Equal schemas are one object
 * in memory. */
static int number_of(struct export *export, const struct wt_log_batch *batch, uint32_t *ret,
		     struct wt_err *err)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	bool fresh;

	*ret = wt_intern(&export->numbers, (uintptr_t)kind->event, 0, &fresh);
	if (*ret == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (fresh)
		wt_ctf_put_event(&export->metadata, *ret, kind->provider, kind->event);
	return 0;
}

static struct wt_ctf_stream *stream_of(struct export *export, uint32_t cpu, struct wt_err *err)
{
	/* WT_CPU_NONE + 1 is 0. */
	uint32_t at = cpu + 1;

	if (wt_grow_filled(&export->streams, &export->n_streams, at, 1, 0, err))
		return NULL;
	if (!export->streams[at].open) {
		if (wt_ctf_stream_open(&export->streams[at], export->dir, cpu, err))
			return NULL;
		export->count.streams++;
		if (at > export->n_cpus)
			export->n_cpus = at;
	}
	return &export->streams[at];
}

/* A CPU number from a file may have any value. */
#define MOST_CPUS 65536u

static int put_event(struct export *export, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	uint32_t cpu = batch->cpu[i] < MOST_CPUS ? batch->cpu[i] : WT_CPU_NONE, number;
	struct wt_ctf_stream *stream = stream_of(export, cpu, err);

	if (!stream || number_of(export, batch, &number, err))
		return -1;
	export->out = &stream->packet;
	wt_ctf_stream_begin(stream, number, batch->time[i]);
	if (put_context(export, batch, i, err) || put_fields(export, batch, i, err))
		return -1;
	export->count.events++;
	return wt_ctf_stream_end(stream, export->info->session_id, err);
}

static int put_events(struct export *export, const struct wt_log_filter *filter, struct wt_err *err)
{
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t i;
	int more;

	if (wt_log_iter_create(export->file->log, filter, &iter, err))
		return -1;
	while (!(more = wt_log_iter_next(iter, &batch, &i, err)))
		if (put_event(export, batch, i, err)) {
			more = -1;
			break;
		}
	wt_log_iter_destroy(iter);
	return more < 0 ? -1 : 0;
}

/* ---- the directory ---- */

static int close_streams(struct export *export, struct wt_err *err)
{
	struct wt_err ignored = WT_ERR_INIT;
	int rc = 0;

	for (uint32_t i = 0; i < export->n_streams; i++)
		if (wt_ctf_stream_close(&export->streams[i], export->info->session_id, rc ? &ignored : err))
			rc = -1;
	free(export->streams);
	export->streams = NULL;
	export->n_streams = 0;
	return rc;
}

static const char *host_of(const struct wt_log_segment *segment, struct wt_buf *text)
{
	for (uint32_t i = 0; i < segment->n_facts; i++)
		if (segment->facts[i].key.len == 4 && !memcmp(segment->facts[i].key.p, "host", 4))
			wt_buf_put(text, segment->facts[i].value.p, segment->facts[i].value.len);
	return wt_buf_cstr(text);
}

static int write_metadata(struct export *export, struct wt_err *err)
{
	int fd = openat(export->dir, "metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct wt_buf text = {0}, host = {0};
	int rc = fd < 0 ? wt_fail_errno(err, "cannot make the trace's metadata") : 0;

	if (!rc) {
		const char *name = export->file->n_segments ? host_of(export->file->segments[0].tables, &host)
							    : "";

		wt_ctf_put_head(&text, export->info, name);
		wt_buf_put(&text, export->metadata.data, export->metadata.len);
		if (text.failed || host.failed || export->metadata.failed)
			rc = wt_fail_nomem(err);
		else if (wt_write_all(fd, text.data, text.len))
			rc = wt_fail_errno(err, "cannot write the trace's metadata");
	}
	if (fd >= 0 && close(fd) < 0 && !rc)
		rc = wt_fail_errno(err, "cannot write the trace's metadata");
	wt_buf_deinit(&text);
	wt_buf_deinit(&host);
	return rc;
}

/* The files made so far: streams by their names, and the metadata. */
static void remove_directory(const struct export *export, const char *path)
{
	char name[32];

	unlinkat(export->dir, "metadata", 0);
	unlinkat(export->dir, "cpu_none", 0);
	for (uint32_t cpu = 0; cpu < export->n_cpus; cpu++) {
		snprintf(name, sizeof(name), "cpu_%u", cpu);
		unlinkat(export->dir, name, 0);
	}
	rmdir(path);
}

static int fill_directory(struct export *export, const struct wt_log_filter *filter, const char *path,
			  struct wt_err *err)
{
	struct wt_err ignored = WT_ERR_INIT;
	int rc = put_events(export, filter, err);

	if (close_streams(export, rc ? &ignored : err) || (!rc && write_metadata(export, err)))
		rc = -1;
	if (rc)
		remove_directory(export, path);
	return rc;
}

static int make_directory(const char *path, char part[PATH_MAX], int *ret, struct wt_err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return wt_fail(err, WT_ERR_EXISTS, "%s exists already: name a directory that does not", path);
	if (snprintf(part, PATH_MAX, "%s.part-XXXXXX", path) >= PATH_MAX)
		return wt_fail(err, WT_ERR_USAGE, "the path %.40s... is too long", path);
	if (!mkdtemp(part))
		return wt_fail_errno(err, "cannot make the directory %s", path);
	*ret = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0)
		return wt_fail_errno(err, "cannot open the directory %s", part);
	return 0;
}

int wt_ctf_export(struct wt_view_file *file, const struct wt_log_filter *filter, const char *path,
		  struct wt_ctf_count *ret, struct wt_err *err)
{
	struct export export = {.file = file, .info = wt_log_info(file->log)};
	char part[PATH_MAX];
	int rc;

	if (make_directory(path, part, &export.dir, err))
		return -1;
	rc = fill_directory(&export, filter, part, err);
	if (!rc && renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) < 0) {
		rc = wt_fail_errno(err, "cannot make %s", path);
		remove_directory(&export, part);
	}
	*ret = export.count;
	close(export.dir);
	wt_intern_deinit(&export.numbers);
	wt_buf_deinit(&export.metadata);
	wt_buf_deinit(&export.frames);
	return rc;
}
