/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/jitdump.h"

#include <string.h>

#define MAGIC          UINT32_C(0x4a695444)
#define ARCH_TIMESTAMP 1u

static void give_up(struct wt_jitdump *dump)
{
	dump->ended = dump->broken = true;
	/* The lost rest of the file could have been about any address. */
	dump->map->doubted = true;
}

/* {magic, version, bytes, machine, pad, pid, time, flags} */
static size_t take_header(struct wt_jitdump *dump, struct wt_cursor cur)
{
	uint32_t magic = wt_cur_u32(&cur), version = wt_cur_u32(&cur), size = wt_cur_u32(&cur);
	uint64_t flags;

	wt_cur_bytes(&cur, 20);
	flags = wt_cur_u64(&cur);
	if (cur.bad)
		return 0;
	if (magic != MAGIC || version != 1 || size < WT_JITDUMP_HEADER || size > WT_JITDUMP_RECORD) {
		give_up(dump);
		return 0;
	}
	if (!wt_cur_bytes(&cur, size - WT_JITDUMP_HEADER))
		return 0;
	if (flags & ARCH_TIMESTAMP)
		dump->map->doubted = true;
	dump->begun = true;
	return size;
}

/* A name ends with a zero; NULL: it does not. */
static const char *text(struct wt_cursor *cur, uint32_t *len)
{
	const uint8_t *end = wt_cur_left(cur) ? memchr(cur->pos, 0, wt_cur_left(cur)) : NULL;
	const char *start = (const char *)cur->pos;

	if (!end) {
		cur->bad = true;
		return NULL;
	}
	*len = (uint32_t)(end - cur->pos);
	wt_cur_bytes(cur, (size_t)*len + 1);
	return start;
}

/* {pid, tid, vma, address, size, index}, name, code */
static void take_load(struct wt_jitdump *dump, struct wt_cursor cur, uint64_t time)
{
	struct wt_code_piece piece = {.from = time, .until = UINT64_MAX};
	struct wt_str name = {0};
	uint64_t size;

	wt_cur_bytes(&cur, 16);
	piece.start = wt_cur_u64(&cur);
	size = wt_cur_u64(&cur);
	piece.index = wt_cur_u64(&cur);
	name.p = text(&cur, &name.len);
	if (cur.bad || size > UINT64_MAX - piece.start)
		return;
	piece.end = piece.start + size;
	if (dump->n_lines && dump->lines_of == piece.start)
		piece.n_lines = dump->n_lines;
	piece.rules = dump->rules;
	dump->n_lines = 0;
	dump->rules = (struct wt_code_span){0};
	wt_code_map_add(dump->map, &piece, name);
}

/* {pid, tid, vma, old address, new address, size, index} */
static void take_move(struct wt_jitdump *dump, struct wt_cursor cur, uint64_t time)
{
	uint64_t old, to, size, index;

	wt_cur_bytes(&cur, 16);
	old = wt_cur_u64(&cur);
	to = wt_cur_u64(&cur);
	size = wt_cur_u64(&cur);
	index = wt_cur_u64(&cur);
	if (!cur.bad)
		wt_code_map_move(dump->map, index, old, to, size, time);
}

/* {code, n}, then n times {address, line, discriminator}, file; a file of the two bytes ff 00 is the last
 * one.
 */
static void take_lines(struct wt_jitdump *dump, struct wt_cursor cur)
{
	struct wt_str file = {0};
	uint64_t n, before = dump->map->n_lines;

	dump->lines_of = wt_cur_u64(&cur);
	n = wt_cur_u64(&cur);
	for (uint64_t i = 0; i < n && !cur.bad; i++) {
		uint64_t address = wt_cur_u64(&cur);
		uint32_t line = wt_cur_u32(&cur), len = 0;
		const char *name;

		wt_cur_u32(&cur);
		name = text(&cur, &len);
		if (cur.bad)
			break;
		if (len != 1 || (uint8_t)*name != 0xff)
			file = wt_str_of(name, len);
		wt_code_map_add_line(dump->map, address, file, line);
	}
	dump->n_lines = dump->map->n_lines - (uint32_t)before;
}

/* {bytes of what follows, of .eh_frame_hdr at its end, mapped}, .eh_frame, .eh_frame_hdr */
static void take_unwinding(struct wt_jitdump *dump, struct wt_cursor cur)
{
	uint64_t size = wt_cur_u64(&cur), header = wt_cur_u64(&cur);

	wt_cur_u64(&cur);
	dump->rules = (struct wt_code_span){0};
	if (!cur.bad && header < size && size <= wt_cur_left(&cur))
		dump->rules = wt_code_map_add_rules(dump->map, wt_cur_sub(&cur, (size_t)(size - header)));
}

static void take_record(struct wt_jitdump *dump, uint32_t id, uint64_t mono, struct wt_cursor cur)
{
	uint64_t time = dump->clock(dump->clock_ctx, mono);

	/* A time of 0 means unknown. */
	time += !time;
	switch (id) {
	case WT_JITDUMP_LOAD:
		take_load(dump, cur, time);
		break;
	case WT_JITDUMP_MOVE:
		take_move(dump, cur, time);
		break;
	case WT_JITDUMP_DEBUG_INFO:
		take_lines(dump, cur);
		break;
	case WT_JITDUMP_UNWINDING_INFO:
		take_unwinding(dump, cur);
		break;
	case WT_JITDUMP_CLOSE:
		dump->ended = true;
		break;
	default: /* what later versions have */
		break;
	}
}

/* Their bytes do not say what they cost: rows of rules, and pieces that are put in order. */
static bool is_costly(uint32_t id)
{
	return id == WT_JITDUMP_UNWINDING_INFO || id == WT_JITDUMP_MOVE;
}

uint32_t wt_jitdump_record(const void *bytes, size_t len)
{
	return len < 8 ? 0 : wt_load_u32((const uint8_t *)bytes + 4);
}

size_t wt_jitdump_feed(struct wt_jitdump *dump, const void *bytes, size_t len)
{
	struct wt_cursor cur = wt_cursor(bytes, len);

	if (!dump->begun && !dump->ended)
		wt_cur_bytes(&cur, take_header(dump, cur));
	while (dump->begun && !dump->ended && wt_cur_left(&cur) >= WT_JITDUMP_PREFIX) {
		struct wt_cursor at = cur;
		uint32_t id = wt_cur_u32(&at), size = wt_cur_u32(&at);
		uint64_t mono = wt_cur_u64(&at);

		if (size < WT_JITDUMP_PREFIX || size > WT_JITDUMP_RECORD) {
			give_up(dump);
			break;
		}
		if (wt_cur_left(&cur) < size)
			break;
		take_record(dump, id, mono, wt_cur_sub(&at, size - WT_JITDUMP_PREFIX));
		wt_cur_bytes(&cur, size);
		if (is_costly(id) && wt_allowance_is_over(dump->time))
			break;
	}
	return wt_cur_offset(&cur);
}
