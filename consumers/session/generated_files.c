// SPDX-License-Identifier: MIT
#include "consumers/session/generated_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/record/task_probe.h"
#include "consumers/symbols/perf_map.h"
#include "tracecore/base/apart_file.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/proc.h"

/* Slack for times: /proc rounds the start of processes, and file systems round the times of files. */
#define ROUNDED (2 * WT_FILE_TICK)
#define CHUNK   (1u << 20)

static uint32_t inner_pid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t last = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *number = strrchr(line, '\t');

		if (strncmp(line, "NSpid:", 6) || !number)
			continue;
		last = (uint32_t)strtoul(number, NULL, 10);
		break;
	}
	if (file)
		fclose(file);
	return last;
}

/* The kernel alone is asked about a root, because its file system may never answer. */
static bool is_own(uint32_t pid, const char *name, const char *own)
{
	struct statx x, y;
	int fd = wt_apart_proc_follow(pid, name, 0);
	bool same = fd >= 0 && !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &x) &&
		    !statx(AT_FDCWD, own, AT_STATX_DONT_SYNC, STATX_INO, &y) && x.stx_ino == y.stx_ino &&
		    x.stx_dev_major == y.stx_dev_major && x.stx_dev_minor == y.stx_dev_minor;

	if (fd >= 0)
		close(fd);
	return same;
}

static bool has_own_mounts(uint32_t pid)
{
	return !is_own(pid, "ns/mnt", "/proc/self/ns/mnt") || !is_own(pid, "root", "/");
}

/* True while the pid belongs to that process. */
static bool lives(const struct wt_generated_place *place)
{
	struct wt_proc_payload now;
	struct wt_task_probe probe;
	uint64_t a = place->start_time, b;

	if (wt_task_probe(&probe, place->pid, &now))
		return false;
	b = now.start_time;
	return !a || !b || (a > b ? a - b : b - a) <= ROUNDED;
}

void wt_generated_look(struct wt_generated_place *place)
{
	uint32_t uid;

	place->inner_pid = place->pid;
	place->seen = lives(place);
	if (!place->seen)
		return;
	/* The user in *place is older: a process may start as root, change its user and write files as that
	 * user. */
	uid = wt_proc_uid(place->pid);
	place->uid = uid == UINT32_MAX ? place->uid : uid;
	place->inner_pid = inner_pid(place->pid);
	place->elsewhere = has_own_mounts(place->pid);
}

static int open_seen(const struct wt_generated_place *place, const char *path, bool copied,
		     struct wt_apart_file *ret)
{
	struct wt_apart_search search = {.path = path,
					 .root = -1,
					 .pid = place->pid,
					 .payer = place->uid,
					 .owner = place->uid,
					 .copied = copied};
	int fd = -1;

	if (place->uid == UINT32_MAX)
		return -1;
	if (lives(place))
		fd = wt_apart_open(&search, ret);
	search.pid = 0;
	/* An ended process left its file here, if it wrote it here. */
	if (fd < 0 && !place->elsewhere)
		fd = wt_apart_open(&search, ret);
	return fd;
}

/* Pids and names of files are used again. */
static bool is_old(const struct wt_generated_place *place, const struct wt_apart_file *found,
		   struct wt_map_times *ret)
{
	uint64_t start, age;
	struct wt_clockset now;

	wt_clock_sample_times(&now);
	/* The time stamp of a change is as old as the kernel's last tick. */
	age = now.realtime > found->changed ? now.realtime - found->changed : 0;
	ret->since = now.raw - (age > ROUNDED ? age - ROUNDED : 0);
	ret->doubted = !place->start_time;
	if (!place->start_time)
		return false;
	start = place->start_time + (now.realtime - now.raw) - ROUNDED;
	ret->doubted |= found->born < start;
	return found->modified < start;
}

int wt_generated_open_map(const struct wt_generated_place *place, struct wt_map_times *ret)
{
	struct wt_apart_file found;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "tmp/perf-%u.map", place->inner_pid);
	fd = open_seen(place, path, true, &found);
	if (fd < 0 || !is_old(place, &found, ret))
		return fd;
	close(fd);
	return -1;
}

