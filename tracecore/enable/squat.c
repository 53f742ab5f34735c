// SPDX-License-Identifier: MIT
#include "tracecore/enable/squat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/digits.h"
#include "tracecore/base/way.h"

/* Another user may take names all the time. */
#define TRIES 64
/* As in linux/fs.h, which cannot be included with every C library's headers. */
#define NOREPLACE 1u
#define EXCHANGE  2u

/* Below /run/user/UID, where nobody but that user and root mounts anything. */
static int look_at(const char *path, uid_t owner, struct stat *ret)
{
	return wt_way_is_due(owner) ? wt_way_stat(path, ret, NULL) : lstat(path, ret);
}

bool wt_squat_is_taken(const char *path, uid_t owner, uid_t *by)
{
	struct stat st;

	if (wt_way_stat(path, &st, by))
		return errno == EXDEV && *by != owner;
	if (S_ISDIR(st.st_mode) && st.st_uid == owner)
		return false;
	*by = st.st_uid;
	return true;
}

/* Removes what was at path and is now at temp. A directory that is not empty stays there. */
static void remove_found(const char *temp)
{
	if (rmdir(temp) < 0 && errno == ENOTDIR)
		unlink(temp);
}

static int change_places(const char *path, const char *temp, mode_t mode)
{
	if (syscall(SYS_renameat2, AT_FDCWD, temp, AT_FDCWD, path, EXCHANGE) == 0)
		return 0;
	/* Not every file system can. */
	if (rmdir(temp) < 0 || syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, temp, NOREPLACE) < 0)
		return -1;
	if (mkdir(path, mode) == 0)
		return 0;
	remove_found(temp);
	return -1;
}

/* A mount keeps the name below it where it is. */
static void unmount_found(const char *path)
{
	struct stat st;

	for (unsigned i = 0; i < TRIES && wt_way_stat(path, &st, NULL) && errno == EXDEV; i++)
		if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
			return;
}

/* Another process of this user was faster: the exchange gave us its directory, which is put back. */
static bool put_back(const char *path, const char *temp)
{
	struct stat st;

	if (wt_way_stat(temp, &st, NULL) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return false;
	if (syscall(SYS_renameat2, AT_FDCWD, temp, AT_FDCWD, path, EXCHANGE) == 0)
		rmdir(temp);
	else if (rmdir(path) == 0)
		syscall(SYS_renameat2, AT_FDCWD, temp, AT_FDCWD, path, NOREPLACE);
	return true;
}

int wt_squat_take_back(const char *path, mode_t mode)
{
	char temp[PATH_MAX];
	uid_t by;

	for (unsigned i = 0; i < TRIES; i++) {
		if (!wt_squat_is_taken(path, geteuid(), &by))
			return 0;
		if (snprintf(temp, sizeof(temp), "%s.taken-%llx", path, (unsigned long long)wt_clock_now()) >=
		    (int)sizeof(temp)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (mkdir(temp, mode) < 0) {
			if (errno != EEXIST)
				return -1;
			continue;
		}
		unmount_found(path);
		if (change_places(path, temp, mode))
			rmdir(temp);
		else if (!put_back(path, temp))
			remove_found(temp);
	}
	errno = EBUSY;
	return -1;
}

bool wt_squat_is_left(const char *path, uid_t owner, char *ret)
{
	struct stat st;

	return wt_squat_instead(path, owner, ret) && look_at(ret, owner, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == owner;
}

bool wt_squat_instead(const char *path, uid_t owner, char *ret)
{
	char digits[WT_DIGITS_MAX + 1] = "";
	struct stat st;

	digits[wt_digits(digits, owner, 10, 1)] = 0;
	snprintf(ret, WT_SQUAT_PATH, "/run/user/%s", digits);
	if (look_at(ret, owner, &st) || !S_ISDIR(st.st_mode) || st.st_uid != owner || (st.st_mode & 0022))
		return false;
	snprintf(ret, WT_SQUAT_PATH, "/run/user/%s/%s", digits,
		 strncmp(path, "/var/tmp/", 9) ? "wtrace" : "wtrace-spool");
	return true;
}
