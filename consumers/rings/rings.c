// SPDX-License-Identifier: MIT
#include "consumers/rings/rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

struct wt_rings {
	struct wt_rings_config config;
	struct wt_ring_directory *directory;
	struct wt_ring_source **sources; /* owned array; the sources are the recorder's */
	uint32_t n, cap;
	uint64_t damage_told;       /* places and records */
	uint64_t missed_looked;     /* session clock; 0: never */
	struct wt_rings_sum parted; /* of sources that no longer exist */
	struct wt_rings_sum last;   /* with an allowance: the sum when all rings were last reported */
	uint64_t lost, dropped_written, dropped_damaged;
	struct wt_buf payload;
	uint8_t *made; /* owned, by CPU: its ring for all programs was made here once */
	uint32_t n_made;
};

int wt_rings_create(const struct wt_rings_config *config, struct wt_rings **ret, struct wt_err *err)
{
	struct wt_rings *rings = calloc(1, sizeof(*rings));

	if (!rings)
		return wt_fail_nomem(err);
	rings->config = *config;
	if (wt_ring_directory_open(config->dir_fd, config->owner, config->path, &rings->directory, err)) {
		free(rings);
		return -1;
	}
	wt_ring_directory_limit(rings->directory, config->allowance);
	*ret = rings;
	return 0;
}

void wt_rings_destroy(struct wt_rings *rings)
{
	if (!rings)
		return;
	wt_ring_directory_destroy(rings->directory);
	free(rings->sources);
	free(rings->made);
	wt_buf_deinit(&rings->payload);
	free(rings);
}

static bool has_id(const struct wt_rings *rings, uint32_t id)
{
	for (uint32_t i = 0; i < rings->n; i++)
		if (rings->sources[i]->base.id == id)
			return true;
	return false;
}

/* All readers of a ring compute one id; ids of rings of several users do not collide. */
static uint32_t source_id(const struct wt_rings *rings, uint32_t ring)
{
	uint32_t id = (uint32_t)wt_hash2(rings->config.owner, ring) | WT_RINGS_SOURCE;

	while (has_id(rings, id))
		id = (id + 1) | WT_RINGS_SOURCE;
	return id;
}

static int on_ring(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct wt_rings *rings = ctx;
	struct wt_ring_facts facts;
	struct wt_ring_source *source;

	wt_ring_reader_facts(ring, &facts);
	if (wt_grow(&rings->sources, &rings->cap, rings->n, 1, err) ||
	    wt_ring_source_create(ring, rings->config.line, rings->config.kinds, source_id(rings, facts.id),
				  &source, err))
		return -1;
	source->base.allowance = rings->config.allowance;
	source->claimer = rings->config.owner != geteuid() ? rings->config.owner + 1 : 0;
	if (wt_recorder_add_source(rings->config.rec, &source->base, err)) {
		source->base.ops->destroy(&source->base);
		return -1;
	}
	rings->sources[rings->n++] = source;
	return 0;
}

int wt_rings_look(struct wt_rings *rings, struct wt_err *err)
{
	return wt_ring_directory_refresh(rings->directory, on_ring, rings, err);
}

/* Blocks of a ring that are prepared for bound programs. */
#define READY_BLOCKS 8u

/* A user who removes such a ring gets no other: each would take more of this process's memory. */
static void make_common(struct wt_rings *rings, const struct wt_ring_spec *spec, uint32_t cpu)
{
	char name[32];
	int rc;

	if (rings->made[cpu])
		return;
	snprintf(name, sizeof(name), "cpu-%u", cpu);
	rc = wt_ring_directory_make_common(rings->directory, name, spec, cpu, READY_BLOCKS);
	rings->made[cpu] = rc == 0;
	if (rc < 0)
		wt_debug("%s: no ring for everybody on CPU %u", rings->config.path, cpu);
}

void wt_rings_ready(struct wt_rings *rings, const struct wt_ring_spec *spec, uint32_t n_cpus,
		    bool (*is_bound)(void *ctx, uint32_t pid), void *ctx)
{
	if (!rings->made) {
		rings->made = calloc(n_cpus, 1);
		rings->n_made = rings->made ? n_cpus : 0;
	}
	for (uint32_t cpu = 0; cpu < rings->n_made; cpu++)
		make_common(rings, spec, cpu);
	for (uint32_t i = 0; i < rings->n; i++) {
		const struct wt_ring_facts *facts = &rings->sources[i]->facts;

		if (!facts->is_lane && (!facts->pid || is_bound(ctx, facts->pid)))
			wt_ring_reader_ready(rings->sources[i]->ring, READY_BLOCKS);
	}
}

