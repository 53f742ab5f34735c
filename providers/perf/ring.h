/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The bytes of one perf ring, record by record.
 *
 * The kernel writes records and then data_head; we read up to the head we loaded and move data_tail. Only
 * the kernel writes data_head. Only this reader writes data_tail, and only in release.
 *
 *   load data_head (acquire)      pairs with the kernel's store of data_head after the record's bytes
 *   store data_tail (release)     pairs with the kernel's load of data_tail before it reuses the bytes
 *
 * Records are read where they lie: the kernel does not change bytes before data_head until data_tail has
 * passed them (our rings are never in overwrite mode). Only a record that wraps around the ring's end is
 * assembled in private memory.
 *
 * With a hold (hold.h) the oldest records may have moved there: they are read first, at the same positions.
 */
#ifndef PROVIDERS_PERF_RING_H
#define PROVIDERS_PERF_RING_H

#include "providers/perf/hold.h"
#include "providers/perf/record.h"

/** Most bytes of a record. */
#define WT_PERF_RECORD_MOST 65536

struct wt_perf_reader {
	uint8_t *control;      /**< the mapping's first page (struct perf_event_mmap_page) */
	const uint8_t *data;   /**< size bytes behind it */
	uint64_t size;         /**< a power of two */
	uint64_t head;         /**< bytes below this may be read; counted since the ring was made */
	uint64_t pos;          /**< start of the next record */
	const uint8_t *record; /**< result of next(); valid until the next one or release */
	uint8_t *whole;        /**< a record that wraps, in one piece; 64 KiB, owned */
	struct wt_perf_hold hold;
	const struct wt_perf_ids *ids; /**< borrowed; needed to find the unused parts of held records */
};

enum wt_perf_next { WT_PERF_RECORD = 0, WT_PERF_END = 1, WT_PERF_DAMAGED = 2 };

/** Starts reading at data_tail. -1 when memory is out. */
int wt_perf_reader_init(struct wt_perf_reader *reader, void *control, void *data, uint64_t size);
void wt_perf_reader_deinit(struct wt_perf_reader *reader);
/** Makes the reader read the hold first from now on; call before anything else. */
void wt_perf_reader_set_hold(struct wt_perf_reader *reader, const struct wt_perf_hold *hold,
			     const struct wt_perf_ids *ids);
/** Moves complete records from the ring to the hold, up to `most` bytes of memory. True when the ring has
 * more room now; then `record` is no longer valid. */
bool wt_perf_reader_hold(struct wt_perf_reader *reader, uint64_t most);

/** Loads data_head: everything the kernel has written so far. */
void wt_perf_reader_refresh(struct wt_perf_reader *reader);
/** Finds the next record and moves behind it; *len is its size. DAMAGED: the size is impossible; everything
 * up to head is skipped, and *len is the number of skipped bytes. */
enum wt_perf_next wt_perf_reader_next(struct wt_perf_reader *reader, uint64_t *len);
/** Goes to a position between the tail and data_head; -1 when the position is outside. */
int wt_perf_reader_seek(struct wt_perf_reader *reader, uint64_t pos);
/** The oldest position that has not been released. */
uint64_t wt_perf_reader_tail(const struct wt_perf_reader *reader);
/** How full the ring is, thousandths. */
uint32_t wt_perf_reader_fill(const struct wt_perf_reader *reader);
/** Releases everything before pos to the kernel. */
void wt_perf_reader_release(struct wt_perf_reader *reader, uint64_t pos);

#endif
