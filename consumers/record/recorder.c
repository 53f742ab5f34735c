// SPDX-License-Identifier: MIT
#include "consumers/record/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "consumers/record/recorder_state.h"
#include "tracecore/base/clock.h"

#define DEFAULT_BOUND      (UINT64_C(24) << 20)
#define DEFAULT_SLOW_WRITE UINT64_C(250000000)
/* A CPU may still be writing an event that is this old. */
#define HORIZON_NS UINT64_C(2000000)
/* A round looks at the clock after so many events, or runs of events. */
#define TURNS_PER_LOOK 256
/* Of start_time in the payload of struct wt_proc_payload: behind four u32. */
#define START_OFFSET 16

struct wt_role wt_role_of(const struct wt_provider *provider, const struct wt_event_desc *event)
{
	struct wt_role role = {.id = event->id};

	if (!strcasecmp(provider->name, "proc_thread"))
		role.is = WT_ROLE_PROC;
	else if (!strcasecmp(provider->name, "loader"))
		role.is = WT_ROLE_LOADER;
	else if (!strcasecmp(provider->name, "wtrace") && event->id == WT_CORE_LOST)
		role.is = WT_ROLE_LOST;
	return role;
}

/* Roles of the kinds from rec->n_kinds on. */
static int add_roles(struct wt_recorder *rec, struct wt_err *err)
{
	const struct wt_kinds *kinds = rec->config.kinds;
	struct wt_role *roles = realloc(rec->roles, (kinds->n + (size_t)1) * sizeof(*roles));

	if (!roles)
		return wt_fail_nomem(err);
	rec->roles = roles;
	for (uint32_t k = rec->n_kinds; k < kinds->n; k++)
		roles[k] = wt_role_of(kinds->kinds[k].provider, kinds->kinds[k].event);
	rec->n_kinds = kinds->n;
	return 0;
}

static int assign_roles(struct wt_recorder *rec, struct wt_err *err)
{
	unsigned found = 0;

	if (add_roles(rec, err))
		return -1;
	for (uint32_t k = 0; k < rec->n_kinds; k++) {
		found |= 1u << rec->roles[k].is;
		if (rec->roles[k].is == WT_ROLE_LOST)
			rec->lost_kind = k;
		if (rec->roles[k].is == WT_ROLE_LOADER && rec->roles[k].id == WT_IMAGE_LOAD)
			rec->load_kind = k;
		if (rec->roles[k].is == WT_ROLE_PROC && rec->roles[k].id <= WT_THREAD_NAME)
			rec->proc_kinds[rec->roles[k].id] = k;
	}
	if ((found | 1) != (1 | 1u << WT_ROLE_PROC | 1u << WT_ROLE_LOADER | 1u << WT_ROLE_LOST))
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "a recorder needs the events of proc_thread, loader and wtrace in its kinds");
	return 0;
}