int wt_rings_fd(const struct wt_rings *rings)
{
	return wt_ring_directory_fd(rings->directory);
}

bool wt_rings_heard(const struct wt_rings *rings)
{
	return wt_ring_directory_heard(rings->directory);
}

static uint64_t take_reported(struct wt_rings *rings, const struct wt_lost_payload *lost, uint64_t count)
{
	return rings->config.reported ? wt_reported_losses_take(rings->config.reported, lost->ring,
								lost->provider, lost->cause, count)
				      : 0;
}

static uint8_t cause_of(const struct wt_ring_source *source, uint8_t result)
{
	switch (result) {
	case WT_RING_FULL:
		return WT_LOSS_RING_FULL;
	case WT_RING_TOO_LARGE:
		return WT_LOSS_TOO_LARGE;
	case WT_RING_NO_MEMORY:
		return source->facts.is_lane ? WT_LOSS_NO_LANE : WT_LOSS_NO_SHARED_MEMORY;
	default:
		return WT_LOSS_DAMAGED;
	}
}

/* A longer time than between two rounds. */
#define ROUND_NS UINT64_C(200000000)

/* True when nobody has read the ring since its user's share was used up. */
static bool is_held_back(const struct wt_rings *rings, const struct wt_ring_loss *loss, uint64_t to)
{
	const struct wt_allowance *allowance = rings->config.allowance;

	return allowance && allowance->held && loss->result == WT_RING_FULL &&
	       to <= allowance->held + ROUND_NS && to + ROUND_NS >= allowance->held_from;
}

static int put_lost(struct wt_rings *rings, const struct wt_lost_payload *lost, struct wt_err *err)
{
	struct wt_event event = {.time = wt_clock_now(), .kind = rings->config.lost_kind, .cpu = WT_CPU_NONE};

	wt_buf_clear(&rings->payload);
	wt_lost_put(&rings->payload, lost);
	if (rings->payload.failed)
		return wt_fail_nomem(err);
	event.payload = rings->payload.data;
	event.payload_len = (uint32_t)rings->payload.len;
	return wt_recorder_inject(rings->config.rec, &event, err);
}

/* Returns the name for reporting a loss: a provider that no rule here enabled has only a number. */
static struct wt_str name_of(struct wt_rings *rings, uint32_t number, char text[32])
{
	const struct wt_ring_provider *provider = wt_ring_kinds_find(rings->config.kinds, number);

	if (provider)
		return wt_str(provider->name);
	if (number == WT_ABI_LOSS_OTHERS)
		snprintf(text, 32, "(several)");
	else
		snprintf(text, 32, "(provider %u)", number);
	return wt_str(text);
}

static uint64_t session_time(const struct wt_rings *rings, const struct wt_ring_source *source, uint64_t tick)
{
	return source->facts.counter ? wt_tick_line_ns(rings->config.line, tick) : tick;
}

/* The least time a program needs for a lost event, ns. */
#define LEAST_LOSS_NS 5

/* True when an untrusted user's claim of losses is no larger than all CPUs could have caused in the
 * session's time. */
static bool is_possible(const struct wt_rings *rings, uint64_t count)
{
	uint64_t now = wt_clock_now(), began = rings->config.began;
	uint64_t most = now > began ? (now - began) / LEAST_LOSS_NS * rings->config.kinds->n_cpus : 0;

	return !rings->config.allowance || (rings->lost <= most && count <= most - rings->lost);
}

/* Names an untrusted user as the source of the count. text: 40 bytes, valid as long as lost is used. */
static void name_claimer(const struct wt_rings *rings, struct wt_lost_payload *lost, char *text)
{
	if (!rings->config.allowance)
		return;
	snprintf(text, 40, "(claimed by uid %u)", rings->config.owner);
	lost->event = wt_str(text);
}

static int tell_loss(struct wt_rings *rings, struct wt_ring_source *source, const struct wt_ring_loss *loss,
		     struct wt_err *err)
{
	struct wt_ring_provider *provider;
	char text[32], claim[40];
	struct wt_lost_payload lost = {
		.provider = name_of(rings, loss->provider, text),
		.event = {"", 0},
		.on_cpu = source->facts.cpu,
		.cause = cause_of(source, loss->result),
		.exact = 1,
		.from = session_time(rings, source, loss->from),
		.to = session_time(rings, source, loss->to),
		.ring = source->base.id,
	};

