// SPDX-License-Identifier: MIT
#include "tracecore/base/file_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"

/* Files that were written stay in the table after they were removed. */
enum { FILES_MOST = 1 << 16 };

static bool is_before(const struct wt_watched_file *file, uint64_t device, uint64_t inode)
{
	return file->inode != inode ? file->inode < inode : file->device < device;
}

static size_t place_of(const struct wt_file_watch *watch, uint64_t device, uint64_t inode)
{
	return WT_BOUND(i, 0, watch->n_files, is_before(&watch->files[i], device, inode));
}

static struct wt_watched_file *find(const struct wt_file_watch *watch, uint64_t device, uint64_t inode)
{
	size_t at = place_of(watch, device, inode);
	struct wt_watched_file *file = watch->files + at;

	return at < watch->n_files && file->inode == inode && file->device == device ? file : NULL;
}

/* Index of the first watch with that number or a greater one. */
static size_t place_of_number(const struct wt_file_watch *watch, int number)
{
	return WT_BOUND(i, 0, watch->n_numbers, watch->numbers[i].number < number);
}

static bool is_number(const struct wt_file_watch *watch, size_t at, int number)
{
	return at < watch->n_numbers && watch->numbers[at].number == number;
}

/* Forgets all that was known. */
static void forget(struct wt_file_watch *watch)
{
	if (watch->open)
		close(watch->fd);
	watch->open = false;
	watch->n_files = watch->n_numbers = 0;
	watch->began = wt_clock_now();
}

static void take_out(struct wt_file_watch *watch, struct wt_watched_file *file)
{
	memmove(file, file + 1, (size_t)(watch->files + --watch->n_files - file) * sizeof(*file));
}

/* The watch has ended: with a report, or without one when the file was removed. */
static void end_number(struct wt_file_watch *watch, size_t at, bool written)
{
	struct wt_watch_number *number = &watch->numbers[at];
	struct wt_watched_file *file = find(watch, number->device, number->inode);

	if (file && written) {
		file->written = wt_clock_now();
		file->watched = false;
	} else if (file) {
		take_out(watch, file);
	}
	memmove(number, number + 1, (--watch->n_numbers - at) * sizeof(*number));
}

static bool open_watch(struct wt_file_watch *watch)
{
	if (watch->n_files >= FILES_MOST)
		forget(watch);
	if (watch->open || watch->failed)
		return watch->open;
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	watch->open = watch->fd >= 0;
	watch->failed = !watch->open;
	return watch->open;
}

static void put_file(struct wt_file_watch *watch, uint64_t device, uint64_t inode)
{
	struct wt_watched_file *file = find(watch, device, inode);
	size_t at = place_of(watch, device, inode);

	if (!file) {
		file = &watch->files[at];
		memmove(file + 1, file, (watch->n_files++ - at) * sizeof(*file));
		*file = (struct wt_watched_file){.device = device, .inode = inode};
	}
	file->watched = true;
}

void wt_file_watch_add(struct wt_file_watch *watch, int fd, uint64_t device, uint64_t inode)
{
	struct wt_watch_number *put;
	char link[32];
	size_t at;
	int number;

	wt_file_watch_read(watch);
	if (!open_watch(watch) || wt_grow(&watch->files, &watch->files_cap, watch->n_files, 1, NULL) ||
	    wt_grow(&watch->numbers, &watch->numbers_cap, watch->n_numbers, 1, NULL))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	number = inotify_add_watch(watch->fd, link, IN_CLOSE_WRITE | IN_ONESHOT);
	if (number < 0)
		return;
	put_file(watch, device, inode);
	at = place_of_number(watch, number);
	if (is_number(watch, at, number))
		return;
	put = &watch->numbers[at];
	memmove(put + 1, put, (watch->n_numbers++ - at) * sizeof(*put));
	*put = (struct wt_watch_number){.number = number, .device = device, .inode = inode};
}

static void take_report(struct wt_file_watch *watch, const struct inotify_event *event)
{
	size_t at = place_of_number(watch, event->wd);

	if (event->mask & IN_Q_OVERFLOW)
		forget(watch);
	else if (is_number(watch, at, event->wd))
		end_number(watch, at, event->mask & IN_CLOSE_WRITE);
}

void wt_file_watch_read(struct wt_file_watch *watch)
{
	char room[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while (watch->open && ((n = read(watch->fd, room, sizeof(room))) > 0 || (n < 0 && errno == EINTR)))
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const struct inotify_event *)&room[at];

			take_report(watch, event);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}

enum wt_file_written wt_file_watch_ask(const struct wt_file_watch *watch, uint64_t device, uint64_t inode,
				       uint64_t since)
{
	const struct wt_watched_file *file = find(watch, device, inode);

	if (!file)
		return WT_FILE_NOT_WATCHED;
	return file->watched && since > file->written && since >= watch->began ? WT_FILE_NOT_WRITTEN
									       : WT_FILE_WRITTEN;
}

void wt_file_watch_deinit(struct wt_file_watch *watch)
{
	if (watch->open)
		close(watch->fd);
	free(watch->files);
	free(watch->numbers);
	*watch = (struct wt_file_watch){0};
}
