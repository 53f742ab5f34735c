/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kernel_names.h"

enum { ROWS, NAMES };

static struct wt_kept_file file_of(struct wt_str build_id)
{
	return (struct wt_kept_file){.kind = WT_KEPT_KERNEL, .id = build_id, .key = build_id};
}

void wt_kernel_names_write(struct wt_str build_id, const struct wt_symtab *table, uint64_t stext,
			   uint64_t first, uint64_t last, struct wt_buf *out)
{
	struct wt_kept_file kept = file_of(build_id);
	struct wt_buf rows = {0}, names = {0};
	size_t from = 0, to = table->n;

	while (from < to && table->spans[from].start < first)
		from++;
	while (from < to && table->spans[to - 1].start > last)
		to--;
	wt_name_rows_put(table, from, to, stext, &rows, &names);
	kept.parts[ROWS] = wt_cursor(rows.data, rows.len);
	kept.parts[NAMES] = wt_cursor(names.data, names.len);
	wt_kept_file_write(&kept, out);
	out->failed |= rows.failed || names.failed;
	wt_buf_deinit(&rows);
	wt_buf_deinit(&names);
}

bool wt_kernel_names_read(struct wt_cursor file, struct wt_str build_id, uint64_t stext,
			  struct wt_name_rows *ret)
{
	struct wt_kept_file kept = file_of(build_id);

	return wt_kept_file_read(file, &kept) && wt_cur_left(&kept.parts[ROWS]) &&
	       wt_name_rows_of(kept.parts[ROWS], kept.parts[NAMES], stext, ret);
}

/* ---- the directory ---- */

static bool is_kept(struct wt_str build_id)
{
	return build_id.len && build_id.len <= WT_KERNEL_NAMES_ID_MAX;
}

void wt_kernel_names_put(struct wt_unwind_cache *cache, struct wt_str build_id, const struct wt_symtab *table,
			 uint64_t stext, uint64_t first, uint64_t last)
{
	const struct wt_kept_file kept = file_of(build_id);
	struct wt_buf file = {0};

	if (!is_kept(build_id))
		return;
	wt_kernel_names_write(build_id, table, stext, first, last, &file);
	wt_kept_file_put(cache, &kept, &file);
	wt_buf_deinit(&file);
}

bool wt_kernel_names_find(struct wt_unwind_cache *cache, struct wt_str build_id, uint64_t stext,
			  struct wt_kernel_names *ret)
{
	const struct wt_kept_file kept = file_of(build_id);
	struct wt_kernel_names found = {0};

	if (!is_kept(build_id) || !wt_kept_file_find(cache, &kept, &found.file))
		return false;
	if (wt_kernel_names_read(wt_kept_file_bytes(&found.file), build_id, stext, &found.rows)) {
		*ret = found;
		return true;
	}
	wt_kernel_names_deinit(&found);
	return false;
}

void wt_kernel_names_deinit(struct wt_kernel_names *names)
{
	wt_unwind_mapping_deinit(&names->file);
	*names = (struct wt_kernel_names){0};
}
