// SPDX-License-Identifier: MIT
/* Enable files, as read and changed by a session. */
#include "tracecore/enable/control_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/enable/changes.h"
#include "tracecore/enable/directory.h"

int wt_control_fail_part(const struct wt_control *control, const char *part, struct wt_err *err)
{
	if (errno != ENOTDIR && errno != ELOOP && errno != EPERM)
		return wt_fail_errno(err, "cannot open directory %s/%s", control->path, part);
	return wt_fail(err, WT_ERR_FORMAT,
		       "%s/%s is not a directory of uid %u's: that user or root should remove it",
		       control->path, part, control->owner);
}

int wt_control_each_name(int dir, int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!list) {
		wt_fail_errno(err, "cannot read a directory of providers");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (rc == 0 && (entry = readdir(list))) {
		if (entry->d_name[0] != '.')
			rc = fn(ctx, entry->d_name, err);
	}
	closedir(list);
	return rc;
}

/* Points into the copy; terminates a name that has no end. */
static void point(struct wt_enable_copy *copy)
{
	uint8_t *names = copy->data + copy->layout.names;

	if (copy->head.names_len)
		names[copy->head.names_len - 1] = 0;
	copy->events = (struct wt_rule_events){
		.events = (struct wt_abi_event *)(copy->data + copy->layout.events),
		.names = (char *)names,
		.n = copy->head.n_events,
		.names_len = copy->head.names_len};
}

static int read_checked(int fd, struct wt_enable_copy *ret, struct wt_err *err)
{
	struct stat st;

	*ret = (struct wt_enable_copy){0};
	if (fstat(fd, &st) < 0 || wt_directory_read(fd, &ret->head, sizeof(ret->head), 0) ||
	    wt_enable_check(&ret->head, (uint64_t)st.st_size, &ret->layout))
		return 1;
	ret->ino = st.st_ino;
	ret->data = malloc(ret->layout.end);
	if (!ret->data)
		return wt_fail_nomem(err);
	if (wt_directory_read(fd, ret->data, ret->layout.end, 0)) {
		wt_enable_copy_deinit(ret);
		return 1;
	}
	point(ret);
	return 0;
}

int wt_enable_copy_read(int dir, const char *file, uid_t owner, struct wt_enable_copy *ret,
			struct wt_err *err)
{
	int fd = wt_directory_open_file(dir, file, O_RDONLY, owner), rc;

	*ret = (struct wt_enable_copy){0};
	if (fd < 0)
		return 1;
	rc = read_checked(fd, ret, err);
	close(fd);
	return rc;
}

void wt_enable_copy_deinit(struct wt_enable_copy *copy)
{
	free(copy->data);
	copy->data = NULL;
}

/* Sets or clears a bit of a mapped byte without an access of this process to the mapping: the kernel does
 * the atomic operation and returns EFAULT where a store would raise SIGBUS. */
static int change_bit(uint8_t *map, uint32_t at, unsigned bit, bool on)
{
	uint32_t op = (uint32_t)(on ? FUTEX_OP_OR : FUTEX_OP_ANDN) | FUTEX_OP_OPARG_SHIFT;
	uint32_t coded = op << 28 | (at % 4 * 8 + bit) << 12;
	uint32_t nobody_waits_here = 0;

	return syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL,
		       map + at - at % 4, coded) < 0
		       ? -1
		       : 0;
}

/* One plane of bytes: changes in the map the bytes whose copy differs from the wanted bits of the slots. */
static long change_plane(uint8_t *map, uint32_t offset, const struct wt_enable_copy *copy, uint8_t slots,
			 const uint8_t *gets, uint8_t which)
{
	long changed = 0;

	for (uint32_t i = 0; i < copy->head.n_events; i++) {
		uint8_t wanted = gets[i] & which ? slots : 0;
		uint8_t differ = (copy->data[offset + i] ^ wanted) & slots;

		for (unsigned s = 0; differ && s < WT_ABI_SLOTS; s++) {
			if (!(differ & 1u << s))
				continue;
			if (change_bit(map, offset + i, s, wanted & 1u << s))
				return -1;
			changed++;
		}
	}
	return changed;
}

long wt_enable_copy_apply(int dir, const char *file, uid_t owner, const struct wt_enable_copy *copy,
			  uint8_t slots, const struct wt_rules *rules)
{
	uint8_t *gets = calloc(copy->head.n_events + (size_t)1, 1);
	int fd = gets ? wt_directory_open_file(dir, file, O_RDWR, owner) : -1;
	long on = -1, stack = -1;
	uint8_t *map;

	if (fd >= 0) {
		map = mmap(NULL, copy->layout.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (rules)
			wt_rules_apply(rules, copy->head.name, &copy->events, NULL, gets);
		if (map != MAP_FAILED) {
			stack = change_plane(map, copy->layout.stacks, copy, slots, gets, WT_RULE_STACK);
			on = change_plane(map, copy->layout.bytes, copy, slots, gets, WT_RULE_ON);
			munmap(map, copy->layout.mapped);
		}
		close(fd);
	}
	free(gets);
	return on < 0 || stack < 0 ? -1 : on + stack;
}

void wt_control_announce(const struct wt_control *control)
{
	struct stat st;
	int fd = wt_directory_open_known(control->directory, "sessions", O_RDWR, control->owner, &st);
	struct wt_abi_sessions *at = MAP_FAILED;

	if (fd < 0)
		return;
	if (st.st_size >= (off_t)sizeof(*at))
		at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return;
	wt_changes_count_foreign(&at->changes);
	munmap(at, sizeof(*at));
}

struct pass {
	struct wt_control *control;
	const struct wt_rules *rules;
	uint8_t slots;
	bool changed;
	uint32_t n;
};

/* The next scans bring up to date what was not reached now. */
static void mark_stale(struct wt_control *control)
{
	for (uint32_t i = 0; i < control->n_known; i++)
		control->known[i].stale = true;
	control->listed = false;
}

static int apply_one(void *ctx, const char *name, struct wt_err *err)
{
	struct pass *pass = ctx;
	struct wt_control *control = pass->control;
	struct wt_enable_copy copy;
	long bits;
	int rc;

	if (control->owner != geteuid() &&
	    (pass->n++ >= WT_CONTROL_FILES_OTHER || wt_allowance_is_over(control->allowance)))
		return 1;
	rc = wt_enable_copy_read(control->providers, name, control->owner, &copy, err);
	bits = rc ? 0
		  : wt_enable_copy_apply(control->providers, name, control->owner, &copy, pass->slots,
					 pass->rules);

	pass->changed |= bits != 0;
	if (bits < 0)
		rc = 1;
	if (rc > 0)
		control->damaged++;
	wt_enable_copy_deinit(&copy);
	return rc < 0 ? -1 : 0;
}

int wt_control_apply_all(struct wt_control *control, uint8_t slots, const struct wt_rules *rules,
			 struct wt_err *err)
{
	struct pass pass = {.control = control, .rules = rules, .slots = slots};
	int rc = wt_control_each_name(control->providers, apply_one, &pass, err);

	if (pass.changed)
		wt_control_announce(control);
	if (rc > 0)
		mark_stale(control);
	return rc < 0 ? -1 : 0;
}
