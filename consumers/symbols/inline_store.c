/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/inline_store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/bound.h"
#include "consumers/symbols/image_names.h"
#include "consumers/symbols/inlines.h"
#include "consumers/symbols/kept_file.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

/** Compressed debug information is held expanded while it is looked at. */
static const uint64_t max_expanded = 256 << 20;

/** Bytes of chains that are kept. Beyond the bound only new ones are kept. */
enum { MAX_KEPT = 16 << 20 };

enum { ROWS, CHAINS };      /* parts */
enum { NO_DEBUG_INFO = 0 }; /* facts */

/** An address looked up in the files. */
struct fresh {
	uint64_t address;
	uint32_t at, len; /**< in `chains` */
};

struct wt_inline_store {
	struct wt_unwind_cache *cache;
	const struct wt_image_roots *roots;
	struct wt_log_image image;     /**< its strings are owned */
	bool tried;                    /**< to open the files */
	bool none;                     /**< they have no debug information */
	struct wt_inlines *inlines;    /**< NULL: not yet, or they have nothing */
	struct wt_image_inputs inputs; /**< of the files, once they were opened */
	struct wt_unwind_mapping file;
	struct wt_inline_rows kept; /**< of file */
	struct fresh *fresh;        /**< owned, in the order of asking */
	size_t n, cap;
	struct wt_buf chains;
};

/* ---- rows ---- */

bool wt_inline_rows_of(struct wt_cursor rows, struct wt_cursor chains, struct wt_inline_rows *ret)
{
	if (wt_cur_left(&rows) % WT_INLINE_ROW)
		return false;
	*ret = (struct wt_inline_rows){rows, chains};
	return true;
}

static uint64_t address_of(const struct wt_inline_rows *rows, size_t i)
{
	return wt_load_u64(rows->rows.pos + i * WT_INLINE_ROW);
}

bool wt_inline_rows_find(const struct wt_inline_rows *rows, uint64_t address, struct wt_cursor *chain)
{
	size_t low = WT_BOUND(i, 0, wt_cur_left(&rows->rows) / WT_INLINE_ROW, address_of(rows, i) <= address);
	struct wt_cursor row;
	uint32_t at;

	if (!low || address_of(rows, low - 1) != address)
		return false;
	row = wt_cursor(rows->rows.pos + (low - 1) * WT_INLINE_ROW, WT_INLINE_ROW);
	wt_cur_u64(&row);
	at = wt_cur_u32(&row);
	*chain = rows->chains;
	wt_cur_bytes(chain, at);
	*chain = wt_cur_sub(chain, wt_cur_u32(&row));
	return !chain->bad;
}

/* ---- opening ---- */

static struct wt_kept_file file_of(const struct wt_inline_store *store, struct wt_buf *key)
{
	struct wt_kept_file kept = wt_image_names_file(store->roots, &store->image, key);

	kept.kind = WT_KEPT_INLINES;
	return kept;
}

static bool is_kept(const struct wt_inline_store *store)
{
	return store->cache && wt_image_names_kept(&store->image);
}

static void find_kept(struct wt_inline_store *store)
{
	struct wt_buf key = {0};
	struct wt_kept_file kept = file_of(store, &key);

	if (is_kept(store) && !key.failed && wt_kept_file_find(store->cache, &kept, &store->file) &&
	    (!wt_kept_file_read(wt_kept_file_bytes(&store->file), &kept) ||
	     !wt_inline_rows_of(kept.parts[ROWS], kept.parts[CHAINS], &store->kept)))
		wt_unwind_mapping_deinit(&store->file);
	store->tried = store->file.bytes && kept.facts[NO_DEBUG_INFO] == 1;
	wt_buf_deinit(&key);
}

