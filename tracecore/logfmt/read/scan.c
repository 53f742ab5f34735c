// SPDX-License-Identifier: MIT
/* Event blocks, one after the other: their choice, their decoding, and single values of a batch. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

int wt_log_decoder_init(struct wt_log_decoder *decoder, struct wt_err *err)
{
	*decoder = (struct wt_log_decoder){0};
	return wt_log_unpacker_create(&decoder->unpacker, err);
}

void wt_log_decoder_deinit(struct wt_log_decoder *decoder)
{
	wt_log_batch_deinit(&decoder->store);
	wt_log_unpacker_destroy(decoder->unpacker);
	wt_log_column_room_deinit(&decoder->room);
	*decoder = (struct wt_log_decoder){0};
}

int wt_log_decoder_take(struct wt_log_reader *log, struct wt_log_decoder *ret, struct wt_err *err)
{
	pthread_mutex_lock(&log->lock);
	*ret = log->spare;
	log->spare = (struct wt_log_decoder){0};
	pthread_mutex_unlock(&log->lock);
	return ret->unpacker ? 0 : wt_log_decoder_init(ret, err);
}

void wt_log_decoder_put(struct wt_log_reader *log, struct wt_log_decoder *decoder)
{
	struct wt_log_decoder old;

	pthread_mutex_lock(&log->lock);
	old = log->spare;
	log->spare = *decoder;
	pthread_mutex_unlock(&log->lock);
	wt_log_decoder_deinit(&old);
}

uint32_t wt_log_segment_of(const struct wt_log_reader *log, const struct wt_log_ref *ref)
{
	uint32_t index = wt_intern_find(&log->numbers, ref->header.segment, 0);

	return index == WT_INTERN_NONE ? WT_LOG_NONE : index;
}

int wt_log_decode_block(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			const struct wt_log_need *need, struct wt_err *err)
{
	const struct wt_log_segment *segment = &log->segments[wt_log_segment_of(log, ref)].segment;
	char text[WT_LOG_WHAT_SIZE];
	const char *what = text;
	const uint8_t *raw;
	int rc = wt_log_unpack(decoder->unpacker, log->fd, ref->offset, &ref->header, &raw, text, err);

	if (rc < 0)
		return wt_fail_prefix(err, "%s", log->name);
	if (rc == 0)
		what = wt_log_batch_decode(&decoder->store, segment, &ref->header, raw, need, &decoder->room,
					   &rc);
	if (rc < 0)
		return wt_fail_nomem(err);
	if (what) {
		wt_log_condemn(log, ref, what);
		return 1;
	}
	decoder->store.batch.block = (uint32_t)(ref - log->refs);
	if (decoder->store.bad_ids && !ref->noted) {
		ref->noted = true;
		wt_log_damage(log, ref->offset, "%u threads or stacks of events are not there",
			      decoder->store.bad_ids);
	}
	return 0;
}

/* Asks the filter about the kind, once per segment. */
static int ask(const struct wt_log_filter *filter, struct wt_log_choice *choice,
	       const struct wt_log_tables *tables, uint32_t kind, struct wt_err *err)
{
	const struct wt_log_segment *segment = &tables->segment;

	if (!filter->want)
		return 1;
	if (choice->segment != tables->index + 1) {
		free(choice->answers);
		choice->answers = calloc(segment->kinds.n + (size_t)1, 1);
		choice->segment = choice->answers ? tables->index + 1 : 0;
		if (!choice->answers)
			return wt_fail_nomem(err);
	}
	if (!choice->answers[kind])
		choice->answers[kind] = filter->want(filter->ctx, segment, kind) ? 2 : 1;
	return choice->answers[kind] == 2;
}

static bool has_cpu(const struct wt_log_filter *filter, uint32_t cpu)
{
	if (!filter->n_cpus || cpu == WT_CPU_NONE)
		return true;
	for (uint32_t i = 0; i < filter->n_cpus; i++) {
		if (filter->cpus[i] == cpu)
			return true;
	}
	return false;
}

static bool in_range(const struct wt_log_filter *filter, const struct wt_log_ref *ref, uint32_t segment)
{
	const struct wt_disk_block_header *header = &ref->header;

	if (header->time_max < filter->from || (filter->to && header->time_min >= filter->to))
		return false;
	if (ref->offset < filter->behind || !has_cpu(filter, header->cpu))
		return false;
	return !filter->n_segments ||
	       (segment >= filter->first_segment && segment - filter->first_segment < filter->n_segments);
}

static bool may_pass(const struct wt_log_filter *filter, const struct wt_log_tables *tables,
		     const struct wt_disk_block_header *header)
{
	struct wt_log_outline outline = {
		.segment = &tables->segment,
		.kind = header->kind,
		.count = header->count,
		.cpu = header->cpu,
		.first_time = header->time_min,
		.last_time = header->time_max,
	};

	if (!filter->may)
		return true;
	outline.ranges = wt_log_ranges_of(tables->ranges, tables->n_ranges, header, &outline.n_ranges);
	return filter->may(filter->ctx, &outline);
}

