/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kernel_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAGIC = 0x4e4b5457,
	VERSION = 1,
	HASH_AT = 8,
	HASHED_FROM = 16,
	NAME_SIZE = 2 * WT_KERNEL_NAMES_ID_MAX + 16
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash << 29 | hash >> 35;
}

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
	uint64_t hash = size;
	uint8_t tail[8] = {0};

	for (; size >= 8; size -= 8, bytes += 8)
		hash = mix(hash, wt_load_u64(bytes));
	memcpy(tail, bytes, size);
	return mix(hash, wt_load_u64(tail));
}

/* ---- writing ---- */

struct writing {
	const struct wt_symtab *table;
	const struct wt_symtab_span *from, *to;
	uint64_t stext;
};

static void put_header(struct wt_buf *out, struct wt_str build_id, size_t n, size_t names)
{
	uint8_t id[WT_KERNEL_NAMES_ID_MAX] = {0};

	memcpy(id, build_id.p, build_id.len);
	wt_buf_put_u32(out, MAGIC);
	wt_buf_put_u16(out, VERSION);
	wt_buf_put_u16(out, (uint16_t)build_id.len);
	wt_buf_put_u64(out, 0);
	wt_buf_put_u32(out, (uint32_t)n);
	wt_buf_put_u32(out, (uint32_t)names);
	wt_buf_put(out, id, sizeof(id));
}

/* Spans of one function follow each other and share its name. Returns the bytes of all names. */
static size_t put_rows(struct wt_buf *out, const struct writing *w)
{
	size_t at = 0, next = 0;
	uint32_t last = UINT32_MAX;

	for (const struct wt_symtab_span *span = w->from; span < w->to; span++) {
		if (span->name != last)
			at = next;
		if (span->name != last)
			next += strlen(w->table->names + span->name) + 1;
		last = span->name;
		wt_buf_put_u64(out, span->start - w->stext);
		wt_buf_put_u32(out, span->size);
		wt_buf_put_u32(out, span->back);
		wt_buf_put_u32(out, (uint32_t)at);
	}
	return next;
}

static void put_names(struct wt_buf *out, const struct writing *w)
{
	uint32_t last = UINT32_MAX;

	for (const struct wt_symtab_span *span = w->from; span < w->to; span++) {
		const char *name = w->table->names + span->name;

		if (span->name != last)
			wt_buf_put(out, name, strlen(name) + 1);
		last = span->name;
	}
}

void wt_kernel_names_sign(uint8_t *file, size_t size)
{
	if (size >= HASHED_FROM)
		wt_store_u64(file + HASH_AT, hash_of(file + HASHED_FROM, size - HASHED_FROM));
}

void wt_kernel_names_write(struct wt_str build_id, const struct wt_symtab *table, uint64_t stext,
			   uint64_t first, uint64_t last, struct wt_buf *out)
{
	struct writing w = {
		.table = table, .from = table->spans, .to = table->spans + table->n, .stext = stext};
	struct wt_buf rows = {0};
	size_t names;

	while (w.from < w.to && w.from->start < first)
		w.from++;
	while (w.from < w.to && w.to[-1].start > last)
		w.to--;
	names = put_rows(&rows, &w);
	put_header(out, build_id, (size_t)(w.to - w.from), names);
	wt_buf_put(out, rows.data, rows.len);
	put_names(out, &w);
	out->failed |= rows.failed;
	wt_buf_deinit(&rows);
	if (!out->failed)
		wt_kernel_names_sign(out->data, out->len);
}

/* ---- reading ---- */

static bool is_of(struct wt_cursor *cur, struct wt_str build_id, uint32_t *n, uint32_t *names)
{
	uint32_t magic = wt_cur_u32(cur);
	uint16_t version = wt_cur_u16(cur), len = wt_cur_u16(cur);
	uint64_t hash = wt_cur_u64(cur);
	const uint8_t *id;

	if (cur->bad || magic != MAGIC || version != VERSION || len != build_id.len ||
	    hash != hash_of(cur->pos, wt_cur_left(cur)))
		return false;
	*n = wt_cur_u32(cur);
	*names = wt_cur_u32(cur);
	id = wt_cur_bytes(cur, WT_KERNEL_NAMES_ID_MAX);
	return id && !memcmp(id, build_id.p, len) &&
	       wt_cur_left(cur) == (uint64_t)*n * WT_KERNEL_NAMES_ROW + *names;
}

static bool read_rows(struct wt_cursor *cur, uint64_t stext, uint32_t names, struct wt_symtab *table)
{
	uint64_t end = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct wt_symtab_span *span = &table->spans[i];

		span->start = wt_cur_u64(cur) + stext;
		span->size = wt_cur_u32(cur);
		span->back = wt_cur_u32(cur);
		span->name = wt_cur_u32(cur);
		if (span->name >= names || (i && span->start < end) || span->start > UINT64_MAX - span->size)
			return false;
		end = span->start + span->size;
	}
	return true;
}

bool wt_kernel_names_read(struct wt_cursor file, struct wt_str build_id, uint64_t stext,
			  struct wt_symtab *ret)
{
	struct wt_symtab table = {0};
	const uint8_t *names;
	uint32_t n, names_len;

	if (build_id.len > WT_KERNEL_NAMES_ID_MAX || !is_of(&file, build_id, &n, &names_len) || !n ||
	    !names_len)
		return false;
	table.spans = calloc(n, sizeof(*table.spans));
	table.names = malloc(names_len);
	table.n = n;
	table.names_len = names_len;
	if (table.spans && table.names && read_rows(&file, stext, names_len, &table)) {
		names = wt_cur_bytes(&file, names_len);
		if (names && !names[names_len - 1]) {
			memcpy(table.names, names, names_len);
			*ret = table;
			return true;
		}
	}
	wt_symtab_deinit(&table);
	return false;
}

/* ---- the folder ---- */

static void file_name(struct wt_str build_id, char name[NAME_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (uint32_t i = 0; i < build_id.len; i++) {
		name[n++] = digits[(uint8_t)build_id.p[i] >> 4];
		name[n++] = digits[(uint8_t)build_id.p[i] & 15];
	}
	memcpy(name + n, "-kernel.v1", sizeof("-kernel.v1"));
}

void wt_kernel_names_put(struct wt_unwind_cache *cache, struct wt_str build_id, const struct wt_symtab *table,
			 uint64_t stext, uint64_t first, uint64_t last)
{
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_buf file = {0};
	char name[NAME_SIZE];

	if (!build_id.len || build_id.len > WT_KERNEL_NAMES_ID_MAX)
		return;
	wt_kernel_names_write(build_id, table, stext, first, last, &file);
	file_name(build_id, name);
	if (!file.failed && file.len <= WT_KERNEL_NAMES_MAX)
		wt_unwind_cache_put_other(cache, name, file.data, file.len, &ignored);
	wt_buf_deinit(&file);
}

bool wt_kernel_names_find(struct wt_unwind_cache *cache, struct wt_str build_id, uint64_t stext,
			  struct wt_symtab *ret)
{
	struct wt_unwind_mapping file;
	char name[NAME_SIZE];
	bool found;

	if (!build_id.len || build_id.len > WT_KERNEL_NAMES_ID_MAX)
		return false;
	file_name(build_id, name);
	if (wt_unwind_cache_map_other(cache, name, &file))
		return false;
	found = file.size <= WT_KERNEL_NAMES_MAX &&
		wt_kernel_names_read(wt_cursor(file.bytes, file.size), build_id, stext, ret);
	wt_unwind_mapping_deinit(&file);
	return found;
}
