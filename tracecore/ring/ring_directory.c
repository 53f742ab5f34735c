/* SPDX-License-Identifier: MIT */
/* The ring files of one directory: finds, opens, lists by name and removes them. */
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

#include "tracecore/base/grow.h"
#include "tracecore/base/way.h"
#include "tracecore/ring/reading.h"
#include "tracecore/ring/ring_file.h"

/* Bounds of the files and rings of one directory. Another user's programs must not use up what the rings
 * of all users share: memory, descriptors, pages (ring_page.c). */
#define FILES_MAX   65536u
#define FILES_OTHER 8192u
#define RINGS_OTHER 1024u
/* The number of names read between two looks at the clock. */
#define NAMES_AT_ONCE 32u
/* Descriptors left to others. */
#define FILES_SPARE 64u
#define LANES_MAX   65536u
/* The memory charged for an open file of lanes: its descriptor and the memory behind it. */
#define LANES_BYTES 16384u
/* The file grows by a lane at a time: a lane outside the file is not a ring yet. */
#define STRIDE_MAX (UINT64_C(1) << 32)

/* The number of inotify instances for directories of other users. The kernel allows few for each user, and
 * there may be many users here. Other directories are watched by time. */
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

int wt_ring_directory_open(int dir_fd, uid_t owner, const char *path, struct wt_ring_directory **ret,
			   struct wt_err *err)
{
	struct wt_ring_directory *directory = calloc(1, sizeof(*directory));

	if (!directory || !(directory->path = strdup(path))) {
		free(directory);
		return wt_fail_nomem(err);
	}
	directory->dir_fd = dir_fd;
	directory->owner = owner;
	directory->inotify_fd = owner == geteuid() || watches_other < WATCHES_OTHER ? watch(dir_fd) : -1;
	watches_other += directory->inotify_fd >= 0 && owner != geteuid();
	*ret = directory;
	return 0;
}

int wt_ring_directory_fd(const struct wt_ring_directory *directory)
{
	return directory->inotify_fd;
}

/* A user that makes news faster than they are read must not keep the reader: the rest is read next time. */
#define READS_OF_NEWS 64u

/* True when the directory must be listed: a file appeared, or there is no inotify. */
static bool take_news(struct wt_ring_directory *directory)
{
	char events[4096] __attribute__((aligned(8)));
	bool any = !directory->scanned || directory->changed;

	if (directory->inotify_fd < 0)
		return wt_dir_changed(&directory->time, directory->dir_fd) || any;

	directory->heard = false;
	for (unsigned i = 0; i < READS_OF_NEWS && read(directory->inotify_fd, events, sizeof(events)) > 0;
	     i++)
		directory->heard = true;
	return directory->heard || any;
}

