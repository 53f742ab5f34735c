/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/intern.h"
#include "tracecore/stackwalk/build.h"
#include "tracecore/base/write_all.h"

/* KEY-MACHINE.vVERSION.REVISION, in hexadecimal and decimal digits. */
#define NAME_SIZE WT_UNWIND_CACHE_NAME_SIZE
/* The writer of a temporary file older than this has ended. */
#define STALE_SECONDS 3600
/* Marking a table as used is one system call. Once a day is enough to order the tables. */
#define TOUCH_SECONDS 86400

static void file_name(const struct wt_unwind_key *key, uint32_t machine, char name[NAME_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (unsigned i = 0; i < key->len && i < sizeof(key->bytes); i++) {
		name[n++] = digits[key->bytes[i] >> 4];
		name[n++] = digits[key->bytes[i] & 15];
	}
	snprintf(name + n, NAME_SIZE - n, "-%u.v%u.%u", machine, WT_ABI_UNWIND_VERSION, WT_UNWIND_REVISION);
}

/* The kernel's name for the present boot (boot id). */
static uint64_t boot_id(void)
{
	char text[32];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	if (n != sizeof(text))
		return 0;
	return wt_hash2(wt_hash2(wt_load_u64(text), wt_load_u64(text + 8)),
			wt_hash2(wt_load_u64(text + 16), wt_load_u64(text + 24)));
}

int wt_unwind_cache_open(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			 struct wt_err *err)
{
	struct wt_unwind_cache cache = {.max_bytes = max_bytes ? max_bytes : WT_UNWIND_CACHE_BYTES};
	struct stat st;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return wt_fail_errno(err, "the directory of unwind tables %s cannot be made", path);
	cache.dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (cache.dir < 0)
		return wt_fail_errno(err, "the directory of unwind tables %s cannot be opened", path);
	if (fstat(cache.dir, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 022) {
		close(cache.dir);
		return wt_fail(err, WT_ERR_PERMISSION,
			       "%s belongs to another user or is open to others; remove it, or name another "
			       "directory",
			       path);
	}
	cache.boot = boot_id();
	*ret = cache;
	return 0;
}

void wt_unwind_cache_close(struct wt_unwind_cache *cache)
{
	if (cache->dir >= 0)
		close(cache->dir);
	cache->dir = -1;
}

void wt_unwind_mapping_deinit(struct wt_unwind_mapping *mapping)
{
	if (mapping->bytes)
		munmap((void *)(uintptr_t)mapping->bytes, mapping->size);
	*mapping = (struct wt_unwind_mapping){0};
}

/* True when the header belongs to the key's table and its parts fit. */
static bool is_header(const void *bytes, uint64_t size, const struct wt_unwind_key *key, uint32_t machine)
{
	const struct wt_abi_unwind *header = bytes;
	struct wt_unwind_view view;

	return wt_unwind_view(bytes, size, &view, NULL) == 0 && header->machine == machine &&
	       header->key_len == key->len && !memcmp(header->key, key->bytes, key->len);
}

/* ---- the mark of files that have been read whole ---- */

/* A file's own data about itself, and the way to find them out. */
struct content {
	uint64_t checksum, size;
	uint64_t (*sum)(const void *bytes, uint64_t size);
};

/* The nanoseconds of this mark, beside a time of change in seconds. */
static long mark_of(const struct wt_unwind_cache *cache, const struct content *content, time_t seconds)
{
	uint64_t whole = wt_hash2(content->checksum, content->size);

	return (long)(wt_hash2(wt_hash2(cache->boot, whole), (uint64_t)seconds) % 1000000000u);
}

/* A write to the file sets another time, and so does the next start of the system. */
static bool is_marked(const struct wt_unwind_cache *cache, const struct content *content,
		      const struct stat *st)
{
	return cache->boot && st->st_mtim.tv_nsec == mark_of(cache, content, st->st_mtim.tv_sec);
}

/* The time is also the time of the last use. */
static void set_mark(const struct wt_unwind_cache *cache, const struct content *content, int fd)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL)}};

	times[1].tv_nsec = mark_of(cache, content, times[1].tv_sec);
	futimens(fd, times);
}

