/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/image_names.h"

#include <string.h>

enum { LOADS, ROWS, NAMES, SEQUENCES, LINE, LINE_STR, N_PARTS };
enum { NO_NAME, LINES }; /* facts */
enum { LOAD_BYTES = 24 };

_Static_assert((int)N_PARTS == WT_KEPT_PARTS, "parts");

static void put_str(struct wt_buf *out, struct wt_str text)
{
	wt_buf_put_counted(out, text.p, text.len);
}

/* The key that distinguishes images, as it is stored in the file. */
static void put_key(struct wt_buf *out, const struct wt_image_roots *roots, const struct wt_log_image *image)
{
	put_str(out, image->build_id);
	put_str(out, image->path);
	wt_buf_put_counted(out, roots->debug, strlen(roots->debug));
	wt_buf_put_counted(out, roots->sysroot, strlen(roots->sysroot));
	if (roots->debuginfod)
		wt_buf_put_counted(out, "debuginfod", 10);
}

struct wt_kept_file wt_image_names_file(const struct wt_image_roots *roots, const struct wt_log_image *image,
					struct wt_buf *key)
{
	put_key(key, roots, image);
	return (struct wt_kept_file){.kind = WT_KEPT_IMAGE,
				     .id = image->build_id,
				     .key = {(const char *)key->data, (uint32_t)key->len}};
}

/* ---- writing ---- */

static void put_loads(struct wt_buf *out, const struct wt_elf_loads *loads)
{
	for (size_t i = 0; i < loads->n; i++) {
		wt_buf_put_u64(out, loads->load[i].offset);
		wt_buf_put_u64(out, loads->load[i].size);
		wt_buf_put_u64(out, loads->load[i].address);
	}
}

/* Returns enum wt_kept_lines. */
static uint8_t put_lines(const struct wt_image_findings *findings, struct wt_buf *parts)
{
	if (!findings->lines_asked)
		return WT_KEPT_LINES_NOT_ASKED;
	if (!findings->lines)
		return WT_KEPT_LINES_NONE;
	if (wt_lines_put_table(findings->lines, WT_IMAGE_NAMES_LINES, &parts[SEQUENCES], &parts[LINE],
			       &parts[LINE_STR]))
		return WT_KEPT_LINES_HERE;
	for (size_t i = SEQUENCES; i <= LINE_STR; i++)
		wt_buf_clear(&parts[i]);
	return WT_KEPT_LINES_IN_FILES;
}

void wt_image_names_write(const struct wt_image_roots *roots, const struct wt_log_image *image,
			  const struct wt_image *files, const struct wt_image_findings *findings,
			  struct wt_buf *out)
{
	struct wt_buf key = {0}, parts[N_PARTS] = {{0}};
	struct wt_kept_file kept = wt_image_names_file(roots, image, &key);

	kept.inputs = &files->inputs;
	kept.facts[NO_NAME] = findings->no_name;
	put_loads(&parts[LOADS], &files->loads);
	wt_name_rows_put(findings->table, 0, findings->table->n, 0, &parts[ROWS], &parts[NAMES]);
	kept.facts[LINES] = put_lines(findings, parts);
	for (size_t i = 0; i < N_PARTS; i++)
		kept.parts[i] = wt_cursor(parts[i].data, parts[i].len);
	wt_kept_file_write(&kept, out);
	out->failed |= key.failed;
	for (size_t i = 0; i < N_PARTS; i++) {
		out->failed |= parts[i].failed;
		wt_buf_deinit(&parts[i]);
	}
	wt_buf_deinit(&key);
}

/* ---- reading ---- */

static bool take_loads(struct wt_cursor part, struct wt_elf_loads *ret)
{
	size_t n = wt_cur_left(&part) / LOAD_BYTES;

	if (wt_cur_left(&part) % LOAD_BYTES || n > WT_ELF_MAX_LOADS)
		return false;
	ret->n = n;
	for (size_t i = 0; i < n; i++) {
		ret->load[i].offset = wt_cur_u64(&part);
		ret->load[i].size = wt_cur_u64(&part);
		ret->load[i].address = wt_cur_u64(&part);
	}
	return true;
}

static bool take(const struct wt_kept_file *kept, struct wt_image_names *ret)
{
	struct wt_image_names names = {.no_name = kept->facts[NO_NAME], .lines = kept->facts[LINES]};

	if (!names.no_name || names.no_name > WT_UNRESOLVED_STRIPPED ||
	    names.lines > WT_KEPT_LINES_IN_FILES || !take_loads(kept->parts[LOADS], &names.loads) ||
	    !wt_name_rows_of(kept->parts[ROWS], kept->parts[NAMES], 0, &names.rows))
		return false;
	names.sequences = kept->parts[SEQUENCES];
	names.sections.line = kept->parts[LINE];
	names.sections.line_str = kept->parts[LINE_STR];
	*ret = names;
	return true;
}

bool wt_image_names_read(struct wt_cursor file, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret)
{
	struct wt_buf key = {0};
	struct wt_kept_file kept = wt_image_names_file(roots, image, &key);
	bool is = !key.failed && wt_kept_file_read(file, &kept) && take(&kept, ret);

	wt_buf_deinit(&key);
	return is;
}

/* ---- the directory ---- */

bool wt_image_names_kept(const struct wt_log_image *image)
{
	return image->kind == WT_IMAGE_FILE && image->build_id.len && image->build_id.len <= UINT16_MAX &&
	       image->path.len && image->path.len <= UINT16_MAX;
}

void wt_image_names_put(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			const struct wt_log_image *image, const struct wt_image *files,
			const struct wt_image_findings *findings)
{
	struct wt_buf key = {0}, file = {0};
	struct wt_kept_file kept = wt_image_names_file(roots, image, &key);

	if (wt_image_names_kept(image) && !files->inputs.fresh && !key.failed) {
		wt_image_names_write(roots, image, files, findings, &file);
		wt_kept_file_put(cache, &kept, &file);
	}
	wt_buf_deinit(&key);
	wt_buf_deinit(&file);
}

bool wt_image_names_find(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret)
{
	struct wt_buf key = {0};
	const struct wt_kept_file kept = wt_image_names_file(roots, image, &key);
	struct wt_unwind_mapping file = {0};
	bool found = wt_image_names_kept(image) && !key.failed && wt_kept_file_find(cache, &kept, &file);

	wt_buf_deinit(&key);
	if (found && wt_image_names_read(wt_kept_file_bytes(&file), roots, image, ret)) {
		ret->file = file;
		return true;
	}
	wt_unwind_mapping_deinit(&file);
	return false;
}

void wt_image_names_deinit(struct wt_image_names *names)
{
	wt_unwind_mapping_deinit(&names->file);
	*names = (struct wt_image_names){0};
}