/* Every reader of the directory gives a ring the same id, because the id follows from the file's name. */
static uint32_t name_number(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

static uint32_t *head_of(const struct wt_ring_directory *directory, uint32_t number)
{
	return &directory->heads[number & (directory->n_heads - 1)];
}

static bool known(const struct wt_ring_directory *directory, const char *name, uint32_t number)
{
	const struct wt_ring_file *file;

	for (uint32_t i = directory->n_heads ? *head_of(directory, number) : 0; i; i = file->next) {
		file = directory->files[i - 1];
		if (file->number == number && !strcmp(file->name, name))
			return true;
	}
	return false;
}

static void hang_in(struct wt_ring_directory *directory, struct wt_ring_file *file)
{
	uint32_t *head = head_of(directory, file->number);

	file->next = *head;
	*head = file->index + 1;
}

/* The place where the file's index + 1 is stored. */
static uint32_t *link_to(const struct wt_ring_directory *directory, const struct wt_ring_file *file)
{
	uint32_t *link = head_of(directory, file->number);

	while (*link != file->index + 1)
		link = &directory->files[*link - 1]->next;
	return link;
}

/* Heads are at least as many as files. */
static bool grow_heads(struct wt_ring_directory *directory)
{
	uint32_t n = directory->n_heads ? directory->n_heads * 2 : 64, *heads;

	if (directory->n_files < directory->n_heads)
		return true;
	heads = calloc(n, sizeof(*heads));
	if (!heads)
		return false;
	free(directory->heads);
	directory->heads = heads;
	directory->n_heads = n;
	for (uint32_t i = 0; i < directory->n_files; i++)
		hang_in(directory, directory->files[i]);
	return true;
}

void wt_ring_directory_limit(struct wt_ring_directory *directory, struct wt_allowance *allowance)
{
	directory->allowance = allowance;
}

static bool of_other_user(const struct wt_ring_directory *directory)
{
	return directory->owner != geteuid();
}

static bool unique_id(const struct wt_ring_directory *directory, uint32_t id)
{
	for (uint32_t i = 0; i < directory->n_rings; i++) {
		if (directory->rings[i]->id == id)
			return false;
	}
	return true;
}

/* Files and rings beyond a bound are reported once, and counted. */
static int leave_out(struct wt_ring_directory *directory, const char *what, uint32_t most, struct wt_err *err)
{
	if (directory->allowance)
		directory->allowance->refused++;
	if (directory->full)
		return 0;
	directory->full = true;
	return wt_fail(err, WT_ERR_LIMIT, "%s: more than %u %s; the rest is not recorded", directory->path,
		       most, what);
}

typedef int wt_ring_added(void *ctx, struct wt_ring_reader *ring, struct wt_err *err);

static int add_ring(struct wt_ring_directory *directory, struct wt_ring_reader *ring, uint32_t id,
		    wt_ring_added *added, void *ctx, struct wt_err *err)
{
	if (of_other_user(directory) && directory->n_rings >= RINGS_OTHER) {
		wt_reading_destroy(ring);
		return leave_out(directory, "rings", RINGS_OTHER, err);
	}
	if (wt_grow_one(&directory->rings, directory->n_rings, err)) {
		wt_reading_destroy(ring);
		return -1;
	}
	while (!unique_id(directory, id))
		id++;
	ring->id = id;
	ring->file->n_readers++;
	directory->rings[directory->n_rings++] = ring;
	return added(ctx, ring, err);
}

/* Memory for one ring is missing: only this ring is affected, not the session. */
static int fail_unmapped(const struct wt_ring_directory *directory, const struct wt_ring_file *file,
			 struct wt_err *err)
{
	return wt_fail(err, WT_ERR_LIMIT, "%s/%s: no memory to read one more ring", directory->path,
		       file->name);
}

static bool lanes_ok(const struct wt_abi_lanes *lanes, uint64_t bytes)
{
	return lanes->magic == WT_ABI_LANES_MAGIC && lanes->version == WT_ABI_RING_VERSION &&
	       lanes->n_slots > 0 && lanes->n_slots <= LANES_MAX && lanes->stride >= WT_RING_PAGE_BYTES &&
	       !(lanes->stride % 4096) && lanes->first >= sizeof(*lanes) && !(lanes->first % 4096) &&
	       lanes->first <= bytes && lanes->stride <= STRIDE_MAX;
}

static int open_lane(struct wt_ring_directory *directory, struct wt_ring_file *file, uint32_t i,
		     wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct wt_ring_reader *ring;

	if (wt_reading_open(file, file->lanes.first + i * file->lanes.stride, file->lanes.stride, &ring))
		return errno ? fail_unmapped(directory, file, err) : 0;
	if (!ring->is_lane) {
		wt_reading_destroy(ring);
		return 0;
	}
	file->opened[i] = 1;
	return add_ring(directory, ring, file->number + i + 1, added, ctx, err);
}

/* Opens the lanes taken since the last look. A lane that is taken and not yet formatted is looked at
 * again. These are few, unless a program misuses n_used. */
static int look_for_lanes(struct wt_ring_directory *directory, struct wt_ring_file *file,
			  wt_ring_added *added, void *ctx, struct wt_err *err)
{
	uint64_t used = 0;
	unsigned empty = 0;

	if (pread(file->fd, &used, sizeof(used), offsetof(struct wt_abi_lanes, n_used)) != sizeof(used))
		return 0;
	for (uint32_t i = 0; i < used && i < file->lanes.n_slots && empty < 256; i++) {
		if (!file->opened[i] && open_lane(directory, file, i, added, ctx, err))
			return -1;
		empty += !file->opened[i];
	}
	return 0;
}

/* Rings must not take the last descriptors, because this process has other files to open. */
static bool spare(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) || (rlim_t)fd + FILES_SPARE < limit.rlim_cur;
}

