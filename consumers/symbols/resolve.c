/* SPDX-License-Identifier: MIT */
/* One image's addresses to names, lines and reasons for having none. */
#include "consumers/symbols/symbols.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/symbols/arena.h"
#include "consumers/symbols/code_file.h"
#include "consumers/symbols/elf_symbols.h"
#include "consumers/symbols/image_cache.h"

static const uint64_t default_max_bytes = 32 << 20;

struct wt_symbols {
	struct wt_image_cache cache;
	char *debug_root, *sysroot, *kallsyms, *sys; /**< owned copies of the options */
	struct wt_arena strings;                     /**< of the delivered rows */
	struct wt_buf demangled;
	struct wt_buf chain; /**< of inlined functions */
	bool proving, elsewhere, same_boot, may_be_elsewhere;
	struct wt_file_clock clock; /**< while proving */
	wt_symbols_generated_fn *generated;
	void *generated_ctx;
	wt_symbols_watched_fn *watched;
	void *watched_ctx;
	bool apart; /**< in a forked child */
};

/** The outcome of the previous row of a call: most neighbours have the same outcome. */
struct previous {
	const char *symbol; /**< as in the table */
	struct wt_str name, raw_name;
	struct wt_str file;
	struct wt_str inlined;
};

static bool copy_option(const char *text, const char *otherwise, char **ret)
{
	if (!text)
		text = otherwise;
	*ret = text ? strdup(text) : NULL;
	return *ret || !text;
}

int wt_symbols_create(const struct wt_symbols_options *options, struct wt_symbols **ret, struct wt_err *err)
{
	struct wt_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols || !copy_option(options->debug_root, "/usr/lib/debug", &symbols->debug_root) ||
	    !copy_option(options->sysroot, "", &symbols->sysroot) ||
	    !copy_option(options->kallsyms, NULL, &symbols->kallsyms) ||
	    !copy_option(options->sys, NULL, &symbols->sys)) {
		wt_symbols_destroy(symbols);
		return wt_fail_nomem(err);
	}
	symbols->cache.roots = (struct wt_image_roots){
		.debug = symbols->debug_root,
		.sysroot = symbols->sysroot,
		.others = options->roots,
		.n_others = options->n_roots,
		.debuginfod = options->debuginfod,
	};
	symbols->cache.kernel.path = symbols->kallsyms;
	symbols->cache.kernel.sys = symbols->sys;
	symbols->cache.kernel.address = options->kernel_address;
	symbols->cache.kernel.any_machine = options->any_machine;
	symbols->cache.kernel.cache = options->cache;
	symbols->cache.cache = options->cache;
	symbols->cache.want_lines = options->lines;
	symbols->cache.want_inlines = options->inlines;
	symbols->cache.max_bytes = options->max_bytes ? options->max_bytes : default_max_bytes;
	symbols->may_be_elsewhere = options->elsewhere;
	symbols->generated = options->generated;
	symbols->generated_ctx = options->generated_ctx;
	symbols->watched = options->watched;
	symbols->watched_ctx = options->watched_ctx;
	*ret = symbols;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

size_t wt_symbols_fds(const struct wt_symbols *symbols, int ret[WT_SYMBOLS_FDS])
{
	const struct wt_image_roots *roots = &symbols->cache.roots;
	size_t n = 0;

	if (symbols->cache.cache)
		ret[n++] = symbols->cache.cache->dir;
	for (size_t i = 0; i < roots->n_others && n < WT_SYMBOLS_FDS; i++)
		ret[n++] = roots->others[i];
	qsort(ret, n, sizeof(*ret), by_number);
	return n;
}

static bool says(const struct wt_log_segment *segment, const char *key, const char *value)
{
	size_t n = strlen(key), len = strlen(value);

	for (uint32_t i = 0; i < segment->n_facts; i++) {
		const struct wt_log_fact *fact = &segment->facts[i];

		if (fact->key.len == n && !memcmp(fact->key.p, key, n))
			return fact->value.len == len && !memcmp(fact->value.p, value, len);
	}
	return false;
}

