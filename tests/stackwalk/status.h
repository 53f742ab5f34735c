/* SPDX-License-Identifier: MIT */
/** @file How a walk ended, in words. */
#ifndef TESTS_STACKWALK_STATUS_H
#define TESTS_STACKWALK_STATUS_H

#include <stdint.h>

static inline const char *walk_status_text(uint32_t status)
{
	static const char *const texts[] = {"complete",   "completed", "truncated",    "no unwind data",
					    "bad memory", "depth",     "recursion cut"};

	return status < sizeof(texts) / sizeof(texts[0]) ? texts[status] : "unknown";
}

#endif