	lost.count = loss->count - take_reported(rings, &lost, loss->count);
	if (!lost.count)
		return 0;
	if (!is_possible(rings, lost.count)) {
		source->broken++;
		return 0;
	}
	name_claimer(rings, &lost, claim);
	if (is_held_back(rings, loss, lost.to))
		lost.cause = WT_LOSS_SHARE;
	rings->lost += lost.count;
	provider = wt_ring_kinds_known(rings->config.kinds, loss->provider);
	if (provider)
		wt_ring_kinds_lose(rings->config.kinds, provider, lost.on_cpu, lost.count);
	return put_lost(rings, &lost, err);
}

/* The id of no ring: the ids of rings hash to other values. */
static uint32_t missed_id(const struct wt_rings *rings)
{
	return (uint32_t)wt_hash2(rings->config.owner, UINT64_MAX) | WT_RINGS_SOURCE;
}

int wt_rings_miss(struct wt_rings *rings, uint32_t number, uint64_t n, struct wt_err *err)
{
	struct wt_ring_provider *provider = wt_ring_kinds_known(rings->config.kinds, number);
	uint64_t now = wt_clock_now();
	char text[32], claim[40];
	struct wt_lost_payload lost = {
		.provider = name_of(rings, number, text),
		.event = {"", 0},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_NO_SHARED_MEMORY,
		.exact = 1,
		.from = rings->missed_looked ? rings->missed_looked : now,
		.to = now,
		.ring = missed_id(rings),
	};

	lost.count = n - take_reported(rings, &lost, n);
	if (!lost.count)
		return 0;
	if (!is_possible(rings, lost.count)) {
		rings->dropped_damaged++;
		return 0;
	}
	name_claimer(rings, &lost, claim);
	rings->lost += lost.count;
	if (provider)
		wt_ring_kinds_lose(rings->config.kinds, provider, lost.on_cpu, lost.count);
	return put_lost(rings, &lost, err);
}

void wt_rings_looked_for_missed(struct wt_rings *rings)
{
	rings->missed_looked = wt_clock_now();
}

/* Reports every entry once; counts that rise in the meantime are reported in the next round. */
static int tell_ring(struct wt_rings *rings, struct wt_ring_source *source, struct wt_err *err)
{
	struct wt_ring_loss losses[WT_ABI_LOSSES];
	size_t n = wt_ring_reader_losses(source->ring, losses, WT_ABI_LOSSES);

	for (size_t i = 0; i < n; i++)
		if (tell_loss(rings, source, &losses[i], err))
			return -1;
	return 0;
}

static uint64_t damaged(const struct wt_ring_source *source)
{
	return source->facts.damaged + source->unknown + source->broken;
}

static uint64_t all_damaged(const struct wt_rings *rings)
{
	uint64_t sum = rings->dropped_damaged;

	for (uint32_t i = 0; i < rings->n; i++)
		sum += damaged(rings->sources[i]);
	return sum;
}

/* The number of events in a damaged place is unknown: it is reported as a blind span of no length, with the
 * number of places. */
static int tell_damage(struct wt_rings *rings, struct wt_err *err)
{
	uint64_t now = wt_clock_now(), sum = all_damaged(rings);
	struct wt_lost_payload lost = {
		.provider = {"(ring)", 6},
		.event = {"", 0},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_DAMAGED,
		.from = now,
		.to = now,
	};

	if (sum <= rings->damage_told)
		return 0;
	lost.count = sum - rings->damage_told;
	rings->damage_told = sum;
	return put_lost(rings, &lost, err);
}

static void count_all(const struct wt_rings *rings, struct wt_rings_sum *ret)
{
	*ret = rings->parted;
	ret->written += rings->dropped_written;
	ret->damaged += all_damaged(rings);
	ret->lost = rings->lost;
	for (uint32_t i = 0; i < rings->n; i++) {
		const struct wt_ring_facts *facts = &rings->sources[i]->facts;
		uint64_t kept = facts->written > rings->sources[i]->released
					? facts->written - rings->sources[i]->released
					: 0;
		uint64_t share = facts->cap ? kept * 1000 / facts->cap : 0;

		*(facts->is_lane ? &ret->n_lanes : &ret->n_rings) += 1;
		ret->used += kept;
		ret->in_force += facts->in_force;
		ret->cap += facts->cap;
		ret->written += facts->written;
		ret->most_used = share > ret->most_used ? share : ret->most_used;
		share = facts->cap ? rings->sources[i]->grown * 1000 / facts->cap : 0;
		ret->most_grown = share > ret->most_grown ? share : ret->most_grown;
	}
}