/* Hosts of one boot may have other names: containers, with files of their own at the same paths. */
static bool is_this_host(const struct wt_log_segment *segment)
{
	char own[HOST_NAME_MAX + 1] = "";

	gethostname(own, sizeof(own) - 1);
	return says(segment, "host", own);
}

static bool is_this_boot(const struct wt_log_segment *segment)
{
	char boot[64];

	wt_clock_boot_id(boot, sizeof(boot));
	return *boot && says(segment, "boot", boot);
}

void wt_symbols_prove(struct wt_symbols *symbols, const struct wt_log_segment *segment)
{
	struct wt_clockset now;

	symbols->proving = true;
	symbols->elsewhere = symbols->may_be_elsewhere && !is_this_host(segment);
	symbols->same_boot = is_this_boot(segment);
	symbols->clock = (struct wt_file_clock){0};
	for (uint32_t i = 0; i < segment->n_clocks; i++)
		wt_file_clock_take(&symbols->clock, &segment->clocks[i]);
	wt_clock_sample(&now);
	/* Counted from another boot: later than what was reported then. */
	if (symbols->clock.zero)
		wt_file_clock_take(&symbols->clock, &now);
}

bool wt_symbols_is_elsewhere(const struct wt_symbols *symbols)
{
	return symbols->elsewhere && !symbols->same_boot;
}

void wt_symbols_destroy(struct wt_symbols *symbols)
{
	if (!symbols)
		return;
	wt_image_cache_deinit(&symbols->cache);
	wt_arena_deinit(&symbols->strings);
	wt_buf_deinit(&symbols->demangled);
	wt_buf_deinit(&symbols->chain);
	free(symbols->debug_root);
	free(symbols->sysroot);
	free(symbols->kallsyms);
	free(symbols->sys);
	free(symbols);
}

static bool copy_string(struct wt_symbols *symbols, const void *bytes, size_t len, struct wt_str *ret)
{
	ret->p = wt_arena_copy(&symbols->strings, bytes, len);
	ret->len = (uint32_t)len;
	return ret->p;
}

/** Puts the readable form of a symbol into `demangled`; false when it is readable already. */
static bool demangle(struct wt_symbols *symbols, const char *symbol, size_t len)
{
	const size_t suffix = sizeof(WT_ELF_PLT_SUFFIX) - 1;
	struct wt_buf stem = {0};
	bool mangled;

	wt_buf_clear(&symbols->demangled);
	if (len <= suffix || strcmp(symbol + len - suffix, WT_ELF_PLT_SUFFIX) != 0)
		return wt_demangle(symbol, &symbols->demangled);
	wt_buf_put(&stem, symbol, len - suffix);
	mangled = wt_demangle(wt_buf_cstr(&stem), &symbols->demangled);
	wt_buf_puts(&symbols->demangled, WT_ELF_PLT_SUFFIX);
	wt_buf_deinit(&stem);
	return mangled && !symbols->demangled.failed;
}

static bool name_symbol(struct wt_symbols *symbols, const char *symbol, struct previous *last)
{
	struct wt_str raw = wt_str(symbol);

	if (last->symbol == symbol)
		return true;
	last->name = raw;
	last->raw_name = (struct wt_str){0};
	if (demangle(symbols, symbol, raw.len)) {
		last->raw_name = raw;
		if (!copy_string(symbols, symbols->demangled.data, symbols->demangled.len, &last->name))
			return false;
	}
	last->symbol = symbol;
	return true;
}

static bool name_file(struct wt_symbols *symbols, const char *file, struct previous *last)
{
	size_t len = strlen(file);

	if (last->file.p && last->file.len == len && !memcmp(last->file.p, file, len))
		return true;
	return copy_string(symbols, file, len, &last->file);
}

static bool find_inlined(struct wt_symbols *symbols, struct wt_inline_store *inlines, uint64_t address,
			 struct previous *last, struct wt_log_symbol *row)
{
	struct wt_buf *chain = &symbols->chain;

	wt_buf_clear(chain);
	wt_inline_store_find(inlines, address, chain);
	if (chain->failed || !chain->len)
		return true;
	if (last->inlined.len != chain->len || memcmp(last->inlined.p, chain->data, chain->len) != 0) {
		last->inlined = (struct wt_str){0};
		if (!copy_string(symbols, chain->data, chain->len, &last->inlined))
			return false;
	}
	row->inlined = last->inlined;
	return true;
}

