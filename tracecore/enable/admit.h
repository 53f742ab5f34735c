/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The parts of a registration that more than one file here needs; not for users of enable.h.
 */
#ifndef TRACECORE_ENABLE_ADMIT_H
#define TRACECORE_ENABLE_ADMIT_H

#include "tracecore/enable/enable_file.h"
#include "tracecore/ring/standing.h"

/** One (provider, manifest) in this process. */
struct wt_enable_map {
	struct wt_enable_provider head; /**< first: what callers hold points here */
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
	struct wt_patience patience[WT_ENABLE_SLOTS]; /**< with rules that could not be read */
	uint64_t clock_asked[WT_ENABLE_SLOTS]; /**< stamp for which the kernel was asked whether it may be
						  read */
	uint64_t busy[WT_ENABLE_SLOTS]; /**< image of who is filling by_event and the verdict; 0: nobody */
};

/** Readies what the second test needs: the executable's path. Under the registration lock. */
void wt_admit_init(void);
/** In a child that makes no calls now: its time namespace and its entry are seen to where it may make some.
 */
void wt_admit_ask_later(void);
/** Reading the CPU's counter would kill: the kernel says so, or the program did. Makes a system call, and
 * remembers a yes for wt_standing(). */
bool wt_clock_is_forbidden(void);
void wt_admit_deinit(struct wt_enable_map *map);

#endif
