/* SPDX-License-Identifier: MIT */
/** @file
 * A log as text, for tests that compare what two files say. */
#ifndef TESTS_UNIT_TRACECORE_LOGFMT_TEXT_H
#define TESTS_UNIT_TRACECORE_LOGFMT_TEXT_H

#include "tests/unit/tracecore/logfmt/fixture.h"
#include "tracecore/logfmt/format/inlined.h"

static inline void put_inlined(struct wt_buf *out, const struct wt_log_symbol *symbol)
{
	struct wt_cursor chain = wt_log_inlined_begin(symbol);
	struct wt_log_inlined call;

	while (wt_log_inlined_next(&chain, &call))
		wt_buf_printf(out, "inlined %.*s called at %.*s:%u\n", (int)call.function.len,
			      call.function.p, (int)call.file.len, call.file.p, call.line);
}

static inline void put_tables(struct wt_buf *out, const struct wt_log_segment *segment)
{
	wt_buf_printf(out, "segment %u\n", segment->number);
	for (uint32_t i = 0; i < segment->n_processes; i++) {
		const struct wt_log_process *p = &segment->processes[i];

		wt_buf_printf(out, "process %u: pid %u parent %u start %llu name %.*s exe %.*s self %d\n", i,
			      p->pid, p->parent_pid, (unsigned long long)p->start_time, (int)p->name.len,
			      p->name.p, (int)p->exe.len, p->exe.p, p->self);
	}
	for (uint32_t i = 0; i < segment->n_threads; i++) {
		const struct wt_log_thread *t = &segment->threads[i];

		wt_buf_printf(out, "thread %u: process %u tid %u start %llu name %.*s\n", i, t->process,
			      t->tid, (unsigned long long)t->start_time, (int)t->name.len, t->name.p);
	}
	for (uint32_t i = 0; i < segment->n_images; i++) {
		const struct wt_log_image *m = &segment->images[i];

		wt_buf_printf(out, "image %u: kind %u device %llu inode %llu build id ", i, m->kind,
			      (unsigned long long)m->device, (unsigned long long)m->inode);
		for (uint32_t k = 0; k < m->build_id.len; k++)
			wt_buf_put_hex(out, (uint8_t)m->build_id.p[k], 2);
		wt_buf_printf(out, " path %.*s\n", (int)m->path.len, m->path.p);
	}
	for (uint32_t i = 0; i < segment->n_frames; i++) {
		const struct wt_log_symbol *s = &segment->symbols[i];

		wt_buf_printf(out, "frame %u: image %u offset %llu = %.*s (%.*s) %.*s:%u +%u reason %u\n", i,
			      segment->frames[i].image, (unsigned long long)segment->frames[i].offset,
			      (int)s->name.len, s->name.p, (int)s->raw_name.len, s->raw_name.p,
			      (int)s->file.len, s->file.p, s->line, s->symbol_offset, s->reason);
		put_inlined(out, s);
	}
	for (uint32_t i = 0; i < segment->n_stacks; i++) {
		const struct wt_log_stack *s = &segment->stacks[i];

		wt_buf_printf(out, "stack %u: caller %u frame %u kernel %d status %u\n", i + 1, s->caller,
			      s->frame, s->kernel, s->status);
	}
}

static inline void put_id(struct wt_buf *out, const char *name, const uint8_t *ids, uint32_t i)
{
	if (!ids || wt_activity_is_none(ids + (size_t)i * WT_ACTIVITY_ID))
		return;
	wt_buf_printf(out, " %s=", name);
	for (uint32_t b = 0; b < WT_ACTIVITY_ID; b++)
		wt_buf_printf(out, "%02x", ids[(size_t)i * WT_ACTIVITY_ID + b]);
}

static inline void put_event(struct wt_buf *out, const struct wt_log_batch *batch, uint32_t i)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];

	wt_buf_printf(out, "%llu cpu %d segment %u thread %u stack %u self %u %s:%s",
		      (unsigned long long)batch->time[i], (int)batch->cpu[i], batch->segment->number,
		      batch->thread[i], batch->stack[i], batch->self[i], kind->provider->name,
		      kind->event->name);
	for (uint32_t f = 0; f < kind->event->n_fields; f++) {
		const struct wt_log_column *column = &batch->columns[f];

		wt_buf_printf(out, " %s=", column->field->name);
		if (column->values)
			wt_buf_printf(out, "%llx", (unsigned long long)column->values[i]);
		for (uint32_t b = column->values ? 0 : column->offsets[i];
		     !column->values && b < column->offsets[i + 1]; b++)
			wt_buf_printf(out, "%02x", column->bytes[b]);
	}
	put_id(out, "activity", batch->activity, i);
	put_id(out, "related", batch->related, i);
	wt_buf_puts(out, "\n");
}

static inline void put_dropped(struct wt_buf *out, struct wt_log_reader *reader)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_dropped dropped;

	assert_ok(wt_log_read_dropped(reader, &dropped, &err), err);
	if (dropped.segments)
		wt_buf_printf(out, "dropped: %llu segments %llu events\n",
			      (unsigned long long)dropped.segments, (unsigned long long)dropped.events);
	for (uint32_t i = 0; i < dropped.tally.keys.count; i++) {
		const struct wt_log_tally_line *line = &dropped.tally.lines[i];

		wt_buf_printf(out, "dropped %s:%s cpu %d: %llu\n",
			      wt_log_tally_provider(&dropped.tally, line),
			      wt_log_tally_name(&dropped.tally, line), (int)line->cpu,
			      (unsigned long long)line->events);
	}
	wt_log_dropped_deinit(&dropped);
}

/* The whole file as text, integers and doubles (as bits) in hex, items as hex bytes: what is known of it,
 * tables, events in time order. */
static inline void put_file(struct wt_buf *out, int fd)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader = fixture_open(fd);
	const struct wt_log_info *info = wt_log_info(reader);
	const struct wt_log_segment *segment;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t index;

	for (uint32_t i = 0; i < info->n_segments; i++) {
		assert_ok(wt_log_load_segment(reader, i, &segment, &err), err);
		put_tables(out, segment);
	}
	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while (wt_log_iter_next(iter, &batch, &index, &err) == 0)
		put_event(out, batch, index);
	wt_log_iter_destroy(iter);
	wt_buf_printf(out, "version %u.%u events %llu segments %u complete %d\n", info->version_major,
		      info->version_minor, (unsigned long long)info->events, info->n_segments,
		      info->complete);
	put_dropped(out, reader);
	for (uint32_t i = 0; i < info->n_damages; i++)
		wt_buf_printf(out, "damage at %llu: %s\n",
			      (unsigned long long)wt_log_damages(reader)[i].offset,
			      wt_log_damages(reader)[i].what);
	wt_log_close(reader);
}

#endif
