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
#include "tracecore/ring/ring_file.h"

/* Files and rings of one folder. Another user's programs must not take what all users' rings share: memory,
 * descriptors, pages (ring_page.c). */
#define FILES_MAX   65536u
#define FILES_OTHER 8192u
#define RINGS_OTHER 1024u
/* Names between two looks at the clock. */
#define NAMES_AT_ONCE 32u
/* Descriptors left to others. */
#define FILES_SPARE 64u
#define LANES_MAX   65536u
/* An open file of lanes, as memory: its descriptor and what stands behind it. */
#define LANES_BYTES 16384u
/* The file grows by a lane at a time: one that it does not hold yet is no ring. */
#define STRIDE_MAX (UINT64_C(1) << 32)

/* Instances of inotify for folders of other users: there are few for each user of the kernel's, and users
 * here may be many. Other folders are looked at by time. */
#define WATCHES_OTHER 16u
static uint32_t watches_other;

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
	folder->inotify_fd = owner == geteuid() || watches_other < WATCHES_OTHER ? watch(dir_fd) : -1;
	watches_other += folder->inotify_fd >= 0 && owner != geteuid();
	*ret = folder;
	return 0;
}

int wt_ring_folder_fd(const struct wt_ring_folder *folder)
{
	return folder->inotify_fd;
}

/* Who makes news faster than they are read does not keep the reader: the rest is for the next time. */
#define READS_OF_NEWS 64u

/* True when the folder must be listed: something appeared, or nothing tells us. */
static bool take_news(struct wt_ring_folder *folder)
{
	char events[4096] __attribute__((aligned(8)));
	bool any = !folder->scanned || folder->changed;

	if (folder->inotify_fd < 0)
		return wt_dir_changed(&folder->time, folder->dir_fd) || any;

	folder->heard = false;
	for (unsigned i = 0; i < READS_OF_NEWS && read(folder->inotify_fd, events, sizeof(events)) > 0; i++)
		folder->heard = true;
	return folder->heard || any;
}