/* Names, without lines and inlined functions where they are not asked for. */
static bool resolve_one(struct wt_symbols *symbols, const struct wt_cached_image *image, bool lines,
			uint64_t offset, struct previous *last, struct wt_log_symbol *row)
{
	bool placed = true;
	struct wt_symtab_hit hit;
	struct wt_line line;
	uint64_t address;

	if (image->by_loads)
		placed = wt_elf_address(&image->loads, offset, &address);
	else
		address = image->base + offset;
	*row = (struct wt_log_symbol){.reason = image->no_name};
	if (!placed)
		return true;
	if (wt_names_find(&image->names, address, &hit)) {
		if (!name_symbol(symbols, hit.name, last))
			return false;
		*row = (struct wt_log_symbol){
			.name = last->name, .raw_name = last->raw_name, .symbol_offset = hit.offset};
	}
	if (!lines)
		return true;
	if (image->lines && wt_lines_find(image->lines, address, &line)) {
		if (!name_file(symbols, line.file, last))
			return false;
		row->file = last->file;
		row->line = line.line;
	}
	if (image->inlines && row->name.len)
		return find_inlined(symbols, image->inlines, address, last, row);
	return true;
}

static void fill(struct wt_log_symbol *rows, size_t n, const struct wt_log_symbol *with)
{
	for (size_t i = 0; i < n; i++)
		rows[i] = *with;
}

static enum wt_file_written written(const struct wt_symbols *symbols, const struct wt_log_image *image)
{
	return symbols->watched ? symbols->watched(symbols->watched_ctx, image, symbols->apart)
				: WT_FILE_NOT_WATCHED;
}

static struct wt_file_claim claim_of(const struct wt_symbols *symbols, const struct wt_log_image *image)
{
	/* A file of another build has no names here. */
	struct wt_file_claim claim = wt_file_claim_of(image, &symbols->clock, image->build_id.len);

	claim.elsewhere = symbols->elsewhere;
	claim.same_boot = symbols->same_boot;
	return claim;
}

/* The reason why the file with the names cannot be trusted; WT_RESOLVED: it can. */
static uint8_t doubt(const struct wt_symbols *symbols, const struct wt_log_image *image,
		     const struct wt_file_facts *file)
{
	struct wt_file_claim claim;

	if (!symbols->proving || image->kind != WT_IMAGE_FILE || !file->there || *symbols->sysroot)
		return WT_RESOLVED;
	claim = claim_of(symbols, image);
	claim.watched = file->in_memory && written(symbols, image) == WT_FILE_NOT_WRITTEN;
	return wt_file_proof(&claim, file);
}

/* As above, behind the last reading: only then it is known that a file in memory had no writer until then. */
static uint8_t doubt_again(const struct wt_symbols *symbols, const struct wt_log_image *image,
			   const struct wt_cached_image *cached)
{
	struct wt_file_facts file;

	if (!cached->file.in_memory)
		return WT_RESOLVED;
	wt_image_cache_look(&symbols->cache, image, &file);
	return file.there ? doubt(symbols, image, &file) : WT_UNRESOLVED_UNPROVED;
}

/* Nobody watched the file, and nothing else speaks against it. */
static bool lacks_watch(const struct wt_symbols *symbols, const struct wt_log_image *image,
			const struct wt_cached_image *cached)
{
	struct wt_file_claim claim = claim_of(symbols, image);

	claim.watched = true;
	return !cached->reason && cached->file.in_memory && !wt_file_proof(&claim, &cached->file) &&
	       written(symbols, image) == WT_FILE_NOT_WATCHED;
}

/* The files of the image. Where only a watch is missing, *image becomes one without its own file: a separate
 * file of its build id gives names as if the file were gone. */
