// SPDX-License-Identifier: MIT
#include "tracecore/enable/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/digits.h"
#include "tracecore/enable/changes.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/tables.h"
#include "tracecore/ring/room.h"
#include "tracecore/ring/standing.h"

/* The number of reads of a row: its session can end at most once in that time, and new rules do not
 * matter. */
#define TRIES 8

static const uint64_t no_stamp;
const volatile uint64_t *wt_enable_stamps[WT_ENABLE_SLOTS] = {&no_stamp, &no_stamp, &no_stamp, &no_stamp,
							      &no_stamp, &no_stamp, &no_stamp, &no_stamp};

/* A mapped `sessions` file; never freed once published. */
struct mapped {
	struct wt_abi_sessions *file;
	dev_t dev;
	ino_t ino;
	struct mapped *before; /* the mapping that this one replaced; it may still be read */
	char path[];           /* of its directory */
};

static struct mapped *own, *roots;
/* Counts questions for root's rows without success: the next try comes after twice as many questions. */
static uint32_t root_questions, root_patience = 1;

static struct mapped *current(struct mapped **which)
{
	return __atomic_load_n(which, __ATOMIC_ACQUIRE);
}

bool wt_rules_name(const char *session, uint32_t number, char *ret, size_t size)
{
	static const char infix[] = ".rules-";
	size_t len = strlen(session);
	char digits[WT_DIGITS_MAX];
	size_t n = wt_digits(digits, number, 10, 1);

	if (len + sizeof(infix) + n > size)
		return false;
	memcpy(ret, session, len);
	memcpy(ret + len, infix, sizeof(infix) - 1);
	memcpy(ret + len + sizeof(infix) - 1, digits, n);
	ret[len + sizeof(infix) - 1 + n] = 0;
	return true;
}

/* True for a name that is one directory entry below ours. */
static bool name_valid(const char *name, size_t size)
{
	size_t len = strnlen(name, size);

	return len > 0 && len < size && !memchr(name, '/', len) && strcmp(name, ".") && strcmp(name, "..");
}

bool wt_row_valid(const struct wt_abi_row *row)
{
	return row->block_bytes >= WT_ABI_BLOCK_BYTES_MIN && row->block_bytes <= WT_ABI_BLOCK_BYTES_MAX &&
	       !(row->block_bytes & (row->block_bytes - 1)) && row->max_blocks > 0 &&
	       row->max_blocks <= WT_ABI_BLOCKS_MAX && !row->zero &&
	       name_valid(row->session, sizeof(row->session)) && name_valid(row->rings, sizeof(row->rings)) &&
	       strnlen(row->lock_directory, sizeof(row->lock_directory)) < sizeof(row->lock_directory);
}

/* The head is not on the stack, which may be small. */
static int make_sessions(int directory, mode_t mode)
{
	static const struct wt_abi_sessions head = {
		.magic = WT_ABI_SESSIONS_MAGIC, .version = WT_ABI_ENABLE_VERSION, .bytes = sizeof(head)};
	struct wt_new_file file;
	int rc = -1;

	if (wt_new_file_begin(directory, mode, &file) < 0)
		return -1;
	if (wt_directory_write(file.fd, &head, sizeof(head), 0) == 0)
		rc = wt_new_file_link(&file, "sessions");
	wt_new_file_end(&file);
	return rc;
}

int wt_sessions_open(int directory, uid_t owner, enum wt_sessions_absent absent, mode_t mode, int flags,
		     struct stat *ret)
{
	struct {
		uint64_t magic;
		uint32_t version, bytes;
	} head;
	int fd = wt_directory_open_known(directory, "sessions", flags, owner, ret);

