/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The frozen layouts of a log file. LOGFORMAT.md is the specification; names here follow its terms.
 *
 * Structs are little-endian, naturally aligned, without padding; they are copied from and to private bytes
 * with memcpy, never laid over foreign memory. Every size and offset is asserted below.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_LOGFMT_H
#define TRACECORE_LOGFMT_FORMAT_LOGFMT_H

#include <stddef.h>
#include <stdint.h>

#define WT_DISK_FILE_MAGIC  "\x89WTL\r\n\x1a\n"
#define WT_DISK_END_MAGIC   "WTLOGEND"
#define WT_DISK_BLOCK_MAGIC UINT32_C(0x425457d7) /**< bytes d7 'W' 'T' 'B' */

enum {
	WT_DISK_VERSION_MAJOR = 1,
	WT_DISK_VERSION_MINOR = 2,
	WT_DISK_ALIGN = 8, /**< every block starts at a multiple of this */
};

/** Bounds of version 1. A writer keeps them; a reader refuses a block that exceeds them. */
enum {
	WT_DISK_MAX_FILE_HEADER = 4096,
	WT_DISK_MAX_RAW = 16 << 20,                       /**< bytes of a payload before compression */
	WT_DISK_MAX_STORED = WT_DISK_MAX_RAW + (1 << 16), /**< bytes of a payload in the file */
	WT_DISK_MAX_ROWS = 1 << 16,                       /**< events or rows in one block */
	WT_DISK_MAX_ITEMS = 16 << 20,  /**< bytes of all items of one event block, dictionaries expanded */
	WT_DISK_MAX_KINDS = 1 << 18,   /**< kinds of one segment */
	WT_DISK_MAX_PAYLOAD = 1 << 20, /**< bytes of one event's payload */
};

/** Segment number of blocks that belong to no segment. */
#define WT_DISK_NO_SEGMENT UINT32_MAX

struct wt_disk_file_header {
	uint8_t magic[8];
	uint16_t version_major;
	uint16_t version_minor;
	uint16_t header_size; /**< where the first block starts */
	uint16_t clock;       /**< enum wt_disk_clock */
	uint8_t session_id[16];
	uint64_t raw, mono, realtime; /**< the three clocks when the file was started, ns */
	uint32_t flags;               /**< none defined: 0 */
	uint32_t crc;                 /**< of the 60 bytes before */
};
_Static_assert(sizeof(struct wt_disk_file_header) == 64, "file header");
_Static_assert(offsetof(struct wt_disk_file_header, session_id) == 16, "file header");
_Static_assert(offsetof(struct wt_disk_file_header, raw) == 32, "file header");
_Static_assert(offsetof(struct wt_disk_file_header, crc) == 60, "file header");

/** The clock of the times in a block. */
enum wt_disk_clock {
	WT_DISK_CLOCK_RAW = 0,  /**< CLOCK_MONOTONIC_RAW, ns */
	WT_DISK_CLOCK_TICK = 1, /**< counter ticks; reserved, not written by version 1.0 */
};

enum wt_disk_codec { WT_DISK_CODEC_NONE = 0, WT_DISK_CODEC_ZSTD = 1 };

enum wt_disk_block_type {
	WT_DISK_SEGMENT_BEGIN = 1,
	WT_DISK_SCHEMA = 2,
	WT_DISK_CLOCK = 3,
	WT_DISK_PROCESSES = 4,
	WT_DISK_THREADS = 5,
	WT_DISK_IMAGES = 6,
	WT_DISK_FRAMES = 7,
	WT_DISK_STACKS = 8,
	WT_DISK_EVENTS = 9,
	WT_DISK_CHECKPOINT = 10,
	WT_DISK_SEGMENT_END = 11,
	WT_DISK_SYMBOLS = 12,
	WT_DISK_INDEX = 13,
	WT_DISK_RANGES = 14,
	WT_DISK_DROPPED = 15,
};

/** Tables of rows are the types FIRST_TABLE .. FIRST_TABLE + N_TABLES - 1. */
enum { WT_DISK_FIRST_TABLE = WT_DISK_PROCESSES, WT_DISK_N_TABLES = 5 };

/** A block with one of these flags set that the reader does not know cannot be read, only skipped. */
#define WT_DISK_FLAGS_NEEDED UINT16_C(0xff00)

struct wt_disk_block_header {
	uint32_t magic;
	uint32_t header_crc; /**< of the 64 bytes that follow it */
	uint16_t type;       /**< enum wt_disk_block_type */
	uint16_t flags;
	uint32_t segment;
	uint32_t sequence; /**< of the block in the file, from 0; wraps */
	uint32_t cpu;      /**< UINT32_MAX: several or none */
	uint32_t kind;     /**< EVENTS only; else UINT32_MAX */
	uint32_t first;    /**< id of the first row, kind or entry; 0 for other blocks */
	uint32_t count;    /**< events, rows, entries */
	uint32_t lost;     /**< EVENTS: events of this kind that the writer dropped before this block;
			    * saturates */
	uint64_t time_min, time_max; /**< of events; else 0 */
	uint32_t raw_size;           /**< payload bytes before compression */
	uint32_t stored_size;        /**< payload bytes in the file, without padding */
	uint32_t payload_crc;        /**< of the stored bytes */
	uint8_t codec;               /**< enum wt_disk_codec */
	uint8_t clock;               /**< enum wt_disk_clock */
	uint16_t reserved;           /**< 0 */
};
_Static_assert(sizeof(struct wt_disk_block_header) == 72, "block header");
_Static_assert(offsetof(struct wt_disk_block_header, type) == 8, "block header");
_Static_assert(offsetof(struct wt_disk_block_header, count) == 32, "block header");
_Static_assert(offsetof(struct wt_disk_block_header, time_min) == 40, "block header");
_Static_assert(offsetof(struct wt_disk_block_header, raw_size) == 56, "block header");
_Static_assert(offsetof(struct wt_disk_block_header, codec) == 68, "block header");