static struct wt_cached_image *get_proved(struct wt_symbols *symbols, struct wt_log_image *image,
					  uint8_t *reason, struct wt_err *err)
{
	struct wt_cached_image *cached = wt_image_cache_get(&symbols->cache, image, err), *separate;
	struct wt_log_image other = *image;

	if (!cached)
		return NULL;
	*reason = cached->reason ? cached->reason : doubt(symbols, image, &cached->file);
	if (!*reason || !image->build_id.len || !lacks_watch(symbols, image, cached))
		return cached;
	other.path = wt_str("");
	separate = wt_image_cache_get(&symbols->cache, &other, err);
	if (separate && !separate->reason) {
		*image = other;
		*reason = WT_RESOLVED;
	}
	return separate;
}

void wt_symbols_go_apart(struct wt_symbols *symbols)
{
	symbols->apart = true;
}

void wt_symbols_check(const struct wt_symbols *symbols, const struct wt_log_image *image, size_t n,
		      struct wt_log_symbol *rows)
{
	if (image->kind == WT_IMAGE_FILE && written(symbols, image) == WT_FILE_WRITTEN)
		fill(rows, n, &(struct wt_log_symbol){.reason = WT_UNRESOLVED_UNPROVED});
}

static int resolve_all(struct wt_symbols *symbols, const struct wt_log_image *image, bool lines,
		       const uint64_t *offsets, size_t n, struct wt_log_symbol *rows, struct wt_err *err)
{
	struct wt_log_image of = *image;
	struct previous last = {0};
	uint8_t reason;
	struct wt_cached_image *cached = get_proved(symbols, &of, &reason, err);

	if (!cached)
		return -1;
	if (reason) {
		fill(rows, n, &(struct wt_log_symbol){.reason = reason});
		return 0;
	}
	if (lines)
		(void)wt_image_cache_inlines(&symbols->cache, &of, cached);
	for (size_t i = 0; i < n; i++)
		if (!resolve_one(symbols, cached, lines, offsets[i], &last, &rows[i]))
			return wt_fail_nomem(err);
	wt_image_cache_touch(&symbols->cache, cached);
	reason = doubt_again(symbols, &of, cached);
	if (reason)
		fill(rows, n, &(struct wt_log_symbol){.reason = reason});
	return 0;
}

/* The name of the code that lay there; an uncertain name is marked as such. */
static bool name_generated(struct wt_symbols *symbols, const struct wt_code_hit *hit,
			   struct wt_log_symbol *row)
{
	*row = (struct wt_log_symbol){.line = hit->line,
				      .symbol_offset = hit->offset > UINT32_MAX ? UINT32_MAX
										: (uint32_t)hit->offset};
	wt_buf_clear(&symbols->demangled);
	if (!hit->sure)
		wt_buf_puts(&symbols->demangled, WT_NAME_MAY_BE);
	wt_buf_put(&symbols->demangled, hit->name.p, hit->name.len);
	return !symbols->demangled.failed &&
	       copy_string(symbols, symbols->demangled.data, symbols->demangled.len, &row->name) &&
	       (hit->sure || copy_string(symbols, hit->name.p, hit->name.len, &row->raw_name)) &&
	       (!hit->file.len || copy_string(symbols, hit->file.p, hit->file.len, &row->file));
}

static int resolve_generated(struct wt_symbols *symbols, const struct wt_log_image *image,
			     const uint64_t *offsets, size_t n, struct wt_log_symbol *rows,
			     struct wt_err *err)
{
	struct wt_code_hit hit;

	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct wt_log_symbol){.reason = WT_UNRESOLVED_ANON};
		if (image->inode && symbols->generated &&
		    symbols->generated(symbols->generated_ctx, image, offsets[i], &hit) &&
		    !name_generated(symbols, &hit, &rows[i]))
			return wt_fail_nomem(err);
	}
	return 0;
}