	if (fd < 0 && errno == ENOENT && absent == WT_SESSIONS_MAKE && make_sessions(directory, mode) >= 0)
		fd = wt_directory_open_known(directory, "sessions", flags, owner, ret);
	if (fd < 0)
		return -1;
	if (ret->st_size < (off_t)sizeof(struct wt_abi_sessions) ||
	    wt_directory_read(fd, &head, sizeof(head), 0) < 0 || head.magic != WT_ABI_SESSIONS_MAGIC ||
	    head.version != WT_ABI_ENABLE_VERSION || head.bytes != sizeof(struct wt_abi_sessions)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static int map_sessions(struct mapped *ret, int fd, const struct stat *st, int prot, const char *path)
{
	void *at;

	if ((prot & PROT_WRITE) && wt_room_take_first(fd, st, sizeof(struct wt_abi_sessions)))
		return -1;
	at = mmap(NULL, sizeof(struct wt_abi_sessions), prot, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -1;
	wt_room_keep_from_dumps(at, sizeof(struct wt_abi_sessions));
	ret->file = at;
	ret->dev = st->st_dev;
	ret->ino = st->st_ino;
	memcpy(ret->path, path, strlen(path) + 1);
	return 0;
}

static bool still_there(const struct mapped *mapped, const char *path, const struct stat *st)
{
	return mapped && st->st_dev == mapped->dev && st->st_ino == mapped->ino &&
	       strcmp(mapped->path, path) == 0;
}

static void publish(struct mapped **which, struct mapped *mapped, unsigned first, unsigned end)
{
	mapped->before = current(which);
	__atomic_store_n(which, mapped, __ATOMIC_SEQ_CST);
	for (unsigned s = first; s < end; s++)
		__atomic_store_n(&wt_enable_stamps[s], &mapped->file->rows[s].stamp, __ATOMIC_RELEASE);
}

/* The memory comes from mmap, because this may run in a signal handler. */
static void replace_roots(int fd, const struct stat *st, const char *path)
{
	size_t size = sizeof(struct mapped) + strlen(path) + 1;
	struct mapped *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED)
		return;
	if (map_sessions(mapped, fd, st, PROT_READ, path) == 0)
		publish(&roots, mapped, WT_ABI_ROOT_SLOT, WT_ABI_SLOTS);
	else
		munmap(mapped, size);
}

bool wt_rows_out_of_means(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/* Root's announcements exist, but this process cannot open them: it has entered a user namespace that does
 * not map root's files, or has restricted itself. */
static bool hidden;

/* Maps root's announcements, if they exist and nobody else could have written them. -1: that cannot be
 * found out. */
static int map_root(void)
{
	const char *path = wt_directory_root_path();
	struct stat st;
	int directory, fd, why;

	directory = wt_directory_open_owned(path, 0);
	__atomic_store_n(&hidden, directory < 0 && (errno == EACCES || errno == EPERM), __ATOMIC_RELAXED);
	if (directory < 0)
		return wt_rows_out_of_means() ? -1 : 0;
	fd = wt_sessions_open(directory, 0, WT_SESSIONS_FAIL, 0, O_RDONLY, &st);
	why = errno;
	close(directory);
	errno = why;
	if (fd < 0)
		return wt_rows_out_of_means() ? -1 : 0;
	if (!still_there(current(&roots), path, &st))
		replace_roots(fd, &st, path);
	close(fd);
	return 0;
}

/* Used instead of the word in the file until one is mapped. */
static uint32_t no_changes;
static bool waits; /* a thread of this process has waited */

static uint32_t *changes_now(void)
{
	struct mapped *mapped = current(&own);

	return mapped ? &mapped->file->changes : &no_changes;
}

struct wt_enable_seen wt_enable_seen(void)
{
	uint32_t *word;

	/* Pairs with map_own(): either it sees that this thread waits, or this thread sees its word. */
	__atomic_store_n(&waits, true, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	word = changes_now();
	return (struct wt_enable_seen){.word = word, .count = __atomic_load_n(word, __ATOMIC_SEQ_CST)};
}

void wt_enable_wait(const struct wt_enable_seen *seen)
{
	wt_changes_wait(seen->word, seen->count);
}

void wt_enable_wake(void)
{
	wt_changes_count(changes_now(), WT_CHANGES_THIS_PROCESS);
}

void wt_rows_changed(void)
{
	wt_changes_count(changes_now(), WT_CHANGES_EVERYBODY);
}

/* Maps the process's own file; closes fd. */
static int map_own(int fd, const struct stat *st, const char *path, bool is_root)
{
	uint32_t *changes = changes_now();
	struct mapped *mapped = malloc(sizeof(*mapped) + strlen(path) + 1);
	int rc = mapped ? map_sessions(mapped, fd, st, PROT_READ | PROT_WRITE, path) : -1, why = errno;

	close(fd);
	if (!rc)
		publish(&own, mapped, 0, is_root ? WT_ABI_SLOTS : WT_ABI_ROOT_SLOT);
	else
		free(mapped);
	/* Threads that sleep on the old word wake and use the new one. */
	if (!rc && __atomic_load_n(&waits, __ATOMIC_SEQ_CST))
		wt_changes_count(changes, WT_CHANGES_THIS_PROCESS);
	errno = why;
	return rc;
}

int wt_rows_map(int directory, const char *path, struct wt_err *err)
{
	uid_t user = geteuid();
	struct stat st;
	int fd = wt_sessions_open(directory, user, WT_SESSIONS_MAKE, 0600, O_RDWR, &st);

	if (fd < 0 && errno == EINVAL)
		return wt_fail(err, WT_ERR_FORMAT, "%s/sessions is damaged: stop all sessions and remove %s",
			       path, path);
	if (fd < 0)
		return wt_fail_errno(err, "cannot open %s/sessions", path);
	if (still_there(current(&own), path, &st))
		close(fd);
	else if (map_own(fd, &st, path, user == 0))
		return wt_fail_errno(err, "cannot map %s/sessions", path);
	if (user != 0 && map_root())
		return wt_fail_errno(err, "cannot read %s/sessions", wt_directory_root_path());
	return 0;
}

const char *wt_rows_directory(void)
{
	struct mapped *mapped = current(&own);

	return mapped ? mapped->path : NULL;
}

int wt_rows_open_below(const char *name, bool make)
{
	const char *path = wt_rows_directory();
	int directory, fd;

	if (!path) {
		errno = ENOENT;
		return -1;
	}
	directory = wt_directory_open_owned(path, geteuid());
	if (directory < 0)
		return -1;
	fd = wt_directory_open_below(directory, name, make);
	close(directory);
	return fd;
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

/* True when a slot's row is one of root's, in root's directory. */
static bool of_root(unsigned slot)
{
	struct mapped *mapped = current(&own);

	return slot >= WT_ABI_ROOT_SLOT &&
	       (!mapped || wt_enable_stamps[slot] != &mapped->file->rows[slot].stamp);
}

/* The count of questions is reset after the look, not before: a question in the meantime, perhaps from a
 * signal handler of this thread, leads to a look too. */
void wt_rows_look(unsigned slot)
{
	uint32_t n;

	if (!of_root(slot) || wt_enable_stamp(slot) || !wt_may_call())
		return;
	n = __atomic_add_fetch(&root_questions, 1, __ATOMIC_RELAXED);
	if (n < __atomic_load_n(&root_patience, __ATOMIC_RELAXED))
		return;
	map_root();
	__atomic_store_n(&root_questions, 0, __ATOMIC_RELAXED);
	if (wt_enable_stamp(WT_ABI_ROOT_SLOT) || wt_enable_stamp(WT_ABI_ROOT_SLOT + 1))
		__atomic_store_n(&root_patience, 1, __ATOMIC_RELAXED);
	else if (root_patience < 1u << 20)
		__atomic_store_n(&root_patience, root_patience * 2, __ATOMIC_RELAXED);
}

/* Copies words, not bytes, because the row may change at the same time. */
static void copy_row(struct wt_abi_row *ret, const struct wt_abi_row *row)
{
	const uint64_t *from = (const uint64_t *)row;
	uint64_t *to = (uint64_t *)ret;

	for (size_t i = 0; i < sizeof(*row) / sizeof(uint64_t); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

bool wt_rows_hidden(unsigned slot)
{
	return of_root(slot) && !current(&roots) && __atomic_load_n(&hidden, __ATOMIC_RELAXED);
}

int wt_rows_read(unsigned slot, struct wt_abi_row *ret)
{
	struct mapped *mapped = current(of_root(slot) ? &roots : &own);

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
		/* The life is unchanged: new rules do not change the other fields. */
		if (ret->stamp >> 32 == before >> 32)
			return ret->stamp >> 32 && wt_row_valid(ret) ? 0 : 1;
	}
	return 1;
}

static int read_rules(int fd, struct wt_rules *ret)
{
	struct stat st;
	void *at;

	if (fstat(fd, &st) < 0)
		return -1;
	if (st.st_size < (off_t)sizeof(struct wt_abi_rules) || st.st_size > (off_t)WT_ABI_RULES_MAX) {
		errno = EBADMSG;
		return -1;
	}
	at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	*ret = (struct wt_rules){.bytes = at, .len = (size_t)st.st_size};
	if (wt_directory_read(fd, at, ret->len, 0) == 0 && wt_rules_valid(ret))
		return 0;
	wt_rows_free_rules(ret);
	errno = EBADMSG;
	return -1;
}

int wt_rows_rules(unsigned slot, const struct wt_abi_row *row, struct wt_rules *ret)
{
	bool is_roots = of_root(slot);
	struct mapped *mapped = current(is_roots ? &roots : &own);
	uint32_t number = (uint32_t)row->stamp;
	char name[WT_ABI_SESSION_NAME + 24];
	uid_t owner = is_roots ? 0 : geteuid();
	int directory, fd, rc = -1;

	*ret = (struct wt_rules){0};
	if (!number)
		return 1;
	if (!mapped || !wt_rules_name(row->session, number, name, sizeof(name))) {
		errno = EBADMSG;
		return -1;
	}
	directory = wt_directory_open_owned(mapped->path, owner);
	if (directory < 0)
		return -1;
	fd = wt_directory_open_file(directory, name, O_RDONLY, owner);
	close(directory);
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

	if (slot < WT_ENABLE_SLOTS)
		wt_rows_look(slot);
	rc = slot < WT_ENABLE_SLOTS ? wt_rows_read(slot, &row) : 1;
	*ret = (struct wt_enable_slot){0};
	if (rc == 0) {
		ret->stamp = row.stamp;
		ret->life = (uint32_t)(row.stamp >> 32);
		ret->spec = (struct wt_ring_spec){.block_bytes = row.block_bytes,
						  .max_blocks = row.max_blocks,
						  .per_process = row.per_process,
						  .counter = row.counter};
		memcpy(ret->rings, row.rings, sizeof(ret->rings));
	}
	errno = kept;
	return rc;
}

const char *wt_enable_directory(void)
{
	return wt_rows_directory();
}

int wt_enable_open_rings(const struct wt_enable_slot *slot)
{
	return wt_rows_open_below(slot->rings, true);
}
