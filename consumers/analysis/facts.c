/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/facts.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

const uint8_t wt_view_status_order[WT_N_STACK_STATUSES] = {
	WT_STACK_COMPLETE,  WT_STACK_COMPLETED, WT_STACK_WAITED,    WT_STACK_PROBABLE,   WT_STACK_FP,
	WT_STACK_NO_USER,   WT_STACK_NO_DATA,   WT_STACK_SHORT,     WT_STACK_BAD_MEMORY, WT_STACK_DEPTH,
	WT_STACK_RECURSION, WT_STACK_ASTRAY,    WT_STACK_TRUNCATED, WT_STACK_LOST,       WT_STACK_NONE,
};

void wt_view_facts_init(struct wt_view_facts *facts, struct wt_view_file *file)
{
	*facts = (struct wt_view_facts){.file = file,
					.class_slot = file->n_slots++,
					.end_slot = file->n_slots++,
					.first = UINT64_MAX};
}

void wt_view_facts_deinit(struct wt_view_facts *facts)
{
	free(facts->losses);
	free(facts->infos);
	wt_intern_deinit(&facts->end_modules);
	free(facts->ends);
	*facts = (struct wt_view_facts){0};
}

/* ---- notices: fields by name, so that a newer recorder may have more of them ---- */

typedef unsigned long long ull;

static uint64_t number_of(const struct wt_log_batch *batch, uint32_t i, const char *field)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, field);

	return at >= 0 && batch->columns[at].values ? batch->columns[at].values[i] : 0;
}

uint32_t wt_view_notice_text(struct wt_view_file *file, const struct wt_log_batch *batch, uint32_t i,
			     const char *field)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, field);
	struct wt_value value;
	struct wt_buf buf = {0};
	uint32_t id;

	if (at < 0 || wt_log_value(batch, i, (uint32_t)at, &value))
		return wt_view_text(file, "?", 1);
	if (value.field->type == WT_TYPE_STRING && !value.field->variable && value.field->count <= 1)
		return wt_view_text(file, value.bytes, value.len);
	wt_value_text(&value, &buf);
	id = buf.failed ? WT_VIEW_NONE : wt_view_text(file, buf.data, buf.len);
	wt_buf_deinit(&buf);
	return id;
}

static struct wt_view_loss *find_loss(struct wt_view_facts *facts, struct wt_view_loss key)
{
	const struct wt_view_loss *losses = facts->losses;

	for (uint32_t i = 0; i < facts->n_losses; i++)
		if (losses[i].provider == key.provider && losses[i].event == key.event &&
		    losses[i].cause == key.cause)
			return &facts->losses[i];
	if (wt_grow_one(&facts->losses, facts->n_losses, NULL))
		return NULL;
	facts->losses[facts->n_losses] = key;
	return &facts->losses[facts->n_losses++];
}

static int take_loss(struct wt_view_facts *facts, const struct wt_log_batch *batch, uint32_t i,
		     struct wt_err *err)
{
	struct wt_view_loss key = {.provider = wt_view_notice_text(facts->file, batch, i, "provider"),
				   .event = wt_view_notice_text(facts->file, batch, i, "event"),
				   .cause = wt_view_notice_text(facts->file, batch, i, "cause")};
	uint64_t from = number_of(batch, i, "from"), to = number_of(batch, i, "to");
	uint64_t count = number_of(batch, i, "count");
	struct wt_view_loss *loss = NULL;

	if (key.provider != WT_VIEW_NONE && key.event != WT_VIEW_NONE && key.cause != WT_VIEW_NONE)
		loss = find_loss(facts, key);
	if (!loss)
		return wt_fail_nomem(err);
	loss->spans++;
	loss->count += count;
	facts->lost += count;
	if (number_of(batch, i, "exact"))
		return 0;
	loss->blind_ns += to > from ? to - from : 0;
	facts->blind_ns += to > from ? to - from : 0;
	facts->blind_spans++;
	return 0;
}

static int take_info(struct wt_view_facts *facts, const struct wt_log_batch *batch, uint32_t i,
		     struct wt_err *err)
{
	struct wt_view_info info = {.key = wt_view_notice_text(facts->file, batch, i, "key"),
				    .value = wt_view_notice_text(facts->file, batch, i, "value")};

	if (info.key == WT_VIEW_NONE || info.value == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	if (wt_grow_one(&facts->infos, facts->n_infos, err))
		return -1;
	facts->infos[facts->n_infos++] = info;
	return 0;
}

static bool is_of_kernel(const char *provider)
{
	static const char *const own[] = {"pmu-profile", "proc_thread", "loader"};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(own[i], provider))
			return true;
	return !strncmp(provider, "linux:", 6);
}

static int take_counted(struct wt_view_facts *facts, const struct wt_log_batch *batch, uint32_t i,
			struct wt_err *err)
{
	uint64_t produced, known;
	uint32_t provider;

