/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What lay where in one process's generated code, and when: names by address and time.
 *
 * Filled from what the process wrote of itself (perf_map.h, jitdump.h), so all of it is hostile: memory is
 * bounded, and what a look-up looks at is. A piece reaches to the moment in which another one lies at the
 * same addresses; where nobody tells times (perf maps), a later piece wins, and the name of a piece that
 * shares addresses with one of another name may be wrong and is said to be so. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_CODE_MAP_H
#define CONSUMERS_SYMBOLS_CODE_MAP_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"
#include "tracecore/base/str.h"

/** Longest name kept; longer ones are cut. */
#define WT_CODE_NAME_MAX 4096
/** Clocks of writer and kernel are compared no better than that, ns. */
#define WT_CODE_SLACK UINT64_C(20000)
/** Pieces that one look-up looks at, at most: where more lie, none is sure. */
#define WT_CODE_LOOKS 512

struct wt_code_piece {
	uint64_t start, end;
	uint64_t from;  /**< session clock: lies there since; 0: unknown */
	uint64_t until; /**< session clock: it moved away; UINT64_MAX: unknown */
	uint64_t index; /**< the writer's number for it; 0: none */
	uint32_t order; /**< as reported */
	uint32_t name, name_len;
	uint32_t line, n_lines; /**< first of its lines, and how many */
	uint64_t moved;         /**< by so much since its lines were reported, modulo 2^64 */
};

/** From that address on. */
struct wt_code_line {
	uint64_t address;
	uint32_t file, file_len; /**< in texts */
	uint32_t line;
};

/** Zeroed with a bound it is a valid empty map. */
struct wt_code_map {
	struct wt_code_piece *list; /**< owned; the first n_sorted by start */
	uint32_t n, cap, n_sorted;
	uint64_t *reach; /**< owned; the end farthest up among those up to here */
	uint32_t cap_reach;
	struct wt_code_line *lines; /**< owned */
	uint32_t n_lines, cap_lines;
	struct wt_buf texts;
	uint64_t bound; /**< bytes it may take */
	bool cut;       /**< it would have taken more: what is missing may be anywhere */
	bool doubted;   /**< nothing in it is sure */
};

/** What lay at an address. */
struct wt_code_hit {
	struct wt_str name, file; /**< in the map */
	uint64_t offset;
	uint32_t line;
	bool sure; /**< nothing else can have been there at those times */
};

/** Adds a piece (name and lines are taken over as they are in piece). Empty ones, and what goes beyond the
 * bound, are left out. */
void wt_code_map_add(struct wt_code_map *map, const struct wt_code_piece *piece, struct wt_str name);
/** Adds a line for the piece that is added next, which says how many there are. */
void wt_code_map_add_line(struct wt_code_map *map, uint64_t address, struct wt_str file, uint32_t line);
/** The piece that the writer gave that number, and that lies there: it lies at `to` from that time on. */
void wt_code_map_move(struct wt_code_map *map, uint64_t index, uint64_t old, uint64_t to, uint64_t size,
		      uint64_t time);

/** What lay at the address from the first to the last of these times; false: nothing is known. */
bool wt_code_map_find(struct wt_code_map *map, uint64_t address, uint64_t first, uint64_t last,
		      struct wt_code_hit *ret);
/** A number that differs wherever something else lay at the address before, as far as the map knows by now;
 * 0: before the first change. */
uint64_t wt_code_map_since(struct wt_code_map *map, uint64_t address, uint64_t time);

uint64_t wt_code_map_bytes(const struct wt_code_map *map);
void wt_code_map_deinit(struct wt_code_map *map);

#endif
