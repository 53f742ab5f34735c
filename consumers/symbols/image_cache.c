/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/image_cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumers/symbols/elf_symbols.h"
#include "tracecore/base/grow.h"

/** The cost of an open line reader besides its tables, which also bounds the number of open files. */
static const uint64_t lines_bytes = 2 << 20;

/** The additional cost of an image found on disk, which also bounds the number of mapped ones. */
static const uint64_t kept_bytes = 64 << 10;

/** Compressed debug information is held expanded while its lines are looked up. */
static const uint64_t max_expanded = 256 << 20;

static void unlink_image(struct wt_image_cache *cache, struct wt_cached_image *image)
{
	*(image->newer ? &image->newer->older : &cache->newest) = image->older;
	*(image->older ? &image->older->newer : &cache->oldest) = image->newer;
	image->newer = image->older = NULL;
}

static void link_newest(struct wt_image_cache *cache, struct wt_cached_image *image)
{
	image->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = image;
	cache->newest = image;
}

static void unload(struct wt_image_cache *cache, struct wt_cached_image *image)
{
	unlink_image(cache, image);
	wt_symtab_deinit(&image->own);
	wt_lines_close(image->lines);
	wt_inline_store_close(image->inlines);
	wt_image_names_deinit(&image->kept);
	image->lines = NULL;
	image->inlines = NULL;
	image->loaded = false;
	cache->bytes -= image->bytes;
	image->bytes = 0;
}

void wt_image_cache_touch(struct wt_image_cache *cache, struct wt_cached_image *image)
{
	uint64_t shared = wt_kernel_bytes(&cache->kernel);

	cache->bytes -= image->bytes;
	image->bytes = wt_symtab_bytes(&image->own);
	if (image->lines)
		image->bytes += wt_lines_bytes(image->lines);
	if (image->inlines)
		image->bytes += wt_inline_store_bytes(image->inlines) + lines_bytes;
	if (image->kept.file.bytes)
		image->bytes += kept_bytes;
	else if (image->lines)
		image->bytes += lines_bytes;
	cache->bytes += image->bytes;
	while (cache->bytes + shared > cache->max_bytes && cache->oldest != image)
		unload(cache, cache->oldest);
}

/** Reads symbols from the best table, and the stubs, which only the file itself has. *no_name: the reason
 * for addresses without a symbol. */
static int load_symbols(const struct wt_image *files, struct wt_symtab *ret, uint8_t *no_name,
			struct wt_err *err)
{
	struct wt_symtab_builder builder = {0};
	size_t n = 0, exported = 0;

	if (files->file.elf)
		n = wt_elf_symbols(&files->file, SHT_SYMTAB, &builder);
	if (!n && files->debug.elf)
		n = wt_elf_symbols(&files->debug, SHT_SYMTAB, &builder);
	if (!n && files->mini.elf)
		n = wt_elf_symbols(&files->mini, SHT_SYMTAB, &builder);
	/* The packed symbol table omits the functions that the file exports. */
	if (files->file.elf && (!n || files->mini.elf))
		exported = wt_elf_symbols(&files->file, SHT_DYNSYM, &builder);
	if (files->file.elf) {
		wt_elf_end_open_symbols(&files->file, &builder);
		wt_elf_plt_symbols(&files->file, &builder);
	}
	*no_name = n ? WT_UNRESOLVED_NO_MATCH : exported ? WT_UNRESOLVED_STRIPPED : WT_UNRESOLVED_NO_SYMBOLS;
	return wt_symtab_build(&builder, ret, err);
}

static bool has_lines(const struct wt_elf *file)
{
	return file->elf && file->fd >= 0 &&
	       (wt_elf_section_named(file, ".debug_line") || wt_elf_section_named(file, ".zdebug_line"));
}

static struct wt_lines *load_lines(const struct wt_image *files, uint64_t max_bytes)
{
	if (has_lines(&files->file))
		return wt_lines_open(files->file.fd, max_bytes, max_expanded);
	return has_lines(&files->debug) ? wt_lines_open(files->debug.fd, max_bytes, max_expanded) : NULL;
}

