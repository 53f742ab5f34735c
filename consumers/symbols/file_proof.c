/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/file_proof.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "tracecore/base/writers.h"

static bool same_inode(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	return claim->inode == facts->inode && (claim->device == facts->device || facts->layered);
}

/* Only the time of the inode's change proves that the content is as old as the mapping: the content's own
 * time can be set back. With an equal build id the times count without a tick's distance, because programs
 * are run right after they were built. */
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

/* The recorder saw the file; devices and inodes are used again. */
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

static uint8_t prove_times(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	return claim->changed ? prove_sight(claim, facts) : prove_age(claim, facts->change);
}

uint8_t wt_file_proof(const struct wt_file_claim *claim, const struct wt_file_facts *facts)
{
	uint8_t verdict;

	if (is_elsewhere(claim, facts) || !claim->mapped)
		return claim->same_build ? WT_RESOLVED : WT_UNRESOLVED_UNPROVED;
	if (!claim->inode)
		return WT_UNRESOLVED_UNPROVED;
	if (!same_inode(claim, facts))
		return WT_UNRESOLVED_REPLACED;
	if (facts->writer)
		return WT_UNRESOLVED_UNPROVED;
	verdict = prove_times(claim, facts);
	return verdict || claim->watched || !facts->in_memory ? verdict : WT_UNRESOLVED_UNPROVED;
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
		.writer = fd >= 0 && S_ISREG(st.st_mode) && wt_path_has_writer(fd),
	};
	if (fd >= 0 ? fstatfs(fd, &fs) : statfs(path, &fs))
		return;
	ret->in_memory = fd >= 0 && wt_file_is_in_memory(fd);
	ret->layered = fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC;
}
