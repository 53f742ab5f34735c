/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Build ids: from the note in an ELF file, in the kernel's published notes, or in this process's vdso.
 *
 * ELF bytes are read through the cursor; nothing but program headers and notes is looked at, and at most a
 * few KiB of a file are read.
 */
#ifndef PROVIDERS_PERF_BUILDID_H
#define PROVIDERS_PERF_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WT_BUILD_ID_MAX = 20 };

struct wt_build_id {
	uint8_t bytes[WT_BUILD_ID_MAX];
	uint8_t len; /**< 0: none */
};

/** Finds the build id among ELF notes. */
void wt_build_id_of_notes(const void *notes, size_t len, struct wt_build_id *ret);
/** Reads the build id of an ELF file open for reading; only regular files are read. */
void wt_build_id_of_fd(int fd, struct wt_build_id *ret);
/** Reads the build id of the file at the path. */
void wt_build_id_of_file(const char *path, struct wt_build_id *ret);
/** Reads the build id from a file of notes (/sys/kernel/notes, /sys/module/NAME/notes/.note.gnu.build-id). */
void wt_build_id_of_notes_file(const char *path, struct wt_build_id *ret);
/** Reads the build id of an ELF image in memory of this process, of which no more than size bytes are mapped.
 */
void wt_build_id_of_memory(const void *image, size_t size, struct wt_build_id *ret);

#endif