bool wt_generated_is_dump(const struct wt_range *range)
{
	static const char prefix[] = "jit-", suffix[] = ".dump";
	const struct wt_image_entry *image = range->image;
	uint32_t at = image->path_len, n;

	while (at && image->path[at - 1] != '/')
		at--;
	n = image->path_len - at;
	return at && n > sizeof(prefix) + sizeof(suffix) - 2 &&
	       !memcmp(image->path + at, prefix, sizeof(prefix) - 1) &&
	       !memcmp(image->path + image->path_len - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1);
}

int wt_generated_open_dump(const struct wt_generated_place *place, const struct wt_range *range)
{
	const struct wt_image_entry *image = range->image;
	struct wt_apart_file found;
	char path[PATH_MAX];
	int fd;

	if (!image->path_len || image->path_len >= sizeof(path) || image->path[0] != '/')
		return -1;
	memcpy(path, image->path + 1, image->path_len - 1);
	path[image->path_len - 1] = 0;
	fd = open_seen(place, path, false, &found);
	/* A private mapping that could be written to is reported without an inode. */
	if (fd < 0 || !image->inode || found.inode == image->inode)
		return fd;
	close(fd);
	return -1;
}

static bool has_mark(int fd, const struct stat *st, const struct wt_map_mark *mark)
{
	uint8_t tail[sizeof(mark->tail)];
	uint64_t n = mark->size < sizeof(tail) ? mark->size : sizeof(tail);

	return st->st_dev == mark->device && st->st_ino == mark->inode &&
	       (uint64_t)st->st_size >= mark->size &&
	       pread(fd, tail, n, (off_t)(mark->size - n)) == (ssize_t)n && !memcmp(tail, mark->tail, n);
}

bool wt_generated_map_grew(int fd, struct wt_map_mark *mark)
{
	struct wt_map_mark now = {0};
	struct stat st;
	uint64_t n;
	bool grew;

	if (fstat(fd, &st))
		return false;
	grew = !mark->inode || has_mark(fd, &st, mark);
	now.device = st.st_dev;
	now.inode = st.st_ino;
	now.size = (uint64_t)st.st_size;
	n = now.size < sizeof(now.tail) ? now.size : sizeof(now.tail);
	if (pread(fd, now.tail, n, (off_t)(now.size - n)) == (ssize_t)n)
		*mark = now;
	return grew;
}

bool wt_generated_read_map(int fd, struct wt_code_map *map)
{
	struct wt_perf_map reader = {.map = map};
	char *chunk;
	uint64_t at = 0;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || (uint64_t)st.st_size > WT_GENERATED_FILE)
		return false;
	chunk = malloc(CHUNK);
	/* The writer may be faster than the reader. */
	while (chunk && !map->cut && at < (uint64_t)st.st_size &&
	       (n = pread(fd, chunk, CHUNK, (off_t)at)) > 0) {
		wt_perf_map_feed(&reader, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	map->cut |= !chunk;
	free(chunk);
	wt_perf_map_end(&reader);
	return true;
}

/* Returns the bytes to ask for: a chunk, or the whole record if that is longer and complete. */
static size_t wanted(int fd, uint64_t at)
{
	uint8_t prefix[8];
	struct stat st;
	uint32_t size;

	if (pread(fd, prefix, sizeof(prefix), (off_t)at) != sizeof(prefix))
		return 0;
	size = at ? wt_jitdump_record(prefix, sizeof(prefix)) : 0;
	if (size <= CHUNK || size > WT_JITDUMP_RECORD)
		return CHUNK;
	return !fstat(fd, &st) && at + size <= (uint64_t)st.st_size ? size : 0;
}

bool wt_generated_read_dump(int fd, uint64_t *at, uint64_t most, struct wt_jitdump *dump)
{
	uint64_t end = *at + most;

	while (!dump->ended && *at < end && !wt_allowance_is_over(dump->time)) {
		size_t size = wanted(fd, *at), taken = 0;
		uint8_t *bytes = size ? malloc(size) : NULL;
		ssize_t n = bytes ? pread(fd, bytes, size, (off_t)*at) : 0;

		if (n > 0)
			taken = wt_jitdump_feed(dump, bytes, (size_t)n);
		free(bytes);
		*at += taken;
		if (!taken)
			return false;
	}
	return !dump->ended;
}