static int resolve(struct wt_symbols *symbols, const struct wt_log_image *image, bool lines,
		   const uint64_t *offsets, size_t n, struct wt_log_symbol *rows, struct wt_err *err)
{
	struct wt_log_symbol same = {0};

	wt_arena_clear(&symbols->strings);
	if (image->kind == WT_IMAGE_ANON)
		return resolve_generated(symbols, image, offsets, n, rows, err);
	if (image->kind == WT_IMAGE_LEFT_OUT) {
		same.reason = WT_UNRESOLVED_LEFT_OUT;
	} else if (image->kind == WT_IMAGE_IN_DOUBT) {
		same.reason = WT_UNRESOLVED_IN_DOUBT;
	} else if (!image->path.len && image->kind != WT_IMAGE_KERNEL && image->kind != WT_IMAGE_VDSO) {
		same.reason = WT_UNRESOLVED_NO_IMAGE;
	} else if (image->kind == WT_IMAGE_KSYMBOL) {
		if (!copy_string(symbols, image->path.p, image->path.len, &same.name))
			return wt_fail_nomem(err);
	} else {
		return resolve_all(symbols, image, lines, offsets, n, rows, err);
	}
	fill(rows, n, &same);
	if (image->kind == WT_IMAGE_KSYMBOL)
		for (size_t i = 0; i < n; i++)
			rows[i].symbol_offset = offsets[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)offsets[i];
	return 0;
}

int wt_symbols_resolve(struct wt_symbols *symbols, const struct wt_log_image *image, const uint64_t *offsets,
		       size_t n, struct wt_log_symbol *rows, struct wt_err *err)
{
	return resolve(symbols, image, true, offsets, n, rows, err);
}

int wt_symbols_name(struct wt_symbols *symbols, const struct wt_log_image *image, const uint64_t *offsets,
		    size_t n, struct wt_log_symbol *rows, struct wt_err *err)
{
	return resolve(symbols, image, false, offsets, n, rows, err);
}

/* ---- code ---- */

/* Grows the stretch around the hit to the whole of its function. */
static void find_extent(const struct wt_cached_image *image, uint64_t address,
			const struct wt_symtab_hit *hit, struct wt_symbols_code *ret)
{
	uint64_t start = address - hit->offset, end = address + hit->left;
	struct wt_symtab_hit next;

	while (end - start < WT_SYMBOLS_CODE_MOST && wt_names_find(&image->names, end, &next) &&
	       next.name == hit->name && next.offset == end - start && next.left)
		end += next.left;
	ret->address = start;
	ret->size = end - start < WT_SYMBOLS_CODE_MOST ? (uint32_t)(end - start) : WT_SYMBOLS_CODE_MOST;
}

/* As doubt. A file of which only a watch is missing is read, and marked. */
static uint8_t doubt_code(const struct wt_symbols *symbols, const struct wt_log_image *image,
			  const struct wt_cached_image *cached, struct wt_symbols_code *ret)
{
	uint8_t reason = cached->reason ? cached->reason : doubt(symbols, image, &cached->file);

	ret->unproved = reason && lacks_watch(symbols, image, cached);
	return ret->unproved ? WT_RESOLVED : reason;
}

int wt_symbols_code(struct wt_symbols *symbols, const struct wt_log_image *image, uint64_t offset,
		    struct wt_symbols_code *ret, struct wt_buf *bytes, struct wt_err *err)
{
	struct wt_cached_image *cached;
	struct wt_symtab_hit hit;
	uint64_t address = 0;

	*ret = (struct wt_symbols_code){.reason = WT_UNRESOLVED_ANON};
	if (image->kind != WT_IMAGE_FILE && image->kind != WT_IMAGE_VDSO && image->kind != WT_IMAGE_KERNEL &&
	    image->kind != WT_IMAGE_MODULE)
		return 0;
	cached = wt_image_cache_get(&symbols->cache, image, err);
	if (!cached)
		return -1;
	ret->reason = doubt_code(symbols, image, cached, ret);
	if (ret->reason)
		return 0;
	ret->reason = cached->no_name;
	if (cached->by_loads && !wt_elf_address(&cached->loads, offset, &address))
		return 0;
	address = cached->by_loads ? address : cached->base + offset;
	if (!wt_names_find(&cached->names, address, &hit) || hit.offset > offset)
		return 0;
	ret->reason = WT_RESOLVED;
	ret->start = offset - hit.offset;
	find_extent(cached, address, &hit, ret);
	if (cached->by_loads)
		wt_code_file_read(&symbols->cache.roots, image, ret->start, ret->size, bytes);
	else
		wt_code_kernel_read(ret->address, ret->size, bytes);
	ret->unproved |= doubt_again(symbols, image, cached) != WT_RESOLVED;
	return bytes->failed ? wt_fail_nomem(err) : 0;
}
