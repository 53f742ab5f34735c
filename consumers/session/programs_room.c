// SPDX-License-Identifier: MIT
/* Full shared memory: a program that finds no room for its files is registered nowhere and counts nothing,
 * so nobody knows how many events it would have written. That is a loss without a number. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "consumers/session/programs_impl.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

/* The room for a program's first files and a session's: less counts as no room. */
#define ROOM_BYTES (UINT64_C(128) << 10)
#define ROOM_FILES 8
/* At the end room is checked many times in short intervals; these reports are joined to one. */
#define TOGETHER_NS (WT_NSEC / 20)

/* A file system that reports no size (another user's, by FUSE) is not full. */
static bool is_full(const struct statvfs *fs)
{
	return fs->f_blocks && ((uint64_t)fs->f_bavail * fs->f_frsize < ROOM_BYTES ||
				(fs->f_files && fs->f_favail < ROOM_FILES));
}

/* Publishes rules that were not published for lack of room, once there is some. True: in all directories. */
static bool publish_again(struct wt_programs *programs)
{
	bool all = true;

	for (size_t i = 0; i < programs->n_directories; i++) {
		struct wt_err ignored = WT_ERR_INIT;

		if (programs->directories[i]->unpublished &&
		    wt_programs_publish(programs->directories[i], &ignored))
			all = false;
	}
	return all;
}

/* whose: the user whose programs alone are affected, "" for all users. */
static int tell(struct wt_programs *programs, const char *whose, uint64_t now, struct wt_err *err)
{
	struct wt_lost_payload lost = {
		.provider = {"(several)", sizeof("(several)") - 1},
		.event = {whose, (uint32_t)strlen(whose)},
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_NO_SHARED_MEMORY,
		.from = programs->room_seen,
		.to = now,
	};
	struct wt_event event = {
		.time = now,
		.kind = wt_kinds_find(&programs->session->kinds, "wtrace", "lost"),
		.cpu = WT_CPU_NONE,
	};
	struct wt_buf payload = {0};
	int rc;

	wt_lost_put(&payload, &lost);
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	rc = payload.failed ? wt_fail_nomem(err) : wt_recorder_inject(programs->rec, &event, err);
	wt_buf_deinit(&payload);
	return rc;
}

static void say(struct wt_programs *programs, const struct wt_programs_directory *directory)
{
	if (!programs->told_full)
		wt_warn("%s is full or nearly full: programs that begin now are not registered, and their "
			"events are not counted; make room there (df and du show who uses it)",
			directory->path);
	programs->told_full = true;
}

/* The lack of room on a user's own file system affects that user alone. */
static int look_at(struct wt_programs *programs, const struct wt_programs_directory *directory,
		   unsigned long own_fs, uint64_t now, struct wt_err *err)
{
	struct statvfs fs;
	char whose[32];

	if (statvfs(directory->path, &fs) || fs.f_fsid == own_fs || !is_full(&fs))
		return 0;
	say(programs, directory);
	snprintf(whose, sizeof(whose), "of uid %u", directory->uid);
	return programs->room_seen ? tell(programs, whose, now, err) : 0;
}

int wt_programs_tell_room(struct wt_programs *programs, uint64_t now, struct wt_err *err)
{
	struct statvfs own = {.f_fsid = 0};
	bool full;
	int rc = 0;

	if (!programs->n_rules || !programs->n_directories ||
	    (programs->told_full && now - programs->room_seen < TOGETHER_NS))
		return 0;
	full = !statvfs(programs->directories[0]->path, &own) && is_full(&own);
	if (full)
		say(programs, programs->directories[0]);
	if ((full || !publish_again(programs)) && programs->room_seen)
		rc = tell(programs, "", now, err);
	for (size_t i = 1; !rc && i < programs->n_directories; i++)
		rc = look_at(programs, programs->directories[i], own.f_fsid, now, err);
	programs->room_seen = now;
	return rc;
}
