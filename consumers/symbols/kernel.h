/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The running kernel and its modules as images: the bases of their offsets, and whether they are the builds
 * that the trace names (/sys/kernel/notes, /sys/module/NAME/notes): addresses of one build mean nothing in
 * another. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KERNEL_H
#define CONSUMERS_SYMBOLS_KERNEL_H

#include "consumers/symbols/kallsyms.h"
#include "consumers/symbols/kernel_names.h"
#include "tracecore/logfmt/format/tables.h"

struct wt_kernel {
	const char *path; /**< of kallsyms; NULL: /proc/kallsyms */
	const char
		*sys; /**< where build ids are; NULL: /sys, or with a path of kallsyms nowhere: any will do */
	uint64_t address; /**< load address of the kernel; 0: that of _stext */
	bool any_machine; /**< the trace may be another machine's: an image without a build id is not ours */
	struct wt_unwind_cache *cache; /**< where the kernel's functions are kept; borrowed; NULL: nowhere */
	struct wt_kallsyms kallsyms;
	struct wt_kernel_names kept; /**< the kernel's own, from the cache; empty: not there */
	uint64_t kept_stext;         /**< their _stext */
	bool loaded;                 /**< kallsyms is */
};

/** Finds the functions of the image (kind WT_IMAGE_KERNEL or WT_IMAGE_MODULE). *names belongs to the kernel;
 * *base is the address of offset 0. *reason is WT_RESOLVED, or why there are none; -1 only when memory is
 * out. The first call reads kallsyms and puts the result into the cache, unless the cache has the functions.
 */
int wt_kernel_find(struct wt_kernel *kernel, const struct wt_log_image *image, struct wt_names *names,
		   uint64_t *base, uint8_t *reason, struct wt_err *err);
/** Memory held. */
uint64_t wt_kernel_bytes(const struct wt_kernel *kernel);
/** The GNU build id among ELF notes, a part of the bytes; empty when there is none. */
struct wt_str wt_kernel_notes_build_id(const void *bytes, size_t len);
void wt_kernel_deinit(struct wt_kernel *kernel);

#endif
