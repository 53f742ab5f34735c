/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Notices that a process which could write to a file has let it go.
 *
 * In a file system in memory a process that has a file mapped can write to it, and the file keeps its times.
 * But such a process has opened the file for writing. When it has closed and unmapped the file or has ended,
 * the kernel reports IN_CLOSE_WRITE to whoever watches the file (inotify(7)), and only then does the file
 * count as without a writer (writers.h). So nobody has written to a file since it was watched if it has no
 * writer now and no report is there: ask for the writer first, then read the reports. A watch keeps no file
 * open and no file system mounted.
 *
 * Reports tell no time: a file counts as written until they were read. A watch ends with its first report, so
 * that nobody can fill the queue with reports of few files. If reports are lost, nothing is known of the time
 * before. One thread; a forked child may ask wt_file_watch_ask alone.
 */
#ifndef TRACECORE_BASE_FILE_WATCH_H
#define TRACECORE_BASE_FILE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_watched_file {
	uint64_t device, inode; /**< as in struct wt_log_image */
	uint64_t written;       /**< session clock: when a report was read; 0: none was */
	bool watched;           /**< still */
};

/** A watch of the kernel. */
struct wt_watch_number {
	int number;
	uint64_t device, inode;
};

/** Zeroed, with began: no file is watched yet. */
struct wt_file_watch {
	uint64_t began; /**< session clock: nothing is known of the time before */
	bool open, failed;
	int fd;                          /**< of inotify, owned while open */
	struct wt_watched_file *files;   /**< owned; by device and inode */
	struct wt_watch_number *numbers; /**< owned; ascending */
	size_t n_files, files_cap, n_numbers, numbers_cap;
};

enum wt_file_written {
	WT_FILE_NOT_WATCHED,
	WT_FILE_WRITTEN,     /**< since that time, maybe */
	WT_FILE_NOT_WRITTEN, /**< a process that has the file now aside */
};

/** Watches the file from now on, or fails. fd: any descriptor of it, also O_PATH. */
void wt_file_watch_add(struct wt_file_watch *watch, int fd, uint64_t device, uint64_t inode);
/** Reads the reports. */
void wt_file_watch_read(struct wt_file_watch *watch);
/** What happened to the file since that time (session clock), by the reports that were read. */
enum wt_file_written wt_file_watch_ask(const struct wt_file_watch *watch, uint64_t device, uint64_t inode,
				       uint64_t since);
void wt_file_watch_deinit(struct wt_file_watch *watch);

#endif
