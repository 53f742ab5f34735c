/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Providers cswitch and dispatcher: the scheduler's tracepoints in a form that does not depend on the kernel.
 *
 * Places, states and flags are taken from the tracepoints' own formats. Some machines hide the tracepoints of
 * a CPU's idle thread. Where BPF may be used, programs report them for all idle threads (idle_points.h), and
 * the tracepoints give those of other threads. Everywhere the kernel's records of switches
 * (PERF_RECORD_SWITCH_CPU_WIDE) stand beside them in the same ring, and a thread that gets a CPU without the
 * tracepoint gives an event of its own.
 */
#ifndef PROVIDERS_PERF_SCHEDULER_H
#define PROVIDERS_PERF_SCHEDULER_H

#include "providers/perf/record.h"
#include "providers/perf/tracepoint.h"

struct wt_perf;
struct wt_perf_request;
struct wt_kinds;

enum wt_scheduler_what {
	WT_SCHEDULER_SWITCH,
	WT_SCHEDULER_READY,
	WT_SCHEDULER_READY_NEW,
	WT_SCHEDULER_WHATS
};

/** The most names of states in a format. */
enum { WT_SCHEDULER_STATES = 16 };

/** How to pack one of the tracepoints. */
struct wt_scheduler_point {
	enum wt_scheduler_what what;
	uint16_t id;                  /**< the kernel's number of the tracepoint */
	struct wt_tp_program program; /**< not used to pack; borrowed by the slot */
	struct wt_tp_place new_tid, old_tid, new_priority, old_priority, state; /**< of a switch */
	struct wt_tp_place tid, priority, cpu, flags;                           /**< of a wake */
	struct wt_scheduler_state {
		uint64_t mask;
		uint8_t state; /**< enum wt_thread_state */
	} states[WT_SCHEDULER_STATES];
	uint32_t n_states;
	uint64_t preempted; /**< bit in the state; 0: this kernel does not tell */
};

/** What the session has of the scheduler. Without the right to see all threads of a CPU there is no
 * tracepoint; the kernel then writes a record of each own thread that gets a CPU or leaves it
 * (PERF_RECORD_SWITCH). */
struct wt_scheduler {
	struct wt_scheduler_point points[WT_SCHEDULER_WHATS];
	uint32_t n;
	struct wt_bpf_object *idle; /**< owned; NULL: none */
	bool switches;              /**< switches are recorded... */
	uint32_t switch_in;         /**< ...and this is the kind of those without a tracepoint */
	bool own;                   /**< there are the records of own threads alone... */
	uint32_t enter, leave;      /**< ...which are of these kinds */
};

/** Finds the places of a tracepoint below tracefs (NULL: /sys/kernel/tracing). */
int wt_scheduler_load(const char *tracefs, enum wt_scheduler_what what, struct wt_scheduler_point *ret,
		      struct wt_err *err);
/** Appends the payload of a tracepoint's bytes; -1 when they are too short. new_tid, of a switch: who gets
 * the CPU. */
int wt_scheduler_pack(const struct wt_scheduler_point *point, const uint8_t *raw, size_t len,
		      struct wt_buf *out, uint32_t *new_tid);

/** The same for the bytes of a program on an idle thread (bpf/idle_points.h). */
int wt_scheduler_pack_idle(enum wt_scheduler_what what, const uint8_t *raw, size_t len, struct wt_buf *out,
			   uint32_t *new_tid);

/** Who got a CPU last, by the tracepoint, until the kernel's record of the same switch comes. Zeroed: nobody
 * known. */
struct wt_scheduler_turn {
	bool told;
	uint32_t tid;
};

/** Takes the kernel's record of a switch. True: its tracepoint is missing, and out gets the payload. */
bool wt_scheduler_take_record(struct wt_scheduler_turn *turn, const struct wt_perf_record *record,
			      struct wt_buf *out);

/** The same for a record of an own thread; true: it leaves the CPU. */
bool wt_scheduler_take_own(const struct wt_perf_record *record, struct wt_buf *out);

/** Adds the slots and the providers that the request names. */
int wt_scheduler_plan(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_kinds *kinds,
		      struct wt_err *err);
void wt_scheduler_destroy(struct wt_scheduler *scheduler);
/** Opens into a ring what its CPU's tracepoints leave out: the events of its idle thread, and the records of
 * switches, where switches are recorded. */
struct wt_perf_ring;
int wt_scheduler_open(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err);
/** Call when the ring's counts have been read for the last time. */
void wt_scheduler_close(struct wt_perf *perf, const struct wt_perf_ring *ring);
struct wt_perf_fd;
/** Returns the number of events of an idle thread behind a descriptor of a ring; 0 for other descriptors. */
uint64_t wt_scheduler_idle_count(const struct wt_perf *perf, const struct wt_perf_ring *ring,
				 const struct wt_perf_fd *fd);

#endif