/* True when the mapped file's content is what its writer wrote. */
static bool is_sound(struct wt_unwind_cache *cache, const struct content *content,
		     const struct wt_unwind_mapping *mapping, int fd, const struct stat *st)
{
	if (!is_marked(cache, content, st)) {
		madvise((void *)(uintptr_t)mapping->bytes, mapping->size, MADV_WILLNEED);
		cache->read_whole++;
		if (content->checksum != content->sum(mapping->bytes, mapping->size))
			return false;
	} else if (time(NULL) - st->st_mtime <= TOUCH_SECONDS) {
		return true;
	}
	set_mark(cache, content, fd);
	return true;
}

/* Files here are only replaced as a whole, by their owner: a mapping cannot lose its pages. */
static bool map_file(int fd, const struct stat *st, uint64_t least, struct wt_unwind_mapping *ret)
{
	void *p;

	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid() || st->st_mode & 022 ||
	    (uint64_t)st->st_size < least)
		return false;
	p = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	*ret = (struct wt_unwind_mapping){p, (uint64_t)st->st_size};
	return true;
}

/* An invalid file is removed. */
static int find_file(struct wt_unwind_cache *cache, const char *name, uint64_t least,
		     bool (*sound)(struct wt_unwind_cache *cache, const struct wt_unwind_mapping *mapping,
				   int fd, const struct stat *st, const void *ctx),
		     const void *ctx, struct wt_unwind_mapping *ret)
{
	int fd = openat(cache->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct wt_unwind_mapping mapping = {0};
	struct stat st;

	if (fd < 0)
		return 1;
	if (fstat(fd, &st) == 0 && map_file(fd, &st, least, &mapping) &&
	    sound(cache, &mapping, fd, &st, ctx)) {
		close(fd);
		*ret = mapping;
		return 0;
	}
	wt_unwind_mapping_deinit(&mapping);
	close(fd);
	unlinkat(cache->dir, name, 0);
	cache->damaged++;
	return 1;
}

struct sought {
	const struct wt_unwind_key *key;
	uint32_t machine;
};

static bool is_sound_table(struct wt_unwind_cache *cache, const struct wt_unwind_mapping *mapping, int fd,
			   const struct stat *st, const void *ctx)
{
	const struct wt_abi_unwind *header = mapping->bytes;
	const struct content content = {header->checksum, header->size, wt_unwind_checksum};
	const struct sought *sought = ctx;

	return is_header(mapping->bytes, mapping->size, sought->key, sought->machine) &&
	       is_sound(cache, &content, mapping, fd, st);
}

int wt_unwind_cache_find(struct wt_unwind_cache *cache, const struct wt_unwind_key *key, uint32_t machine,
			 struct wt_unwind_mapping *ret)
{
	const struct sought sought = {key, machine};
	char name[NAME_SIZE];

	if (!key->len || key->len > sizeof(key->bytes))
		return 1;
	file_name(key, machine, name);
	return find_file(cache, name, sizeof(struct wt_abi_unwind), is_sound_table, &sought, ret);
}

/* ---- room ---- */

struct entry {
	char name[NAME_SIZE];
	uint64_t size;
	time_t used;
};

struct listing {
	struct entry *entries; /* owned */
	size_t n, cap;
	uint64_t bytes;
};

static int older(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static int list_add(struct listing *list, const char *name, const struct stat *st, struct wt_err *err)
{
	if (wt_grow(&list->entries, &list->cap, list->n, 1, err))
		return -1;
	list->entries[list->n] = (struct entry){.size = (uint64_t)st->st_size, .used = st->st_mtime};
	memcpy(list->entries[list->n++].name, name, strlen(name) + 1);
	list->bytes += (uint64_t)st->st_size;
	return 0;
}

static int list_tables(struct wt_unwind_cache *cache, struct listing *list, struct wt_err *err)
{
	int fd = openat(cache->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		wt_fail_errno(err, "the directory of unwind tables cannot be listed");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!failed && (e = readdir(dir))) {
		if (strlen(e->d_name) >= NAME_SIZE ||
		    fstatat(cache->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
			continue;
		if (e->d_name[0] == '.' && time(NULL) - st.st_mtime > STALE_SECONDS)
			unlinkat(cache->dir, e->d_name, 0);
		else if (e->d_name[0] != '.')
			failed = list_add(list, e->d_name, &st, err);
	}
	closedir(dir);
	return failed;
}

/* Removes the oldest tables until `wanted` bytes fit in. It removes half the bound at once, so that this
 * is seldom needed. */
static int make_room(struct wt_unwind_cache *cache, uint64_t wanted, struct wt_err *err)
{
	struct listing list = {0};

	if (list_tables(cache, &list, err) != 0) {
		free(list.entries);
		return -1;
	}
	if (list.bytes + wanted > cache->max_bytes) {
		qsort(list.entries, list.n, sizeof(*list.entries), older);
		for (size_t i = 0; i < list.n && list.bytes + wanted > cache->max_bytes / 2; i++) {
			unlinkat(cache->dir, list.entries[i].name, 0);
			list.bytes -= list.entries[i].size;
		}
	}
	free(list.entries);
	return 0;
}

/* ---- writing ---- */

static int put_file(struct wt_unwind_cache *cache, const char *name, const void *bytes, uint64_t size,
		    struct wt_err *err)
{
	static unsigned counter;
	char draft[64];
	int fd, failed;

	if (make_room(cache, size, err) != 0)
		return -1;
	snprintf(draft, sizeof(draft), ".draft-%d-%u", (int)getpid(),
		 __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
	unlinkat(cache->dir, draft, 0); /* left by an earlier process with this id */
	fd = openat(cache->dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return wt_fail_errno(err, "an unwind table cannot be kept");
	failed = wt_write_all(fd, bytes, size) ? wt_fail_errno(err, "an unwind table cannot be written") : 0;
	close(fd);
	if (!failed && renameat(cache->dir, draft, cache->dir, name) != 0)
		failed = wt_fail_errno(err, "an unwind table cannot be kept");
	if (failed)
		unlinkat(cache->dir, draft, 0);
	return failed;
}

int wt_unwind_cache_put(struct wt_unwind_cache *cache, const struct wt_unwind_table *table,
			struct wt_err *err)
{
	const struct wt_abi_unwind *header = table->bytes;
	struct wt_unwind_key key = {.len = header->key_len};
	char name[NAME_SIZE];

	if (!key.len || key.len > sizeof(key.bytes) || table->size > cache->max_bytes / 2)
		return wt_fail(err, WT_ERR_LIMIT, "an unwind table without a key, or too large to be kept");
	memcpy(key.bytes, header->key, key.len);
	file_name(&key, header->machine, name);
	return put_file(cache, name, table->bytes, table->size, err);
}

/* ---- other files ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash << 29 | hash >> 35;
}

static uint64_t sum_of_other(const void *file, uint64_t size)
{
	const uint8_t *bytes = (const uint8_t *)file + WT_UNWIND_CACHE_SUM_FROM;
	uint8_t tail[8] = {0};
	uint64_t hash;

	size -= WT_UNWIND_CACHE_SUM_FROM;
	for (hash = size; size >= 8; size -= 8, bytes += 8)
		hash = mix(hash, wt_load_u64(bytes));
	memcpy(tail, bytes, size);
	return mix(hash, wt_load_u64(tail));
}

void wt_unwind_cache_sign_other(uint8_t *file, uint64_t size)
{
	if (size >= WT_UNWIND_CACHE_SUM_FROM)
		wt_store_u64(file + WT_UNWIND_CACHE_SUM_AT, sum_of_other(file, size));
}

static bool is_sound_other(struct wt_unwind_cache *cache, const struct wt_unwind_mapping *mapping, int fd,
			   const struct stat *st, const void *ctx)
{
	const struct content content = {wt_load_u64((const uint8_t *)mapping->bytes + WT_UNWIND_CACHE_SUM_AT),
					mapping->size, sum_of_other};

	(void)ctx;
	return is_sound(cache, &content, mapping, fd, st);
}

int wt_unwind_cache_find_other(struct wt_unwind_cache *cache, const char *name, struct wt_unwind_mapping *ret)
{
	return find_file(cache, name, WT_UNWIND_CACHE_SUM_FROM, is_sound_other, NULL, ret);
}

int wt_unwind_cache_put_other(struct wt_unwind_cache *cache, const char *name, const void *bytes,
			      uint64_t size, struct wt_err *err)
{
	if (strlen(name) >= NAME_SIZE || size > cache->max_bytes / 2)
		return wt_fail(err, WT_ERR_LIMIT, "a file too large to be kept beside unwind tables");
	return put_file(cache, name, bytes, size, err);
}
