// SPDX-License-Identifier: MIT
#include "consumers/session/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/squat.h"

static bool name_valid(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > WT_SESSION_NAME_MAX || name[0] == '.')
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len;
}

static void tell_taken(const char *variable, const char *base)
{
	const char *given = getenv(variable);
	char usual[64], path[PATH_MAX];
	uid_t by;

	snprintf(usual, sizeof(usual), "%s/wtrace-%u", base, geteuid());
	if ((given && given[0]) || !wt_squat_is_taken(usual, geteuid(), &by))
		return;
	wt_directory_path(path, variable, base);
	if (geteuid() == 0)
		wt_warn("%s belongs to uid %u: it is taken back", usual, by);
	else if (strcmp(path, usual))
		wt_warn("%s belongs to uid %u: %s is used instead", usual, by, path);
}

void wt_place_tell_taken(void)
{
	static bool reported;

	if (reported)
		return;
	reported = true;
	tell_taken(WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	tell_taken("WTRACE_SPOOL", "/var/tmp");
}

/* True for the names that root's directories have by default. */
static bool is_usual(const char *path)
{
	return !strcmp(path, WT_DIRECTORY_RUNTIME "/wtrace-0") || !strcmp(path, "/var/tmp/wtrace-0");
}

/* Root's name, which another user has and the next session will take back. */
static bool is_not_taken_back(const char *path)
{
	uid_t by;

	return geteuid() == 0 && is_usual(path) && wt_squat_is_taken(path, 0, &by);
}

int wt_place_open_directory(const char *path, struct wt_err *err)
{
	if (is_not_taken_back(path))
		wt_squat_take_back(path, 0700);
	return wt_directory_open_private(path, err);
}

int wt_place_open(const char *name, struct wt_place *ret, struct wt_err *err)
{
	*ret = (struct wt_place){.runtime_fd = -1, .spool_fd = -1, .lock_fd = -1};
	if (!name_valid(name))
		return wt_fail(err, WT_ERR_USAGE,
			       "session name '%.80s' is not usable: 1 to %d letters, digits, '.', '_' or "
			       "'-', not starting "
			       "with '.'",
			       name, WT_SESSION_NAME_MAX);
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	wt_directory_path(ret->runtime, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	wt_directory_path(ret->spool, "WTRACE_SPOOL", "/var/tmp");
	wt_place_tell_taken();
	ret->runtime_fd = wt_place_open_directory(ret->runtime, err);
	if (ret->runtime_fd < 0)
		return -1;
	ret->spool_fd = wt_place_open_directory(ret->spool, err);
	if (ret->spool_fd < 0) {
		wt_place_close(ret);
		return -1;
	}
	return 0;
}

static void file_name(const struct wt_place *place, const char *suffix, char *ret, size_t size)
{
	snprintf(ret, size, "%s.%s", place->name, suffix);
}

/* True while the name leads to the open file: a session that ends removes its lock file. */
static bool same_file(int dir, const char *file, int fd)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && fstatat(dir, file, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* True when the spool file is locked. Its writer locks it, so that a session with another runtime directory
 * (in another container, or with another WTRACE_RUNTIME) is not taken for dead. */
static bool is_written(const struct wt_place *place)
{
	char file[NAME_MAX];
	bool locked;
	int fd;

	file_name(place, "part", file, sizeof(file));
	fd = openat(place->spool_fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	locked = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

int wt_place_lock(struct wt_place *place, struct wt_err *err)
{
	char file[NAME_MAX];
	int fd;

	file_name(place, "lock", file, sizeof(file));
	for (;;) {
		fd = openat(place->runtime_fd, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return wt_fail_errno(err, "cannot open %s/%s", place->runtime, file);
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			close(fd);
			return 1;
		}
		if (same_file(place->runtime_fd, file, fd))
			break;
		close(fd);
	}
	if (is_written(place)) {
		unlinkat(place->runtime_fd, file, 0);
		close(fd);
		return wt_fail(
			err, WT_ERR_EXISTS,
			"a session '%s' of another runtime directory is recording into %s/%s.part: use the "
			"WTRACE_RUNTIME (or the container) that it was started with, or another session "
			"name, or another WTRACE_SPOOL",
			place->name, place->spool, place->name);
	}
	place->lock_fd = fd;
	return 0;
}

bool wt_place_alive(const struct wt_place *place)
{
	char file[NAME_MAX];
	bool alive;
	int fd;

	file_name(place, "lock", file, sizeof(file));
	fd = openat(place->runtime_fd, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	alive = flock(fd, LOCK_EX | LOCK_NB) < 0;
	close(fd);
	return alive;
}

void wt_place_part_path(const struct wt_place *place, char *ret)
{
	if (snprintf(ret, PATH_MAX, "%s/%s.part", place->spool, place->name) >= PATH_MAX)
		ret[0] = 0;
}

bool wt_place_has_part(const struct wt_place *place)
{
	char file[NAME_MAX];
	struct stat st;

	file_name(place, "part", file, sizeof(file));
	return fstatat(place->spool_fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

bool wt_place_drop_empty_part(const struct wt_place *place)
{
	char file[NAME_MAX];
	struct stat st;

	file_name(place, "part", file, sizeof(file));
	return fstatat(place->spool_fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       !st.st_size && unlinkat(place->spool_fd, file, 0) == 0;
}

bool wt_place_part_is(const struct wt_place *place, int fd)
{
	char file[NAME_MAX];

	file_name(place, "part", file, sizeof(file));
	return same_file(place->spool_fd, file, fd);
}

/* how: flags for open(2) about an existing file. */
static int create_spool_file(const struct wt_place *place, const char *kind, int how, struct wt_err *err)
{
	char file[NAME_MAX];
	int fd;

	file_name(place, kind, file, sizeof(file));
	fd = openat(place->spool_fd, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | how, 0600);
	if (fd < 0)
		return wt_fail_errno(err, "cannot make the spool file %s/%s", place->spool, file);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		wt_debug("the spool file %s/%s cannot be locked", place->spool, file);
	return fd;
}

int wt_place_create_part(const struct wt_place *place, struct wt_err *err)
{
	return create_spool_file(place, "part", O_EXCL, err);
}

int wt_place_create_packed(const struct wt_place *place, struct wt_err *err)
{
	return create_spool_file(place, "packed", O_TRUNC, err);
}

int wt_place_use_packed(const struct wt_place *place, struct wt_err *err)
{
	char from[NAME_MAX], to[NAME_MAX];

	file_name(place, "packed", from, sizeof(from));
	file_name(place, "part", to, sizeof(to));
	if (renameat(place->spool_fd, from, place->spool_fd, to) < 0)
		return wt_fail_errno(err, "cannot rename %s/%s to %s", place->spool, from, to);
	return 0;
}

void wt_place_drop_packed(const struct wt_place *place)
{
	char file[NAME_MAX];

	file_name(place, "packed", file, sizeof(file));
	unlinkat(place->spool_fd, file, 0);
}

int wt_place_keep_part(const struct wt_place *place, char *ret, struct wt_err *err)
{
	char from[NAME_MAX], to[NAME_MAX], date[32];
	time_t now = time(NULL);
	struct tm tm;

	file_name(place, "part", from, sizeof(from));
	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	for (unsigned i = 0; i < 1000; i++) {
		int n = snprintf(to, sizeof(to), i ? "%s-%s-%u.etl" : "%s-%s.etl", place->name, date, i);

		if (n >= (int)sizeof(to))
			break;
		if (renameat2(place->spool_fd, from, place->spool_fd, to, RENAME_NOREPLACE) == 0) {
			if (snprintf(ret, PATH_MAX, "%s/%s", place->spool, to) >= PATH_MAX)
				ret[0] = 0;
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return wt_fail_errno(err, "cannot rename %s/%s to %s", place->spool, from, to);
}

static int socket_address(const struct wt_place *place, struct sockaddr_un *ret, struct wt_err *err)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s.sock", place->runtime, place->name) >=
	    (int)sizeof(ret->sun_path))
		return wt_fail(err, WT_ERR_LIMIT, "the path %s/%s.sock is too long for a socket (%zu bytes)",
			       place->runtime, place->name, sizeof(ret->sun_path) - 1);
	return 0;
}

int wt_place_listen(const struct wt_place *place, struct wt_err *err)
{
	struct sockaddr_un address;
	mode_t old;
	int fd, rc;

	if (socket_address(place, &address, err) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return wt_fail_errno(err, "cannot make a socket");
	unlink(address.sun_path);
	old = umask(0077);
	rc = bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(old);
	if (rc < 0 || listen(fd, 16) < 0) {
		wt_fail_errno(err, "cannot listen on %s", address.sun_path);
		close(fd);
		return -1;
	}
	return fd;
}

int wt_place_connect(const struct wt_place *place, struct wt_err *err)
{
	struct sockaddr_un address;
	int fd;

	if (socket_address(place, &address, err) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return wt_fail_errno(err, "cannot make a socket");
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		bool absent = errno == ENOENT || errno == ECONNREFUSED;

		wt_fail_errno(err, "cannot reach session '%s' at %s", place->name, address.sun_path);
		if (absent && err)
			err->code = WT_ERR_NOTFOUND;
		close(fd);
		return -1;
	}
	return fd;
}

void wt_place_remove(const struct wt_place *place)
{
	char file[NAME_MAX];

	file_name(place, "sock", file, sizeof(file));
	unlinkat(place->runtime_fd, file, 0);
	file_name(place, "lock", file, sizeof(file));
	unlinkat(place->runtime_fd, file, 0);
}

int wt_place_each(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx, struct wt_err *err)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int rc = 0, fd;
	DIR *dir;

	wt_directory_path(path, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	if (is_not_taken_back(path))
		return 0;
	fd = wt_directory_open(path, NULL);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return errno == ENOENT ? 0 : wt_fail_errno(err, "cannot read directory %s", path);
	while (rc == 0 && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		char name[NAME_MAX + 1];

		if (len <= 5 || strcmp(entry->d_name + len - 5, ".lock"))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(len - 5), entry->d_name);
		if (name_valid(name))
			rc = fn(ctx, name, err);
	}
	closedir(dir);
	return rc;
}

void wt_place_close(struct wt_place *place)
{
	int *fds[] = {&place->lock_fd, &place->runtime_fd, &place->spool_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
