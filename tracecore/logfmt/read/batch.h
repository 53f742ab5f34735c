/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Decoded event blocks in memory.
 */
#ifndef TRACECORE_LOGFMT_READ_BATCH_H
#define TRACECORE_LOGFMT_READ_BATCH_H

#include "tracecore/logfmt/format/column.h"
#include "tracecore/logfmt/format/layout.h"
#include "tracecore/logfmt/read/reader.h"

/** The memory of one decoded block, reused for the next one. Zeroed is valid. */
struct wt_log_batch_store {
	struct wt_log_batch batch; /**< valid after a successful decode */
	uint32_t cap;              /**< events that fit */
	uint64_t *time;
	uint32_t *cpu, *thread, *stack;
	uint8_t *self;
	uint8_t *claimed;
	struct wt_log_batch_ids {
		uint8_t *ids; /**< WT_ACTIVITY_ID bytes each */
		uint32_t cap;
	} activity, related;
	struct wt_log_column *columns;
	struct wt_log_batch_field {
		uint64_t *values;
		uint32_t *offsets;
		uint32_t values_cap, offsets_cap;
		struct wt_buf bytes; /**< expanded dictionary items */
	} * fields;
	uint32_t n_fields; /**< allocated */
	uint32_t bad_ids;  /**< events of the last block whose thread or stack is missing; these ids were
			    * set to 0 */
};

void wt_log_batch_deinit(struct wt_log_batch_store *store);

/** Decodes the payload of an event block whose kind the segment knows: the columns in `need` (NULL: all).
 * Returns NULL, or a description of the error; *rc is -1 when memory is out. Items may point into raw. */
const char *wt_log_batch_decode(struct wt_log_batch_store *store, const struct wt_log_segment *segment,
				const struct wt_disk_block_header *header, const uint8_t *raw,
				const struct wt_log_need *need, struct wt_log_column_room *room, int *rc);

/** Narrows the batch to events with from <= time < to (to 0: no end). */
void wt_log_batch_trim(struct wt_log_batch *batch, struct wt_log_column *columns, uint64_t from, uint64_t to);

/** The bytes of a copy of n events from `first` on. */
size_t wt_log_batch_size(const struct wt_log_batch *batch, uint32_t first, uint32_t n);
/** Copies n events from `first` on into one allocation, to be freed with free(). NULL: no memory. */
struct wt_log_batch *wt_log_batch_copy(const struct wt_log_batch *batch, uint32_t first, uint32_t n);

#endif
