/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kernel.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "consumers/symbols/symbols.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/regular.h"

enum { MAX_NOTES_BYTES = 64 << 10, NOTE_BUILD_ID = 3 };

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

struct wt_str wt_kernel_notes_build_id(const void *bytes, size_t len)
{
	struct wt_cursor notes = wt_cursor(bytes, len);

	while (wt_cur_left(&notes)) {
		uint32_t name_len = wt_cur_u32(&notes), id_len = wt_cur_u32(&notes),
			 type = wt_cur_u32(&notes);
		const uint8_t *name = wt_cur_bytes(&notes, padded(name_len));
		const uint8_t *id = wt_cur_bytes(&notes, padded(id_len));

		if (notes.bad)
			break;
		if (type == NOTE_BUILD_ID && name_len == 4 && !memcmp(name, "GNU", 4))
			return wt_str_of(id, id_len);
	}
	return (struct wt_str){0};
}

/** True when the notes file contains that build id. */
static bool notes_tell(const char *path, struct wt_str id)
{
	struct wt_buf notes = {0};
	uint8_t *into = wt_buf_reserve(&notes, MAX_NOTES_BYTES);
	int fd = into ? wt_regular_open(path, NULL) : -1;
	ssize_t n = fd >= 0 ? read(fd, into, MAX_NOTES_BYTES) : -1;
	struct wt_str own = n > 0 ? wt_kernel_notes_build_id(into, (size_t)n) : (struct wt_str){0};
	bool same = own.len == id.len && own.p && !memcmp(own.p, id.p, id.len);

	if (fd >= 0)
		close(fd);
	wt_buf_deinit(&notes);
	return same;
}

/** Returns whether the running kernel, or a module of it, is the recorded one: `notes` is its file below
 * /sys. */
static bool is_recorded_build(const struct wt_kernel *kernel, const char *notes, struct wt_str id)
{
	struct wt_buf path = {0};
	bool same;

	if (kernel->path && !kernel->sys)
		return true;
	if (!id.len)
		return !kernel->any_machine;
	wt_buf_printf(&path, "%s/%s", kernel->sys ? kernel->sys : "/sys", notes);
	same = !path.failed && notes_tell(wt_buf_cstr(&path), id);
	wt_buf_deinit(&path);
	return same;
}

static uint8_t kernel_base(const struct wt_kernel *kernel, const struct wt_log_image *image, uint64_t *base)
{
	if (!is_recorded_build(kernel, "kernel/notes", image->build_id))
		return WT_UNRESOLVED_BUILD_ID;
	*base = kernel->address ? kernel->address : kernel->kallsyms.stext;
	return *base ? WT_RESOLVED : WT_UNRESOLVED_NO_SYMBOLS;
}

static uint8_t module_base(const struct wt_kernel *kernel, const struct wt_log_image *image, uint64_t *base)
{
	struct wt_str name = image->path;
	const struct wt_kernel_module *module;
	struct wt_buf notes = {0};
	bool same;

	if (name.len > 2 && name.p[0] == '[' && name.p[name.len - 1] == ']')
		name = wt_str_of(name.p + 1, name.len - 2);
	module = wt_kallsyms_module(&kernel->kallsyms, name.p, name.len);
	if (!module)
		return WT_UNRESOLVED_NO_FILE;
	if (!module->base)
		return WT_UNRESOLVED_KPTR;
	wt_buf_printf(&notes, "module/%.*s/notes/.note.gnu.build-id", (int)name.len, name.p);
	same = is_recorded_build(kernel, wt_buf_cstr(&notes), image->build_id);
	wt_buf_deinit(&notes);
	*base = module->base;
	return same ? WT_RESOLVED : WT_UNRESOLVED_BUILD_ID;
}

/* ---- the cache ---- */

static bool is_kept(const struct wt_kernel *kernel, const struct wt_log_image *image)
{
	return kernel->cache && !kernel->path && !kernel->sys && image->kind == WT_IMAGE_KERNEL &&
	       image->build_id.len;
}

static bool find_kept(struct wt_kernel *kernel, const struct wt_log_image *image)
{
	if (kernel->loaded || !is_kept(kernel, image) ||
	    !is_recorded_build(kernel, "kernel/notes", image->build_id))
		return false;
	if (kernel->kept.rows.n)
		return true;
	kernel->kept_stext = wt_symbols_kernel_address(NULL);
	return kernel->kept_stext &&
	       wt_kernel_names_find(kernel->cache, image->build_id, kernel->kept_stext, &kernel->kept);
}

static void keep(struct wt_kernel *kernel, const struct wt_log_image *image)
{
	const struct wt_kallsyms *all = &kernel->kallsyms;

	if (is_kept(kernel, image) && all->stext && all->last)
		wt_kernel_names_put(kernel->cache, image->build_id, &all->table, all->stext, all->first,
				    all->last);
}

static int load(struct wt_kernel *kernel, struct wt_err *err)
{
	const char *path = kernel->path ? kernel->path : "/proc/kallsyms";

	if (!kernel->loaded && wt_kallsyms_load(path, &kernel->kallsyms, err) < 0)
		return -1;
	kernel->loaded = true;
	return 0;
}

int wt_kernel_find(struct wt_kernel *kernel, const struct wt_log_image *image, struct wt_names *names,
		   uint64_t *base, uint8_t *reason, struct wt_err *err)
{
	bool fresh = !kernel->loaded;

	if (image->kind == WT_IMAGE_KERNEL && find_kept(kernel, image)) {
		*names = (struct wt_names){.rows = &kernel->kept.rows};
		*base = kernel->address ? kernel->address : kernel->kept_stext;
		*reason = WT_RESOLVED;
		return 0;
	}
	if (load(kernel, err) < 0)
		return -1;
	*names = (struct wt_names){.table = &kernel->kallsyms.table};
	if (kernel->kallsyms.reason)
		*reason = kernel->kallsyms.reason;
	else if (image->kind == WT_IMAGE_MODULE)
		*reason = module_base(kernel, image, base);
	else
		*reason = kernel_base(kernel, image, base);
	if (fresh && *reason == WT_RESOLVED)
		keep(kernel, image);
	return 0;
}

uint64_t wt_kernel_bytes(const struct wt_kernel *kernel)
{
	return wt_kallsyms_bytes(&kernel->kallsyms);
}

void wt_kernel_deinit(struct wt_kernel *kernel)
{
	wt_kallsyms_deinit(&kernel->kallsyms);
	wt_kernel_names_deinit(&kernel->kept);
	*kernel = (struct wt_kernel){0};
}
