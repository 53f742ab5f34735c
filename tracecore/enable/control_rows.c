// SPDX-License-Identifier: MIT
/* A session's row in the `sessions` file, under its lock. */
#include "tracecore/enable/control_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/enable/directory.h"
#include "tracecore/enable/rows.h"

/* Controllers hold the lock for some milliseconds. */
#define LOCK_WAIT_MS 5000

static int lock_of(const struct wt_control *control)
{
	return control->lock >= 0 ? control->lock : control->rows;
}

int wt_rows_lock(struct wt_control *control, struct wt_err *err)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < LOCK_WAIT_MS; i++) {
		if (flock(lock_of(control), LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return wt_fail_errno(err, "cannot lock %s/sessions", control->path);
		nanosleep(&moment, NULL);
	}
	return wt_fail(err, WT_ERR_TIMEOUT,
		       "%s/sessions is locked for more than %d s: a session that starts or stops hangs",
		       control->path, LOCK_WAIT_MS / 1000);
}

void wt_rows_unlock(struct wt_control *control)
{
	flock(lock_of(control), LOCK_UN);
}

static off_t row_offset(unsigned slot)
{
	return (off_t)(offsetof(struct wt_abi_sessions, rows) + slot * sizeof(struct wt_abi_row));
}

static int read_row(const struct wt_control *control, unsigned slot, struct wt_abi_row *ret)
{
	return wt_directory_read(control->rows, ret, sizeof(*ret), row_offset(slot));
}

uint64_t wt_rows_stamp(const struct wt_control *control)
{
	struct wt_abi_row row;

	return read_row(control, control->slot, &row) ? 0 : row.stamp;
}

static int store_stamp(const struct wt_control *control, unsigned slot, uint64_t stamp)
{
	int rc;

	/* The row's other fields and the rules file are written before. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	rc = wt_directory_write(control->rows, &stamp, sizeof(stamp), row_offset(slot));
	/* Pairs with the registrant's fences: E1, E2. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return rc;
}

int wt_rows_store_stamp(struct wt_control *control, uint32_t life, uint32_t number, struct wt_err *err)
{
	if (store_stamp(control, control->slot, (uint64_t)life << 32 | number))
		return wt_fail_errno(err, "cannot write %s/sessions", control->path);
	control->life = life;
	control->number = number;
	return 0;
}

struct removal {
	const struct wt_control *control;
	const char *session;
	uint32_t keep;
};

static int remove_one(void *ctx, const char *name, struct wt_err *err)
{
	const struct removal *removal = ctx;
	size_t len = strlen(removal->session);
	char kept[NAME_MAX + 1];

	(void)err;
	if (strncmp(name, removal->session, len) || strncmp(name + len, ".rules-", 7))
		return 0;
	if (removal->keep && wt_rules_name(removal->session, removal->keep, kept, sizeof(kept)) &&
	    !strcmp(name, kept))
		return 0;
	unlinkat(removal->control->rows_dir, name, 0);
	return 0;
}

void wt_rows_remove_rules(const struct wt_control *control, const char *session, uint32_t keep)
{
	struct removal removal = {.control = control, .session = session, .keep = keep};

	wt_control_each_name(control->rows_dir, remove_one, &removal, NULL);
}

/* True when a process holds the lock of the row's session. An invalid row belongs to no session. */
static bool session_alive(const struct wt_control *control, const struct wt_abi_row *row)
{
	char file[WT_ABI_SESSION_NAME + 8];
	int dir = control->rows_dir, fd;
	bool alive;

	if (!wt_row_valid(row))
		return false;
	if (row->lock_directory[0]) {
		dir = open(row->lock_directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir < 0)
			return false;
	}
	snprintf(file, sizeof(file), "%s.lock", row->session);
	fd = openat(dir, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	alive = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
	if (fd >= 0)
		close(fd);
	if (dir != control->rows_dir)
		close(dir);
	return alive;
}

static void slot_range(const struct wt_control *control, unsigned *first, unsigned *end)
{
	*first = control->as_root ? WT_ABI_ROOT_SLOT : 0;
	*end = control->as_root || control->owner == 0 ? WT_ABI_SLOTS : WT_ABI_ROOT_SLOT;
}

/* The session that occupies a slot. */
enum tenant { TENANT_NONE, TENANT_ALIVE, TENANT_DEAD, TENANT_OURS };

static enum tenant look(const struct wt_control *control, unsigned slot, struct wt_abi_row *row)
{
	if (read_row(control, slot, row) || !row->stamp)
		return TENANT_NONE;
	/* The caller holds this session's lock, so no other process runs this session. */
	if (wt_row_valid(row) && !strcmp(row->session, control->row.session))
		return control->as_root && row->pid == control->row.pid ? TENANT_OURS : TENANT_DEAD;
	return session_alive(control, row) ? TENANT_ALIVE : TENANT_DEAD;
}

static int new_life(struct wt_control *control, struct wt_err *err)
{
	off_t at = offsetof(struct wt_abi_sessions, lives);
	uint32_t lives;

	if (wt_directory_read(control->rows, &lives, sizeof(lives), at))
		return wt_fail_errno(err, "cannot read %s/sessions", control->path);
	if (++lives == 0)
		lives = 1;
	if (wt_directory_write(control->rows, &lives, sizeof(lives), at))
		return wt_fail_errno(err, "cannot write %s/sessions", control->path);
	control->life = lives;
	return 0;
}

/* Writes the other fields while the stamp is 0, then the stamp. */
static int publish(struct wt_control *control, struct wt_err *err)
{
	off_t at = row_offset(control->slot);
	struct wt_abi_row row = control->row;

	if (wt_directory_write(control->rows, (uint8_t *)&row + sizeof(row.stamp),
			       sizeof(row) - sizeof(row.stamp), at + (off_t)sizeof(row.stamp)))
		return wt_fail_errno(err, "cannot write %s/sessions", control->path);
	return wt_rows_store_stamp(control, control->life, 0, err);
}

/* Removes a dead session's row. */
static void sweep(struct wt_control *control, unsigned slot, const struct wt_abi_row *row)
{
	store_stamp(control, slot, 0);
	if (wt_row_valid(row))
		wt_rows_remove_rules(control, row->session, 0);
}

static int share(struct wt_control *control, unsigned slot, const struct wt_abi_row *row)
{
	control->slot = slot;
	control->row = *row;
	control->life = (uint32_t)(row->stamp >> 32);
	control->number = (uint32_t)row->stamp;
	return 0;
}

/* The name of a session's ring directory. In other users' directories root's names contain the life:
 * programs may have made the ring directory before the session opened theirs. */
static int name_rings(struct wt_control *control, struct wt_err *err)
{
	char *rings = control->row.rings, aside[WT_ABI_RINGS_NAME];
	size_t size = sizeof(control->row.rings);

	if (control->as_root) {
		snprintf(rings, size, ".root-%s-%u.rings", control->row.session, control->life);
		return 0;
	}
	snprintf(rings, size, "%s.rings", control->row.session);
	snprintf(aside, sizeof(aside), "%s-%u.rings", control->row.session, control->life);
	if (unlinkat(control->directory, rings, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (renameat(control->directory, rings, control->directory, aside) < 0)
		return wt_fail_errno(err, "cannot put the old ring directory %s/%s aside", control->path,
				     rings);
	return 0;
}

int wt_rows_take(struct wt_control *control, uint8_t *swept, struct wt_err *err)
{
	unsigned first, end, free_slot = WT_ABI_SLOTS;
	struct wt_buf names = {0};
	struct wt_abi_row row;

	*swept = 0;
	slot_range(control, &first, &end);
	for (unsigned s = first; s < end; s++) {
		enum tenant tenant = look(control, s, &row);

		if (tenant == TENANT_OURS) {
			wt_buf_deinit(&names);
			return share(control, s, &row);
		}
		if (tenant == TENANT_ALIVE) {
			wt_buf_printf(&names, "%s%s", names.len ? ", " : "", row.session);
			continue;
		}
		if (tenant == TENANT_DEAD)
			sweep(control, s, &row);
		*swept |= (uint8_t)(1u << s);
		if (free_slot == WT_ABI_SLOTS)
			free_slot = s;
	}
	if (free_slot == WT_ABI_SLOTS)
		wt_fail(err, WT_ERR_LIMIT, "all %u session slots%s are taken: %s; stop one of them",
			end - first, control->as_root ? " of root" : "", wt_buf_cstr(&names));
	wt_buf_deinit(&names);
	control->slot = free_slot;
	if (free_slot == WT_ABI_SLOTS || new_life(control, err) || name_rings(control, err))
		return -1;
	return publish(control, err);
}

int wt_rows_find(struct wt_control *control, struct wt_err *err)
{
	unsigned first, end;
	struct wt_abi_row row;

	slot_range(control, &first, &end);
	for (unsigned s = first; s < end; s++) {
		if (read_row(control, s, &row) == 0 && row.stamp && wt_row_valid(&row) &&
		    !strcmp(row.session, control->row.session))
			return share(control, s, &row);
	}
	return wt_fail(err, WT_ERR_NOTFOUND, "session '%s' has no slot in %s", control->row.session,
		       control->path);
}
