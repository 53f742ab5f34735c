/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/code_map.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

uint64_t wt_code_map_bytes(const struct wt_code_map *map)
{
	return (uint64_t)map->cap * sizeof(*map->list) + (uint64_t)map->cap_reach * sizeof(*map->reach) +
	       (uint64_t)map->cap_lines * sizeof(*map->lines) + map->texts.len +
	       wt_code_rules_bytes(&map->rules);
}

static bool has_room(struct wt_code_map *map, uint64_t bytes)
{
	uint64_t used = (uint64_t)map->n * (sizeof(*map->list) + sizeof(*map->reach)) +
			(uint64_t)map->n_lines * sizeof(*map->lines) + map->texts.len +
			wt_code_rules_bytes(&map->rules);

	if (used + bytes <= map->bound && map->texts.len + bytes < UINT32_MAX && map->n < UINT32_MAX / 2)
		return true;
	map->cut = true;
	return false;
}

/* Copies the text; false: there was no room. */
static bool put_text(struct wt_code_map *map, struct wt_str text, uint32_t *at, uint32_t *len)
{
	*len = text.len < WT_CODE_NAME_MAX ? text.len : WT_CODE_NAME_MAX;
	*at = (uint32_t)map->texts.len;
	wt_buf_put(&map->texts, text.p, *len);
	if (map->texts.failed)
		map->cut = true;
	return !map->texts.failed;
}

static void put(struct wt_code_map *map, const struct wt_code_piece *piece)
{
	if (wt_grow(&map->list, &map->cap, map->n, 1, NULL)) {
		map->cut = true;
		return;
	}
	map->list[map->n] = *piece;
	map->list[map->n].order = map->n;
	map->n++;
}

void wt_code_map_add(struct wt_code_map *map, const struct wt_code_piece *piece, struct wt_str name)
{
	struct wt_code_piece copy = *piece;

	if (piece->end <= piece->start || !name.len ||
	    !has_room(map, sizeof(*piece) + sizeof(*map->reach) + name.len))
		return;
	if (copy.n_lines > map->n_lines)
		copy.n_lines = 0;
	copy.line = map->n_lines - copy.n_lines;
	if (put_text(map, name, &copy.name, &copy.name_len))
		put(map, &copy);
}

void wt_code_map_add_line(struct wt_code_map *map, uint64_t address, struct wt_str file, uint32_t line)
{
	const struct wt_code_line *last = map->n_lines ? &map->lines[map->n_lines - 1] : NULL;
	struct wt_code_line row = {.address = address, .line = line};

	if (!has_room(map, sizeof(row) + file.len))
		return;
	if (!file.len) {
		row.file_len = 0;
	} else if (last && last->file_len == file.len &&
		   !memcmp(map->texts.data + last->file, file.p, file.len)) {
		row.file = last->file;
		row.file_len = last->file_len;
	} else if (!put_text(map, file, &row.file, &row.file_len)) {
		return;
	}
	if (wt_grow(&map->lines, &map->cap_lines, map->n_lines, 1, NULL))
		map->cut = true;
	else
		map->lines[map->n_lines++] = row;
}

struct wt_code_span wt_code_map_add_rules(struct wt_code_map *map, struct wt_cursor eh_frame)
{
	/* Two bytes of it may be a row, and a rule of its own. */
	uint64_t most = (uint64_t)wt_cur_left(&eh_frame) * sizeof(struct wt_abi_unwind_rule);

	if (wt_cur_left(&eh_frame) > WT_CODE_RULES_PIECE)
		return (struct wt_code_span){0};
	return has_room(map, most) ? wt_code_rules_add(&map->rules, eh_frame) : (struct wt_code_span){0};
}

