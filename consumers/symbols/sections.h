/* SPDX-License-Identifier: MIT */
/** @file The sections of a program or library: which part of its addresses is code, which is data. */
#ifndef CONSUMERS_SYMBOLS_SECTIONS_H
#define CONSUMERS_SYMBOLS_SECTIONS_H

#include <stdint.h>

#include "tracecore/logfmt/format/tables.h"

/** Calls fn for each section that lies in the program's memory, in the order of the file. The file at the
 * image's path must have the image's build id; there is no call otherwise. The name lives during the call. */
void wt_sections_each(const struct wt_log_image *image,
		      void (*fn)(void *ctx, const char *name, uint64_t address, uint64_t size), void *ctx);

#endif
