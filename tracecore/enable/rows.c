// SPDX-License-Identifier: MIT
#include "tracecore/enable/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/enable/folder.h"
#include "tracecore/enable/tables.h"

/* Reading a row again this often: its session ends at most once, and new rules do not disturb. */
#define TRIES 8

static const uint64_t no_stamp;
const volatile uint64_t *wt_enable_stamps[WT_ENABLE_SLOTS] = {&no_stamp, &no_stamp, &no_stamp, &no_stamp,
							      &no_stamp, &no_stamp, &no_stamp, &no_stamp};

/* A mapped `sessions` file; never freed once published. */
struct mapped {
	struct wt_abi_sessions *file;
	dev_t dev;
	ino_t ino;
	char path[]; /* of its folder */
};

static struct mapped *own, *roots;
/* Asked for root's rows in vain: the next try comes after twice as many questions. */
static uint32_t root_questions, root_patience = 1;

static struct mapped *current(struct mapped **which)
{
	return __atomic_load_n(which, __ATOMIC_ACQUIRE);
}

bool wt_rules_name(const char *session, uint32_t number, char *ret, size_t size)
{
	static const char infix[] = ".rules-";
	char digits[10];
	size_t len = strlen(session), n = 0, at;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	if (len + sizeof(infix) + n > size)
		return false;
	memcpy(ret, session, len);
	memcpy(ret + len, infix, sizeof(infix) - 1);
	at = len + sizeof(infix) - 1;
	while (n)
		ret[at++] = digits[--n];
	ret[at] = 0;
	return true;
}

/* A name that is one folder entry below ours. */
static bool name_valid(const char *name, size_t size)
{
	size_t len = strnlen(name, size);

	return len > 0 && len < size && !memchr(name, '/', len) && strcmp(name, ".") && strcmp(name, "..");
}

bool wt_row_valid(const struct wt_abi_row *row)
{
	return row->block_bytes >= WT_ABI_BLOCK_BYTES_MIN && row->block_bytes <= WT_ABI_BLOCK_BYTES_MAX &&
	       !(row->block_bytes & (row->block_bytes - 1)) && row->max_blocks > 0 &&
	       row->max_blocks <= WT_ABI_BLOCKS_MAX && row->mode <= WT_ABI_RING_OVERWRITE &&
	       name_valid(row->session, sizeof(row->session)) && name_valid(row->rings, sizeof(row->rings)) &&
	       strnlen(row->lock_folder, sizeof(row->lock_folder)) < sizeof(row->lock_folder);
}

static int make_sessions(int folder, mode_t mode)
{
	struct wt_abi_sessions head = {
		.magic = WT_ABI_SESSIONS_MAGIC, .version = WT_ABI_ENABLE_VERSION, .bytes = sizeof(head)};
	struct wt_new_file file;
	int rc = -1;

	if (wt_new_file_begin(folder, mode, &file) < 0)
		return -1;
	if (wt_folder_write(file.fd, &head, sizeof(head), 0) == 0)
		rc = wt_new_file_link(&file, "sessions");
	wt_new_file_end(&file);
	return rc;
}

