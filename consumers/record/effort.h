/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Chooses how hard a recorder compresses its log: as hard as it can while it keeps up with the writers.
 *
 * There are four steps. Each sets how zstd compresses the blocks that are written from then on:
 *
 *   thorough   level 3
 *   normal     level 1, at which a recorder begins
 *   quick      level -5
 *   stored     the columns of events as they are, without zstd
 *
 * The choice is a function of two measurements, both in thousandths: `fill`, the fill of the fullest ring or
 * the part of it that was written since the last look, whichever is larger; and `busy`, the recorder's CPU
 * time since the last decision divided by the time elapsed.
 *
 *   fill over 300                                at once to the last step allowed
 *   fill over 150, or busy over 600              at once to the next quicker step
 *   fill under 60 and busy under 350, for 1 s    to the next more thorough step; to thorough only when busy
 * is under 30
 *
 * Readers read all four steps alike. Stored blocks are compressed when the log is compacted at the end. A
 * log of bounded size (--max-file) is never stored, because it would hold less of the past; its last step is
 * quick. The struct is the only state, and nothing here reads a clock.
 */
#ifndef CONSUMERS_RECORD_EFFORT_H
#define CONSUMERS_RECORD_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

enum wt_effort_step { WT_EFFORT_STORED, WT_EFFORT_QUICK, WT_EFFORT_NORMAL, WT_EFFORT_THOROUGH };

struct wt_effort_load {
	uint64_t now;  /**< session clock, ns */
	uint64_t cpu;  /**< CPU time used so far, ns */
	uint32_t fill; /**< thousandths */
};

struct wt_effort {
	enum wt_effort_step step, least; /**< least: the quickest one allowed */
	uint64_t decided, cpu;           /**< time of the last decision, and CPU time used until then */
	uint64_t calm;                   /**< since when there has been time to spare; 0: there is none */
};

/** Begins at step normal. bounded: the log's size is bounded. */
void wt_effort_init(struct wt_effort *effort, const struct wt_effort_load *now, bool bounded);

/** Returns true when the step has changed. The call is cheap: the CPU's share is looked at every 20 ms.
 * load->now and load->cpu never decrease. */
bool wt_effort_decide(struct wt_effort *effort, const struct wt_effort_load *load);

/** The zstd level for wt_log_set_level. */
int wt_effort_level(const struct wt_effort *effort);

#endif
