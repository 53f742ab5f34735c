// SPDX-License-Identifier: MIT
/* The scheduler's tracepoints and records of switches, from bytes to payloads. */
#include "providers/perf/scheduler.h"

#include <linux/perf_event.h>
#include <string.h>

#include "providers/perf/bpf/idle_points.h"
#include "tracecore/base/cursor.h"
#include "tracecore/kernel_events.h"

static const char *const names[WT_SCHEDULER_WHATS] = {
	[WT_SCHEDULER_SWITCH] = "sched:sched_switch",
	[WT_SCHEDULER_READY] = "sched:sched_waking",
	[WT_SCHEDULER_READY_NEW] = "sched:sched_wakeup_new",
};

/* The letters of the kernel's formats since it prints them so (TASK_STATE_TO_CHAR_STR). */
static const struct {
	const char *word;
	uint8_t state;
} words[] = {
	{"S", WT_STATE_SLEEPING}, {"D", WT_STATE_UNINTERRUPTIBLE},
	{"T", WT_STATE_STOPPED},  {"t", WT_STATE_TRACED},
	{"X", WT_STATE_DEAD},     {"Z", WT_STATE_ZOMBIE},
	{"P", WT_STATE_PARKED},   {"I", WT_STATE_IDLE},
	{"R", WT_STATE_RUNNABLE},
};

/* The kernel's bits of common_flags (include/linux/trace_events.h). */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

/* ---- places ---- */

static bool find(const struct wt_tp_system *system, const char *field, struct wt_tp_place *ret)
{
	int at = wt_event_field(&system->provider->events[0], field);

	if (at < 0)
		return false;
	*ret = system->points[0].places[at];
	return ret->size == 4 || ret->size == 8;
}

static void add_state(struct wt_scheduler_point *point, const struct wt_named *entry)
{
	struct wt_scheduler_state *state = &point->states[point->n_states];

	if (!strcmp(entry->name, "R+")) {
		point->preempted = entry->value;
		return;
	}
	if (!entry->value || point->n_states == WT_SCHEDULER_STATES)
		return;
	*state = (struct wt_scheduler_state){entry->value, WT_STATE_NOT_KNOWN};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, entry->name))
			state->state = words[i].state;
	point->n_states++;
}

/* Kernels that print another word for a preempted thread have no entry R+, and then nothing is told. */
static void find_states(const struct wt_tp_system *system, struct wt_scheduler_point *point)
{
	int at = wt_event_field(&system->provider->events[0], "prev_state");
	const struct wt_valmap *map = at < 0 ? NULL : system->provider->events[0].fields[at].map;

	for (uint32_t i = 0; map && i < map->n_entries; i++)
		add_state(point, &map->entries[i]);
}

static bool find_places(const struct wt_tp_system *system, struct wt_scheduler_point *point)
{
	if (point->what == WT_SCHEDULER_SWITCH) {
		find_states(system, point);
		return point->n_states && find(system, "next_pid", &point->new_tid) &&
		       find(system, "prev_pid", &point->old_tid) &&
		       find(system, "next_prio", &point->new_priority) &&
		       find(system, "prev_prio", &point->old_priority) &&
		       find(system, "prev_state", &point->state);
	}
	point->flags = system->points[0].flags;
	return find(system, "pid", &point->tid) && find(system, "prio", &point->priority) &&
	       find(system, "target_cpu", &point->cpu) && point->flags.size == 1;
}

int wt_scheduler_load(const char *tracefs, enum wt_scheduler_what what, struct wt_scheduler_point *ret,
		      struct wt_err *err)
{
	struct wt_tp_system *systems;
	size_t n;
	bool found;

	*ret = (struct wt_scheduler_point){.what = what};
	if (wt_tp_load(tracefs, &names[what], 1, &systems, &n, err) < 0)
		return -1;
	ret->id = systems[0].points[0].id;
	found = find_places(&systems[0], ret);
	wt_tp_destroy(systems, n);
	return found ? 0
		     : wt_fail(err, WT_ERR_UNSUPPORTED,
			       "this kernel's tracepoint %s has a format that is not known here",
			       names[what]);
}

/* ---- tracepoints ---- */

/* False: the bytes end before. */
static bool load(const uint8_t *raw, size_t len, struct wt_tp_place place, uint64_t *ret)
{
	if ((size_t)place.offset + place.size > len)
		return false;
	if (place.size == 8)
		*ret = wt_load_u64(raw + place.offset);
	else
		*ret = place.size == 4 ? wt_load_u32(raw + place.offset) : raw[place.offset];
	return true;
}

static uint8_t state_of(const struct wt_scheduler_point *point, uint64_t bits)
{
	bits &= ~point->preempted;
	if (!bits)
		return WT_STATE_RUNNABLE;
	for (uint32_t i = 0; i < point->n_states; i++)
		if (bits == point->states[i].mask)
			return point->states[i].state;
	return WT_STATE_NOT_KNOWN;
}

static int pack_switch(const struct wt_scheduler_point *point, const uint8_t *raw, size_t len,
		       struct wt_buf *out, uint32_t *new_tid)
{
	uint64_t new_id, old_id, new_priority, old_priority, state;
	struct wt_switch_payload payload;

