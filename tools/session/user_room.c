// SPDX-License-Identifier: MIT
/* Shared memory that is full: a program that finds no room for its files is registered nowhere and counts
 * nothing, and what it would have written nobody knows. That is a loss without a number. */
#include <sys/statvfs.h>

#include "tools/session/user_impl.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

/* What a program's first files take, and a session's: less is no room. */
#define ROOM_BYTES (UINT64_C(128) << 10)
#define ROOM_FILES 8
/* At the end it is looked again and again: that is told in one. */
#define TOGETHER_NS (WT_NSEC / 20)

static bool has_room(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) || ((uint64_t)fs.f_bavail * fs.f_frsize >= ROOM_BYTES &&
				      (!fs.f_files || fs.f_favail >= ROOM_FILES));
}

/* The first folder in whose file system there is none. */
static const struct wt_user_folder *folder_without_room(const struct wt_user *user)
{
	for (size_t i = 0; i < user->n_folders; i++)
		if (!has_room(user->folders[i]->path))
			return user->folders[i];
	return NULL;
}

/* What was not published for want of room is, once there is some. True: of all folders. */
static bool publish_again(struct wt_user *user)
{
	bool all = true;

	for (size_t i = 0; i < user->n_folders; i++) {
		struct wt_err ignored = WT_ERR_INIT;

		if (user->folders[i]->unpublished && wt_user_publish(user->folders[i], &ignored))
			all = false;
	}
	return all;
}

static int tell(struct wt_user *user, uint64_t now, struct wt_err *err)
{
	struct wt_lost_payload lost = {
		.provider = {"(several)", sizeof("(several)") - 1},
		.event = {"", 0},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_NO_SHARED_MEMORY,
		.from = user->room_seen,
		.to = now,
	};
	struct wt_event event = {
		.time = now,
		.kind = wt_kinds_find(&user->session->kinds, "wtrace", "lost"),
		.cpu = WT_CPU_NONE,
	};
	struct wt_buf payload = {0};
	int rc;

	wt_lost_put(&payload, &lost);
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	rc = payload.failed ? wt_fail_nomem(err) : wt_recorder_inject(user->rec, &event, err);
	wt_buf_deinit(&payload);
	return rc;
}

int wt_user_tell_room(struct wt_user *user, uint64_t now, struct wt_err *err)
{
	const struct wt_user_folder *full = folder_without_room(user);
	uint64_t from = user->room_seen;
	int rc = 0;

	if (!user->n_rules || (user->told_full && now - from < TOGETHER_NS))
		return 0;
	if ((full || !publish_again(user)) && from)
		rc = tell(user, now, err);
	if (full && !user->told_full)
		wt_warn("%s is full or nearly so: programs that begin now are not registered, and nobody "
			"counts what they "
			"would have written; make room there, df and du say who has taken it",
			full->path);
	user->told_full |= full != NULL;
	user->room_seen = now;
	return rc;
}
