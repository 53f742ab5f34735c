/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kept_file.h"

#include <stdio.h>
#include <string.h>

#include "tracecore/base/intern.h"

enum {
	MAGIC = 0x464b5457,
	NAME_ID_BYTES = 24, /* of the id in the file's name; the kind's key has all of it */
};

static const char *const kinds[] = {[WT_KEPT_IMAGE] = "image",
				    [WT_KEPT_KERNEL] = "kernel",
				    [WT_KEPT_PACKAGES] = "packages",
				    [WT_KEPT_INLINES] = "inlines"};

void wt_kept_file_write(const struct wt_kept_file *kept, struct wt_buf *out)
{
	const struct wt_image_inputs none = {0}, *inputs = kept->inputs ? kept->inputs : &none;

	wt_buf_put_u32(out, MAGIC);
	wt_buf_put_u8(out, WT_KEPT_VERSION);
	wt_buf_put_u8(out, (uint8_t)kept->kind);
	wt_buf_put(out, kept->facts, sizeof(kept->facts));
	wt_buf_put_u64(out, 0);
	wt_buf_put_u32(out, kept->key.len);
	wt_buf_put_u32(out, inputs->n);
	for (size_t i = 0; i < WT_KEPT_PARTS; i++) {
		out->failed |= wt_cur_left(&kept->parts[i]) > WT_KEPT_MAX;
		wt_buf_put_u32(out, (uint32_t)wt_cur_left(&kept->parts[i]));
	}
	wt_buf_put(out, kept->key.p, kept->key.len);
	wt_buf_put(out, inputs->bytes.data, inputs->bytes.len);
	for (size_t i = 0; i < WT_KEPT_PARTS && !out->failed; i++)
		wt_buf_put(out, kept->parts[i].pos, wt_cur_left(&kept->parts[i]));
	out->failed |= inputs->bytes.failed;
	if (!out->failed)
		wt_unwind_cache_sign_other(out->data, out->len);
}

/* The header, up to the lengths of the parts. */
static bool take_header(struct wt_cursor *cur, struct wt_kept_file *kept, uint32_t *n_inputs)
{
	uint32_t magic = wt_cur_u32(cur), key;
	uint8_t version = wt_cur_u8(cur), kind = wt_cur_u8(cur);

	for (size_t i = 0; i < sizeof(kept->facts); i++)
		kept->facts[i] = wt_cur_u8(cur);
	wt_cur_u64(cur);
	key = wt_cur_u32(cur);
	*n_inputs = wt_cur_u32(cur);
	return !cur->bad && magic == MAGIC && version == WT_KEPT_VERSION && kind == kept->kind &&
	       key == kept->key.len;
}

static struct wt_cursor take_part(struct wt_cursor *cur, size_t len)
{
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_cursor(bytes, bytes ? len : 0);
}

bool wt_kept_file_read(struct wt_cursor file, struct wt_kept_file *kept)
{
	uint32_t n_inputs, lengths[WT_KEPT_PARTS];
	struct wt_cursor key;

	if (wt_cur_left(&file) > WT_KEPT_MAX || !take_header(&file, kept, &n_inputs))
		return false;
	for (size_t i = 0; i < WT_KEPT_PARTS; i++)
		lengths[i] = wt_cur_u32(&file);
	key = take_part(&file, kept->key.len);
	if (file.bad || (kept->key.len && memcmp(key.pos, kept->key.p, kept->key.len) != 0) ||
	    !wt_image_inputs_hold(&file, n_inputs))
		return false;
	for (size_t i = 0; i < WT_KEPT_PARTS; i++)
		kept->parts[i] = take_part(&file, lengths[i]);
	return !file.bad && !wt_cur_left(&file);
}

/* Files of one build may be in several places: the hash distinguishes them. */
static void file_name(const struct wt_kept_file *kept, char name[WT_UNWIND_CACHE_NAME_SIZE])
{
	uint64_t hash = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < kept->key.len; i++)
		hash = wt_hash2(hash, (uint8_t)kept->key.p[i]);
	for (uint32_t i = 0; i < kept->id.len && i < NAME_ID_BYTES; i++)
		n += (size_t)snprintf(name + n, 3, "%02x", (uint8_t)kept->id.p[i]);
	snprintf(name + n, WT_UNWIND_CACHE_NAME_SIZE - n, "%s-%016llx-%s.v%d", n ? "" : "0",
		 (unsigned long long)hash, kinds[kept->kind], WT_KEPT_VERSION);
}

void wt_kept_file_put(struct wt_unwind_cache *cache, const struct wt_kept_file *kept,
		      const struct wt_buf *file)
{
	char name[WT_UNWIND_CACHE_NAME_SIZE];
	struct wt_err ignored = WT_ERR_INIT;

	file_name(kept, name);
	if (!file->failed && file->len <= WT_KEPT_MAX)
		wt_unwind_cache_put_other(cache, name, file->data, file->len, &ignored);
}

bool wt_kept_file_find(struct wt_unwind_cache *cache, const struct wt_kept_file *kept,
		       struct wt_unwind_mapping *ret)
{
	char name[WT_UNWIND_CACHE_NAME_SIZE];

	file_name(kept, name);
	return !wt_unwind_cache_find_other(cache, name, ret);
}
