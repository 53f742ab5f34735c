// SPDX-License-Identifier: MIT
/* The rundown of mappings: of one process, of the kernel and its modules. */
#include "providers/perf/rundown.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/map_line.h"
#include "providers/perf/textfile.h"
#include "providers/perf/written.h"
#include "tracecore/base/apart.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"

#define KERNEL_PATH "[kernel.kallsyms]"
#define ANON_PATH   "[anon]"

/* PAUSE_EVERY: mappings. */
enum { MAPS_MAX = 64 << 20, MODULES_MAX = 4 << 20, PAUSE_EVERY = 1024 };

static struct wt_str id_str(const struct wt_build_id *id)
{
	return wt_str_of(id->bytes, id->len);
}

static int tell_image(struct wt_perf_walk *walk, const struct wt_image_payload *image, struct wt_err *err)
{
	struct wt_event event = {.time = wt_clock_now(),
				 .flags = image->seen,
				 .kind = walk->image_kind,
				 .cpu = WT_CPU_NONE,
				 .pid = image->pid,
				 .tid = image->tid};

	wt_buf_clear(&walk->payload);
	wt_image_put(&walk->payload, image);
	if (walk->payload.failed)
		return wt_fail_nomem(err);
	event.payload = walk->payload.data;
	event.payload_len = (uint32_t)walk->payload.len;
	return walk->rundown->fn(walk->rundown->ctx, &event, err);
}

static uint8_t kind_of(const struct wt_map_line *map)
{
	if (!strcmp(map->path, "[vdso]"))
		return WT_IMAGE_VDSO;
	return map->path[0] && map->path[0] != '[' && !map->written ? WT_IMAGE_FILE : WT_IMAGE_ANON;
}

/* The paths of a mapped file; they may be empty. */
struct whereabouts {
	char mapped[64]; /* valid even when the file's name was removed or means another file now; reading it
			    needs privileges that the path does not */
	char path[PATH_MAX + 64]; /* below the process's root */
};

static size_t find_apart(const void *in, size_t len, void *out, int *fd)
{
	struct whereabouts where;
	struct wt_build_id id = {.len = 0};

	(void)fd;
	if (len != sizeof(where))
		return 0;
	memcpy(&where, in, sizeof(where));
	wt_build_id_of_file(where.mapped, &id);
	if (!id.len && where.path[0])
		wt_build_id_of_file(where.path, &id);
	memcpy(out, &id, sizeof(id));
	return sizeof(id);
}

/* A user-space file system may answer for the file, or never answer. */
static void file_build_id(struct wt_perf_walk *walk, uint32_t pid, const struct wt_map_line *map,
			  struct wt_build_id *ret)
{
	static uint8_t answer[WT_APART_OUT];
	struct whereabouts where = {.path = ""};
	size_t len;

	ret->len = 0;
	snprintf(where.mapped, sizeof(where.mapped), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid,
		 map->start, map->end);
	if (!strstr(map->path, " (deleted)"))
		snprintf(where.path, sizeof(where.path), "/proc/%u/root%s", pid, map->path);
	if (!wt_apart_ask(pid, find_apart, &where, sizeof(where), answer, &len, NULL))
		return;
	if (len == sizeof(*ret))
		memcpy(ret, answer, sizeof(*ret));
	if (walk->payer)
		wt_allowance_spend(walk->payer, wt_apart_took());
}

/* Adjacent mappings are mostly of one file, which is opened once. */
static void known_build_id(struct wt_perf_walk *walk, uint32_t pid, const struct wt_map_line *map,
			   struct wt_build_id *ret)
{
	struct wt_last_file *last = &walk->last;

	if (!map->inode || last->inode != map->inode || last->device != map->device ||
	    strcmp(last->path, map->path)) {
		file_build_id(walk, pid, map, &last->id);
		last->inode = strlen(map->path) < sizeof(last->path) ? map->inode : 0;
		last->device = map->device;
		snprintf(last->path, sizeof(last->path), "%s", map->path);
	}
	*ret = last->id;
}

/* Pauses so that reports do not pile up; the cost of other users' events is not this process's. */
static int pause_now_and_then(struct wt_perf_walk *walk, struct wt_err *err)
{
	int rc;

	if (!walk->rundown->pause || ++walk->images % PAUSE_EVERY)
		return 0;
	wt_allowance_end(walk->payer);
	rc = walk->rundown->pause(walk->rundown->ctx, err);
	wt_allowance_begin(walk->payer);
	return rc;
}

static int walk_map(struct wt_perf_walk *walk, uint32_t pid, const struct wt_map_line *map, uint32_t seen,
		    struct wt_err *err)
{
	struct wt_build_id id = {.len = 0};
	struct wt_image_payload image = {
		.pid = pid,
		.tid = pid,
		.address = map->start,
		.size = map->end - map->start,
		.kind = kind_of(map),
		.seen = seen,
		.path = wt_str(map->path[0] ? map->path : ANON_PATH),
	};

	if (image.kind == WT_IMAGE_FILE) {
		image.file_offset = map->offset;
		image.device = map->device;
		image.inode = map->inode;
		if (map->path[0] == '/')
			known_build_id(walk, pid, map, &id);
	} else if (image.kind == WT_IMAGE_VDSO) {
		id = walk->vdso;
	}
	image.build_id = id_str(&id);
	if (tell_image(walk, &image, err))
		return -1;
	return pause_now_and_then(walk, err);
}

