/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/ring/reading.h"

/* Files and rings of one folder. Another user's programs must not take what all users' rings share: memory,
 * descriptors, pages (ring_page.c). */
#define FILES_MAX   65536u
#define FILES_OTHER 8192u
#define RINGS_OTHER 16384u
/* Descriptors left to others. */
#define FILES_SPARE 64u
#define LANES_MAX   65536u

static int watch(int dir_fd)
{
	char path[64];
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir_fd);
	if (inotify_add_watch(fd, path, IN_CREATE | IN_MOVED_TO) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int wt_ring_folder_open(int dir_fd, uid_t owner, const char *path, struct wt_ring_folder **ret,
			struct wt_err *err)
{
	struct wt_ring_folder *folder = calloc(1, sizeof(*folder));

	if (!folder || !(folder->path = strdup(path))) {
		free(folder);
		return wt_fail_nomem(err);
	}
	folder->dir_fd = dir_fd;
	folder->owner = owner;
	folder->inotify_fd = watch(dir_fd);
	*ret = folder;
	return 0;
}

int wt_ring_folder_fd(const struct wt_ring_folder *folder)
{
	return folder->inotify_fd;
}

/* True when the folder must be listed: something appeared, or nothing tells us. */
static bool take_news(struct wt_ring_folder *folder)
{
	char events[4096] __attribute__((aligned(8)));
	bool any = !folder->scanned || folder->inotify_fd < 0 || folder->changed;

	while (folder->inotify_fd >= 0 && read(folder->inotify_fd, events, sizeof(events)) > 0)
		any = true;
	return any;
}

/* Every reader of the folder gives a ring the same id: it follows from the file's name. */
static uint32_t name_number(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

static bool known(const struct wt_ring_folder *folder, const char *name, uint32_t number)
{
	for (uint32_t i = 0; i < folder->n_files; i++) {
		if (folder->numbers[i] == number && !strcmp(folder->files[i]->name, name))
			return true;
	}
	return false;
}

static bool of_other_user(const struct wt_ring_folder *folder)
{
	return folder->owner != geteuid();
}

static bool grow(void *array, uint32_t n, size_t size)
{
	void *bigger;

	if (n & (n - 1))
		return true;
	bigger = realloc(*(void **)array, (n ? 2 * (size_t)n : 1) * size);
	if (bigger)
		*(void **)array = bigger;
	return bigger;
}

static bool unique_id(const struct wt_ring_folder *folder, uint32_t id)
{
	for (uint32_t i = 0; i < folder->n_rings; i++) {
		if (folder->rings[i]->id == id)
			return false;
	}
	return true;
}

typedef int wt_ring_added(void *ctx, struct wt_ring_reader *ring, struct wt_err *err);

static int add_ring(struct wt_ring_folder *folder, struct wt_ring_reader *ring, uint32_t id,
		    wt_ring_added *added, void *ctx, struct wt_err *err)
{
	if (of_other_user(folder) && folder->n_rings >= RINGS_OTHER) {
		wt_reading_destroy(ring);
		return wt_fail(err, WT_ERR_LIMIT, "%s: more than %u rings; the rest is not recorded",
			       folder->path, RINGS_OTHER);
	}
	if (!grow(&folder->rings, folder->n_rings, sizeof(struct wt_ring_reader *))) {
		wt_reading_destroy(ring);
		return wt_fail_nomem(err);
	}
	while (!unique_id(folder, id))
		id++;
	ring->id = id;
	ring->file->n_readers++;
	folder->rings[folder->n_rings++] = ring;
	return added(ctx, ring, err);
}

/* Memory for one ring is missing: what that costs is this ring, not the session. */
static int fail_unmapped(const struct wt_ring_folder *folder, const struct wt_ring_file *file,
			 struct wt_err *err)
{
	return wt_fail(err, WT_ERR_LIMIT, "%s/%s: no memory to read one more ring", folder->path, file->name);
}

static bool lanes_ok(const struct wt_abi_lanes *lanes, uint64_t bytes)
{
	return lanes->magic == WT_ABI_LANES_MAGIC && lanes->version == WT_ABI_RING_VERSION &&
	       lanes->n_slots > 0 && lanes->n_slots <= LANES_MAX && lanes->stride >= WT_RING_PAGE_BYTES &&
	       !(lanes->stride % 4096) && lanes->first >= sizeof(*lanes) && !(lanes->first % 4096) &&
	       lanes->first <= bytes && lanes->stride <= (bytes - lanes->first) / lanes->n_slots;
}

static int open_lane(struct wt_ring_folder *folder, struct wt_ring_file *file, uint32_t i,
		     wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct wt_ring_reader *ring;

	if (wt_reading_open(file, file->lanes.first + i * file->lanes.stride, file->lanes.stride, &ring))
		return errno ? fail_unmapped(folder, file, err) : 0;
	if (!ring->is_lane) {
		wt_reading_destroy(ring);
		return 0;
	}
	file->opened[i] = 1;
	return add_ring(folder, ring, file->number + i + 1, added, ctx, err);
}

/* Lanes taken since the last look. One that is taken and not yet formatted is looked at again; there are few
 * of these, unless somebody plays with n_used. */
static int look_for_lanes(struct wt_ring_folder *folder, struct wt_ring_file *file, wt_ring_added *added,
			  void *ctx, struct wt_err *err)
{
	uint64_t used = 0;
	unsigned empty = 0;

	if (pread(file->fd, &used, sizeof(used), offsetof(struct wt_abi_lanes, n_used)) != sizeof(used))
		return 0;
	for (uint32_t i = 0; i < used && i < file->lanes.n_slots && empty < 256; i++) {
		if (!file->opened[i] && open_lane(folder, file, i, added, ctx, err))
			return -1;
		empty += !file->opened[i];
	}
	return 0;
}

/* Rings must not take the last descriptors: whoever reads them has other files to open. */
static bool spare(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd + FILES_SPARE < limit.rlim_cur;
}

/* file->fd is open on something that may be a ring file, or -1: it is none. -1 returned: nobody can tell, for
 * want of descriptors. */
static int open_file(const struct wt_ring_folder *folder, struct wt_ring_file *file, uint64_t *bytes,
		     struct wt_err *err)
{
	struct stat st;

	file->fd = openat(folder->dir_fd, file->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 && errno != EMFILE && errno != ENFILE)
		return 0;
	if (file->fd < 0 || !spare(file->fd)) {
		if (file->fd >= 0) {
			close(file->fd);
			errno = EMFILE;
		}
		return wt_fail_errno(err, "%s: rings of programs cannot be read", folder->path);
	}
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == folder->owner) {
		*bytes = (uint64_t)st.st_size;
		return 0;
	}
	close(file->fd);
	file->fd = -1;
	return 0;
}

static int add_file(struct wt_ring_folder *folder, struct wt_ring_file *file, uint64_t bytes,
		    wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct wt_ring_reader *ring;

	if (pread(file->fd, &file->lanes, sizeof(file->lanes), 0) == sizeof(file->lanes) &&
	    lanes_ok(&file->lanes, bytes)) {
		file->is_lanes = true;
		file->opened = calloc(file->lanes.n_slots, 1);
		return file->opened ? look_for_lanes(folder, file, added, ctx, err) : wt_fail_nomem(err);
	}
	if (!wt_reading_open(file, 0, bytes, &ring))
		return add_ring(folder, ring, file->number, added, ctx, err);
	if (errno)
		return fail_unmapped(folder, file, err);
	close(file->fd);
	file->fd = -1;
	return 0;
}

/* Room for one more; what is beyond it is said, not left out silently. */
static int make_room(struct wt_ring_folder *folder, struct wt_err *err)
{
	uint32_t most = of_other_user(folder) ? FILES_OTHER : FILES_MAX;

	if (folder->n_files >= most)
		return wt_fail(err, WT_ERR_LIMIT, "%s: more than %u files; the rest is not recorded",
			       folder->path, most);
	if (!grow(&folder->files, folder->n_files, sizeof(struct wt_ring_file *)) ||
	    !grow(&folder->numbers, folder->n_files, sizeof(*folder->numbers)))
		return wt_fail_nomem(err);
	return 0;
}

static int add_name(struct wt_ring_folder *folder, const char *name, wt_ring_added *added, void *ctx,
		    struct wt_err *err)
{
	uint32_t number = name_number(name);
	struct wt_ring_file *file;
	uint64_t bytes = 0;

	if (name[0] == '.' || strlen(name) >= sizeof(file->name) || known(folder, name, number))
		return 0;
	if (make_room(folder, err))
		return -1;
	file = calloc(1, sizeof(*file));
	if (!file)
		return wt_fail_nomem(err);
	memcpy(file->name, name, strlen(name) + 1);
	file->number = number;
	if (open_file(folder, file, &bytes, err)) {
		free(file);
		return -1;
	}
	folder->numbers[folder->n_files] = number;
	folder->files[folder->n_files++] = file;
	return file->fd < 0 ? 0 : add_file(folder, file, bytes, added, ctx, err);
}

static int list(struct wt_ring_folder *folder, wt_ring_added *added, void *ctx, struct wt_err *err)
{
	int fd = openat(folder->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		wt_fail_errno(err, "%s", folder->path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!ret && (entry = readdir(dir)))
		ret = add_name(folder, entry->d_name, added, ctx, err);
	closedir(dir);
	folder->scanned = !ret;
	return ret;
}

int wt_ring_folder_refresh(struct wt_ring_folder *folder, wt_ring_added *added, void *ctx, struct wt_err *err)
{
	folder->changed = take_news(folder);
	if (folder->changed && list(folder, added, ctx, err))
		return -1;
	folder->changed = false;
	for (uint32_t i = 0; i < folder->n_files; i++) {
		if (folder->files[i]->is_lanes && folder->files[i]->fd >= 0 &&
		    look_for_lanes(folder, folder->files[i], added, ctx, err))
			return -1;
	}
	return 0;
}

static void close_file(struct wt_ring_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	free(file->opened);
	file->opened = NULL;
	file->is_lanes = false;
}

/* Programs come and go while a session lives: their files are not remembered. */
static void forget_file(struct wt_ring_folder *folder, struct wt_ring_file *file)
{
	for (uint32_t i = 0; i < folder->n_files; i++) {
		if (folder->files[i] != file)
			continue;
		folder->files[i] = folder->files[--folder->n_files];
		folder->numbers[i] = folder->numbers[folder->n_files];
		break;
	}
	free(file);
}

int wt_ring_folder_drop(struct wt_ring_folder *folder, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct wt_ring_file *file = ring->file;

	for (uint32_t i = 0; i < folder->n_rings; i++) {
		if (folder->rings[i] == ring)
			folder->rings[i] = folder->rings[--folder->n_rings];
	}
	wt_reading_destroy(ring);
	if (--file->n_readers)
		return 0;
	close_file(file);
	if (unlinkat(folder->dir_fd, file->name, 0) && errno != ENOENT)
		return wt_fail_errno(err, "%s/%s", folder->path, file->name);
	forget_file(folder, file);
	return 0;
}

int wt_ring_folder_unlink(struct wt_ring_folder *folder, struct wt_err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < folder->n_files; i++) {
		if (unlinkat(folder->dir_fd, folder->files[i]->name, 0) && errno != ENOENT)
			ret = wt_fail_errno(err, "%s/%s", folder->path, folder->files[i]->name);
	}
	return ret;
}

void wt_ring_folder_destroy(struct wt_ring_folder *folder)
{
	if (!folder)
		return;
	for (uint32_t i = 0; i < folder->n_rings; i++)
		wt_reading_destroy(folder->rings[i]);
	for (uint32_t i = 0; i < folder->n_files; i++) {
		close_file(folder->files[i]);
		free(folder->files[i]);
	}
	if (folder->inotify_fd >= 0)
		close(folder->inotify_fd);
	free(folder->rings);
	free(folder->files);
	free(folder->numbers);
	free(folder->path);
	free(folder);
}
