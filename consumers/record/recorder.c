// SPDX-License-Identifier: MIT
#include "consumers/record/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "consumers/record/recorder_state.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"

#define DEFAULT_BOUND      (UINT64_C(24) << 20)
#define DEFAULT_SLOW_WRITE UINT64_C(250000000)
/* For this long a CPU may still be writing an event. */
#define HORIZON_NS UINT64_C(2000000)
/* A round reads the clock after this many events, or runs of events. */
#define TURNS_PER_LOOK 256

struct wt_role wt_role_of(const struct wt_provider *provider, const struct wt_event_desc *event)
{
	struct wt_role role = {.id = event->id};

	if (!strcasecmp(provider->name, "proc_thread"))
		role.is = WT_ROLE_PROC;
	else if (!strcasecmp(provider->name, "loader"))
		role.is = WT_ROLE_LOADER;
	else if (!strcasecmp(provider->name, "wtrace") && event->id == WT_CORE_LOST)
		role.is = WT_ROLE_LOST;
	else if (!strcasecmp(provider->name, "counters") && event->id == WT_COUNTERS_SWITCH)
		role.is = WT_ROLE_SWITCH;
	else if (!strcasecmp(provider->name, "cswitch"))
		role.is = WT_ROLE_CSWITCH;
	else if (!strcasecmp(provider->name, "dispatcher"))
		role.is = WT_ROLE_READY;
	return role;
}

/* Finds the roles of the kinds from rec->n_kinds on. */
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
	const unsigned needed = 1u << WT_ROLE_PROC | 1u << WT_ROLE_LOADER | 1u << WT_ROLE_LOST;
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
	if ((found & needed) != needed)
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
	rec->interner.generated = config->generated;
	rec->interner.generated_ctx = config->generated_ctx;
	rec->interner.mounts.watch = config->watch;
	/* A process that ended before its root was met may have had that of another one. */
	rec->interner.mounts.roots = &rec->identity.roots;
	if (wt_identity_init(&rec->identity, bound)) {
		wt_recorder_destroy(rec);
		return wt_fail_nomem(err);
	}
	rec->identity.mounts.watch = config->watch;
	rec->identity.probing = !config->past;
	rec->identity.watches_writes = config->look != NULL;
	rec->identity.watches_moves = config->moves;
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
	wt_leavers_deinit(&rec->leavers);
	wt_idmap_deinit(&rec->expected);
	wt_ledger_deinit(&rec->ledger);
	wt_buf_deinit(&rec->scratch);
	wt_whereabouts_deinit(&rec->where);
	free(rec->positions);
	free(rec->roles);
	free(rec);
}

int wt_recorder_add_source(struct wt_recorder *rec, struct wt_source *source, struct wt_err *err)
{
	if (wt_grow(&rec->positions, &rec->cap_positions, rec->merge.n, 1, err))
		return -1;
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

static void count_alive(struct wt_recorder *rec)
{
	rec->stats.processes = rec->identity.tasks.live_processes;
	rec->stats.threads = rec->identity.tasks.live_threads;
	rec->stats.images = rec->identity.images.count;
}

static int take_one(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	int rc = wt_recorder_take(rec, event, err);

	wt_merge_pop(&rec->merge);
	return rc;
}

/* Takes the next event, with those that may be taken with it. */
static int take_many(struct wt_recorder *rec, const struct wt_event *event, uint64_t horizon,
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
	if (!run.n)
		return take_one(rec, event, err);
	rc = wt_recorder_take_run(rec, &run, &taken, err);
	if (taken)
		wt_merge_pop_run(&rec->merge, taken);
	return rc;
}

/* True when a round that began at `began` has lasted longer than bound; the clock is read only now and then.
 */
static bool is_long(uint64_t began, uint64_t bound, uint32_t turn)
{
	return bound && turn % TURNS_PER_LOOK == 0 && wt_clock_now() - began > bound;
}

/* bound: ns; 0: none. Returns as wt_recorder_round. */
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
		if (event->time >= horizon)
			break;
		if (event->stack.dump && !(event = wt_recorder_unwind(rec, event, &walked)))
			break;
		rc = wt_merge_gives_runs(&rec->merge) ? take_many(rec, event, horizon, err)
						      : take_one(rec, event, err);
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

	/* A full disk drops everything taken so far. The rest must still be taken, without waiting. */
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