int wt_recorder_create(const struct wt_recorder_config *config, struct wt_recorder **ret, struct wt_err *err)
{
	struct wt_recorder *rec = calloc(1, sizeof(*rec));
	uint64_t bound = config->memory_bound ? config->memory_bound : DEFAULT_BOUND;

	if (!rec)
		return wt_fail_nomem(err);
	rec->config = *config;
	rec->config.memory_bound = bound;
	if (!rec->config.slow_write)
		rec->config.slow_write = DEFAULT_SLOW_WRITE;
	wt_inject_init(&rec->inject);
	rec->selves = (struct wt_selves){.pid = config->self_pid, .keeper = config->self_pid2};
	wt_interner_init(&rec->interner, config->log, &rec->selves);
	if (wt_identity_init(&rec->identity, bound)) {
		wt_recorder_destroy(rec);
		return wt_fail_nomem(err);
	}
	rec->identity.probing = !config->past;
	if (config->shared) {
		wt_map_shares_begin(&rec->identity.shares, bound, (uint32_t)geteuid());
		wt_side_shares_begin(&rec->side_shares, (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
				     (uint32_t)geteuid());
	}
	rec->claims.past = config->past;
	rec->claims.unseen = config->unseen;
	if (assign_roles(rec, err) || wt_merge_add(&rec->merge, &rec->inject.source, err) ||
	    wt_interner_begin(&rec->interner, err)) {
		wt_recorder_destroy(rec);
		return -1;
	}
	*ret = rec;
	return 0;
}

int wt_recorder_adopt_kinds(struct wt_recorder *rec, const bool *enabled, struct wt_err *err)
{
	if (wt_log_adopt_kinds(rec->config.log, err))
		return -1;
	rec->config.enabled = enabled;
	return add_roles(rec, err);
}

void wt_recorder_destroy(struct wt_recorder *rec)
{
	if (!rec)
		return;
	for (uint32_t i = 0; i < rec->merge.n; i++) {
		struct wt_source *source = rec->merge.inputs[i].source;

		source->ops->destroy(source);
	}
	wt_merge_deinit(&rec->merge);
	wt_inject_deinit(&rec->inject);
	wt_interner_deinit(&rec->interner);
	wt_identity_deinit(&rec->identity);
	wt_losses_deinit(&rec->losses);
	wt_side_shares_deinit(&rec->side_shares);
	wt_ledger_deinit(&rec->ledger);
	wt_buf_deinit(&rec->scratch);
	free(rec->positions);
	free(rec->roles);
	free(rec);
}

int wt_recorder_add_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err)
{
	size_t cap = rec->cap_positions ? rec->cap_positions * 2 : 16;
	struct wt_log_position *positions;

	if (rec->merge.n >= rec->cap_positions) {
		positions = realloc(rec->positions, cap * sizeof(*positions));
		if (!positions)
			return wt_fail_nomem(err);
		rec->positions = positions;
		rec->cap_positions = cap;
	}
	return wt_merge_add(&rec->merge, source, err);
}

void wt_recorder_forget_source(struct wt_recorder *rec, struct wt_source *source)
{
	if (wt_merge_remove(&rec->merge, source))
		source->ops->destroy(source);
}

int wt_recorder_inject(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	return wt_inject_put(&rec->inject, event, err);
}

uint64_t wt_recorder_horizon(void)
{
	return wt_clock_now() - HORIZON_NS;
}

static struct wt_str text(const char *p)
{
	return (struct wt_str){.p = p, .len = (uint32_t)strlen(p)};
}

/* The event goes into the log, but what it told could not be kept. */
static int lose_news(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	struct wt_lost_payload lost = {
		.provider = text(rec->config.kinds->kinds[event->kind].provider->name),
		.event = text(""),
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_MEMORY,
		.from = event->time,
		.to = event->time,
	};

	return wt_recorder_lose(rec, &lost, err);
}

bool wt_recorder_is_wanted(const struct wt_recorder *rec, uint32_t kind)
{
	return !rec->config.enabled || rec->config.enabled[kind];
}

static bool is_wanted(const struct wt_recorder *rec, const struct wt_event *event)
{
	return !(event->flags & WT_EVENT_QUIET) && wt_recorder_is_wanted(rec, event->kind);
}

static int take_news(struct wt_recorder *rec, const struct wt_event *event, enum wt_news news,
		     struct wt_err *err)
{
	if (news == WT_NEWS_LOST && lose_news(rec, event, err))
		return -1;
	/* What was mapped is told even where it is not remembered; what is run down is told for the tables.
	 */
	if (news == WT_NEWS_LEFT_OUT && rec->roles[event->kind].id != WT_IMAGE_LOAD)
		return 0;
	if (news == WT_NEWS_KNOWN || !is_wanted(rec, event))
		return 0;
	return wt_recorder_write(rec, event, err);
}

