/* SPDX-License-Identifier: MIT */
/** @file Inside the reader: the state of a ring's reader, and the directory's list of readers. One thread. */
#ifndef TRACECORE_RING_READING_H
#define TRACECORE_RING_READING_H

#include <dirent.h>

#include "tracecore/base/allowance.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/dir_time.h"
#include "tracecore/ring/ring_page.h"
#include "tracecore/ring/ring_reader.h"

/** A reader's position in its ring. If begun, the block's header was checked. */
struct wt_reading_at {
	uint64_t sequence;
	uint32_t slot;
	uint32_t offset; /**< of the next byte to be copied */
	bool begun;
	bool astray; /**< a record was invalid: the rest of the block is skipped */
};

/** A block read to its end and not yet released. */
struct wt_reading_done {
	uint64_t sequence;
	uint32_t slot;
};

struct wt_ring_reader {
	struct wt_ring_file *file; /**< the directory's */
	struct wt_abi_ring *page;  /**< mapped; hostile */
	const uint8_t *view;       /**< mapping of all blocks; hostile. NULL: they are read with pread */
	uint64_t base;             /**< of the ring in its file */
	/* Geometry: checked once, never read again. */
	uint32_t block_bytes, max_blocks, data;
	uint8_t counter, is_lane;
	uint32_t cpu, pid, id;
	uint64_t pid_ns, birth;
	uint64_t bytes; /**< taken from the allowance */
	uint64_t head;  /**< the head at the last refresh; 0: no valid head yet */
	struct wt_reading_at at;
	uint8_t *copy; /**< block_bytes: bytes [at.offset - n, at.offset) of the block */
	uint32_t n, pos;
	struct wt_reading_done *done; /**< max_blocks */
	uint32_t n_done;
	uint32_t needed[2]; /**< the most blocks unread: in this period, in the last one */
	uint64_t period;    /**< start of this period; 0: never released */
	uint32_t top_slot;  /**< highest one that has memory */
	uint32_t spare;     /**< as the page has it */
	uint32_t ready;     /**< slots below this one keep their memory */
	uint32_t charged;   /**< this many slots have memory from this process, charged to the allowance */
	bool refused;       /**< the allowance had nothing left for that */
	uint64_t holes;
	uint64_t damaged;
	uint64_t effort;   /**< since the last wt_ring_reader_effort */
	uint64_t last_bad; /**< the head that was last counted as damage */
	uint64_t looked;   /**< session clock when all losses were last looked at; 0: never */
	struct {
		uint64_t count, last; /**< at the last look: reported or taken for damage */
	} reported[WT_ABI_LOSSES];
};

struct wt_ring_file {
	int fd; /**< -1: not a ring file; remembered so that it is not examined again */
	bool is_lanes;
	uint32_t n_readers;
	uint32_t index;  /**< in the directory's files */
	uint32_t number; /**< from the name; the ids of rings follow from it */
	uint32_t next;   /**< next file with the same hash of the name: index + 1 */
	uint32_t bytes;  /**< taken from the allowance, for the descriptor */
	uint64_t ino;
	struct wt_allowance *allowance; /**< the directory's */
	char name[64];
	struct wt_abi_lanes lanes; /**< private copy */
	uint8_t *opened;           /**< by lane */
};

struct wt_ring_directory {
	int dir_fd;              /**< the caller's */
	int inotify_fd;          /**< -1: none */
	struct wt_dir_time time; /**< used where there is no inotify */
	uid_t owner;
	char *path;
	bool scanned;
	bool heard; /**< see wt_ring_directory_heard */
	bool changed;
	bool full;                      /**< there are more files than may be read: reported once */
	struct wt_allowance *allowance; /**< borrowed; NULL: the directory's user is trusted */
	DIR *listing;                   /**< under way; NULL: none is */
	uint32_t lanes_from;            /**< of the file in which lanes are looked for next */
	struct wt_ring_file **files;
	uint32_t n_files;
	uint32_t *heads; /**< by hash of the name: a file's index + 1; n_heads entries, a power of 2 */
	uint32_t n_heads;
	struct wt_ring_reader **rings;
	uint32_t n_rings;
};

/** Reads and checks the ring at `base`; 0, or -1: not a ring (errno 0) or no memory. */
int wt_reading_open(struct wt_ring_file *file, uint64_t base, uint64_t limit, struct wt_ring_reader **ret);
void wt_reading_destroy(struct wt_ring_reader *ring);

#endif
