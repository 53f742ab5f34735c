/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The running kernel and its modules as images: what their offsets are counted from, and whether they are the
 * builds the trace names (/sys/kernel/notes, /sys/module/NAME/notes). One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KERNEL_H
#define CONSUMERS_SYMBOLS_KERNEL_H

#include "consumers/symbols/kallsyms.h"
#include "tracecore/logfmt/log_tables.h"

struct wt_kernel {
	const char *path; /**< of kallsyms; NULL: /proc/kallsyms, and build ids are compared */
	uint64_t address; /**< load address of the kernel; 0: that of _stext */
	struct wt_kallsyms kallsyms;
	bool loaded;
};

/** Address that offset 0 of the image (kind WT_IMAGE_KERNEL or WT_IMAGE_MODULE) stands for. *reason is
 * WT_RESOLVED or why there is none; -1 only when memory is out. Reads kallsyms at the first call. */
int wt_kernel_base(struct wt_kernel *kernel, const struct wt_log_image *image, uint64_t *base,
		   uint8_t *reason, struct wt_err *err);
void wt_kernel_deinit(struct wt_kernel *kernel);

#endif
