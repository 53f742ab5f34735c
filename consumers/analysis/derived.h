/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What rows that are worked out from the events of a log have in common, be they regions or turns of threads:
 * the columns of their batches, and what is read before the first of them.
 */
#ifndef CONSUMERS_ANALYSIS_DERIVED_H
#define CONSUMERS_ANALYSIS_DERIVED_H

#include "tracecore/logfmt/read/reader.h"

/** The columns that every event has, with room for the rows of a batch. `claimed` begins as zeros. */
struct wt_derived {
	uint64_t *time;
	uint32_t *cpu, *thread, *stack;
	uint8_t *self, *claimed;
};

/** Undo with wt_derived_deinit, also after a failure. */
int wt_derived_init(struct wt_derived *columns, uint32_t most, struct wt_err *err);
void wt_derived_deinit(struct wt_derived *columns);
/** A batch of the first n rows: of kind `kind` behind those that the real segment of the shadow has. */
struct wt_log_batch wt_derived_batch(const struct wt_derived *columns, const struct wt_log_segment *shadow,
				     uint32_t kind, uint32_t n, const struct wt_log_column *fields);

/** Reads all blocks of the kinds that `want` takes, without fields: damage must be known before a row is
 * delivered without doubt. look NULL: nothing else is wanted of them. */
int wt_derived_read_all(struct wt_log_reader *log,
			bool (*want)(void *ctx, const struct wt_log_segment *segment, uint32_t kind),
			int (*look)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err),
			void *ctx, struct wt_err *err);
/** As wt_log_filter.want: what the recorder says of losses, and of the session. */
bool wt_derived_notices(void *ctx, const struct wt_log_segment *segment, uint32_t kind);

#endif