/** The last bytes of a complete file. */
struct wt_disk_end_mark {
	uint8_t magic[8];
	uint64_t index_offset; /**< of the first INDEX block */
	uint64_t file_bytes;   /**< the file's size, with this mark */
	uint32_t index_blocks; /**< INDEX blocks, one after the other */
	uint32_t crc;          /**< of the 28 bytes before */
};
_Static_assert(sizeof(struct wt_disk_end_mark) == 32, "end mark");
_Static_assert(offsetof(struct wt_disk_end_mark, crc) == 28, "end mark");

/** One entry of an INDEX block. */
struct wt_disk_index_entry {
	uint64_t offset;
	struct wt_disk_block_header header;
};
_Static_assert(sizeof(struct wt_disk_index_entry) == 80, "index entry");

struct wt_disk_clockset {
	uint64_t tick, raw, mono, realtime;
};
_Static_assert(sizeof(struct wt_disk_clockset) == 32, "clock set");

struct wt_disk_position {
	uint32_t source;
	uint32_t reserved; /**< 0 */
	uint64_t position;
};
_Static_assert(sizeof(struct wt_disk_position) == 16, "position");

struct wt_disk_segment_end {
	uint64_t events;
	uint32_t rows[WT_DISK_N_TABLES]; /**< in the order of the block types */
	uint32_t reserved;               /**< 0 */
};
_Static_assert(sizeof(struct wt_disk_segment_end) == 32, "segment end");

/** The begin of a DROPPED block. For each line follow: counted provider and name, u32 cpu, u64 events. */
struct wt_disk_dropped {
	uint64_t segments, events;
};
_Static_assert(sizeof(struct wt_disk_dropped) == 16, "dropped");

/** Precedes every column of a table or event block. */
struct wt_disk_column {
	uint16_t id;
	uint8_t encoding; /**< enum wt_disk_encoding */
	uint8_t width;
	uint32_t length; /**< bytes that follow */
};
_Static_assert(sizeof(struct wt_disk_column) == 8, "column header");

enum wt_disk_encoding {
	WT_DISK_FOR = 1,        /**< integers: base + planes */
	WT_DISK_DELTA = 2,      /**< integers: first, least delta + planes */
	WT_DISK_DICT = 3,       /**< integers: entries + planes of indices */
	WT_DISK_FIXED = 4,      /**< items of `width` bytes each */
	WT_DISK_BYTES = 5,      /**< items: lengths, then the bytes */
	WT_DISK_BYTES_DICT = 6, /**< items: distinct items, then indices */
	/* of version 1.1, in EVENTS */
	WT_DISK_SAME = 7,     /**< integers: another column, and where it misses */
	WT_DISK_LAST = 8,     /**< integers: the last value beside an equal value of the key, and where
			       * that misses */
	WT_DISK_NUMBERED = 9, /**< items: distinct forms with gaps, indices, numbers in the gaps */
	/* of version 1.2, in EVENTS */
	WT_DISK_TICKS = 10, /**< integers: ticks of a clock, their length, pieces with an offset each */
};

enum {
	WT_DISK_FOLLOWED = 256,       /**< only the first so many columns may be followed by others */
	WT_DISK_GAP = 0x1a,           /**< in a form: the place of a number */
	WT_DISK_TICK_BITS = 48,       /**< fraction bits of the unit of TICKS */
	WT_DISK_TICK_OFFSET_BITS = 8, /**< of its offsets */
};

/** Column ids of EVENTS blocks. */
enum {
	WT_DISK_EVENT_TIME = 0,
	WT_DISK_EVENT_CPU = 1, /**< CPU + 1; 0 none */
	WT_DISK_EVENT_THREAD = 2,
	WT_DISK_EVENT_STACK = 3,
	WT_DISK_EVENT_FLAGS = 4,
	WT_DISK_EVENT_ACTIVITY = 5, /**< items of 16 bytes or none */
	WT_DISK_EVENT_RELATED = 6,
	WT_DISK_EVENT_FIELD = 16, /**< of field 0; field i is this + i */
};
/** Column ids of RANGES blocks. */
enum {
	WT_DISK_RANGE_KIND = 0,
	WT_DISK_RANGE_TIME = 1,
	WT_DISK_RANGE_COUNT = 2,
	WT_DISK_RANGE_FIELD = 3,
	WT_DISK_RANGE_LEAST = 4,
	WT_DISK_RANGE_MOST = 5,
	WT_DISK_RANGE_COLUMNS = 6,
};
/* Bits of the flags column. */
enum {
	WT_DISK_EVENT_SELF = 1,    /**< caused by the recorder */
	WT_DISK_EVENT_CLAIMED = 2, /**< pid and tid are claims of another user's program */
};

#endif