int wt_perf_walk_maps(struct wt_perf_walk *walk, uint32_t pid, uint32_t most, struct wt_err *err)
{
	struct wt_map_line map;
	char *line = NULL;
	size_t cap = 0;
	enum wt_written written;
	ssize_t len = 0;
	int failed = 0;
	FILE *file;

	walk->last.inode = 0;
	file = wt_apart_proc_open(pid, "maps", MAPS_MAX);
	if (walk->payer)
		wt_allowance_spend(walk->payer, wt_apart_took());
	/* The process has ended or may not be read: then it has no images here. */
	while (file && most && !failed && (len = getline(&line, &cap, file)) > 0) {
		line[len - 1] = 0;
		if (!wt_map_line_parse(line, &map) || !map.exec)
			continue;
		written = WT_WRITTEN_NOT;
		if (map.private && !map.written && map.inode)
			written = wt_perf_is_written(pid, map.start, map.end);
		map.written |= written == WT_WRITTEN;
		most--;
		failed = walk_map(walk, pid, &map, wt_perf_seen_flag(written), err);
	}
	if (file && len < 0 && !feof(file) && !ferror(file))
		failed = wt_fail_nomem(err);
	free(line);
	if (file)
		fclose(file);
	return failed;
}

#ifdef __x86_64__
#define WT_IOMEM_IS_TEXT true
#else
#define WT_IOMEM_IS_TEXT false
#endif

static bool ends_in(const char *line, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !memcmp(line + len - n, end, n);
}

/* Returns the bytes of the kernel's text; 0: unknown or hidden from us. On machines other than x86 this is
 * not the range up to _etext. */
static uint64_t kernel_code_bytes(void)
{
	FILE *file = WT_IOMEM_IS_TEXT ? fopen("/proc/iomem", "re") : NULL;
	uint64_t start = 0, end = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, ": Kernel code") && sscanf(line, " %" SCNx64 "-%" SCNx64, &start, &end) == 2)
			break;
	if (file)
		fclose(file);
	return end > start ? end - start + 1 : 0;
}

/* The file has more than 100,000 lines. The first two wanted lines are among the first, the last wanted line
 * among the last. Only these lines are parsed, and no more is read than necessary. */
static void find_kernel_range(uint64_t *start, uint64_t *end)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t text = 0, bytes = kernel_code_bytes();
	char line[1024];

	*start = *end = 0;
	while (file && !*end && fgets(line, sizeof(line), file)) {
		size_t len = strlen(line);

		if (ends_in(line, len, " _stext\n")) {
			*start = strtoull(line, NULL, 16);
			if (!*start)
				break;
		} else if (ends_in(line, len, " _text\n")) {
			text = strtoull(line, NULL, 16);
		} else if (ends_in(line, len, " _etext\n")) {
			*end = strtoull(line, NULL, 16);
		}
		if (*start && text && bytes)
			*end = text + bytes;
	}
	if (file)
		fclose(file);
}

/* First and last address of the kernel's text; 0 where kptr_restrict hides addresses. The addresses are
 * kept, because a session asks when it starts and when it ends. */
static void kernel_range(uint64_t *start, uint64_t *end)
{
	static uint64_t known_start, known_end;

	if (!known_end)
		find_kernel_range(&known_start, &known_end);
	*start = known_start;
	*end = known_end;
}

static int walk_kernel_image(struct wt_perf_walk *walk, struct wt_err *err)
{
	struct wt_image_payload image = {.pid = WT_PID_KERNEL,
					 .tid = WT_PID_KERNEL,
					 .kind = WT_IMAGE_KERNEL,
					 .path = wt_str(KERNEL_PATH)};
	struct wt_build_id id;
	uint64_t end;

	kernel_range(&image.address, &end);
	image.size = end > image.address ? end - image.address : 0;
	wt_build_id_of_notes_file("/sys/kernel/notes", &id);
	image.build_id = id_str(&id);
	return tell_image(walk, &image, err);
}

/* "name size uses users state 0xaddress"; the address is 0 where it is hidden. */
static int walk_module(struct wt_perf_walk *walk, const char *line, struct wt_err *err)
{
	struct wt_image_payload image = {.pid = WT_PID_KERNEL, .tid = WT_PID_KERNEL, .kind = WT_IMAGE_MODULE};
	char name[128], bracketed[132], path[256];
	struct wt_build_id id;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &image.size, &image.address) != 3)
		return 0;
	snprintf(bracketed, sizeof(bracketed), "[%s]", name);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	wt_build_id_of_notes_file(path, &id);
	image.build_id = id_str(&id);
	image.path = wt_str(bracketed);
	return tell_image(walk, &image, err);
}

static int walk_modules(struct wt_perf_walk *walk, struct wt_err *err)
{
	struct wt_buf text = {0};
	char *line, *next;
	int failed = 0;

	/* A kernel without modules has no such file. */
	if (wt_text_read_all("/proc/modules", &text, MODULES_MAX) == 0)
		wt_buf_put_u8(&text, 0);
	for (line = (char *)text.data; line && text.len && *line && !failed; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		failed = walk_module(walk, line, err);
	}
	wt_buf_deinit(&text);
	return failed;
}

int wt_perf_walk_kernel(struct wt_perf_walk *walk, struct wt_err *err)
{
	return walk_kernel_image(walk, err) < 0 ? -1 : walk_modules(walk, err);
}
