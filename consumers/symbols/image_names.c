/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/image_names.h"

#include <stdio.h>
#include <string.h>

#include "tracecore/base/intern.h"

enum {
	MAGIC = 0x494b5457,
	VERSION = 2,
	NAME_ID_BYTES = 24, /* of the build id in the file's name; all of it is inside */
};

/* ---- writing ---- */

static void put_str(struct wt_buf *out, struct wt_str text)
{
	wt_buf_put_counted(out, text.p, text.len);
}

/* What tells one image from another, as it stands in the file. */
static void put_key(struct wt_buf *out, const struct wt_image_roots *roots, const struct wt_log_image *image)
{
	put_str(out, image->build_id);
	put_str(out, image->path);
	wt_buf_put_counted(out, roots->debug, strlen(roots->debug));
	wt_buf_put_counted(out, roots->sysroot, strlen(roots->sysroot));
}

/* The parts that lie behind the key. */
struct parts {
	struct wt_buf rows, names, sequences, line, line_str;
	uint8_t lines; /* enum wt_kept_lines */
};

static void make_parts(const struct wt_image_findings *findings, struct parts *parts)
{
	wt_name_rows_put(findings->table, 0, findings->table->n, 0, &parts->rows, &parts->names);
	if (!findings->lines_asked) {
		parts->lines = WT_KEPT_LINES_NOT_ASKED;
	} else if (!findings->lines) {
		parts->lines = WT_KEPT_LINES_NONE;
	} else if (wt_lines_put_table(findings->lines, WT_IMAGE_NAMES_LINES, &parts->sequences, &parts->line,
				      &parts->line_str)) {
		parts->lines = WT_KEPT_LINES_HERE;
	} else {
		parts->lines = WT_KEPT_LINES_IN_FILES;
		wt_buf_clear(&parts->sequences);
		wt_buf_clear(&parts->line);
		wt_buf_clear(&parts->line_str);
	}
}

static void put_header(struct wt_buf *out, const struct wt_image *files, uint8_t no_name,
		       const struct parts *parts)
{
	wt_buf_put_u32(out, MAGIC);
	wt_buf_put_u8(out, VERSION);
	wt_buf_put_u8(out, no_name);
	wt_buf_put_u8(out, parts->lines);
	wt_buf_put_u8(out, 0);
	wt_buf_put_u64(out, 0);
	wt_buf_put_u32(out, files->inputs.n);
	wt_buf_put_u32(out, (uint32_t)files->loads.n);
	wt_buf_put_u32(out, (uint32_t)(parts->rows.len / WT_NAME_ROW));
	wt_buf_put_u32(out, (uint32_t)parts->names.len);
	wt_buf_put_u32(out, (uint32_t)parts->sequences.len);
	wt_buf_put_u32(out, (uint32_t)parts->line.len);
	wt_buf_put_u32(out, (uint32_t)parts->line_str.len);
}

static void put_loads(struct wt_buf *out, const struct wt_elf_loads *loads)
{
	for (size_t i = 0; i < loads->n; i++) {
		wt_buf_put_u64(out, loads->load[i].offset);
		wt_buf_put_u64(out, loads->load[i].size);
		wt_buf_put_u64(out, loads->load[i].address);
	}
}

void wt_image_names_write(const struct wt_image_roots *roots, const struct wt_log_image *image,
			  const struct wt_image *files, const struct wt_image_findings *findings,
			  struct wt_buf *out)
{
	struct parts parts = {0};
	struct wt_buf *const in_order[] = {&parts.rows, &parts.names, &parts.sequences, &parts.line,
					   &parts.line_str};

	make_parts(findings, &parts);
	put_header(out, files, findings->no_name, &parts);
	put_key(out, roots, image);
	wt_buf_put(out, files->inputs.bytes.data, files->inputs.bytes.len);
	put_loads(out, &files->loads);
	out->failed |= files->inputs.bytes.failed;
	for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
		wt_buf_put(out, in_order[i]->data, in_order[i]->len);
		out->failed |= in_order[i]->failed || in_order[i]->len > WT_IMAGE_NAMES_MAX;
		wt_buf_deinit(in_order[i]);
	}
	if (!out->failed)
		wt_unwind_cache_sign_other(out->data, out->len);
}

/* ---- reading ---- */

struct counts {
	uint32_t inputs, loads, rows, names, sequences, line, line_str;
};

