/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/file_proof.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

static bool same_inode(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	return claim->inode == facts->inode && (claim->device == facts->device || facts->layered);
}

/* Only the inode's change tells that the content is as old as the mapping: its own time can be set back. With
 * an equal build id the stamps are taken as they are: programs are run when they have just been built. */
static uint8_t prove_age(const struct wt_file_claim *claim, uint64_t change)
{
	uint64_t tick = claim->same_build ? 0 : WT_FILE_TICK;

	return change + tick < claim->mapped ? WT_RESOLVED : WT_UNRESOLVED_CHANGED;
}

/* A link to the file that was seen was made or removed, which does not touch its content. */
static bool only_linked(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	return claim->same_build && claim->links && claim->links != facts->links &&
	       claim->modified == facts->modified && facts->change > claim->changed &&
	       !prove_age(claim, claim->changed);
}

/* Who recorded saw the file; devices and inodes are used again. */
static uint8_t prove_sight(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	uint8_t verdict = prove_age(claim, facts->change);

	if (claim->changed == WT_LOG_IMAGE_GONE)
		return WT_UNRESOLVED_UNPROVED;
	if (only_linked(claim, facts))
		return WT_RESOLVED;
	return verdict || claim->changed == facts->change ? verdict : WT_UNRESOLVED_REPLACED;
}

/* On the same boot an equal device is the same file system, whatever the host is called there. */
static bool is_elsewhere(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	return claim->elsewhere && !(claim->same_boot && claim->device == facts->device);
}

uint8_t wt_file_proof(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	if (is_elsewhere(claim, facts) || !claim->mapped)
		return claim->same_build ? WT_RESOLVED : WT_UNRESOLVED_UNPROVED;
	if (!claim->inode)
		return WT_UNRESOLVED_UNPROVED;
	if (!same_inode(claim, facts))
		return WT_UNRESOLVED_REPLACED;
	return claim->changed ? prove_sight(claim, facts) : prove_age(claim, facts->change);
}

void wt_file_clock_take(struct wt_file_clock *clock, const struct wt_clockset *set)
{
	/* A clock that was never set is the earliest. */
	uint64_t zero = set->realtime > set->raw ? set->realtime - set->raw : 1;

	if (set->raw && (!clock->zero || zero < clock->zero))
		clock->zero = zero;
}

struct wt_file_claim wt_file_claim_of(const struct wt_log_image *image, const struct wt_file_clock *clock,
				      bool same_build)
{
	return (struct wt_file_claim){
		.device = image->device,
		.inode = image->inode,
		.same_build = same_build,
		.changed = image->changed,
		.modified = image->modified,
		.links = image->links,
		.mapped = image->mapped && clock->zero ? clock->zero + image->mapped : 0,
	};
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * WT_NSEC + (uint64_t)time->tv_nsec;
}

void wt_file_facts_at(const char *path, int fd, struct wt_file_facts *ret)
{
	struct statfs fs;
	struct stat st;

	*ret = (struct wt_file_facts){0};
	if (fd >= 0 ? fstat(fd, &st) : stat(path, &st))
		return;
	*ret = (struct wt_file_facts){
		.there = true,
		.device = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev),
		.inode = st.st_ino,
		.change = ns_of(&st.st_ctim),
		.modified = ns_of(&st.st_mtim),
		.links = (uint32_t)st.st_nlink,
	};
	if (fd >= 0 ? fstatfs(fd, &fs) : statfs(path, &fs))
		return;
	ret->layered = fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC;
}
