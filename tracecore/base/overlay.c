// SPDX-License-Identifier: MIT
#include "tracecore/base/overlay.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tracecore/base/mount_line.h"

enum { WORDS = 5 }; /* of a line, up to the mount point */

/* The file on the overlay. */
struct upper_side {
	int fd;
	bool cached;         /* nothing may wait */
	struct statfs fs;    /* of the overlay, if not cached */
	char path[PATH_MAX]; /* in its own mount namespace */
	struct statx stat;   /* once its mount was found, if cached */
};

/* A mount of an overlay, as a line of mountinfo; all point into the line. */
struct overlay {
	uint64_t id;
	char *root, *point, *options;
};

static const char *const types[] = {"overlay"};

bool wt_is_on_overlay(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static bool is_octal(const char *at)
{
	for (int i = 0; i < 3; i++)
		if (at[i] < '0' || at[i] > '7')
			return false;
	return true;
}

/* Blanks and the like are written as \ and three digits. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		if (*at == '\\' && is_octal(at + 1)) {
			*to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			at += 4;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
}

/* Cuts the line. */
static bool read_overlay(char *line, struct overlay *ret)
{
	char *words[WORDS], *at = line;

	line[strcspn(line, "\n")] = '\0';
	if (!wt_mount_line_is_of(line, types, 1))
		return false;
	ret->options = strrchr(line, ' ') + 1;
	for (int i = 0; i < WORDS; i++) {
		words[i] = strsep(&at, " ");
		if (!at)
			return false;
	}
	ret->id = strtoull(words[0], NULL, 10);
	ret->root = words[3];
	ret->point = words[4];
	unescape(ret->root);
	unescape(ret->point);
	return true;
}

static bool is_of(const struct overlay *overlay, const struct upper_side *file)
{
	struct statfs fs;

	return file->cached ||
	       (!statfs(overlay->point, &fs) && !memcmp(&fs.f_fsid, &file->fs.f_fsid, sizeof(fs.f_fsid)));
}

static int stat_of(int fd, struct statx *ret)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		     STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, ret);
}

/* Where the file lies in the layers, as far as this mount tells. The mount may be that of another namespace,
 * whose root it is. */
static bool place_in(const struct overlay *overlay, const struct upper_side *file, char *ret, size_t size)
{
	size_t len = strlen(overlay->point);
	const char *root = strcmp(overlay->root, "/") ? overlay->root : "";
	const char *in = file->path;
	int n;

	len -= len == 1; /* "/" */
	if (file->stat.stx_mask & STATX_MNT_ID && file->stat.stx_mnt_id == overlay->id) {
		if (strncmp(in, overlay->point, len) || in[len] != '/')
			return false;
		in += len;
	}
	n = snprintf(ret, size, ".%s%s", root, in);
	return n > 0 && (size_t)n < size;
}

static bool same_time(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* An overlay tells what the file below tells, its inode and device aside. */
static bool is_below(const struct statx *a, const struct statx *b)
{
	return S_ISREG(a->stx_mode) && a->stx_mode == b->stx_mode && a->stx_size == b->stx_size &&
	       same_time(&a->stx_ctime, &b->stx_ctime) && same_time(&a->stx_mtime, &b->stx_mtime) &&
	       same_time(&a->stx_btime, &b->stx_btime);
}

static int find_in(const char *layer, const char *place, const struct upper_side *file)
{
	const uint64_t cached = file->cached ? RESOLVE_CACHED : 0;
	struct open_how whole = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = cached};
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | cached};
	int dir = *layer == '/' ? (int)syscall(SYS_openat2, AT_FDCWD, layer, &whole, sizeof(whole)) : -1;
	struct statx stat;
	int fd = -1;

	if (dir >= 0)
		fd = (int)syscall(SYS_openat2, dir, place, &how, sizeof(how));
	if (dir >= 0)
		close(dir);
	if (fd >= 0 && (stat_of(fd, &stat) || !is_below(&file->stat, &stat))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Cuts the first word off the list. A \ before a character makes it part of the word. */
static char *cut(char **list, char end)
{
	char *word = *list, *to = word, *at = word;

	for (; *at && *at != end; at++) {
		if (*at == '\\' && at[1])
			at++;
		*to++ = *at;
	}
	*list = *at ? at + 1 : NULL;
	*to = '\0';
	return word;
}

/* Cuts the value. */
static int find_in_layers(char *layers, const char *place, const struct upper_side *file)
{
	int fd = -1;

	while (layers && fd < 0) {
		char *layer = cut(&layers, ':');

		if (*layer)
			fd = find_in(layer, place, file);
	}
	return fd;
}

/* The layers that an option names, or NULL. Cuts the option. */
static char *layers_of(char *option)
{
	static const char *const names[] = {"upperdir=", "lowerdir=", "lowerdir+=", "datadir+="};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(option, names[i], strlen(names[i]))) {
			unescape(option);
			return option + strlen(names[i]);
		}
	return NULL;
}

/* Cuts the line. */
static int search(const struct overlay *overlay, struct upper_side *file)
{
	char place[PATH_MAX], *list = overlay->options;
	int fd = -1;

	if (!is_of(overlay, file) || stat_of(file->fd, &file->stat) ||
	    !place_in(overlay, file, place, sizeof(place)))
		return -1;
	while (list && fd < 0)
		fd = find_in_layers(layers_of(strsep(&list, ",")), place, file);
	return fd;
}

static bool read_path(int fd, char *ret, size_t size)
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, size);
	if (n <= 0 || n >= (ssize_t)size)
		return false;
	ret[n] = '\0';
	return *ret == '/';
}

static int search_all(struct upper_side *file)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	struct overlay overlay;
	char *line = NULL;
	size_t cap = 0;
	int below = -1;

	while (mounts && below < 0 && getline(&line, &cap, mounts) > 0)
		if (read_overlay(line, &overlay))
			below = search(&overlay, file);
	free(line);
	if (mounts)
		fclose(mounts);
	return below;
}

int wt_overlay_below(int fd)
{
	struct upper_side file = {.fd = fd};

	if (fstatfs(fd, &file.fs) || !read_path(fd, file.path, sizeof(file.path)))
		return -1;
	return search_all(&file);
}

int wt_overlay_below_cached(int fd, const char *mount)
{
	struct upper_side file = {.fd = fd, .cached = true};
	struct overlay overlay;
	char *line = strdup(mount);
	int below = -1;

	if (line && read_path(fd, file.path, sizeof(file.path)) && read_overlay(line, &overlay))
		below = search(&overlay, &file);
	free(line);
	return below;
}