/* True when the file is open already under another name. This does not happen in a directory of a trusted
 * user. */
static bool is_read_already(const struct wt_ring_directory *directory, const struct stat *st)
{
	for (uint32_t i = 0; directory->allowance && st->st_nlink > 1 && i < directory->n_files; i++) {
		if (directory->files[i]->fd >= 0 && directory->files[i]->ino == st->st_ino) {
			directory->allowance->refused++;
			return true;
		}
	}
	return false;
}

/* file->fd gets a descriptor of a possible ring file, or -1: it is none. Returns -1 when it cannot be
 * found out, for want of descriptors. */
static int open_file(const struct wt_ring_directory *directory, struct wt_ring_file *file, uint64_t *bytes,
		     struct wt_err *err)
{
	struct stat st;

	file->fd = wt_way_below(directory->dir_fd, file->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 && errno != EMFILE && errno != ENFILE)
		return 0;
	if (file->fd < 0 || !spare(file->fd)) {
		if (file->fd >= 0) {
			close(file->fd);
			errno = EMFILE;
		}
		return wt_fail_errno(err, "%s: rings of programs cannot be read", directory->path);
	}
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == directory->owner &&
	    !is_read_already(directory, &st)) {
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

static int add_file(struct wt_ring_directory *directory, struct wt_ring_file *file, uint64_t bytes,
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
		return file->opened ? look_for_lanes(directory, file, added, ctx, err) : wt_fail_nomem(err);
	}
	if (!wt_reading_open(file, 0, bytes, &ring))
		return add_ring(directory, ring, file->number, added, ctx, err);
	if (errno)
		return fail_unmapped(directory, file, err);
	close(file->fd);
	file->fd = -1;
	return 0;
}

static bool is_full(const struct wt_ring_directory *directory)
{
	return directory->n_files >= (of_other_user(directory) ? FILES_OTHER : FILES_MAX);
}

static int add_name(struct wt_ring_directory *directory, const char *name, wt_ring_added *added, void *ctx,
		    struct wt_err *err)
{
	uint32_t number = name_number(name);
	struct wt_ring_file *file;
	uint64_t bytes = 0;

	if (name[0] == '.' || strlen(name) >= sizeof(file->name) || known(directory, name, number))
		return 0;
	if (is_full(directory))
		return leave_out(directory, "files", directory->n_files, err);
	file = calloc(1, sizeof(*file));
	if (!file || wt_grow_one(&directory->files, directory->n_files, NULL) || !grow_heads(directory)) {
		free(file);
		return wt_fail_nomem(err);
	}
	file->allowance = directory->allowance;
	memcpy(file->name, name, strlen(name) + 1);
	file->number = number;
	if (open_file(directory, file, &bytes, err)) {
		free(file);
		return -1;
	}
	file->index = directory->n_files;
	directory->files[directory->n_files++] = file;
	hang_in(directory, file);
	return file->fd < 0 ? 0 : add_file(directory, file, bytes, added, ctx, err);
}

