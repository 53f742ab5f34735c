/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Build ids: the note in an ELF file, in notes the kernel shows, in our own vdso.
 *
 * ELF bytes are read through the cursor; nothing but program headers and notes is looked at, and at most a
 * few KiB of a file are read.
 */
#ifndef PROVIDERS_PERF_BUILDID_H
#define PROVIDERS_PERF_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/intern.h"

enum { WT_BUILD_ID_MAX = 20 };

struct wt_build_id {
	uint8_t bytes[WT_BUILD_ID_MAX];
	uint8_t len; /**< 0: none */
};

/** Finds the build id among ELF notes. */
void wt_build_id_of_notes(const void *notes, size_t len, struct wt_build_id *ret);
/** Of an ELF file open for reading; only regular files are read. */
void wt_build_id_of_fd(int fd, struct wt_build_id *ret);
/** Of a file of notes (/sys/kernel/notes, /sys/module/NAME/notes/.note.gnu.build-id). */
void wt_build_id_of_notes_file(const char *path, struct wt_build_id *ret);
/** Of an ELF image in memory of this process, with no more than size bytes of it mapped. */
void wt_build_id_of_memory(const void *image, size_t size, struct wt_build_id *ret);

/** Build ids of files seen, by device, inode and time of change. A zeroed cache is empty. */
struct wt_build_id_cache {
	struct wt_strings files;
	struct wt_build_id *ids; /**< by id in files; owned */
	uint32_t cap;
};

/** Of the file at path, from the cache where it was read before. */
void wt_build_id_cached(struct wt_build_id_cache *cache, const char *path, struct wt_build_id *ret);
void wt_build_id_cache_deinit(struct wt_build_id_cache *cache);

#endif