	if (!load(raw, len, point->new_tid, &new_id) || !load(raw, len, point->old_tid, &old_id) ||
	    !load(raw, len, point->new_priority, &new_priority) ||
	    !load(raw, len, point->old_priority, &old_priority) || !load(raw, len, point->state, &state))
		return -1;
	payload = (struct wt_switch_payload){
		.new_tid = (uint32_t)new_id,
		.old_tid = (uint32_t)old_id,
		.new_priority = (int32_t)new_priority,
		.old_priority = (int32_t)old_priority,
		.old_state = state_of(point, state),
		.preempted = (state & point->preempted) != 0,
	};
	*new_tid = payload.new_tid;
	wt_switch_put(out, &payload);
	return 0;
}

static uint8_t context_of(uint64_t flags)
{
	if (flags & FLAG_NMI)
		return WT_WAKER_NMI;
	if (flags & FLAG_HARDIRQ)
		return WT_WAKER_INTERRUPT;
	return flags & FLAG_SOFTIRQ ? WT_WAKER_SOFTIRQ : WT_WAKER_THREAD;
}

static int pack_ready(const struct wt_scheduler_point *point, const uint8_t *raw, size_t len,
		      struct wt_buf *out)
{
	uint64_t tid, priority, cpu, flags;
	struct wt_ready_payload payload;

	if (!load(raw, len, point->tid, &tid) || !load(raw, len, point->priority, &priority) ||
	    !load(raw, len, point->cpu, &cpu) || !load(raw, len, point->flags, &flags))
		return -1;
	payload = (struct wt_ready_payload){
		.ready_tid = (uint32_t)tid,
		.priority = (int32_t)priority,
		.target_cpu = (uint32_t)cpu,
		.context = context_of(flags),
	};
	wt_ready_put(out, &payload);
	return 0;
}

int wt_scheduler_pack(const struct wt_scheduler_point *point, const uint8_t *raw, size_t len,
		      struct wt_buf *out, uint32_t *new_tid)
{
	return point->what == WT_SCHEDULER_SWITCH ? pack_switch(point, raw, len, out, new_tid)
						  : pack_ready(point, raw, len, out);
}

/* ---- idle threads ---- */

static uint8_t context_of_idle(uint32_t preempt_count)
{
	if (preempt_count == WT_BPF_NOT_TOLD)
		return WT_WAKER_IDLE;
	if (preempt_count & WT_BPF_NMI)
		return WT_WAKER_NMI;
	if (preempt_count & WT_BPF_HARDIRQ)
		return WT_WAKER_INTERRUPT;
	return preempt_count & WT_BPF_SERVES_SOFTIRQ ? WT_WAKER_SOFTIRQ : WT_WAKER_THREAD;
}

static int pack_idle_switch(const uint8_t *raw, size_t len, struct wt_buf *out, uint32_t *new_tid)
{
	struct wt_bpf_idle_switch given;
	struct wt_switch_payload payload;

	if (len < sizeof(given))
		return -1;
	memcpy(&given, raw, sizeof(given));
	payload = (struct wt_switch_payload){
		.new_tid = given.new_tid,
		.new_priority = given.new_priority,
		.old_priority = given.old_priority,
		.old_state = WT_STATE_RUNNABLE,
	};
	*new_tid = payload.new_tid;
	wt_switch_put(out, &payload);
	return 0;
}

static int pack_idle_wake(const uint8_t *raw, size_t len, struct wt_buf *out)
{
	struct wt_bpf_idle_wake given;
	struct wt_ready_payload payload;

	if (len < sizeof(given))
		return -1;
	memcpy(&given, raw, sizeof(given));
	payload = (struct wt_ready_payload){
		.ready_tid = given.tid,
		.priority = given.priority,
		.target_cpu = given.target_cpu,
		.context = context_of_idle(given.preempt_count),
	};
	wt_ready_put(out, &payload);
	return 0;
}

int wt_scheduler_pack_idle(enum wt_scheduler_what what, const uint8_t *raw, size_t len, struct wt_buf *out,
			   uint32_t *new_tid)
{
	return what == WT_SCHEDULER_SWITCH ? pack_idle_switch(raw, len, out, new_tid)
					   : pack_idle_wake(raw, len, out);
}

/* ---- records of switches ---- */

bool wt_scheduler_take_record(struct wt_scheduler_turn *turn, const struct wt_perf_record *record,
			      struct wt_buf *out)
{
	bool told = turn->told && (turn->tid == record->tid || record->tid == UINT32_MAX);

	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		return false;
	turn->told = false;
	if (told || record->tid == UINT32_MAX)
		return false;
	wt_buf_put_u32(out, record->tid);
	wt_buf_put_u32(out, record->other.tid);
	return true;
}

bool wt_scheduler_take_own(const struct wt_perf_record *record, struct wt_buf *out)
{
	bool leaves = record->misc & PERF_RECORD_MISC_SWITCH_OUT;

	wt_buf_put_u32(out, record->tid);
	if (leaves)
		wt_buf_put_u8(out, (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0);
	return leaves;
}
