/* SPDX-License-Identifier: MIT */
#include "consumers/record/cgroup_id.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FILEID_KERNFS: the handle is the group's number. */
enum { HANDLE_TYPE = 0xfe };

/* True when the line of /proc/self/mountinfo mounts all groups of version 2; *at receives the mount point. */
static bool is_mount(const char *line, char at[PATH_MAX])
{
	char root[PATH_MAX], format[64];

	if (!strstr(line, " - cgroup2 "))
		return false;
	snprintf(format, sizeof(format), "%%*s %%*s %%*s %%%ds %%%ds", PATH_MAX - 1, PATH_MAX - 1);
	return sscanf(line, format, root, at) == 2 && !strcmp(root, "/") && !strchr(at, '\\');
}

static void find_mount(struct wt_cgroup_ids *ids)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;

	ids->fd = -1;
	while (mounts && ids->fd < 0 && getline(&line, &cap, mounts) > 0)
		if (is_mount(line, ids->at))
			ids->fd = open(ids->at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(line);
	if (mounts)
		fclose(mounts);
}

/* Version 2 has the line "0::PATH"; each hierarchy of version 1 has a line of its own. */
static bool is_only(void)
{
	FILE *own = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t cap = 0;
	uint32_t n = 0, others = 0;

	while (own && getline(&line, &cap, own) > 0) {
		n++;
		others += strncmp(line, "0::", 3) != 0;
	}
	free(line);
	if (own)
		fclose(own);
	return n && !others;
}

void wt_cgroup_ids_deinit(struct wt_cgroup_ids *ids)
{
	if (ids->looked && ids->fd >= 0)
		close(ids->fd);
	*ids = (struct wt_cgroup_ids){0};
}

static int open_group(const struct wt_cgroup_ids *ids, uint64_t id)
{
	union {
		struct file_handle handle;
		unsigned char room[sizeof(struct file_handle) + sizeof(id)];
	} u = {.handle = {.handle_bytes = sizeof(id), .handle_type = HANDLE_TYPE}};

	memcpy(u.handle.f_handle, &id, sizeof(id));
	return open_by_handle_at(ids->fd, &u.handle, O_PATH | O_CLOEXEC);
}

/* Reads the path that /proc gives for a descriptor, and checks that the directory still has that name. */
static bool path_of(int fd, struct wt_buf *out)
{
	uint8_t *room = wt_buf_reserve(out, PATH_MAX);
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = room ? readlink(link, (char *)room, PATH_MAX - 1) : -1;
	if (n <= 0)
		return false;
	room[n] = 0;
	out->len = (size_t)n;
	return !access((const char *)room, F_OK);
}

bool wt_cgroup_of_id(struct wt_cgroup_ids *ids, uint64_t id, struct wt_buf *out)
{
	size_t above;
	bool found;
	int fd;

	wt_buf_clear(out);
	if (!ids->looked) {
		ids->looked = true;
		ids->only = is_only();
		find_mount(ids);
	}
	fd = ids->fd < 0 || !id ? -1 : open_group(ids, id);
	if (fd < 0)
		return false;
	above = strlen(ids->at);
	found = path_of(fd, out) && out->len >= above && !memcmp(out->data, ids->at, above);
	close(fd);
	if (!found || (out->len == above && !ids->only)) {
		wt_buf_clear(out);
		return false;
	}
	if (out->len == above) {
		wt_buf_clear(out);
		wt_buf_put_u8(out, '/');
		return !out->failed;
	}
	memmove(out->data, out->data + above, out->len - above);
	out->len -= above;
	return out->data[0] == '/';
}