/* What the identity holds for the start of the task the event tells of; 0 when it does not know it. */
static uint64_t known_start(const struct wt_recorder *rec, uint16_t id, const struct wt_proc_payload *payload)
{
	const struct wt_tasks *tasks = &rec->identity.tasks;
	const struct wt_process *process = wt_tasks_process(tasks, payload->pid);
	const struct wt_thread *thread = wt_tasks_thread(tasks, payload->tid);

	switch (id) {
	case WT_PROC_START:
	case WT_PROC_RUNDOWN:
	case WT_PROC_RUNDOWN_END:
		return process ? process->start_time : 0;
	case WT_THREAD_START:
	case WT_THREAD_RUNDOWN:
	case WT_THREAD_RUNDOWN_END:
		return thread && thread->process == process ? thread->start_time : 0;
	default:
		return 0;
	}
}

/* Events and tables must name a process alike, also for whoever reads the events back. */
static int take_start(struct wt_recorder *rec, const struct wt_event *from,
		      const struct wt_proc_payload *payload, enum wt_news news, struct wt_err *err)
{
	uint64_t start = known_start(rec, rec->roles[from->kind].id, payload);
	struct wt_event event = *from;

	if (!start || start == payload->start_time)
		return take_news(rec, from, news, err);
	wt_buf_clear(&rec->scratch);
	wt_buf_put(&rec->scratch, from->payload, from->payload_len);
	if (rec->scratch.failed)
		return wt_recorder_lose_event(rec, from, WT_LOSS_MEMORY, err);
	wt_store_u64(rec->scratch.data + START_OFFSET, start);
	event.payload = rec->scratch.data;
	return take_news(rec, &event, news, err);
}

/* The kernel says of a thread alone that it ended. A process ends with its last one, be that the leader or
 * not: with the others it goes on, or begins another program (exec by one of them). Where news were lost that
 * is not known. */
static uint16_t whose_end(const struct wt_recorder *rec, uint16_t id, const struct wt_proc_payload *payload)
{
	const struct wt_thread *thread = wt_tasks_thread(&rec->identity.tasks, payload->tid);

	if (!thread || thread->dead || thread->process->pid != payload->pid || rec->identity.doubts)
		return id;
	return thread->process->n_live > 1 ? WT_THREAD_STOP : WT_PROC_STOP;
}

static int take_end(struct wt_recorder *rec, const struct wt_event *from,
		    const struct wt_proc_payload *payload, struct wt_err *err)
{
	uint16_t told = rec->roles[from->kind].id, id = whose_end(rec, told, payload);
	struct wt_event event = *from;
	int rc = 0;

	event.kind = id == told ? from->kind : rec->proc_kinds[id];
	if (is_wanted(rec, &event))
		rc = wt_recorder_write(rec, &event, err);
	if (id == WT_PROC_STOP)
		wt_selves_ended(&rec->selves, payload->pid);
	wt_identity_proc(&rec->identity, id, payload, event.time);
	return rc;
}

static int take_proc(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	uint16_t id = rec->roles[event->kind].id;
	struct wt_proc_payload payload;
	enum wt_news news;

	if (wt_proc_get(event->payload, event->payload_len, &payload))
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	if (id == WT_PROC_START || id == WT_PROC_RUNDOWN)
		wt_selves_began(&rec->selves, payload.pid, payload.parent_pid);
	if (id == WT_PROC_STOP || id == WT_THREAD_STOP)
		return take_end(rec, event, &payload, err);
	news = wt_identity_proc(&rec->identity, id, &payload, event->time);
	return take_start(rec, event, &payload, news, err);
}

static int take_image(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	struct wt_image_payload payload;

	if (wt_image_get(event->payload, event->payload_len, &payload))
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	return take_news(rec, event,
			 wt_identity_image(&rec->identity, rec->roles[event->kind].id, &payload, event->time),
			 err);
}

/* The same loss with the disk as its cause; its payload is good until the next. */
static struct wt_event blame_disk(struct wt_recorder *rec, const struct wt_event *from,
				  struct wt_lost_payload *lost)
{
	struct wt_event event = *from;

	lost->cause = WT_LOSS_DISK;
	wt_buf_clear(&rec->scratch);
	wt_lost_put(&rec->scratch, lost);
	if (!rec->scratch.failed) {
		event.payload = rec->scratch.data;
		event.payload_len = (uint32_t)rec->scratch.len;
	}
	return event;
}