/* Every reader of the folder gives a ring the same id: it follows from the file's name. */
static uint32_t name_number(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

static uint32_t *head_of(const struct wt_ring_folder *folder, uint32_t number)
{
	return &folder->heads[number & (folder->n_heads - 1)];
}

static bool known(const struct wt_ring_folder *folder, const char *name, uint32_t number)
{
	const struct wt_ring_file *file;

	for (uint32_t i = folder->n_heads ? *head_of(folder, number) : 0; i; i = file->next) {
		file = folder->files[i - 1];
		if (file->number == number && !strcmp(file->name, name))
			return true;
	}
	return false;
}

static void hang_in(struct wt_ring_folder *folder, struct wt_ring_file *file)
{
	uint32_t *head = head_of(folder, file->number);

	file->next = *head;
	*head = file->index + 1;
}

/* Where the file's index + 1 is written down. */
static uint32_t *link_to(const struct wt_ring_folder *folder, const struct wt_ring_file *file)
{
	uint32_t *link = head_of(folder, file->number);

	while (*link != file->index + 1)
		link = &folder->files[*link - 1]->next;
	return link;
}

/* At most as many files as heads. */
static bool grow_heads(struct wt_ring_folder *folder)
{
	uint32_t n = folder->n_heads ? folder->n_heads * 2 : 64, *heads;

	if (folder->n_files < folder->n_heads)
		return true;
	heads = calloc(n, sizeof(*heads));
	if (!heads)
		return false;
	free(folder->heads);
	folder->heads = heads;
	folder->n_heads = n;
	for (uint32_t i = 0; i < folder->n_files; i++)
		hang_in(folder, folder->files[i]);
	return true;
}

void wt_ring_folder_limit(struct wt_ring_folder *folder, struct wt_allowance *allowance)
{
	folder->allowance = allowance;
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

/* What is beyond a bound is said once, and counted. */
static int leave_out(struct wt_ring_folder *folder, const char *what, uint32_t most, struct wt_err *err)
{
	if (folder->allowance)
		folder->allowance->refused++;
	if (folder->full)
		return 0;
	folder->full = true;
	return wt_fail(err, WT_ERR_LIMIT, "%s: more than %u %s; the rest is not recorded", folder->path, most,
		       what);
}

typedef int wt_ring_added(void *ctx, struct wt_ring_reader *ring, struct wt_err *err);

static int add_ring(struct wt_ring_folder *folder, struct wt_ring_reader *ring, uint32_t id,
		    wt_ring_added *added, void *ctx, struct wt_err *err)
{
	if (of_other_user(folder) && folder->n_rings >= RINGS_OTHER) {
		wt_reading_destroy(ring);
		return leave_out(folder, "rings", RINGS_OTHER, err);
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
	       lanes->first <= bytes && lanes->stride <= STRIDE_MAX;
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

/* By another name. A folder of somebody who is trusted has no such. */
static bool is_read_already(const struct wt_ring_folder *folder, const struct stat *st)
{
	for (uint32_t i = 0; folder->allowance && st->st_nlink > 1 && i < folder->n_files; i++) {
		if (folder->files[i]->fd >= 0 && folder->files[i]->ino == st->st_ino) {
			folder->allowance->refused++;
			return true;
		}
	}
	return false;
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
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == folder->owner &&
	    !is_read_already(folder, &st)) {
		file->ino = st.st_ino;
		*bytes = (uint64_t)st.st_size;
		return 0;
	}
	close(file->fd);
	file->fd = -1;
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
	wt_allowance_give_bytes(file->allowance, file->bytes);
	file->bytes = 0;
}

static int add_file(struct wt_ring_folder *folder, struct wt_ring_file *file, uint64_t bytes,
		    wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct wt_ring_reader *ring;

	if (pread(file->fd, &file->lanes, sizeof(file->lanes), 0) == sizeof(file->lanes) &&
	    lanes_ok(&file->lanes, bytes)) {
		if (!wt_allowance_take_bytes(file->allowance, LANES_BYTES + file->lanes.n_slots)) {
			close_file(file);
			return 0;
		}
		file->bytes = LANES_BYTES + file->lanes.n_slots;
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

static bool is_full(const struct wt_ring_folder *folder)
{
	return folder->n_files >= (of_other_user(folder) ? FILES_OTHER : FILES_MAX);
}

static int add_name(struct wt_ring_folder *folder, const char *name, wt_ring_added *added, void *ctx,
		    struct wt_err *err)
{
	uint32_t number = name_number(name);
	struct wt_ring_file *file;
	uint64_t bytes = 0;

	if (name[0] == '.' || strlen(name) >= sizeof(file->name) || known(folder, name, number))
		return 0;
	if (is_full(folder))
		return leave_out(folder, "files", folder->n_files, err);
	file = calloc(1, sizeof(*file));
	if (!file || !grow(&folder->files, folder->n_files, sizeof(struct wt_ring_file *)) ||
	    !grow_heads(folder)) {
		free(file);
		return wt_fail_nomem(err);
	}
	file->allowance = folder->allowance;
	memcpy(file->name, name, strlen(name) + 1);
	file->number = number;
	if (open_file(folder, file, &bytes, err)) {
		free(file);
		return -1;
	}
	file->index = folder->n_files;
	folder->files[folder->n_files++] = file;
	hang_in(folder, file);
	return file->fd < 0 ? 0 : add_file(folder, file, bytes, added, ctx, err);
}

static int begin_listing(struct wt_ring_folder *folder, struct wt_err *err)
{
	int fd = openat(folder->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	folder->listing = fd < 0 ? NULL : fdopendir(fd);
	if (folder->listing)
		return 0;
	wt_fail_errno(err, "%s", folder->path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static void end_listing(struct wt_ring_folder *folder)
{
	if (folder->listing)
		closedir(folder->listing);
	folder->listing = NULL;
}

/* To the end, or as far as the allowance goes: then the next refresh goes on. */
static int list(struct wt_ring_folder *folder, wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct dirent *entry;
	uint32_t n = 0;
	int ret = 0;

	if (!folder->listing && begin_listing(folder, err))
		return -1;
	while (!ret && (entry = readdir(folder->listing))) {
		ret = add_name(folder, entry->d_name, added, ctx, err);
		if (++n % NAMES_AT_ONCE == 0 && wt_allowance_is_over(folder->allowance))
			return ret;
	}
	end_listing(folder);
	folder->scanned = !ret;
	return ret;
}

static int look_for_all_lanes(struct wt_ring_folder *folder, wt_ring_added *added, void *ctx,
			      struct wt_err *err)
{
	uint32_t n = 0;

	for (uint32_t i = folder->lanes_from; i < folder->n_files; i++) {
		struct wt_ring_file *file = folder->files[i];

		if (!file->is_lanes || file->fd < 0)
			continue;
		if (look_for_lanes(folder, file, added, ctx, err))
			return -1;
		if (++n % NAMES_AT_ONCE == 0 && wt_allowance_is_over(folder->allowance)) {
			folder->lanes_from = i + 1;
			return 0;
		}
	}
	folder->lanes_from = 0;
	return 0;
}

/* What a listing under way has gone by may be news again. */
int wt_ring_folder_refresh(struct wt_ring_folder *folder, wt_ring_added *added, void *ctx, struct wt_err *err)
{
	bool goes_on = folder->listing;

	folder->changed = take_news(folder);
	if ((folder->changed || goes_on) && list(folder, added, ctx, err))
		return -1;
	folder->changed = (folder->changed && goes_on) || folder->listing;
	return look_for_all_lanes(folder, added, ctx, err);
}

bool wt_ring_folder_heard(const struct wt_ring_folder *folder)
{
	return folder->heard;
}

int wt_ring_folder_make_common(const struct wt_ring_folder *folder, const char *name,
			       const struct wt_ring_spec *spec, uint32_t cpu, uint32_t ready)
{
	return wt_ring_file_make_common(folder->dir_fd, name, spec, cpu, ready, folder->owner);
}

/* Programs come and go while a session lives: their files are not remembered. */
static void forget_file(struct wt_ring_folder *folder, struct wt_ring_file *file)
{
	struct wt_ring_file *last = folder->files[folder->n_files - 1];
	uint32_t *link = link_to(folder, file);

	*link = file->next;
	if (last != file) {
		*link_to(folder, last) = file->index + 1;
		last->index = file->index;
		folder->files[last->index] = last;
	}
	folder->n_files--;
	free(file);
}

int wt_ring_folder_drop(struct wt_ring_folder *folder, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct wt_ring_file *file = ring->file;

	for (uint32_t i = 0; i < folder->n_rings; i++) {
		if (folder->rings[i] == ring)
			folder->rings[i] = folder->rings[--folder->n_rings];
	}
	/* What is given back to the allowance must be gone: the file may be open elsewhere. */
	if (ring->charged)
		fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(ring->base + ring->data), (off_t)ring->charged * ring->block_bytes);
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
	end_listing(folder);
	for (uint32_t i = 0; i < folder->n_rings; i++)
		wt_reading_destroy(folder->rings[i]);
	for (uint32_t i = 0; i < folder->n_files; i++) {
		close_file(folder->files[i]);
		free(folder->files[i]);
	}
	if (folder->inotify_fd >= 0)
		close(folder->inotify_fd);
	watches_other -= folder->inotify_fd >= 0 && of_other_user(folder);
	free(folder->rings);
	free(folder->files);
	free(folder->heads);
	free(folder->path);
	free(folder);
}