static int begin_listing(struct wt_ring_directory *directory, struct wt_err *err)
{
	int fd = openat(directory->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	directory->listing = fd < 0 ? NULL : fdopendir(fd);
	if (directory->listing)
		return 0;
	wt_fail_errno(err, "%s", directory->path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static void end_listing(struct wt_ring_directory *directory)
{
	if (directory->listing)
		closedir(directory->listing);
	directory->listing = NULL;
}

/* Continues to the end, or as far as the allowance reaches; the next refresh continues from there. */
static int list(struct wt_ring_directory *directory, wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct dirent *entry;
	uint32_t n = 0;
	int ret = 0;

	if (!directory->listing && begin_listing(directory, err))
		return -1;
	while (!ret && (entry = readdir(directory->listing))) {
		ret = add_name(directory, entry->d_name, added, ctx, err);
		if (++n % NAMES_AT_ONCE == 0 && wt_allowance_is_over(directory->allowance))
			return ret;
	}
	end_listing(directory);
	directory->scanned = !ret;
	return ret;
}

static int look_for_all_lanes(struct wt_ring_directory *directory, wt_ring_added *added, void *ctx,
			      struct wt_err *err)
{
	uint32_t n = 0;

	for (uint32_t i = directory->lanes_from; i < directory->n_files; i++) {
		struct wt_ring_file *file = directory->files[i];

		if (!file->is_lanes || file->fd < 0)
			continue;
		if (look_for_lanes(directory, file, added, ctx, err))
			return -1;
		if (++n % NAMES_AT_ONCE == 0 && wt_allowance_is_over(directory->allowance)) {
			directory->lanes_from = i + 1;
			return 0;
		}
	}
	directory->lanes_from = 0;
	return 0;
}

/* Files that a listing in progress has passed may have changed since. */
int wt_ring_directory_refresh(struct wt_ring_directory *directory, wt_ring_added *added, void *ctx,
			      struct wt_err *err)
{
	bool goes_on = directory->listing;

	directory->changed = take_news(directory);
	if ((directory->changed || goes_on) && list(directory, added, ctx, err))
		return -1;
	directory->changed = (directory->changed && goes_on) || directory->listing;
	return look_for_all_lanes(directory, added, ctx, err);
}

bool wt_ring_directory_heard(const struct wt_ring_directory *directory)
{
	return directory->heard;
}

int wt_ring_directory_make_common(const struct wt_ring_directory *directory, const char *name,
				  const struct wt_ring_spec *spec, uint32_t cpu, uint32_t ready)
{
	return wt_ring_file_make_common(directory->dir_fd, name, spec, cpu, ready, directory->owner);
}

/* Programs start and end while a session runs: files of ended programs are not remembered. */
static void forget_file(struct wt_ring_directory *directory, struct wt_ring_file *file)
{
	struct wt_ring_file *last = directory->files[directory->n_files - 1];
	uint32_t *link = link_to(directory, file);

	*link = file->next;
	if (last != file) {
		*link_to(directory, last) = file->index + 1;
		last->index = file->index;
		directory->files[last->index] = last;
	}
	directory->n_files--;
	free(file);
}

int wt_ring_directory_look_for_siblings(struct wt_ring_directory *directory, struct wt_ring_reader *ring,
					wt_ring_added *added, void *ctx, struct wt_err *err)
{
	struct wt_ring_file *file = ring->file;

	if (!file->is_lanes || file->n_readers > 1)
		return 0;
	return look_for_lanes(directory, file, added, ctx, err);
}

int wt_ring_directory_drop(struct wt_ring_directory *directory, struct wt_ring_reader *ring,
			   struct wt_err *err)
{
	struct wt_ring_file *file = ring->file;

	for (uint32_t i = 0; i < directory->n_rings; i++) {
		if (directory->rings[i] == ring)
			directory->rings[i] = directory->rings[--directory->n_rings];
	}
	/* Memory returned to the allowance must really be free: the file may be open elsewhere. */
	if (ring->charged)
		fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(ring->base + ring->data), (off_t)ring->charged * ring->block_bytes);
	wt_reading_destroy(ring);
	if (--file->n_readers)
		return 0;
	close_file(file);
	if (unlinkat(directory->dir_fd, file->name, 0) && errno != ENOENT)
		return wt_fail_errno(err, "%s/%s", directory->path, file->name);
	forget_file(directory, file);
	return 0;
}

int wt_ring_directory_unlink(struct wt_ring_directory *directory, struct wt_err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < directory->n_files; i++) {
		if (unlinkat(directory->dir_fd, directory->files[i]->name, 0) && errno != ENOENT)
			ret = wt_fail_errno(err, "%s/%s", directory->path, directory->files[i]->name);
	}
	return ret;
}

void wt_ring_directory_destroy(struct wt_ring_directory *directory)
{
	if (!directory)
		return;
	end_listing(directory);
	for (uint32_t i = 0; i < directory->n_rings; i++)
		wt_reading_destroy(directory->rings[i]);
	for (uint32_t i = 0; i < directory->n_files; i++) {
		close_file(directory->files[i]);
		free(directory->files[i]);
	}
	if (directory->inotify_fd >= 0)
		close(directory->inotify_fd);
	watches_other -= directory->inotify_fd >= 0 && of_other_user(directory);
	free(directory->rings);
	free(directory->files);
	free(directory->heads);
	free(directory->path);
	free(directory);
}
