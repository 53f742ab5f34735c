/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What each thread did at each moment, from context switches and wakes in time order: it ran, was ready to
 * run, was blocked, or it is not known.
 *
 * The machine gives turns. A turn of a thread begins when the thread leaves a CPU (or when it begins, or the
 * window does) and ends when it leaves a CPU the next time: a wait, then the run after it. The four parts of
 * a turn add up to its length, and the turns of a thread to its life in the window, to the nanosecond. A part
 * is unknown where an event that belongs to it may be missing: where events were lost, where a switch that
 * must have happened is not there, and where a wake is not there and a CPU whose idle thread is not traced
 * was idle.
 *
 * A thread that blocked was woken by the first wake after it left the CPU. If there is none, the last wake
 * while it still ran counts, and it was blocked for no time: the waker was faster than the switch. If there
 * is neither, and nothing is missing, a signal kept it runnable. Where wakes may be missing, an earlier wake
 * than the first one may be: what is blocked and what is ready is then probable.
 *
 * Memory grows with threads and CPUs, not with events.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_MACHINE_H
#define CONSUMERS_ANALYSIS_WAIT_MACHINE_H

#include "tracecore/base/err.h"
#include "tracecore/kernel_events.h"

#define WT_WAIT_NONE UINT32_MAX

/** How a thread came to be ready. Values of the field ready_by: append only. */
enum wt_wait_ready {
	WT_READY_BY_NONE = 0, /**< it was not, or it is not known */
	WT_READY_BY_WAKE = 1,
	WT_READY_BY_PREEMPTION = 2,
	WT_READY_BY_YIELD = 3,
	WT_READY_BY_START = 4,
	WT_READY_BY_SIGNAL = 5, /**< it was about to block, and a signal was pending */
	WT_READY_BEFORE = 6,    /**< before the window */
};

/** How far a turn is known. Values of the field certainty: append only. */
enum wt_wait_certainty {
	WT_WAIT_EXACT = 0,
	WT_WAIT_CUT = 1,       /**< it began before the window or goes on after it */
	WT_WAIT_NOT_KNOWN = 2, /**< a part of it is unknown */
	WT_WAIT_PROBABLE = 3,  /**< an earlier wake may be missing: blocked and ready may divide otherwise */
};

/** The event that woke a thread. */
struct wt_wait_waker {
	uint32_t segment, thread; /**< of the log; WT_WAIT_NONE: no wake */
	uint8_t context;          /**< enum wt_waker_context */
	uint8_t source;           /**< enum wt_wait_source; not used here */
};

/** The lock for which a thread waits, as last read while it waited. */
struct wt_wait_lock {
	uint64_t address; /**< of the futex */
	uint64_t read;    /**< when */
	uint32_t owner;   /**< who had it then; 0: not known */
	uint8_t owner_is; /**< enum wt_lock_owner_is */
};

struct wt_wait_turn {
	uint32_t tid;
	uint64_t from, to;
	uint64_t running, ready, blocked, unknown; /**< ns; within the window */
	uint32_t segment, thread;                  /**< of the event that ended it; WT_WAIT_NONE: none */
	uint32_t stack_segment,
		stack; /**< of the event that began it: where the thread waits; stack 0: none */
	uint32_t cpu;  /**< on which it ran; WT_WAIT_NONE: it did not */
	/** The kernel's, 0 is the highest: when it got the CPU, otherwise when it left one; WT_WAIT_NONE: not
	 * known. */
	uint32_t priority;
	uint8_t state; /**< enum wt_thread_state at its beginning; not known: another beginning */
	bool waits;    /**< it began as a thread that was to block */
	bool open;     /**< its wait reaches over an end of the window or the record, so it took longer */
	uint8_t ready_by, certainty;
	uint8_t kind; /**< what it waits for, as the event says that began it (enum wt_wait_kind); 0: its
		       * stack tells */
	struct wt_wait_waker waker;
	const struct wt_wait_lock *lock; /**< NULL: none was read; ends with the call */
};

enum wt_wait_what { WT_WAIT_SWITCHES, WT_WAIT_WAKES, WT_WAIT_WHATS };

