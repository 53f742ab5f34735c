/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The parts of a registration that more than one file here needs; not for users of enable.h.
 */
#ifndef TRACECORE_ENABLE_ADMIT_H
#define TRACECORE_ENABLE_ADMIT_H

#include "tracecore/enable/enable_file.h"
#include "tracecore/ring/standing.h"

/** One (provider, manifest) pair in this process. */
struct wt_enable_map {
	struct wt_enable_provider head; /**< first member: callers hold a pointer to it */
	struct wt_enable_map *next;
	char *name;
	char file[WT_ENABLE_FILE_NAME];
	uint64_t dev, ino; /**< of the enable file */
	uint64_t hash;
	uint8_t *at; /**< the mapping, layout.mapped bytes */
	struct wt_enable_layout layout;
	struct wt_rule_events events; /**< owned */
	uint32_t number, refs;
	uint64_t process;                   /**< this process's entry; 0: none (the table was full) */
	uint8_t *by_event[WT_ENABLE_SLOTS]; /**< per slot, mapped on first need: enum wt_rule_bit per event */
	struct wt_patience patience[WT_ENABLE_SLOTS]; /**< for rules that could not be read */
	uint64_t clock_asked[WT_ENABLE_SLOTS]; /**< the stamp for which the kernel was last asked whether
						* the clock may be read */
	uint64_t busy[WT_ENABLE_SLOTS]; /**< image of the thread that is filling by_event and the verdict;
					 * 0: none */
};

/** Prepares the executable's path for the second test. Under the registration lock. */
void wt_admit_init(void);
/** For a child that may make no calls now: it looks for its time namespace and makes its entry where it may
 * make calls. */
void wt_admit_ask_later(void);
void wt_admit_deinit(struct wt_enable_map *map);

#endif
