/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The generated code of one process: names and unwind rules by address and time.
 *
 * Filled from files that the process itself writes (perf_map.h, jitdump.h), so all of it is hostile: memory
 * is bounded, and so is the work of a look-up. A piece reaches to the moment in which another one lies at the
 * same addresses; where no times are known (perf maps), a later piece wins, and the name of a piece that
 * shares addresses with one of another name may be wrong and is said to be so. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_CODE_MAP_H
#define CONSUMERS_SYMBOLS_CODE_MAP_H

#include "consumers/symbols/code_rules.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"
#include "tracecore/base/str.h"

/** Longest name kept; longer ones are cut. */
#define WT_CODE_NAME_MAX 4096
/** The precision to which clocks of writer and kernel are compared, ns. */
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
	struct wt_code_span rules;
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
	struct wt_code_rules rules;
	uint64_t bound; /**< bytes it may take */
	bool cut;       /**< the bound was reached: the missing pieces may lie anywhere */
	bool doubted;   /**< nothing in it is sure */
	uint64_t sure;  /**< session clock: nor is what was asked of earlier times */
};

/** The code that was at an address. */
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
/** Adds unwind rules for the piece that is added next, which gets what is returned. */
struct wt_code_span wt_code_map_add_rules(struct wt_code_map *map, struct wt_cursor eh_frame);
/** The piece that the writer gave that number, and that lies there: it lies at `to` from that time on. */
void wt_code_map_move(struct wt_code_map *map, uint64_t index, uint64_t old, uint64_t to, uint64_t size,
		      uint64_t time);

/** Finds the code at the address from the first to the last of these times; false: it is unknown. */
bool wt_code_map_find(struct wt_code_map *map, uint64_t address, uint64_t first, uint64_t last,
		      struct wt_code_hit *ret);
/** The rule by which a stack is walked through the code at the address at that time, as the program itself
 * reports it. NULL: the program reports none, or the times of its report are not known. Valid until more
 * is added to the map. */
const struct wt_abi_unwind_rule *wt_code_map_rule(struct wt_code_map *map, uint64_t address, uint64_t time);
/** A number that changes whenever other code comes to the address, as far as the map knows by now; 0: before
 * the first change. */
uint64_t wt_code_map_since(struct wt_code_map *map, uint64_t address, uint64_t time);

uint64_t wt_code_map_bytes(const struct wt_code_map *map);
void wt_code_map_deinit(struct wt_code_map *map);

#endif