int wt_sessions_open(int folder, bool make, mode_t mode, int flags)
{
	struct wt_abi_sessions head;
	struct stat above, st;
	int fd;

	if (fstat(folder, &above) < 0)
		return -1;
	fd = wt_folder_open_file(folder, "sessions", flags, above.st_uid);
	if (fd < 0 && errno == ENOENT && make && make_sessions(folder, mode) >= 0)
		fd = wt_folder_open_file(folder, "sessions", flags, above.st_uid);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(head) ||
	    wt_folder_read(fd, &head, offsetof(struct wt_abi_sessions, rows), 0) < 0 ||
	    head.magic != WT_ABI_SESSIONS_MAGIC || head.version != WT_ABI_ENABLE_VERSION ||
	    head.bytes != sizeof(head)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

/* Takes over fd. Memory comes from mmap: a signal handler may map root's rows. */
static struct mapped *map_sessions(int fd, int prot, const char *path)
{
	size_t len = strlen(path) + 1;
	struct mapped *ret;
	struct stat st;
	void *at;

	ret = mmap(NULL, sizeof(*ret) + len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ret == MAP_FAILED) {
		close(fd);
		return NULL;
	}
	at = fstat(fd, &st) < 0 ? MAP_FAILED
				: mmap(NULL, sizeof(struct wt_abi_sessions), prot, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED) {
		munmap(ret, sizeof(*ret) + len);
		return NULL;
	}
	ret->file = at;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	memcpy(ret->path, path, len);
	return ret;
}

static bool still_there(const struct mapped *mapped, const char *path, int fd)
{
	struct stat st;

	return mapped && fstat(fd, &st) == 0 && st.st_dev == mapped->dev && st.st_ino == mapped->ino &&
	       strcmp(mapped->path, path) == 0;
}

static void publish(struct mapped **which, struct mapped *mapped, unsigned first, unsigned end)
{
	__atomic_store_n(which, mapped, __ATOMIC_RELEASE);
	for (unsigned s = first; s < end; s++)
		__atomic_store_n(&wt_enable_stamps[s], &mapped->file->rows[s].stamp, __ATOMIC_RELEASE);
}

/* Root's announcements, if there are any and nobody else could have written them. */
static void map_root(void)
{
	struct mapped *mapped;
	char path[PATH_MAX];
	int folder, fd;

	wt_folder_root_path(path);
	folder = wt_folder_open_owned(path, 0);
	if (folder < 0)
		return;
	fd = wt_sessions_open(folder, false, 0, O_RDONLY);
	close(folder);
	if (fd < 0)
		return;
	if (still_there(current(&roots), path, fd)) {
		close(fd);
		return;
	}
	mapped = map_sessions(fd, PROT_READ, path);
	if (mapped)
		publish(&roots, mapped, WT_ABI_ROOT_SLOT, WT_ABI_SLOTS);
}

int wt_rows_map(int folder, const char *path, struct wt_err *err)
{
	int fd = wt_sessions_open(folder, true, 0600, O_RDWR);
	bool is_root = geteuid() == 0;
	struct mapped *mapped;

	if (fd < 0 && errno == EINVAL)
		return wt_fail(err, WT_ERR_FORMAT, "%s/sessions is damaged: stop all sessions and remove %s",
			       path, path);
	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s/sessions", path);
	if (still_there(current(&own), path, fd)) {
		close(fd);
	} else {
		mapped = map_sessions(fd, PROT_READ | PROT_WRITE, path);
		if (!mapped)
			return wt_fail_errno(err, "cannot map %s/sessions", path);
		publish(&own, mapped, 0, is_root ? WT_ABI_SLOTS : WT_ABI_ROOT_SLOT);
	}
	if (!is_root)
		map_root();
	return 0;
}

const char *wt_rows_folder(void)
{
	struct mapped *mapped = current(&own);

	return mapped ? mapped->path : NULL;
}

uint32_t wt_tables_published(void)
{
	struct mapped *mapped = current(&own);

	return mapped ? __atomic_load_n(&mapped->file->tables, __ATOMIC_ACQUIRE) : 0;
}

uint32_t wt_rows_new_number(void)
{
	return __atomic_add_fetch(&current(&own)->file->providers, 1, __ATOMIC_RELAXED);
}

/* Whether a slot's row is root's: then it stands in root's folder. */
static bool of_root(unsigned slot)
{
	struct mapped *mapped = current(&own);

	return slot >= WT_ABI_ROOT_SLOT &&
	       (!mapped || wt_enable_stamps[slot] != &mapped->file->rows[slot].stamp);
}

/* A bit of root's is set and no row is mapped: root's folder may have come, or come anew. */
static void look_for_root(void)
{
	uint32_t n = __atomic_add_fetch(&root_questions, 1, __ATOMIC_RELAXED);

	if (n < __atomic_load_n(&root_patience, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&root_questions, 0, __ATOMIC_RELAXED);
	map_root();
	if (wt_enable_stamp(WT_ABI_ROOT_SLOT) || wt_enable_stamp(WT_ABI_ROOT_SLOT + 1))
		__atomic_store_n(&root_patience, 1, __ATOMIC_RELAXED);
	else if (root_patience < 1u << 20)
		__atomic_store_n(&root_patience, root_patience * 2, __ATOMIC_RELAXED);
}

/* Words, not bytes: the row may change meanwhile. */
static void copy_row(struct wt_abi_row *ret, const struct wt_abi_row *row)
{
	const uint64_t *from = (const uint64_t *)row;
	uint64_t *to = (uint64_t *)ret;

	for (size_t i = 0; i < sizeof(*row) / sizeof(uint64_t); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

int wt_rows_read(unsigned slot, struct wt_abi_row *ret)
{
	struct mapped *mapped;

	if (of_root(slot) && !wt_enable_stamp(slot))
		look_for_root();
	mapped = current(of_root(slot) ? &roots : &own);
	if (!mapped)
		return 1;
	for (unsigned i = 0; i < TRIES; i++) {
		const struct wt_abi_row *row = &mapped->file->rows[slot];
		uint64_t before = __atomic_load_n(&row->stamp, __ATOMIC_ACQUIRE);

		if (!before)
			return 1;
		copy_row(ret, row);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		ret->stamp = __atomic_load_n(&row->stamp, __ATOMIC_RELAXED);
		/* The same life: new rules leave the other fields alone. */
		if (ret->stamp >> 32 == before >> 32)
			return ret->stamp >> 32 && wt_row_valid(ret) ? 0 : 1;
	}
	return 1;
}

static int read_rules(int fd, struct wt_rules *ret)
{
	struct stat st;
	void *at;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(struct wt_abi_rules) ||
	    st.st_size > (off_t)WT_ABI_RULES_MAX)
		return -1;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	*ret = (struct wt_rules){.bytes = at, .len = (size_t)st.st_size};
	if (wt_folder_read(fd, at, ret->len, 0) == 0 && wt_rules_valid(ret))
		return 0;
	wt_rows_free_rules(ret);
	return -1;
}

int wt_rows_rules(unsigned slot, const struct wt_abi_row *row, struct wt_rules *ret)
{
	bool is_roots = of_root(slot);
	struct mapped *mapped = current(is_roots ? &roots : &own);
	uint32_t number = (uint32_t)row->stamp;
	char name[WT_ABI_SESSION_NAME + 24];
	uid_t owner = is_roots ? 0 : geteuid();
	int folder, fd, rc = -1;

	*ret = (struct wt_rules){0};
	if (!number)
		return 1;
	if (!mapped || !wt_rules_name(row->session, number, name, sizeof(name)))
		return -1;
	folder = wt_folder_open_owned(mapped->path, owner);
	if (folder < 0)
		return -1;
	fd = wt_folder_open_file(folder, name, O_RDONLY, owner);
	close(folder);
	if (fd >= 0) {
		rc = read_rules(fd, ret);
		close(fd);
	}
	return rc;
}

void wt_rows_free_rules(struct wt_rules *rules)
{
	if (rules->bytes)
		munmap((void *)rules->bytes, rules->len);
	*rules = (struct wt_rules){0};
}

int wt_enable_slot(unsigned slot, struct wt_enable_slot *ret)
{
	struct wt_abi_row row;
	int kept = errno, rc;

	rc = slot < WT_ENABLE_SLOTS ? wt_rows_read(slot, &row) : 1;
	*ret = (struct wt_enable_slot){0};
	if (rc == 0) {
		ret->stamp = row.stamp;
		ret->life = (uint32_t)(row.stamp >> 32);
		ret->spec = (struct wt_ring_spec){.block_bytes = row.block_bytes,
						  .max_blocks = row.max_blocks,
						  .mode = row.mode,
						  .per_process = row.per_process,
						  .counter = row.counter};
		memcpy(ret->rings, row.rings, sizeof(ret->rings));
	}
	errno = kept;
	return rc;
}

int wt_enable_open_rings(const struct wt_enable_slot *slot)
{
	const char *path = wt_rows_folder();
	int folder, fd;

	if (!path) {
		errno = ENOENT;
		return -1;
	}
	folder = wt_folder_open_owned(path, geteuid());
	if (folder < 0)
		return -1;
	fd = wt_folder_open_below(folder, slot->rings, true);
	close(folder);
	return fd;
}
