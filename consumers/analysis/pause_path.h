/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Why a stretch of a thread took so long: the critical path, backwards from its end.
 *
 * Input are the turns of threads (wait_machine.h) that overlap the stretch. A turn is first blocked, then
 * ready, then unknown, then running. The path follows the thread while it runs, is ready or is unknown. Where
 * it was blocked, the path goes on in the thread that woke it, at the moment of the wake, and backwards to
 * where the wait began; there it comes back. A thread that began in that time leads to the thread that
 * started it. So at each moment the path is in one thread, and that one was not waiting for another thread.
 *
 * Each nanosecond of the stretch is in exactly one segment. Segments are in order and leave no gap. What the
 * turns do not tell is a segment of its own with state unknown: nothing is guessed.
 *
 * While a thread is ready, the segments tell who had the CPU that it got next. That it waited for this CPU
 * from the beginning is how the kernel most often does it; it is not recorded.
 */
#ifndef CONSUMERS_ANALYSIS_PAUSE_PATH_H
#define CONSUMERS_ANALYSIS_PAUSE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/err.h"

#define WT_PAUSE_NONE UINT32_MAX

/** One turn of a thread. Its four parts follow each other in this order and fill it. */
struct wt_pause_turn {
	uint32_t tid;
	uint64_t from;
	uint64_t blocked, ready, unknown, running; /**< ns */
	uint32_t cpu;                              /**< on which it ran; WT_PAUSE_NONE: it did not */
	uint32_t priority;                         /**< WT_PAUSE_NONE: not known */
	uint32_t waker;   /**< tid of the thread that woke or started it; WT_PAUSE_NONE: none, or no thread */
	uint8_t context;  /**< enum wt_waker_context and 1; 0: nobody woke it */
	uint8_t source;   /**< enum wt_wait_source: what the wake's stack shows */
	uint8_t kind;     /**< enum wt_wait_kind */
	uint8_t ready_by; /**< enum wt_wait_ready */
	bool probable;    /**< WT_WAIT_PROBABLE: blocked and ready may divide otherwise, with another waker */
	uint32_t segment, thread, stack; /**< of the log: who it is and where it waits; not used here */
	/** As in the rows (wait_rows.h); not used here: the path goes on in who woke the thread. */
	struct wt_pause_lock {
		uint64_t address, read;
		uint32_t owner;
		uint8_t owner_is;
	} lock;
};

/** Values of the field state: append only. */
enum wt_pause_state {
	WT_PAUSE_RUNNING = 0,
	WT_PAUSE_READY = 1,
	WT_PAUSE_BLOCKED = 2,
	WT_PAUSE_UNKNOWN = 3,
	WT_PAUSE_STATES
};

/** Values of the field cause: append only. */
enum wt_pause_cause {
	WT_PAUSE_RAN = 0,            /**< running: the thread itself */
	WT_PAUSE_CPU_TAKEN = 1,      /**< ready: another thread, `by`, had the CPU */
	WT_PAUSE_CPU_FREE = 2,       /**< ready: no thread of the record is known to have had the CPU */
	WT_PAUSE_NO_CPU = 3,         /**< ready: it got no CPU in the record */
	WT_PAUSE_TIMER = 4,          /**< blocked until a timer */
	WT_PAUSE_DISK = 5,           /**< blocked until a disk was ready */
	WT_PAUSE_NETWORK = 6,        /**< blocked until the network delivered */
	WT_PAUSE_INTERRUPT = 7,      /**< blocked until another interrupt */
	WT_PAUSE_IDLE = 8,           /**< blocked until the idle thread of a CPU woke it */
	WT_PAUSE_OPEN = 9,           /**< blocked beyond the end of the stretch */
	WT_PAUSE_NOT_KNOWN = 10,     /**< unknown: lost events, or a CPU whose idle thread is not traced */
	WT_PAUSE_NO_TURN = 11,       /**< unknown: the record does not tell of the thread at that time */
	WT_PAUSE_CONTRADICTION = 12, /**< unknown: the waker cannot have woken at that time */
	WT_PAUSE_CAUSES
};

struct wt_pause_segment {
	uint64_t from, to;
	uint32_t tid;
	uint32_t by;      /**< CPU_TAKEN: tid that had the CPU; otherwise WT_PAUSE_NONE */
	uint32_t by_turn; /**< CPU_TAKEN: its turn */
	uint32_t turn;    /**< index in turns; WT_PAUSE_NONE: none */
	uint32_t depth;   /**< hand-offs between the thread of the stretch and this one */
	uint32_t waiter;  /**< index of the turn whose wait this one ended; WT_PAUSE_NONE: depth is 0 */
	uint32_t link;    /**< in links: the same, and whose wait that one ended; WT_PAUSE_NONE: depth is 0 */
	uint8_t state, cause;
	bool probable; /**< it depends on a wake before which another one may be missing */
};

/** Zeroed; turns are added, then settled once, then walked as often as wanted. */
struct wt_pause_path {
	struct wt_pause_turn *turns; /**< after settle by tid and time; owned */
	uint32_t n_turns, turns_cap;
	uint32_t *runs; /**< turns that ran, by CPU and time; owned */
	uint32_t n_runs;

	/* of the last walk */
	uint32_t tid;
	uint64_t from, to;
	struct wt_pause_segment *segments; /**< in order of time; owned */
	uint32_t n_segments, segments_cap;
	uint64_t sums[WT_PAUSE_STATES]; /**< of the segments: they add up to the stretch */
	uint64_t probable;              /**< length of the segments that are */
	uint64_t own[WT_PAUSE_STATES];  /**< what the thread itself did: they add up to the stretch */
	struct wt_pause_frame {
		uint32_t tid, depth, waiter, link;
		uint64_t low;
		bool fresh, probable;
	} * frames; /**< owned */
	uint32_t n_frames, frames_cap;
	/** Hand-offs: who waits for whom, up to the thread of the stretch. */
	struct wt_pause_link {
		uint32_t turn; /**< whose wait was ended */
		uint32_t up;   /**< the hand-off that this thread's own wake was for; WT_PAUSE_NONE: none */
	} * links;             /**< owned */
	uint32_t n_links, links_cap;
};

int wt_pause_add(struct wt_pause_path *path, const struct wt_pause_turn *turn, struct wt_err *err);
int wt_pause_settle(struct wt_pause_path *path, struct wt_err *err);
/** Finds the path of [from, to) of a thread. from <= to. -1: memory. */
int wt_pause_walk(struct wt_pause_path *path, uint32_t tid, uint64_t from, uint64_t to, struct wt_err *err);
void wt_pause_deinit(struct wt_pause_path *path);

#endif
