/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/ring/room.h"
#include "tracecore/ring/self.h"

/* snprintf is not async-signal-safe. */
static char *put_number(char *p, uint64_t n, unsigned base)
{
	char digits[20];
	unsigned len = 0;

	do {
		digits[len++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	while (len)
		*p++ = digits[--len];
	return p;
}

void wt_ring_file_name(char *ret, const char *prefix, uint32_t number, uint64_t token)
{
	size_t n = strlen(prefix);

	memcpy(ret, prefix, n);
	ret = put_number(ret + n, number, 10);
	if (token) {
		*ret++ = '-';
		ret = put_number(ret, token, 16);
	}
	*ret = 0;
}

static bool is_dir(const struct wt_ring_dir *dir, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_dev != dir->dev || st.st_ino != dir->ino) {
		errno = EBADF;
		return false;
	}
	return true;
}

int wt_ring_dir_init(struct wt_ring_dir *dir, int fd)
{
	char proc[64];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -1;
	*dir = (struct wt_ring_dir){.fd = fd, .dev = st.st_dev, .ino = st.st_ino};
	wt_ring_file_name(proc, "/proc/self/fd/", (uint32_t)fd, 0);
	n = readlink(proc, dir->path, sizeof(dir->path) - 1);
	if (n < 0 || n == sizeof(dir->path) - 1)
		n = 0;
	dir->path[n] = 0;
	return 0;
}

static void put_in_place(struct wt_ring_dir *dir, enum wt_ring_dir_state state)
{
	int fd = __atomic_exchange_n(&dir->fd, (int)state, __ATOMIC_RELAXED);

	if (fd >= 0 && is_dir(dir, fd))
		close(fd);
}

/* Nothing of this remains when the directory is at another path. */
static void try_path(struct wt_ring_dir *dir, const char *base, const char *name)
{
	size_t b = strlen(base), n = strlen(name);
	struct stat st;

	if (b + n + 2 > sizeof(dir->path))
		return;
	memcpy(dir->path, base, b);
	dir->path[b] = '/';
	memcpy(dir->path + b + 1, name, n + 1);
	if (lstat(dir->path, &st) || st.st_dev != dir->dev || st.st_ino != dir->ino)
		dir->path[0] = 0;
}

void wt_ring_dir_let_go(struct wt_ring_dir *dir, const char *base, const char *name)
{
	if (!dir->path[0] && base)
		try_path(dir, base, name);
	if (dir->path[0])
		put_in_place(dir, WT_RING_DIR_BY_PATH);
}

void wt_ring_dir_close(struct wt_ring_dir *dir)
{
	put_in_place(dir, WT_RING_DIR_CLOSED);
}

/* The directory, until end_dir; -1. */
static int begin_dir(const struct wt_ring_dir *dir)
{
	int fd = __atomic_load_n(&dir->fd, __ATOMIC_RELAXED);

	if (fd == WT_RING_DIR_CLOSED || (fd >= 0 && is_dir(dir, fd)))
		return fd;
	fd = wt_high_fd(open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (fd < 0 || is_dir(dir, fd))
		return fd;
	close(fd);
	errno = EBADF;
	return -1;
}

/* A directory that was opened anew with the old number is kept again. */
static void end_dir(const struct wt_ring_dir *dir, int fd)
{
	int saved = errno;

	if (fd >= 0 && fd != __atomic_load_n(&dir->fd, __ATOMIC_RELAXED))
		close(fd);
	errno = saved;
}

void wt_ring_format(struct wt_abi_ring *ring, const struct wt_ring_shape *shape,
		    const struct wt_ring_birth *birth)
{
	ring->version = WT_ABI_RING_VERSION;
	ring->block_bytes = shape->block_bytes;
	ring->max_blocks = shape->max_blocks;
	ring->counter = shape->counter;
	ring->is_lane = birth->is_lane;
	ring->cpu = birth->cpu;
	ring->pid = birth->pid;
	ring->generation = birth->generation;
	ring->birth = wt_ring_now(shape);
	ring->pid_ns = wt_ring_pid_namespace();
	ring->tail = 1;
	ring->head = wt_abi_head(1, 0, sizeof(struct wt_abi_block));
	__atomic_store_n(&ring->magic, WT_ABI_RING_MAGIC, __ATOMIC_RELEASE);
}

struct wt_abi_block wt_ring_first_block(const struct wt_abi_ring *ring)
{
	return (struct wt_abi_block){.sequence = 1, .first = ring->birth};
}

int wt_ring_file_find(const struct wt_ring_dir *dir, const char *name)
{
	int at = begin_dir(dir), fd = -1;

	if (at >= 0)
		fd = wt_high_fd(openat(at, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
	end_dir(dir, at);
	return fd;
}

int wt_ring_file_unnamed(const struct wt_ring_dir *dir, uint64_t bytes)
{
	int at = begin_dir(dir), fd = -1;

	if (at >= 0)
		fd = wt_high_fd(openat(at, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	end_dir(dir, at);
	if (fd >= 0 && (fchmod(fd, 0600) || wt_room_extend(fd, bytes))) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/* Only privileged processes may link by descriptor alone. Linking through /proc works for every process
 * that has /proc. */
static int link_at(int at, int fd, const char *name)
{
	char proc[64];

	if (!linkat(fd, "", at, name, AT_EMPTY_PATH))
		return 0;
	if (errno == EEXIST)
		return -1;
	wt_ring_file_name(proc, "/proc/self/fd/", (uint32_t)fd, 0);
	return linkat(AT_FDCWD, proc, at, name, AT_SYMLINK_FOLLOW);
}

int wt_ring_file_link(const struct wt_ring_dir *dir, int fd, const char *name)
{
	int at = begin_dir(dir), ret;

	WT_RING_INJECT(9);
	ret = at < 0 ? -1 : link_at(at, fd, name);
	end_dir(dir, at);
	return ret;
}

static bool put(int fd, uint64_t offset, const void *bytes, size_t n)
{
	return pwrite(fd, bytes, n, (off_t)offset) == (ssize_t)n;
}

/* Header, slot table and first block. 0, or -1. */
static int fill(int fd, const struct wt_ring_shape *shape, const struct wt_ring_birth *birth, uint32_t ready)
{
	struct wt_abi_ring ring = {.ready = ready};

	wt_ring_format(&ring, shape, birth);
	struct wt_abi_block block = wt_ring_first_block(&ring);

	return put(fd, 0, &ring, sizeof(ring)) &&
			       put(fd, WT_ABI_RING_SLOTS, &block.sequence, sizeof(block.sequence)) &&
			       put(fd, shape->data, &block, sizeof(block))
		       ? 0
		       : -1;
}

static int make(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		const struct wt_ring_birth *birth)
{
	int fd = wt_ring_file_unnamed(dir, wt_shape_bytes(shape));
	int saved;

	if (fd < 0)
		return -1;
	if (!fill(fd, shape, birth, 0) && !wt_ring_file_link(dir, fd, name))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static bool fits(int fd, const struct wt_ring_shape *shape, uint32_t cpu)
{
	struct {
		uint64_t magic;
		uint32_t version, block_bytes, max_blocks;
		uint8_t zero0, counter, is_lane, zero5;
		uint32_t cpu;
	} seen;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (uint64_t)st.st_size < wt_shape_bytes(shape))
		return false;
	return pread(fd, &seen, sizeof(seen), 0) == sizeof(seen) && seen.magic == WT_ABI_RING_MAGIC &&
	       seen.version == WT_ABI_RING_VERSION && seen.block_bytes == shape->block_bytes &&
	       seen.max_blocks == shape->max_blocks && !seen.zero0 && seen.counter == shape->counter &&
	       !seen.is_lane && seen.cpu == cpu;
}

int wt_ring_file_open(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		      const struct wt_ring_birth *birth)
{
	int fd = wt_ring_file_find(dir, name);

	if (fd < 0 && errno == ENOENT) {
		fd = make(dir, name, shape, birth);
		if (fd >= 0)
			return fd;
		if (errno == EEXIST)
			fd = wt_ring_file_find(dir, name);
	}
	if (fd >= 0 && !fits(fd, shape, birth->cpu)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int wt_ring_file_ready(const struct wt_ring_dir *dir, const char *name, const struct wt_ring_shape *shape,
		       uint32_t cpu)
{
	int fd = wt_ring_file_find(dir, name);
	uint32_t ready = 0;

	if (fd >= 0 && fits(fd, shape, cpu) &&
	    pread(fd, &ready, sizeof(ready), offsetof(struct wt_abi_ring, ready)) == sizeof(ready) && ready)
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = ENOMEM;
	}
	return -1;
}

int wt_ring_file_make_common(int dir_fd, const char *name, const struct wt_ring_spec *spec, uint32_t cpu,
			     uint32_t ready, uid_t owner)
{
	struct wt_ring_shape shape = wt_ring_shape_of(spec);
	struct wt_ring_birth birth = {.cpu = cpu, .generation = spec->generation};
	struct wt_ring_dir dir;
	int fd, rc = -1, saved;

	if (!faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return 1;
	if (wt_ring_dir_init(&dir, dir_fd) || (fd = wt_ring_file_unnamed(&dir, wt_shape_bytes(&shape))) < 0)
		return -1;
	if (!wt_room_take(fd, 0, shape.data + (uint64_t)ready * shape.block_bytes) &&
	    !fill(fd, &shape, &birth, ready) && (owner == geteuid() || !fchown(fd, owner, (gid_t)-1)))
		rc = wt_ring_file_link(&dir, fd, name);
	saved = errno;
	close(fd);
	errno = saved;
	return rc && saved == EEXIST ? 1 : rc;
}