int wt_log_choose(struct wt_log_reader *log, const struct wt_log_filter *filter, struct wt_log_choice *choice,
		  struct wt_log_ref *ref, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	uint32_t index;
	int rc;

	if (ref->header.type != WT_DISK_EVENTS)
		return 0;
	index = wt_log_segment_of(log, ref);
	/* The mark is read last, because blocks of other segments may belong to another thread. */
	if (index == WT_LOG_NONE || !in_range(filter, ref, index) || ref->bad)
		return 0;
	if (wt_log_load_segment(log, index, &segment, err))
		return -1;
	if (!wt_log_kind_known(segment, ref->header.kind)) {
		wt_log_condemn(log, ref, "events of a kind without a schema");
		return 0;
	}
	rc = ask(filter, choice, &log->segments[index], ref->header.kind, err);
	return rc > 0 ? may_pass(filter, &log->segments[index], &ref->header) : rc;
}

typedef int batch_fn(void *ctx, const struct wt_log_batch *batch, struct wt_err *err);

static void count_block(struct wt_log_scanned *scanned, const struct wt_log_need *need, uint32_t n_fields)
{
	if (!scanned)
		return;
	scanned->blocks++;
	if (!need)
		scanned->columns += n_fields;
	for (size_t i = 0; need && i < sizeof(need->fields) / sizeof(*need->fields); i++)
		scanned->columns += (unsigned)__builtin_popcountll(need->fields[i]);
}

static int scan_block(struct wt_log_reader *log, struct wt_log_decoder *decoder,
		      const struct wt_log_filter *filter, struct wt_log_ref *ref, batch_fn *fn, void *ctx,
		      struct wt_err *err)
{
	const struct wt_log_segment *segment = &log->segments[wt_log_segment_of(log, ref)].segment;
	const struct wt_event_desc *event = segment->kinds.kinds[ref->header.kind].event;
	struct wt_log_batch *batch = &decoder->store.batch;
	struct wt_log_need need = {0};
	int rc;

	if (filter->need)
		filter->need(filter->ctx, segment, ref->header.kind, &need);
	rc = wt_log_decode_block(log, decoder, ref, filter->need ? &need : NULL, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	count_block(filter->scanned, filter->need ? &need : NULL, event->n_fields);
	wt_log_batch_trim(batch, decoder->store.columns, filter->from, filter->to);
	return batch->n ? fn(ctx, batch, err) : 0;
}

static uint32_t take_turn(const struct wt_log_filter *filter, uint32_t *own)
{
	return filter->turn ? __atomic_fetch_add(filter->turn, 1, __ATOMIC_RELAXED) : (*own)++;
}

int wt_log_scan(struct wt_log_reader *log, const struct wt_log_filter *filter, batch_fn *fn, void *ctx,
		struct wt_err *err)
{
	static const struct wt_log_filter everything;
	struct wt_log_choice choice = {0};
	struct wt_log_decoder decoder;
	uint32_t own = 0, i;
	int rc = 0;

	filter = filter ? filter : &everything;
	if (wt_log_decoder_take(log, &decoder, err))
		return -1;
	if (filter->turn)
		wt_log_together_begin(log);
	while (rc == 0 && (i = take_turn(filter, &own)) < log->n_refs) {
		struct wt_log_ref *ref = &log->refs[i];

		wt_listener_tell(&filter->listener, i, log->n_refs);
		rc = wt_log_choose(log, filter, &choice, ref, err);
		if (rc > 0)
			rc = scan_block(log, &decoder, filter, ref, fn, ctx, err);
		else if (filter->scanned && ref->header.type == WT_DISK_EVENTS)
			filter->scanned->skipped++;
	}
	if (filter->turn)
		wt_log_together_end(log);
	free(choice.answers);
	wt_log_decoder_put(log, &decoder);
	return rc < 0 ? -1 : 0;
}

int wt_log_chosen(struct wt_log_reader *log, const struct wt_log_filter *filter, uint8_t *segments,
		  struct wt_err *err)
{
	struct wt_log_choice choice = {0};
	int rc = 0;

	for (uint32_t i = 0; i < log->n_refs && rc >= 0; i++) {
		rc = wt_log_choose(log, filter, &choice, &log->refs[i], err);
		if (rc > 0)
			segments[wt_log_segment_of(log, &log->refs[i])] = 1;
	}
	free(choice.answers);
	return rc < 0 ? -1 : 0;
}

int wt_log_value(const struct wt_log_batch *batch, uint32_t i, uint32_t f, struct wt_value *ret)
{
	const struct wt_log_column *column = &batch->columns[f];
	const struct wt_field *field = column->field;
	struct wt_log_field_layout layout;
	struct wt_cursor cur;

	*ret = (struct wt_value){.field = field, .n = 1};
	if (column->values) {
		ret->u = column->values[i];
		if (field->type == WT_TYPE_F32 || field->type == WT_TYPE_F64) {
			memcpy(&ret->f, &column->values[i], sizeof(ret->f));
			ret->u = 0;
		}
		return 0;
	}
	if (!column->offsets)
		return -1;
	ret->bytes = column->bytes + column->offsets[i];
	ret->len = column->offsets[i + 1] - column->offsets[i];
	wt_log_field_layout(field, &layout);
	if (layout.storage == WT_LOG_CONTENT)
		return 0;
	cur = wt_cursor(ret->bytes, ret->len);
	return wt_decode_field(&cur, field, ret) || wt_cur_left(&cur) ? -1 : 0;
}