/* Rings whose user has spent the share must not speed up the rounds. */
static void rest(struct wt_rings *rings)
{
	rings->last.most_used = rings->last.most_grown = 0;
}

int wt_rings_tell(struct wt_rings *rings, struct wt_err *err)
{
	if (wt_allowance_is_spent(rings->config.allowance)) {
		rest(rings);
		return 0;
	}
	for (uint32_t i = 0; i < rings->n; i++)
		if (tell_ring(rings, rings->sources[i], err))
			return -1;
	if (tell_damage(rings, err))
		return -1;
	if (rings->config.allowance)
		count_all(rings, &rings->last);
	return 0;
}

int wt_rings_tell_rest(struct wt_rings *rings, struct wt_err *err)
{
	struct wt_lost_payload lost = {
		.event = {"", 0},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_SHARE,
		.from = rings->config.allowance->held_from,
		.to = wt_clock_now(),
	};
	char text[32];

	for (uint32_t i = 0; i < rings->n; i++) {
		struct wt_ring_source *source = rings->sources[i];
		struct wt_event event;

		if (tell_ring(rings, source, err))
			return -1;
		source->base.ops->refresh(&source->base);
		lost.count += !source->base.ops->peek(&source->base, &event);
	}
	if (tell_damage(rings, err))
		return -1;
	count_all(rings, &rings->last);
	if (!lost.count)
		return 0;
	snprintf(text, sizeof(text), "(rings of uid %u)", rings->config.owner);
	lost.provider = wt_str(text);
	if (!lost.from || lost.from > lost.to)
		lost.from = lost.to;
	return put_lost(rings, &lost, err);
}

static int drop(struct wt_rings *rings, uint32_t i, struct wt_err *err)
{
	struct wt_ring_source *source = rings->sources[i];
	struct wt_ring_reader *ring = source->ring;

	rings->dropped_written += source->facts.written;
	rings->dropped_damaged += damaged(source);
	rings->sources[i] = rings->sources[--rings->n];
	wt_recorder_forget_source(rings->config.rec, &source->base);
	return wt_ring_directory_drop(rings->directory, ring, err);
}

int wt_rings_drop_ended(struct wt_rings *rings, struct wt_err *err)
{
	for (uint32_t i = rings->n; i-- > 0;) {
		struct wt_ring_source *source = rings->sources[i];
		uint64_t lost = rings->lost;
		struct wt_event event;

		if (!wt_ring_reader_ended(source->ring))
			continue;
		/* Events and losses since the last round have to be in the log first. */
		source->base.ops->refresh(&source->base);
		if (!source->base.ops->peek(&source->base, &event))
			continue;
		if (tell_ring(rings, source, err))
			return -1;
		if (rings->lost != lost)
			continue;
		/* They come behind all sources that there are; the next round reads them. */
		if (wt_ring_directory_look_for_siblings(rings->directory, source->ring, on_ring, rings, err))
			return -1;
		if (drop(rings, i, err))
			return -1;
	}
	return 0;
}

uint32_t wt_rings_n(const struct wt_rings *rings)
{
	return rings->n;
}

/* An account with an allowance pays for the look at its rings, and rings at rest cost nothing. */
void wt_rings_sum(const struct wt_rings *rings, struct wt_rings_sum *ret)
{
	if (rings->config.allowance)
		*ret = rings->last;
	else
		count_all(rings, ret);
}

void wt_rings_part(struct wt_rings *rings)
{
	count_all(rings, &rings->parted);
	rings->last = rings->parted;
	rings->dropped_written = rings->dropped_damaged = 0;
	rings->n = 0;
}

int wt_rings_close(struct wt_rings *rings, int wait_ms, struct wt_err *err)
{
	/* Rings may have been made until now. A ring that cannot be found must not keep the rest from being
	 * closed. */
	int rc = wt_rings_look(rings, err);

	if (wt_ring_directory_close_rings(rings->directory, wait_ms, err) || wt_rings_look(rings, err))
		rc = -1;
	return rc;
}

int wt_rings_unlink(struct wt_rings *rings, struct wt_err *err)
{
	return wt_ring_directory_unlink(rings->directory, err);
}
