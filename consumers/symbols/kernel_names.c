/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kernel_names.h"

#include <string.h>

enum { MAGIC = 0x4e4b5457, VERSION = 1, NAME_SIZE = 2 * WT_KERNEL_NAMES_ID_MAX + 16 };

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

void wt_kernel_names_write(struct wt_str build_id, const struct wt_symtab *table, uint64_t stext,
			   uint64_t first, uint64_t last, struct wt_buf *out)
{
	struct wt_buf rows = {0}, names = {0};
	size_t from = 0, to = table->n;

	while (from < to && table->spans[from].start < first)
		from++;
	while (from < to && table->spans[to - 1].start > last)
		to--;
	wt_name_rows_put(table, from, to, stext, &rows, &names);
	put_header(out, build_id, to - from, names.len);
	wt_buf_put(out, rows.data, rows.len);
	wt_buf_put(out, names.data, names.len);
	out->failed |= rows.failed || names.failed;
	wt_buf_deinit(&rows);
	wt_buf_deinit(&names);
	if (!out->failed)
		wt_unwind_cache_sign_other(out->data, out->len);
}

bool wt_kernel_names_read(struct wt_cursor file, struct wt_str build_id, uint64_t stext,
			  struct wt_name_rows *ret)
{
	uint32_t magic = wt_cur_u32(&file);
	uint16_t version = wt_cur_u16(&file), len = wt_cur_u16(&file);
	uint32_t n, names;
	const uint8_t *id;

	wt_cur_u64(&file);
	n = wt_cur_u32(&file);
	names = wt_cur_u32(&file);
	id = wt_cur_bytes(&file, WT_KERNEL_NAMES_ID_MAX);
	if (!id || magic != MAGIC || version != VERSION || len != build_id.len ||
	    len > WT_KERNEL_NAMES_ID_MAX || memcmp(id, build_id.p, len) != 0 || !n)
		return false;
	return wt_name_rows_take(&file, n, names, stext, ret) && !wt_cur_left(&file);
}

/* ---- the directory ---- */

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
			  struct wt_kernel_names *ret)
{
	struct wt_kernel_names kept = {0};
	char name[NAME_SIZE];

	if (!build_id.len || build_id.len > WT_KERNEL_NAMES_ID_MAX)
		return false;
	file_name(build_id, name);
	if (wt_unwind_cache_find_other(cache, name, &kept.file))
		return false;
	if (kept.file.size <= WT_KERNEL_NAMES_MAX &&
	    wt_kernel_names_read(wt_cursor(kept.file.bytes, kept.file.size), build_id, stext, &kept.rows)) {
		*ret = kept;
		return true;
	}
	wt_kernel_names_deinit(&kept);
	return false;
}

void wt_kernel_names_deinit(struct wt_kernel_names *names)
{
	wt_unwind_mapping_deinit(&names->file);
	*names = (struct wt_kernel_names){0};
}
