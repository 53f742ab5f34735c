// SPDX-License-Identifier: MIT
/* Takes over from a recorder that died: reads processes, images and losses back from its log. */
#include "consumers/record/recorder_state.h"

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/read/tally.h"

/* The most fields that a payload of kernel_events.h has. */
#define MAX_FIELDS 15

static bool wanted(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];
	struct wt_role role = wt_role_of(k->provider, k->event);

	(void)ctx;
	return role.is == WT_ROLE_PROC || role.is == WT_ROLE_LOADER || role.is == WT_ROLE_LOST;
}

/* Reads the first n fields. Each letter gives the type of a field: n a number, s counted bytes. */
static int read_fields(const struct wt_log_batch *batch, uint32_t index, const char *shape,
		       struct wt_value *values)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	for (uint32_t f = 0; shape[f]; f++) {
		bool number;

		if (f >= event->n_fields || wt_log_value(batch, index, f, &values[f]))
			return -1;
		number = wt_type_is_integer(event->fields[f].type) && event->fields[f].count <= 1 &&
			 !event->fields[f].variable;
		if (number != (shape[f] == 'n') || (!number && wt_type_width(event->fields[f].type)))
			return -1;
	}
	return 0;
}

static struct wt_str str_of(const struct wt_value *value)
{
	return wt_str_of(value->bytes, value->len);
}

static int replay_proc(struct wt_recorder *rec, const struct wt_log_batch *batch, uint32_t index, uint16_t id)
{
	struct wt_value v[MAX_FIELDS];
	struct wt_proc_payload payload;

	if (read_fields(batch, index, "nnnnnnsssnssnnn", v))
		return -1;
	payload = (struct wt_proc_payload){
		.pid = (uint32_t)v[0].u,
		.tid = (uint32_t)v[1].u,
		.parent_pid = (uint32_t)v[2].u,
		.parent_tid = (uint32_t)v[3].u,
		.start_time = v[4].u,
		.uid = (uint32_t)v[5].u,
		.name = str_of(&v[6]),
		.exe = str_of(&v[7]),
		.command_line = str_of(&v[8]),
		.caught = (uint8_t)v[9].u,
		.cgroup = str_of(&v[10]),
		.container = str_of(&v[11]),
		.inside_pid = (uint32_t)v[12].u,
	};
	return wt_identity_proc(&rec->identity, id, &payload, batch->time[index]) == WT_NEWS_LOST ? -1 : 0;
}

static int replay_image(struct wt_recorder *rec, const struct wt_log_batch *batch, uint32_t index,
			uint16_t id)
{
	struct wt_value v[MAX_FIELDS];
	struct wt_image_payload payload;

	if (read_fields(batch, index, "nnnnnnnnss", v))
		return -1;
	payload = (struct wt_image_payload){
		.pid = (uint32_t)v[0].u,
		.tid = (uint32_t)v[1].u,
		.address = v[2].u,
		.size = v[3].u,
		.file_offset = v[4].u,
		.kind = (uint8_t)v[5].u,
		.device = v[6].u,
		.inode = v[7].u,
		.build_id = str_of(&v[8]),
		.path = str_of(&v[9]),
		/* The log does not say whether anybody had checked. */
		.seen = WT_EVENT_UNSEEN,
	};
	return wt_identity_image(&rec->identity, id, &payload, batch->time[index]) == WT_NEWS_LOST ? -1 : 0;
}

/* Adds the losses that an earlier recorder wrote. -1: the log lacks events that a rundown must bring. */
static int replay_lost(struct wt_recorder *rec, const struct wt_log_batch *batch, uint32_t index)
{
	struct wt_value v[MAX_FIELDS];
	struct wt_lost_payload lost;
	struct wt_err ignored;

	if (read_fields(batch, index, "ssnnnnnnn", v))
		return -1;
	lost = (struct wt_lost_payload){
		.provider = str_of(&v[0]),
		.event = str_of(&v[1]),
		.on_cpu = (uint32_t)v[2].u,
		.cause = (uint8_t)v[3].u,
		.count = v[4].u,
		.exact = v[5].u != 0,
		.from = v[6].u,
		.to = v[7].u,
		.ring = (uint32_t)v[8].u,
	};
	if (wt_recorder_count_loss(rec, &lost, &ignored))
		return -1;
	return wt_lost_names(&lost) ? -1 : 0;
}

