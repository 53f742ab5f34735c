// SPDX-License-Identifier: MIT
#include "tracecore/enable/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/way.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/tables.h"

/* The most names that are read: beside the directories, and in one of them. */
#define NAMES_MOST       32768u
#define PARTS_MOST       1024u
#define DIRECTORIES_MOST 1024u

static const char *const directories[] = {"providers", "state", WT_TABLES_DIRECTORY};
static const char *const files[] = {"sessions", "processes"};

static bool is_listed(const char *name, const char *const *list, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(name, list[i]))
		i++;
	return i < n;
}

/* The type that the name must have; 0: any. */
static mode_t wanted_type(const char *name)
{
	size_t len = strlen(name);

	if (is_listed(name, directories, sizeof(directories) / sizeof(*directories)) ||
	    (len > 6 && !strcmp(name + len - 6, ".rings")))
		return S_IFDIR;
	return is_listed(name, files, sizeof(files) / sizeof(*files)) ? S_IFREG : 0;
}

static bool is_odd(int dir, const char *name, uid_t owner)
{
	mode_t type = wanted_type(name);
	struct stat st;

	return type && wt_way_stat_below(dir, name, &st) == 0 &&
	       ((st.st_mode & S_IFMT) != type || st.st_uid != owner);
}

/* Takes the descriptor. */
static bool find_part(int fd, uid_t owner, char name[NAME_MAX + 1])
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	bool found = false;

	if (!dir) {
		close(fd);
		return false;
	}
	for (uint32_t n = 0; !found && n < PARTS_MOST && (entry = readdir(dir)); n++) {
		found = is_odd(fd, entry->d_name, owner);
		snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* The uid of "wtrace-UID"; false for any other name. */
static bool uid_of(const char *name, uid_t *ret)
{
	const char *digits = name + 7;
	unsigned long uid;

	if (strncmp(name, "wtrace-", 7) || !*digits || digits[strspn(digits, "0123456789")])
		return false;
	errno = 0;
	uid = strtoul(digits, NULL, 10);
	*ret = (uid_t)uid;
	return !errno && *ret == uid;
}

uint32_t wt_parts_odd(const char *base, char *ret, uid_t *uid)
{
	char path[PATH_MAX], part[NAME_MAX + 1];
	DIR *dir = opendir(base);
	struct dirent *entry;
	uint32_t found = 0, opened = 0;

	for (uint32_t n = 0; dir && n < NAMES_MOST && opened < DIRECTORIES_MOST && (entry = readdir(dir));
	     n++) {
		uid_t owner;
		int fd;

		if (!uid_of(entry->d_name, &owner) ||
		    snprintf(path, sizeof(path), "%s/%s", base, entry->d_name) >= (int)sizeof(path))
			continue;
		fd = wt_directory_open_owned(path, owner);
		opened += fd >= 0;
		if (fd < 0 || !find_part(fd, owner, part) || found++)
			continue;
		snprintf(ret, PATH_MAX, "%s/%s/%s", base, entry->d_name, part);
		*uid = owner;
	}
	if (dir)
		closedir(dir);
	return found;
}
