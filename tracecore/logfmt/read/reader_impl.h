/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Shared by the parts of the reader; no other file includes this.
 *
 * The list of blocks is made when the file is opened and does not change afterwards, except for the marks of
 * blocks that turned out bad. `lock` guards damages and segment loading, so that threads may scan different
 * segments.
 */
#ifndef TRACECORE_LOGFMT_READ_READER_IMPL_H
#define TRACECORE_LOGFMT_READ_READER_IMPL_H

#include <pthread.h>

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/batch.h"
#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/format/layout.h"
#include "tracecore/logfmt/format/ranges.h"
#include "tracecore/logfmt/read/reader.h"

/** A block of the file. */
struct wt_log_ref {
	uint64_t offset;
	struct wt_disk_block_header header;
	uint32_t next; /**< of the same segment, WT_LOG_NONE at the end */
	bool bad;      /**< its payload is damaged; this has been noted */
	bool noted;    /**< its content is flawed; this has been noted */
};

/** A segment's tables during and after loading. */
struct wt_log_tables {
	struct wt_log_segment segment; /**< what callers see */
	uint32_t index;                /**< its place in the reader */
	uint32_t first, last;          /**< its blocks, indices of refs */
	struct wt_log_span span;       /**< of its event blocks */
	uint64_t bytes;                /**< bytes that count towards the bound on table memory */
	bool loaded;
	struct wt_kind *kinds; /**< owned, like all below; segment has the const views */
	struct wt_provider **providers;
	uint32_t kinds_cap, providers_cap;
	void *rows[WT_LOG_N_TABLES];
	uint32_t n_rows[WT_LOG_N_TABLES], cap_rows[WT_LOG_N_TABLES];
	struct wt_clockset *clocks;
	uint32_t clocks_cap;
	struct wt_log_fact *facts;
	uint32_t facts_cap;
	struct wt_log_range *ranges; /**< of its blocks, sorted */
	uint32_t n_ranges, ranges_cap;
	void **kept; /**< payloads the rows' strings point into */
	uint32_t n_kept, kept_cap;
	uint32_t bad_ids; /**< rows that named missing rows */
};

/** Schemas are shared by all segments that hold the same text. */
struct wt_log_schema {
	struct wt_provider *provider; /**< owned; NULL when the text is no manifest */
};

/** The objects that a thread needs to read blocks. */
struct wt_log_decoder {
	struct wt_log_unpacker *unpacker;
	struct wt_log_column_room room;
	struct wt_log_batch_store store;
};

struct wt_log_reader {
	int fd;
	char *name;
	struct wt_log_info info;
	struct wt_log_damage damages[WT_LOG_DAMAGES];
	struct wt_log_ref *refs;
	uint32_t n_refs, cap_refs;
	struct wt_log_tables *segments;
	uint32_t cap_segments;
	struct wt_intern numbers; /**< segment number -> index */
	struct wt_strings schema_texts;
	struct wt_log_schema *schemas; /**< by id of their text */
	uint32_t n_schemas, cap_schemas;
	uint64_t table_bytes, table_bound; /**< memory of all tables, and its bound */
	uint64_t schema_bytes;             /**< part of it for schemas, which stay */
	uint64_t followed;                 /**< of a growing log: everything before this offset is listed */
	uint64_t listed_damages;           /**< when the last block was listed */
	uint32_t together;                 /**< threads in a scan that they share; guarded by lock */
	uint32_t ordered;                  /**< damages kept when the first of these threads came */
	struct wt_log_decoder decoder;     /**< for tables; guarded by lock */
	struct wt_log_decoder spare;       /**< of the last scan, empty while in use; guarded by lock */
	pthread_mutex_t lock;
};

/** Notes a damage. Takes the lock unless locked. */
void wt_log_damage(struct wt_log_reader *log, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** Notes a damage, for callers that hold the lock. */
void wt_log_damage_locked(struct wt_log_reader *log, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Marks the block as damaged: it no longer counts. Takes the lock. */
void wt_log_condemn(struct wt_log_reader *log, struct wt_log_ref *ref, const char *what);

/** Called by threads that read blocks of one range together, when they begin and end. Damages that they
 * find are kept in the order of the file. */
void wt_log_together_begin(struct wt_log_reader *log);
void wt_log_together_end(struct wt_log_reader *log);

/** Gives *list room for at least `need` elements of `size` bytes. New elements are zero and count towards
 * the bound on table memory. 0; 1 when the bound is reached; -1 no memory. */
int wt_log_grow(struct wt_log_reader *log, void *list, uint32_t *cap, uint64_t need, size_t size);

/** Sets the bound on table memory from the file's size. */
void wt_log_bound_tables(struct wt_log_reader *log);

/** Lists all blocks of the file. */
int wt_log_list(struct wt_log_reader *log, uint64_t first_block, struct wt_err *err);

/** Lists the blocks from `from` to `to` of a growing log, or of a whole one that ends there. */
int wt_log_list_more(struct wt_log_reader *log, uint64_t from, uint64_t to, struct wt_err *err);

/** Adds a table block's rows to the segment. raw is the payload. Returns NULL, or a description of the
 * fault; *rc is -1 when there is no memory. */
const char *wt_log_take_rows(struct wt_log_reader *log, struct wt_log_tables *tables, enum wt_log_table table,
			     const struct wt_disk_block_header *header, const uint8_t *raw, int *rc);
/** Called after all rows: adds rows in place of missing ones, checks ids, and gives every frame a symbol. */
int wt_log_settle_rows(struct wt_log_reader *log, struct wt_log_tables *tables);
/** Adds a SCHEMA block. */
const char *wt_log_take_schema(struct wt_log_reader *log, struct wt_log_tables *tables,
			       const struct wt_disk_block_header *header, const uint8_t *raw, int *rc);
void wt_log_kinds_deinit(struct wt_log_tables *tables);
void wt_log_tables_deinit(struct wt_log_tables *tables);

int wt_log_decoder_init(struct wt_log_decoder *decoder, struct wt_err *err);
void wt_log_decoder_deinit(struct wt_log_decoder *decoder);
/** Take the reader's spare decoder or, when it is in use, a new one; and give it back. */
int wt_log_decoder_take(struct wt_log_reader *log, struct wt_log_decoder *ret, struct wt_err *err);
void wt_log_decoder_put(struct wt_log_reader *log, struct wt_log_decoder *decoder);
/** Reads an event block into decoder->store, with those columns (need NULL: all). 0; 1 damaged (noted); -1
 * failed. */
int wt_log_decode_block(struct wt_log_reader *log, struct wt_log_decoder *decoder, struct wt_log_ref *ref,
			const struct wt_log_need *need, struct wt_err *err);

/** Decides which blocks pass a filter, and remembers the answers of want. Zeroed is valid. */
struct wt_log_choice {
	uint8_t *answers; /**< of one segment, by kind: 0 not asked, 1 no, 2 yes */
	uint32_t segment; /**< index + 1 of it */
};
/** 1: the event block passes (its segment is loaded). 0: not. -1: failed. */
int wt_log_choose(struct wt_log_reader *log, const struct wt_log_filter *filter, struct wt_log_choice *choice,
		  struct wt_log_ref *ref, struct wt_err *err);
/** Index of the segment to which the block belongs; WT_LOG_NONE when it belongs to none. */
uint32_t wt_log_segment_of(const struct wt_log_reader *log, const struct wt_log_ref *ref);

#endif