/* A loss is remembered until it is on disk; if its event does not get into the batch it waits for the next.
 */
static int take_lost(struct wt_recorder *rec, const struct wt_event *from, struct wt_err *err)
{
	struct wt_event event = *from;
	struct wt_lost_payload lost;
	struct wt_err why;
	int rc;

	if (wt_lost_get(event.payload, event.payload_len, &lost))
		return wt_recorder_lose_event(rec, &event, WT_LOSS_DAMAGED, err);
	if (wt_recorder_disk_is_to_blame(rec, &lost))
		event = blame_disk(rec, from, &lost);
	if (wt_recorder_is_blocked(rec))
		return wt_recorder_lose(rec, &lost, err);
	rc = wt_recorder_append(rec, &event, &why);
	if (rc < 0)
		return wt_recorder_lose(rec, &lost, err);
	if (wt_recorder_count_loss(rec, &lost, err) || wt_losses_repeat(&rec->losses, &lost, err))
		return -1;
	return rc;
}

int wt_recorder_take(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	int rc;

	rec->stats.events++;
	if (event->time < rec->last_time)
		rec->stats.late++;
	else
		rec->last_time = event->time;
	if (wt_tasks_overdue(&rec->identity.tasks, event->time))
		wt_tasks_trim(&rec->identity.tasks, event->time);
	if (event->kind >= rec->n_kinds)
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	switch (rec->roles[event->kind].is) {
	case WT_ROLE_PROC:
		rc = take_proc(rec, event, err);
		rec->identity.tasks.changes++;
		return rc;
	case WT_ROLE_LOADER:
		rc = take_image(rec, event, err);
		rec->identity.tasks.changes++;
		return rc;
	case WT_ROLE_LOST:
		return take_lost(rec, event, err);
	default:
		return is_wanted(rec, event) ? wt_recorder_write(rec, event, err) : 0;
	}
}

int wt_recorder_take_now(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	return wt_recorder_take(rec, event, err) < 0 ? -1 : 0;
}

static void count_alive(struct wt_recorder *rec)
{
	rec->stats.processes = rec->identity.tasks.live_processes;
	rec->stats.threads = rec->identity.tasks.live_threads;
	rec->stats.images = rec->identity.images.count;
}

/* The next event, and those that may be taken with it. */
static int take_next(struct wt_recorder *rec, const struct wt_event *event, uint64_t horizon,
		     struct wt_err *err)
{
	struct wt_strip strip;
	struct wt_run run;
	uint32_t taken = 0;
	int rc;

	wt_merge_strip(&rec->merge, horizon, &strip);
	if (strip.n) {
		rc = wt_recorder_take_strip(rec, &strip, &taken, err);
		if (taken)
			wt_merge_pop_strip(&rec->merge, taken);
		return rc;
	}
	wt_merge_run(&rec->merge, horizon, &run);
	if (!run.n) {
		rc = wt_recorder_take(rec, event, err);
		wt_merge_pop(&rec->merge);
		return rc;
	}
	rc = wt_recorder_take_run(rec, &run, &taken, err);
	if (taken)
		wt_merge_pop_run(&rec->merge, taken);
	return rc;
}

/* Whether a round that began then has lasted long enough; the clock is read now and then. */
static bool is_long(uint64_t began, uint64_t bound, uint32_t turn)
{
	return bound && turn % TURNS_PER_LOOK == 0 && wt_clock_now() - began > bound;
}