/* Its path names another file here: the kept findings belong to that file. */
static bool lies_elsewhere(const struct wt_inline_store *store)
{
	int fd = store->cache ? wt_image_open_elsewhere(store->roots, &store->image) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct wt_inline_store *wt_inline_store_open(struct wt_unwind_cache *cache,
					     const struct wt_image_roots *roots,
					     const struct wt_log_image *image)
{
	struct wt_inline_store *store = calloc(1, sizeof(*store));
	char *path = malloc(image->path.len + (size_t)1), *id = malloc(image->build_id.len + (size_t)1);

	if (!store || !path || !id) {
		free(store);
		free(path);
		free(id);
		return NULL;
	}
	if (image->path.len)
		memcpy(path, image->path.p, image->path.len);
	if (image->build_id.len)
		memcpy(id, image->build_id.p, image->build_id.len);
	store->cache = cache;
	store->roots = roots;
	store->image = *image;
	store->image.path.p = path;
	store->image.build_id.p = id;
	if (lies_elsewhere(store))
		store->cache = NULL;
	find_kept(store);
	return store;
}

/* ---- the files ---- */

static bool has_debug_info(const struct wt_elf *file)
{
	return file->elf && file->fd >= 0 &&
	       (wt_elf_section_named(file, ".debug_info") || wt_elf_section_named(file, ".zdebug_info"));
}

/* Names in the debug information of somebody else's file are not followed blindly. */
static bool is_trusted(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (!st.st_uid || st.st_uid == geteuid());
}

/* The real path of the file; "": not known. */
static void path_of(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = 0;
}

static struct wt_inlines *open_files(const struct wt_image_roots *roots, const struct wt_image *files)
{
	const struct wt_elf *file = has_debug_info(&files->file) ? &files->file : &files->debug;
	char path[PATH_MAX];
	struct wt_inlines_options options = {.debug_root = roots->debug,
					     .sysroot = roots->sysroot,
					     .path = path,
					     .max_expanded = max_expanded};

	path_of(file->fd, path);
	options.trusted = is_trusted(file->fd);
	return wt_inlines_open(file->fd, &options);
}

static bool try_files(struct wt_inline_store *store)
{
	struct wt_image files;

	if (store->tried)
		return store->inlines;
	store->tried = true;
	wt_image_open(store->roots, &store->image, &files);
	store->none = !files.reason && !has_debug_info(&files.file) && !has_debug_info(&files.debug);
	if (!files.reason && !store->none)
		store->inlines = open_files(store->roots, &files);
	store->inputs = files.inputs;
	files.inputs = (struct wt_image_inputs){0};
	wt_image_close(&files);
	return store->inlines;
}

static void remember(struct wt_inline_store *store, uint64_t address, const struct wt_buf *chain, size_t from)
{
	uint32_t len = (uint32_t)(chain->len - from);
	struct fresh *last;
	struct fresh row = {.address = address, .at = (uint32_t)store->chains.len, .len = len};

	if (!is_kept(store) || chain->failed || store->chains.len + len > MAX_KEPT ||
	    wt_grow(&store->fresh, &store->cap, store->n, 1, NULL))
		return;
	/* Neighbours mostly have the same. */
	last = store->n ? &store->fresh[store->n - 1] : NULL;
	if (last && last->len == len && len &&
	    !memcmp(store->chains.data + last->at, chain->data + from, len))
		row.at = last->at;
	else
		wt_buf_put(&store->chains, chain->data + from, len);
	if (!store->chains.failed)
		store->fresh[store->n++] = row;
}

void wt_inline_store_find(struct wt_inline_store *store, uint64_t address, struct wt_buf *chain)
{
	size_t from = chain->len;
	struct wt_cursor kept;

	if (wt_inline_rows_find(&store->kept, address, &kept)) {
		wt_buf_put(chain, kept.pos, wt_cur_left(&kept));
		return;
	}
	if (!try_files(store))
		return;
	if (!wt_inlines_find(store->inlines, address, chain))
		chain->len = from;
	remember(store, address, chain, from);
}

uint64_t wt_inline_store_bytes(const struct wt_inline_store *store)
{
	return (store->inlines ? wt_inlines_bytes(store->inlines) : 0) + store->chains.cap +
	       store->cap * sizeof(*store->fresh);
}

/* ---- keeping ---- */

static int by_address(const void *a, const void *b)
{
	const struct fresh *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void put_row(struct wt_buf *rows, uint64_t address, uint32_t at, uint32_t len)
{
	wt_buf_put_u64(rows, address);
	wt_buf_put_u32(rows, at);
	wt_buf_put_u32(rows, len);
}

/* Old rows and new ones in order of addresses; the chains of the new ones lie behind the old. */
static void merge(const struct wt_inline_store *store, bool with_old, struct wt_buf *rows,
		  struct wt_buf *chains)
{
	struct wt_cursor old = with_old ? store->kept.rows : wt_cursor(NULL, 0);
	uint32_t base = with_old ? (uint32_t)wt_cur_left(&store->kept.chains) : 0;
	size_t i = 0;

	if (with_old)
		wt_buf_put(chains, store->kept.chains.pos, base);
	wt_buf_put(chains, store->chains.data, store->chains.len);
	while (wt_cur_left(&old) || i < store->n) {
		struct wt_cursor row = old;
		uint64_t address = wt_cur_left(&old) ? wt_cur_u64(&row) : UINT64_MAX;

		if (i < store->n && (!wt_cur_left(&old) || store->fresh[i].address < address)) {
			put_row(rows, store->fresh[i].address, base + store->fresh[i].at,
				store->fresh[i].len);
			i++;
		} else {
			wt_buf_put(rows, old.pos, WT_INLINE_ROW);
			wt_cur_bytes(&old, WT_INLINE_ROW);
		}
	}
}

static void keep(struct wt_inline_store *store)
{
	bool with_old = wt_cur_left(&store->kept.chains) + store->chains.len <= MAX_KEPT &&
			wt_cur_left(&store->kept.rows) <= MAX_KEPT;
	struct wt_buf key = {0}, out = {0}, rows = {0}, chains = {0};
	struct wt_kept_file kept = file_of(store, &key);

	if (store->n)
		qsort(store->fresh, store->n, sizeof(*store->fresh), by_address);
	merge(store, with_old, &rows, &chains);
	kept.facts[NO_DEBUG_INFO] = store->none;
	kept.inputs = &store->inputs;
	kept.parts[ROWS] = wt_cursor(rows.data, rows.len);
	kept.parts[CHAINS] = wt_cursor(chains.data, chains.len);
	wt_kept_file_write(&kept, &out);
	if (!key.failed && !rows.failed && !chains.failed)
		wt_kept_file_put(store->cache, &kept, &out);
	wt_buf_deinit(&key);
	wt_buf_deinit(&out);
	wt_buf_deinit(&rows);
	wt_buf_deinit(&chains);
}

static void tell(const struct wt_inline_store *store)
{
	uint32_t n = store->inlines ? wt_inlines_split_missing(store->inlines) : 0;

	if (n)
		wt_note("%.*s: no inline data of %u unit%s: split DWARF", (int)store->image.path.len,
			store->image.path.p, n, n == 1 ? "" : "s");
}

void wt_inline_store_close(struct wt_inline_store *store)
{
	if (!store)
		return;
	tell(store);
	if ((store->none || (store->n && !wt_inlines_split(store->inlines))) && is_kept(store) &&
	    !store->inputs.fresh)
		keep(store);
	wt_inlines_close(store->inlines);
	wt_unwind_mapping_deinit(&store->file);
	wt_image_inputs_deinit(&store->inputs);
	free(store->fresh);
	wt_buf_deinit(&store->chains);
	free((void *)(uintptr_t)store->image.path.p);
	free((void *)(uintptr_t)store->image.build_id.p);
	free(store);
}