/** Lines that are not in the cache. */
static void load_lines_only(struct wt_image_cache *cache, const struct wt_log_image *image,
			    struct wt_cached_image *ret)
{
	struct wt_image files;

	wt_image_open(&cache->roots, image, &files);
	if (!files.reason)
		ret->lines = load_lines(&files, cache->max_bytes / 2);
	wt_image_close(&files);
}

struct wt_inline_store *wt_image_cache_inlines(struct wt_image_cache *cache, const struct wt_log_image *image,
					       struct wt_cached_image *cached)
{
	if (cache->want_inlines && !cached->inlines && image->kind == WT_IMAGE_FILE)
		cached->inlines = wt_inline_store_open(cache->cache, &cache->roots, image);
	return cached->inlines;
}

static void use_kept_lines(struct wt_cached_image *ret)
{
	struct wt_line_table table;

	if (!wt_line_table_reopen(&ret->kept.sections, ret->kept.sequences, &table))
		return;
	ret->lines = wt_lines_of_table(&table);
	if (!ret->lines)
		wt_line_table_deinit(&table);
}

void wt_image_cache_look(const struct wt_image_cache *cache, const struct wt_log_image *image,
			 struct wt_file_facts *ret)
{
	int fd = wt_image_open_elsewhere(&cache->roots, image);
	struct wt_str path = image->path;
	struct wt_buf text = {0};

	do {
		wt_buf_clear(&text);
		wt_buf_puts(&text, cache->roots.sysroot);
		wt_buf_put(&text, path.p, path.len);
		if (fd < 0 && !text.failed)
			fd = open(wt_buf_cstr(&text), O_PATH | O_CLOEXEC);
	} while (fd < 0 && wt_image_cut_deleted(&path));
	wt_buf_deinit(&text);
	*ret = (struct wt_file_facts){0};
	if (fd < 0)
		return;
	wt_file_facts_at(NULL, fd, ret);
	close(fd);
}

static bool load_kept(struct wt_image_cache *cache, const struct wt_log_image *image,
		      struct wt_cached_image *ret)
{
	int elsewhere = cache->cache ? wt_image_open_elsewhere(&cache->roots, image) : -1;

	/* Names are kept by path, for the file at that path on this machine. */
	if (elsewhere >= 0) {
		close(elsewhere);
		return false;
	}
	if (!cache->cache || !wt_image_names_find(cache->cache, &cache->roots, image, &ret->kept))
		return false;
	if (cache->want_lines && ret->kept.lines == WT_KEPT_LINES_NOT_ASKED) {
		wt_image_names_deinit(&ret->kept);
		return false;
	}
	ret->loads = ret->kept.loads;
	ret->no_name = ret->kept.no_name;
	ret->names = (struct wt_names){.rows = &ret->kept.rows};
	/* The kept names are those of the file that is there now, or of no file: keep(). */
	wt_image_cache_look(cache, image, &ret->file);
	if (cache->want_lines && ret->kept.lines == WT_KEPT_LINES_HERE)
		use_kept_lines(ret);
	else if (cache->want_lines && ret->kept.lines == WT_KEPT_LINES_IN_FILES)
		load_lines_only(cache, image, ret);
	return true;
}

static void keep(struct wt_image_cache *cache, const struct wt_log_image *image, const struct wt_image *files,
		 const struct wt_cached_image *found)
{
	const struct wt_image_findings findings = {
		.table = &found->own,
		.no_name = found->no_name,
		.lines_asked = cache->want_lines,
		.lines = found->lines,
	};

	/* With a separate file alone, what lies at the path may become anything. */
	if (cache->cache && files->file.elf && !files->elsewhere)
		wt_image_names_put(cache->cache, &cache->roots, image, files, &findings);
}

