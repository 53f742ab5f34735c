/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Pairs of events that a user names: `BEGIN,END` or `BEGIN,END by FIELD[,FIELD]...`.
 *
 * BEGIN and END are EVENT, PROVIDER/EVENT or linux:SUBSYSTEM:EVENT. FIELD is a field that both have, or
 * BEGINFIELD=ENDFIELD; a beginning and the next end with equal values make a region. Without fields a
 * region is one of a thread.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_PAIR_H
#define CONSUMERS_ANALYSIS_REGION_PAIR_H

#include <stdint.h>

#include "tracecore/base/err.h"

enum { WT_REGION_MAX_FIELDS = 4, WT_REGION_MAX_PAIRS = 64 };

struct wt_region_pair {
	char *begin, *end;                       /**< owned; EVENT or PROVIDER/EVENT */
	char *begin_field[WT_REGION_MAX_FIELDS]; /**< owned */
	char *end_field[WT_REGION_MAX_FIELDS];   /**< owned */
	uint32_t n_fields;
};

/** Zeroed is none. */
struct wt_region_pairs {
	struct wt_region_pair *pairs; /**< owned */
	uint32_t n;
};

/** Reads one. -1: WT_ERR_USAGE. */
int wt_region_pairs_add(struct wt_region_pairs *pairs, const char *text, struct wt_err *err);
void wt_region_pairs_deinit(struct wt_region_pairs *pairs);

#endif