static int by_start(const void *a, const void *b)
{
	const struct wt_code_piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Merges two sorted stretches of one list. */
static bool merge(struct wt_code_piece *list, uint32_t n_first, uint32_t n)
{
	uint32_t n_second = n - n_first, i = n_first, j = n_second, at = n;
	struct wt_code_piece *second;

	if (!n_first || by_start(&list[n_first - 1], &list[n_first]) < 0)
		return true;
	second = malloc(n_second * sizeof(*second));
	if (!second)
		return false;
	memcpy(second, list + n_first, n_second * sizeof(*second));
	while (j)
		list[--at] = i && by_start(&list[i - 1], &second[j - 1]) > 0 ? list[--i] : second[--j];
	free(second);
	return true;
}

/* False: memory is out, and nothing can be found. */
static bool settle(struct wt_code_map *map)
{
	uint64_t reach = 0;

	if (map->n_sorted == map->n)
		return true;
	if (wt_grow(&map->reach, &map->cap_reach, 0, map->n, NULL))
		return false;
	qsort(map->list + map->n_sorted, map->n - map->n_sorted, sizeof(*map->list), by_start);
	if (!merge(map->list, map->n_sorted, map->n))
		return false;
	map->n_sorted = map->n;
	for (uint32_t i = 0; i < map->n; i++) {
		reach = map->list[i].end > reach ? map->list[i].end : reach;
		map->reach[i] = reach;
	}
	return true;
}

/* The pieces that share an address with [start, end), from the last on. */
struct look {
	const struct wt_code_map *map;
	uint64_t start, end;
	uint32_t at;    /* those below it are left */
	uint32_t looks; /* left */
};

static struct look look_at(const struct wt_code_map *map, uint64_t start, uint64_t end)
{
	struct look look = {.map = map, .start = start, .end = end, .looks = WT_CODE_LOOKS};
	uint32_t from = WT_BOUND(i, 0, map->n, map->list[i].start < end);

	look.at = from;
	return look;
}

static const struct wt_code_piece *next(struct look *look)
{
	while (look->at && look->map->reach[look->at - 1] > look->start) {
		if (!look->looks)
			return NULL;
		look->looks--;
		if (look->map->list[--look->at].end > look->start)
			return &look->map->list[look->at];
	}
	return NULL;
}

static bool is_later(const struct wt_code_piece *a, const struct wt_code_piece *b)
{
	return a->from != b->from ? a->from > b->from : a->order > b->order;
}

/* The piece that lies at the address at that time; NULL: none. *before counts the pieces that lay there until
 * then. */
static const struct wt_code_piece *current(const struct wt_code_map *map, uint64_t address, uint64_t time,
					   uint32_t *before)
{
	struct look look = look_at(map, address, address + 1);
	const struct wt_code_piece *best = NULL, *piece;

	*before = 0;
	while ((piece = next(&look))) {
		if (piece->from > time)
			continue;
		++*before;
		if (!best || is_later(piece, best))
			best = piece;
	}
	return best;
}

void wt_code_map_move(struct wt_code_map *map, uint64_t index, uint64_t old, uint64_t to, uint64_t size,
		      uint64_t time)
{
	const struct wt_code_piece *found = NULL, *piece;
	struct look look;
	struct wt_code_piece moved;

	if (old == UINT64_MAX || to > UINT64_MAX - size || !settle(map))
		return;
	look = look_at(map, old, old + 1);
	while ((piece = next(&look)))
		if (piece->start == old && piece->index == index && piece->from <= time &&
		    piece->until == UINT64_MAX && (!found || is_later(piece, found)))
			found = piece;
	if (!found || !has_room(map, sizeof(*found) + sizeof(*map->reach)))
		return;
	moved = *found;
	moved.start = to;
	moved.end = to + (size ? size : found->end - found->start);
	moved.from = time;
	moved.moved += to - old;
	map->list[found - map->list].until = time;
	if (moved.end > moved.start)
		put(map, &moved);
}

static bool same_name(const struct wt_code_map *map, const struct wt_code_piece *a,
		      const struct wt_code_piece *b)
{
	return a->name_len == b->name_len &&
	       !memcmp(map->texts.data + a->name, map->texts.data + b->name, a->name_len);
}

/* True when another piece may have been at the address between first and last, if `piece` was there at the
 * last time. A piece that lost some of its addresses to another one is no longer there. */
static bool is_disputed(const struct wt_code_map *map, const struct wt_code_piece *piece, uint64_t address,
			uint64_t first, uint64_t last)
{
	struct look look = look_at(map, piece->start, piece->end);
	const struct wt_code_piece *other;

	while ((other = next(&look))) {
		bool there = other->start <= address && address < other->end;

		if (other == piece || same_name(map, other, piece) ||
		    (other->from && other->from > last + WT_CODE_SLACK))
			continue;
		if (!other->from || !piece->from || is_later(other, piece) ||
		    (there && piece->from + WT_CODE_SLACK > first))
			return true;
	}
	return !look.looks;
}

/* The two are one, or the second followed the first at once. */
static bool is_unbroken(const struct wt_code_piece *at_first, const struct wt_code_piece *at_last)
{
	return at_first == at_last || at_first->until >= at_last->from;
}

static void put_line(const struct wt_code_map *map, const struct wt_code_piece *piece, uint64_t address,
		     struct wt_code_hit *ret)
{
	const struct wt_code_line *best = NULL;

	address -= piece->moved;
	for (uint32_t i = 0; i < piece->n_lines; i++) {
		const struct wt_code_line *line = &map->lines[piece->line + i];

		if (line->address <= address && (!best || line->address >= best->address))
			best = line;
	}
	if (!best || !best->file_len)
		return;
	ret->file = wt_str_of(map->texts.data + best->file, best->file_len);
	ret->line = best->line;
}

bool wt_code_map_find(struct wt_code_map *map, uint64_t address, uint64_t first, uint64_t last,
		      struct wt_code_hit *ret)
{
	const struct wt_code_piece *piece, *at_last;
	uint32_t ignored;

	if (address == UINT64_MAX || !map->n || !settle(map))
		return false;
	piece = current(map, address, first, &ignored);
	at_last = current(map, address, last, &ignored);
	if (!at_last || at_last->until <= first)
		return false;
	*ret = (struct wt_code_hit){
		.name = wt_str_of(map->texts.data + at_last->name, at_last->name_len),
		.offset = address - at_last->start,
		.sure = !map->cut && !map->doubted && first >= map->sure && piece &&
			is_unbroken(piece, at_last) && same_name(map, piece, at_last) &&
			at_last->until > last + WT_CODE_SLACK &&
			!is_disputed(map, at_last, address, first, last),
	};
	put_line(map, at_last, address, ret);
	return true;
}

const struct wt_abi_unwind_rule *wt_code_map_rule(struct wt_code_map *map, uint64_t address, uint64_t time)
{
	const struct wt_code_piece *piece;
	uint32_t ignored;

	if (address == UINT64_MAX || !map->n || map->cut || map->doubted || !settle(map))
		return NULL;
	piece = current(map, address, time, &ignored);
	return piece && piece->until > time
		       ? wt_code_rules_find(&map->rules, piece->rules, address - piece->start)
		       : NULL;
}

uint64_t wt_code_map_since(struct wt_code_map *map, uint64_t address, uint64_t time)
{
	const struct wt_code_piece *piece;
	uint32_t before;

	if (address == UINT64_MAX || !map->n || !settle(map))
		return 0;
	piece = current(map, address, time, &before);
	if (!piece)
		return 0;
	if (piece->until <= time)
		return piece->until;
	return before > 1 ? piece->from : 0;
}

void wt_code_map_deinit(struct wt_code_map *map)
{
	free(map->list);
	free(map->reach);
	free(map->lines);
	wt_buf_deinit(&map->texts);
	wt_code_rules_deinit(&map->rules);
	*map = (struct wt_code_map){.bound = map->bound};
}