static int load_files(struct wt_image_cache *cache, const struct wt_log_image *image,
		      struct wt_cached_image *ret, struct wt_err *err)
{
	struct wt_image files;
	int status = 0;

	if (image->kind == WT_IMAGE_VDSO)
		wt_image_open_vdso(image, cache->kernel.any_machine, &files);
	else
		wt_image_open(&cache->roots, image, &files);
	ret->reason = files.reason;
	ret->loads = files.loads;
	ret->names = (struct wt_names){.table = &ret->own};
	if (!files.reason) {
		status = load_symbols(&files, &ret->own, &ret->no_name, err);
		if (!status && cache->want_lines)
			ret->lines = load_lines(&files, cache->max_bytes / 2);
		if (!status)
			keep(cache, image, &files, ret);
	}
	if (files.file.fd >= 0)
		wt_file_facts_at(NULL, files.file.fd, &ret->file);
	wt_image_close(&files);
	return status;
}

static int load(struct wt_image_cache *cache, const struct wt_log_image *image, struct wt_cached_image *ret,
		struct wt_err *err)
{
	int status;

	if (image->kind == WT_IMAGE_KERNEL || image->kind == WT_IMAGE_MODULE) {
		status = wt_kernel_find(&cache->kernel, image, &ret->names, &ret->base, &ret->reason, err);
		ret->no_name = WT_UNRESOLVED_NO_MATCH;
	} else {
		ret->by_loads = true;
		status = load_kept(cache, image, ret) ? 0 : load_files(cache, image, ret, err);
	}
	if (status < 0)
		return -1;
	ret->loaded = true;
	if (!ret->reason) {
		link_newest(cache, ret);
		wt_image_cache_touch(cache, ret);
	}
	return 0;
}

static uint32_t key_of(struct wt_image_cache *cache, const struct wt_log_image *image, bool *fresh)
{
	struct wt_buf key = {0};
	uint32_t id;

	wt_buf_put_u8(&key, image->kind);
	wt_buf_put_counted(&key, image->build_id.p, image->build_id.len);
	/* The same path may be another file below another root. */
	if (cache->roots.n_others) {
		wt_buf_put_u64(&key, image->device);
		wt_buf_put_u64(&key, image->inode);
	}
	wt_buf_put(&key, image->path.p, image->path.len);
	id = key.failed ? WT_INTERN_NONE : wt_strings_add(&cache->keys, key.data, key.len, fresh);
	wt_buf_deinit(&key);
	return id;
}

/** The entry of the image, made when it is new; NULL when memory is out. */
static struct wt_cached_image *entry_of(struct wt_image_cache *cache, const struct wt_log_image *image)
{
	bool fresh;
	uint32_t id = key_of(cache, image, &fresh);

	if (id == WT_INTERN_NONE)
		return NULL;
	if (wt_grow_filled(&cache->images, &cache->cap, id, 1, 0, NULL))
		return NULL;
	if (!cache->images[id])
		cache->images[id] = calloc(1, sizeof(**cache->images));
	return cache->images[id];
}

struct wt_cached_image *wt_image_cache_get(struct wt_image_cache *cache, const struct wt_log_image *image,
					   struct wt_err *err)
{
	struct wt_cached_image *entry = entry_of(cache, image);

	if (!entry) {
		wt_fail_nomem(err);
		return NULL;
	}
	if (!entry->loaded)
		return load(cache, image, entry, err) < 0 ? NULL : entry;
	if (!entry->reason) {
		unlink_image(cache, entry);
		link_newest(cache, entry);
	}
	return entry;
}

void wt_image_cache_deinit(struct wt_image_cache *cache)
{
	while (cache->oldest)
		unload(cache, cache->oldest);
	for (size_t i = 0; i < cache->cap; i++)
		free(cache->images[i]);
	free(cache->images);
	wt_strings_deinit(&cache->keys);
	wt_kernel_deinit(&cache->kernel);
	*cache = (struct wt_image_cache){0};
}