/** What the machine has seen. */
struct wt_wait_counts {
	uint64_t turns, waits,
		unwoken,         /**< unwoken: waits whose wake is not there though it must have been */
		probable;        /**< turns of this certainty */
	uint64_t contradictions; /**< switches that do not fit the one before */
};

struct wt_wait_thread;
struct wt_wait_cpu;

/** Zeroed, then the first part filled in. */
struct wt_wait_machine {
	uint64_t from, to; /**< the window; to 0: up to the time of wt_wait_finish */
	/** Switches between other threads than those that were told (wt_wait_told, wt_wait_start) were left
	 * out: turns of others are not given, and it is not known when a CPU is idle. */
	bool only_told;
	/** Called with each turn that lies in the window, at least in part. */
	int (*turn)(void *ctx, const struct wt_wait_turn *turn, struct wt_err *err);
	/** May events be missing in [from, to] on this CPU (WT_WAIT_NONE: on any)? NULL: none are. */
	bool (*missing)(void *ctx, enum wt_wait_what what, uint32_t cpu, uint64_t from, uint64_t to);
	void *ctx;

	struct wt_wait_counts counts;
	uint32_t *ids;                  /**< by thread number: place in threads, and 1; owned */
	struct wt_wait_thread *threads; /**< owned */
	uint32_t n_threads, threads_cap;
	struct wt_wait_cpu *cpus; /**< owned */
	uint32_t n_cpus;
	uint64_t began; /**< the first event; 0: none */
};

struct wt_wait_switch {
	uint64_t time;
	uint32_t cpu, new_tid, old_tid;
	bool record; /**< it tells only who came: event switch_in */
	/** It tells only of one thread: the other one, with the number WT_WAIT_NONE, is somebody (events
	 * enter and leave). A thread that leaves is preempted or blocks, whatever its state. */
	bool alone;
	uint8_t state;
	bool preempted, yields;
	uint32_t new_priority, old_priority; /**< WT_WAIT_NONE: not known */
	uint32_t segment, thread, stack;
};

/** Says that the idle thread of a CPU is not traced. Before the first event. */
int wt_wait_blind(struct wt_wait_machine *machine, uint32_t cpu, struct wt_err *err);

/** Returns the number of such CPUs. */
uint32_t wt_wait_n_blind(const struct wt_wait_machine *machine);

int wt_wait_switch(struct wt_wait_machine *machine, const struct wt_wait_switch *event, struct wt_err *err);
/** A thread that waits when the record begins. */
struct wt_wait_found {
	uint64_t time;
	uint32_t tid;
	uint8_t state, kind; /**< as in struct wt_wait_turn */
	uint32_t segment, thread, stack;
	struct wt_wait_lock lock; /**< address 0: none was read */
};

/** The thread waited at that time. A thread of which nothing was seen before did so since the record began;
 * one that has not left a CPU since it blocked was blocked all the time, whether wakes are missing or not. */
int wt_wait_found(struct wt_wait_machine *machine, const struct wt_wait_found *found, struct wt_err *err);
int wt_wait_wake(struct wt_wait_machine *machine, uint64_t time, uint32_t tid,
		 const struct wt_wait_waker *waker, bool is_new, struct wt_err *err);
/** The thread is one of those whose switches are all there. */
int wt_wait_told(struct wt_wait_machine *machine, uint32_t tid, struct wt_err *err);
/** A thread began. */
int wt_wait_start(struct wt_wait_machine *machine, uint64_t time, uint32_t tid, struct wt_err *err);
/** A thread reported its end; it still runs until its last switch. */
int wt_wait_stop(struct wt_wait_machine *machine, uint64_t time, uint32_t tid, struct wt_err *err);
/** A program began in the thread that runs on the CPU, which has this number from now on. */
int wt_wait_exec(struct wt_wait_machine *machine, uint64_t time, uint32_t cpu, uint32_t tid,
		 struct wt_err *err);
/** The last event: gives the turns that have not ended. */
int wt_wait_finish(struct wt_wait_machine *machine, uint64_t time, struct wt_err *err);
void wt_wait_deinit(struct wt_wait_machine *machine);

#endif
