/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The columns of events and of table rows. The writer and the reader share these definitions, so that they
 * cannot disagree.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_LAYOUT_H
#define TRACECORE_LOGFMT_FORMAT_LAYOUT_H

#include "tracecore/logfmt/format/logfmt.h"
#include "tracecore/schema/schema.h"

/** The form of a field's values in its column. */
enum wt_log_storage {
	WT_LOG_WORD,    /**< integers: the value, sign-extended where the type is signed; for f64, its bits */
	WT_LOG_FLOAT,   /**< f32: integers that are its 32 bits */
	WT_LOG_CONTENT, /**< a counted scalar: items that are its bytes without the count */
	WT_LOG_PACKED,  /**< all other types: items that are the field's bytes, as in the payload */
};

struct wt_log_field_layout {
	enum wt_log_storage storage;
	uint8_t width; /**< of one element, bytes; 0 counted */
	bool is_signed;
	uint32_t fixed; /**< PACKED: the size of every item; 0 when sizes vary */
};

void wt_log_field_layout(const struct wt_field *field, struct wt_log_field_layout *ret);

/** Tables in the file: one column per member of the row. */
enum wt_log_table {
	WT_LOG_PROCESSES,
	WT_LOG_THREADS,
	WT_LOG_IMAGES,
	WT_LOG_FRAMES,
	WT_LOG_STACKS,
	WT_LOG_SYMBOLS
};
enum { WT_LOG_N_TABLES = 6, WT_LOG_TABLE_COLS = 10 /**< the most columns of a table */ };

struct wt_log_table_layout {
	uint8_t n_cols;
	uint16_t items; /**< bit c: column c holds items */
	uint16_t words; /**< bit c: column c holds integers of up to 64 bits, not 32 */
	uint16_t type;  /**< enum wt_disk_block_type */
};
extern const struct wt_log_table_layout wt_log_tables[WT_LOG_N_TABLES];

/** Column ids of the tables, in the order of wt_log_tables. */
enum {
	WT_LOG_PROCESS_PID,
	WT_LOG_PROCESS_PARENT,
	WT_LOG_PROCESS_START,
	WT_LOG_PROCESS_NAME,
	WT_LOG_PROCESS_EXE,
	WT_LOG_PROCESS_FLAGS,
	WT_LOG_PROCESS_COMMAND_LINE,
	WT_LOG_PROCESS_CGROUP,
	WT_LOG_PROCESS_CONTAINER,
	WT_LOG_PROCESS_INSIDE_PID
};
enum { WT_LOG_THREAD_PROCESS, WT_LOG_THREAD_TID, WT_LOG_THREAD_START, WT_LOG_THREAD_NAME };
enum {
	WT_LOG_IMAGE_KIND,
	WT_LOG_IMAGE_DEVICE,
	WT_LOG_IMAGE_INODE,
	WT_LOG_IMAGE_BUILD_ID,
	WT_LOG_IMAGE_PATH,
	WT_LOG_IMAGE_MAPPED,
	WT_LOG_IMAGE_CHANGED,
	WT_LOG_IMAGE_MODIFIED,
	WT_LOG_IMAGE_LINKS
};
enum { WT_LOG_FRAME_IMAGE, WT_LOG_FRAME_OFFSET };
enum { WT_LOG_STACK_BACK, WT_LOG_STACK_FRAME, WT_LOG_STACK_FLAGS, WT_LOG_STACK_STATUS };
enum {
	WT_LOG_SYMBOL_NAME,
	WT_LOG_SYMBOL_RAW,
	WT_LOG_SYMBOL_FILE,
	WT_LOG_SYMBOL_LINE,
	WT_LOG_SYMBOL_OFFSET,
	WT_LOG_SYMBOL_REASON,
	WT_LOG_SYMBOL_INLINED
};
/** Bit 0 of the flags columns. */
enum { WT_LOG_PROCESS_SELF = 1, WT_LOG_STACK_KERNEL = 1 };

#endif