static int replay_event(struct wt_recorder *rec, const struct wt_log_batch *batch, uint32_t index)
{
	const struct wt_kind *kind = &batch->segment->kinds.kinds[batch->kind];
	struct wt_role role = wt_role_of(kind->provider, kind->event);

	wt_tasks_trim(&rec->identity.tasks, batch->time[index]);
	if (batch->time[index] > rec->last_time)
		rec->last_time = batch->time[index];
	switch (role.is) {
	case WT_ROLE_PROC:
		return replay_proc(rec, batch, index, role.id);
	case WT_ROLE_LOADER:
		return replay_image(rec, batch, index, role.id);
	case WT_ROLE_LOST:
		return replay_lost(rec, batch, index);
	default:
		return 0;
	}
}

/* True when all these events went into the log, so that it is complete. */
static bool logs_names(const struct wt_recorder *rec)
{
	for (uint32_t k = 0; rec->config.enabled && k < rec->n_kinds; k++) {
		if ((rec->roles[k].is == WT_ROLE_PROC || rec->roles[k].is == WT_ROLE_LOADER) &&
		    !rec->config.enabled[k])
			return false;
	}
	return true;
}

/* True for a session of all processes: it begins by reporting each of them, including the first. */
static bool names_all(const struct wt_recorder *rec)
{
	const struct wt_process *first = wt_tasks_process(&rec->identity.tasks, 1);

	return first && first->announced;
}

/* Damaged places and senseless events leave gaps that a rundown fills. */
static int replay(struct wt_recorder *rec, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = wanted};
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t index;
	int rc;

	if (wt_log_iter_create(log, &filter, &iter, err))
		return -1;
	while (!(rc = wt_log_iter_next(iter, &batch, &index, err))) {
		if (replay_event(rec, batch, index))
			rec->wants_rundown = true;
	}
	wt_log_iter_destroy(iter);
	if (!logs_names(rec) || !rec->identity.tasks.processes.count || wt_log_info(log)->n_damages)
		rec->wants_rundown = true;
	return rc < 0 ? -1 : 0;
}

/* The part that --max-file dropped contained losses, too. */
static int replay_dropped(struct wt_recorder *rec, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_log_dropped dropped;
	int rc = wt_log_read_dropped(log, &dropped, err);

	for (uint32_t i = 0; !rc && i < dropped.lost.n; i++)
		rc = wt_recorder_count_loss(rec, &dropped.lost.rows[i], err);
	wt_log_dropped_deinit(&dropped);
	return rc;
}

/* Events were released without a checkpoint only if they do not go into the log. Only the identity misses
 * them. */
static void seek(struct wt_recorder *rec, struct wt_source *source, const struct wt_log_position *positions,
		 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (positions[i].source != source->id)
			continue;
		if (!source->ops->seek(source, positions[i].position))
			return;
		wt_debug("%s: position %llu is not in the ring any more", source->name,
			 (unsigned long long)positions[i].position);
		rec->wants_rundown = true;
		return;
	}
}

int wt_recorder_take_over(struct wt_recorder *rec, const char *path, const struct wt_log_position *positions,
			  size_t n, struct wt_err *err)
{
	struct wt_log_reader *log;
	int rc;

	if (wt_log_open(path, &log, err))
		return -1;
	rec->identity.probing = false;
	rc = replay_dropped(rec, log, err) || replay(rec, log, err) ? -1 : 0;
	rec->identity.probing = !rec->config.past;
	if (rec->config.past && !names_all(rec))
		rec->claims.unseen = true;
	wt_log_close(log);
	for (uint32_t i = 0; !rc && i < rec->merge.n; i++) {
		if (rec->merge.inputs[i].source != &rec->inject.source)
			seek(rec, rec->merge.inputs[i].source, positions, n);
	}
	return rc;
}