/* bound: ns, 0 none. Returns as wt_recorder_round. */
static int take_until(struct wt_recorder *rec, uint64_t horizon, uint64_t bound, struct wt_err *err)
{
	uint64_t began = bound ? wt_clock_now() : 0;
	const struct wt_event *event;
	struct wt_event walked;
	bool more = false;
	int rc = 0;

	wt_merge_refresh(&rec->merge);
	wt_recorder_begin_waiting(rec);
	for (uint32_t turn = 1; rc >= 0 && !more && (event = wt_merge_top(&rec->merge)); turn++) {
		if (event->time >= horizon || !(event = wt_recorder_unwind(rec, event, &walked)))
			break;
		rc = take_next(rec, event, horizon, err);
		if (rc > 0)
			rc = wt_recorder_flush(rec, err);
		more = is_long(began, bound, turn);
	}
	if (rc >= 0 && (rc = wt_recorder_settle(rec, err)) > 0)
		rc = wt_recorder_flush(rec, err);
	count_alive(rec);
	return rc < 0 ? -1 : more;
}

int wt_recorder_round(struct wt_recorder *rec, uint64_t horizon, struct wt_err *err)
{
	return take_until(rec, horizon, rec->config.long_round, err);
}

struct wt_claimant *wt_recorder_claimants(struct wt_recorder *rec, uint32_t *n)
{
	*n = rec->claims.n_claimants;
	return rec->claims.claimants;
}

void wt_recorder_tell_left_out(struct wt_recorder *rec, bool last)
{
	wt_map_shares_tell(&rec->identity.shares, last);
	wt_side_shares_tell(&rec->side_shares, last);
}

void wt_recorder_pay(struct wt_recorder *rec, uint64_t ns)
{
	wt_merge_pay(&rec->merge, ns);
}

void wt_recorder_charge(struct wt_recorder *rec, struct wt_allowance *allowance, uint64_t units)
{
	wt_merge_charge(&rec->merge, allowance, units);
}

int wt_recorder_remove_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	bool hurry = rec->hurry;
	int rc;

	/* A full disk drops what was taken so far: the rest is still to be taken, and now. */
	rec->hurry = true;
	do
		rc = take_until(rec, UINT64_MAX, 0, &why);
	while (rc && why.code == WT_ERR_NOSPACE);
	rec->hurry = hurry;
	if (!rc)
		rc = wt_recorder_flush(rec, &why);
	if (rc && err)
		*err = why;
	if (wt_merge_remove(&rec->merge, source))
		source->ops->destroy(source);
	return rc;
}

void wt_recorder_watch_owners(struct wt_recorder *rec, uint64_t from)
{
	rec->claims.watched_from = from;
}

bool wt_recorder_owner(struct wt_recorder *rec, const struct wt_owner_news *news)
{
	return wt_owners_note(&rec->identity.owners, news);
}

uint32_t wt_recorder_next_missed(struct wt_recorder *rec)
{
	return wt_identity_next_missed(&rec->identity);
}

uint32_t wt_recorder_name_kind(const struct wt_recorder *rec)
{
	return rec->proc_kinds[WT_THREAD_NAME];
}

bool wt_recorder_wants_names(struct wt_recorder *rec)
{
	bool wanted = rec->wants_names;

	rec->wants_names = false;
	return wanted;
}

bool wt_recorder_wants_rundown(struct wt_recorder *rec)
{
	bool wanted = rec->wants_rundown;

	rec->wants_rundown = false;
	return wanted;
}

void wt_recorder_each_process(struct wt_recorder *rec, void (*fn)(void *ctx, const struct wt_proc_payload *p),
			      void *ctx)
{
	wt_identity_each_process(&rec->identity, fn, ctx);
}

void wt_recorder_each_image(struct wt_recorder *rec, void (*fn)(void *ctx, const struct wt_image_payload *p),
			    void *ctx)
{
	wt_identity_each_image(&rec->identity, fn, ctx);
}

size_t wt_recorder_counts(const struct wt_recorder *rec, const struct wt_recorder_count **ret)
{
	*ret = rec->ledger.counts;
	return rec->ledger.rows.count;
}

size_t wt_recorder_losses(const struct wt_recorder *rec, const struct wt_recorder_loss **ret)
{
	*ret = rec->ledger.lost;
	return rec->ledger.n_lost;
}

const struct wt_recorder_stats *wt_recorder_stats(const struct wt_recorder *rec)
{
	return &rec->stats;
}