static bool take_header(struct wt_cursor *cur, struct wt_image_names *names, struct counts *counts)
{
	uint32_t magic = wt_cur_u32(cur);
	uint8_t version = wt_cur_u8(cur), zero;

	names->no_name = wt_cur_u8(cur);
	names->lines = wt_cur_u8(cur);
	zero = wt_cur_u8(cur);
	wt_cur_u64(cur);
	counts->inputs = wt_cur_u32(cur);
	counts->loads = wt_cur_u32(cur);
	counts->rows = wt_cur_u32(cur);
	counts->names = wt_cur_u32(cur);
	counts->sequences = wt_cur_u32(cur);
	counts->line = wt_cur_u32(cur);
	counts->line_str = wt_cur_u32(cur);
	return !cur->bad && magic == MAGIC && version == VERSION && !zero && names->no_name &&
	       names->no_name <= WT_UNRESOLVED_STRIPPED && names->lines <= WT_KEPT_LINES_IN_FILES &&
	       counts->loads <= WT_ELF_MAX_LOADS;
}

static bool take_key(struct wt_cursor *cur, const struct wt_image_roots *roots,
		     const struct wt_log_image *image)
{
	struct wt_buf key = {0};
	const uint8_t *there;
	bool same;

	put_key(&key, roots, image);
	there = wt_cur_bytes(cur, key.len);
	same = !key.failed && there && !memcmp(there, key.data, key.len);
	wt_buf_deinit(&key);
	return same;
}

static void take_loads(struct wt_cursor *cur, size_t n, struct wt_elf_loads *ret)
{
	ret->n = n;
	for (size_t i = 0; i < n; i++) {
		ret->load[i].offset = wt_cur_u64(cur);
		ret->load[i].size = wt_cur_u64(cur);
		ret->load[i].address = wt_cur_u64(cur);
	}
}

static struct wt_cursor take_part(struct wt_cursor *cur, size_t len)
{
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_cursor(bytes, bytes ? len : 0);
}

bool wt_image_names_read(struct wt_cursor file, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret)
{
	struct wt_image_names names = {0};
	struct counts counts;

	if (!take_header(&file, &names, &counts) || !take_key(&file, roots, image) ||
	    !wt_image_inputs_hold(&file, counts.inputs))
		return false;
	take_loads(&file, counts.loads, &names.loads);
	if (!wt_name_rows_take(&file, counts.rows, counts.names, 0, &names.rows))
		return false;
	names.sequences = take_part(&file, counts.sequences);
	names.sections.line = take_part(&file, counts.line);
	names.sections.line_str = take_part(&file, counts.line_str);
	if (file.bad || wt_cur_left(&file))
		return false;
	*ret = names;
	return true;
}

/* ---- the directory ---- */

static bool is_kept(const struct wt_log_image *image)
{
	return image->kind == WT_IMAGE_FILE && image->build_id.len && image->build_id.len <= UINT16_MAX &&
	       image->path.len && image->path.len <= UINT16_MAX;
}

/* BUILDID-HASH-image.v2: one build may lie in several places. */
static bool file_name(const struct wt_image_roots *roots, const struct wt_log_image *image,
		      char name[WT_UNWIND_CACHE_NAME_SIZE])
{
	struct wt_buf key = {0}, text = {0};
	uint64_t hash = 0;

	put_key(&key, roots, image);
	for (size_t i = 0; i < key.len; i++)
		hash = wt_hash2(hash, key.data[i]);
	for (uint32_t i = 0; i < image->build_id.len && i < NAME_ID_BYTES; i++)
		wt_buf_printf(&text, "%02x", (unsigned char)image->build_id.p[i]);
	wt_buf_printf(&text, "-%016llx-image.v%d", (unsigned long long)hash, VERSION);
	snprintf(name, WT_UNWIND_CACHE_NAME_SIZE, "%s", wt_buf_cstr(&text));
	wt_buf_deinit(&key);
	wt_buf_deinit(&text);
	return *name;
}

void wt_image_names_put(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			const struct wt_log_image *image, const struct wt_image *files,
			const struct wt_image_findings *findings)
{
	char name[WT_UNWIND_CACHE_NAME_SIZE];
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_buf file = {0};

	if (!is_kept(image) || files->inputs.fresh || !file_name(roots, image, name))
		return;
	wt_image_names_write(roots, image, files, findings, &file);
	if (!file.failed && file.len <= WT_IMAGE_NAMES_MAX)
		wt_unwind_cache_put_other(cache, name, file.data, file.len, &ignored);
	wt_buf_deinit(&file);
}

bool wt_image_names_find(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret)
{
	char name[WT_UNWIND_CACHE_NAME_SIZE];
	struct wt_unwind_mapping file = {0};

	if (!is_kept(image) || !file_name(roots, image, name) ||
	    wt_unwind_cache_find_other(cache, name, &file))
		return false;
	if (wt_image_names_read(wt_cursor(file.bytes, file.size), roots, image, ret)) {
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
