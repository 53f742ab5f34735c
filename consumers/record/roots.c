// SPDX-License-Identifier: MIT
#include "consumers/record/roots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/apart_proc.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x00001000U
#endif

static void drop(struct wt_root *root)
{
	close(root->fd);
	wt_mounts_deinit(&root->mounts);
}

void wt_roots_deinit(struct wt_roots *roots)
{
	for (uint32_t i = 0; i < roots->n; i++)
		drop(&roots->list[i]);
	*roots = (struct wt_roots){0};
}

static bool identify(int fd, struct wt_root *ret)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, &stx))
		return false;
	*ret = (struct wt_root){.fd = fd,
				.device = (uint64_t)stx.stx_dev_major << 32 | stx.stx_dev_minor,
				.inode = stx.stx_ino,
				.mount = stx.stx_mask & STATX_MNT_ID ? stx.stx_mnt_id : 0};
	return true;
}

static bool find_own(struct wt_roots *roots)
{
	struct wt_root own;
	int fd = roots->inode ? -1 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return roots->inode;
	if (identify(fd, &own)) {
		roots->device = own.device;
		roots->inode = own.inode;
		roots->mount = own.mount;
	}
	close(fd);
	return roots->inode;
}

static struct wt_root *room_for(struct wt_roots *roots)
{
	struct wt_root *oldest = &roots->list[0];

	if (roots->n < WT_ROOTS)
		return &roots->list[roots->n++];
	for (uint32_t i = 1; i < roots->n; i++)
		if (roots->list[i].met < oldest->met)
			oldest = &roots->list[i];
	drop(oldest);
	return oldest;
}

static bool is_known(struct wt_roots *roots, const struct wt_root *root)
{
	for (uint32_t i = 0; i < roots->n; i++) {
		struct wt_root *known = &roots->list[i];

		if (known->device != root->device || known->inode != root->inode ||
		    known->mount != root->mount)
			continue;
		known->met = ++roots->turns;
		return true;
	}
	return false;
}

bool wt_roots_meet(struct wt_roots *roots, uint32_t pid)
{
	struct wt_root root, *place;
	bool other;
	int fd = find_own(roots) ? wt_apart_proc_follow(pid, "root", O_DIRECTORY) : -1;

	if (fd < 0)
		return false;
	other = identify(fd, &root) &&
		(root.device != roots->device || root.inode != roots->inode || root.mount != roots->mount);
	if (!other || is_known(roots, &root)) {
		close(fd);
		return other;
	}
	root.met = ++roots->turns;
	wt_mounts_begin(&root.mounts, pid);
	place = room_for(roots);
	*place = root;
	return true;
}