	if (!number_of(batch, i, "period1"))
		return 0;
	facts->counted++;
	produced = number_of(batch, i, "produced");
	known = number_of(batch, i, "written") + number_of(batch, i, "lost");
	facts->miscounted += produced != known;
	facts->surplus += known > produced ? known - produced : 0;
	if (produced <= known)
		return 0;
	facts->missing += produced - known;
	provider = wt_view_notice_text(facts->file, batch, i, "provider");
	if (provider == WT_VIEW_NONE)
		return wt_fail_nomem(err);
	if (is_of_kernel(wt_strings_get(&facts->file->texts, provider, NULL)))
		facts->missing_of_kernel += produced - known;
	return 0;
}

static bool is_idle(const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];

	return k->event->id == WT_PROFILE_IDLE && !strcmp(k->provider->name, "pmu-profile");
}

static void take_idle(struct wt_view_facts *facts, const struct wt_log_batch *batch, uint32_t i)
{
	uint64_t from = number_of(batch, i, "from");

	facts->idle_cpus++;
	facts->idle_ns += number_of(batch, i, "time");
	facts->idle_of += batch->time[i] > from ? batch->time[i] - from : 0;
}

static int take_notices(struct wt_view_facts *facts, const struct wt_log_batch *batch, struct wt_err *err)
{
	uint16_t id = batch->segment->kinds.kinds[batch->kind].event->id;

	for (uint32_t i = 0; is_idle(batch->segment, batch->kind) && i < batch->n; i++)
		take_idle(facts, batch, i);
	if (is_idle(batch->segment, batch->kind))
		return 0;
	for (uint32_t i = 0; i < batch->n; i++) {
		if (id == WT_CORE_LOST && take_loss(facts, batch, i, err))
			return -1;
		if (id == WT_CORE_INFO && take_info(facts, batch, i, err))
			return -1;
		if (id == WT_CORE_COUNTED && take_counted(facts, batch, i, err))
			return -1;
		if (id == WT_CORE_COST)
			facts->cost_ns += number_of(batch, i, "cpu_time");
	}
	return 0;
}

static bool is_notice(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	(void)ctx;
	return !strcmp(segment->kinds.kinds[kind].provider->name, "wtrace") || is_idle(segment, kind);
}

static int on_notices(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	return take_notices(ctx, batch, err);
}

int wt_view_facts_read(struct wt_view_facts *facts, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = is_notice};

	return wt_log_scan(facts->file->log, &filter, on_notices, facts, err) < 0 ? -1 : 0;
}

/* ---- what is missing ---- */

bool wt_view_facts_lossy(const struct wt_view_facts *facts)
{
	const struct wt_log_info *info = facts->file->log ? wt_log_info(facts->file->log) : NULL;

	return facts->lost || facts->blind_spans || facts->miscounted ||
	       (info && ((!info->complete && !facts->growing) || info->n_damages));
}

const char *wt_view_facts_info(const struct wt_view_facts *facts, const char *key)
{
	for (uint32_t i = 0; i < facts->n_infos; i++)
		if (!strcmp(wt_strings_get(&facts->file->texts, facts->infos[i].key, NULL), key))
			return wt_strings_get(&facts->file->texts, facts->infos[i].value, NULL);
	return NULL;
}

void wt_view_facts_missing(const struct wt_view_facts *facts, struct wt_buf *out)
{
	const struct wt_log_info *info = facts->file->log ? wt_log_info(facts->file->log) : NULL;

	const char *before = "incomplete: ";

	if (facts->lost) {
		wt_buf_printf(out, "%s%llu event%s lost", before, (ull)facts->lost,
			      facts->lost == 1 ? " was" : "s were");
		before = ", ";
	}
	if (facts->missing) {
		wt_buf_printf(out, "%s%s counted %llu event%s that the log does not have", before,
			      facts->missing == facts->missing_of_kernel ? "the kernel"
			      : facts->missing_of_kernel                 ? "the kernel and programs"
									 : "programs",
			      (ull)facts->missing, facts->missing == 1 ? "" : "s");
		before = ", ";
	}
	if (facts->surplus) {
		wt_buf_printf(out, "%sthe log has %llu event%s more than were counted", before,
			      (ull)facts->surplus, facts->surplus == 1 ? "" : "s");
		before = ", ";
	}
	if (facts->blind_spans) {
		wt_buf_printf(out, "%sfor %.6f s the number of lost events is not known", before,
			      (double)facts->blind_ns / (double)WT_NSEC);
		before = ", ";
	}
	if (info && info->n_damages) {
		wt_buf_printf(out, "%s%u damaged place%s", before, info->n_damages,
			      info->n_damages == 1 ? "" : "s");
		before = ", ";
	}
	if (info && !info->complete && !facts->growing)
		wt_buf_printf(out, "%sthe end of the log is missing", before);
}
