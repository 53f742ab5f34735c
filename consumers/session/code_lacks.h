/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes of one user whose generated code lacks names, with the reasons.
 */
#ifndef CONSUMERS_SESSION_CODE_LACKS_H
#define CONSUMERS_SESSION_CODE_LACKS_H

#include <stdint.h>

/** Zeroed: none. */
struct wt_code_lacks {
	uint32_t refused; /**< times that a process was met beyond those the session keeps */
	uint32_t large;   /**< maps that were not read */
	uint32_t slow;    /**< processes whose names took too long to find */
};

/** Warns of these lacks, and of `cut` processes that report more code than the session keeps. whose: "of uid
 * 7" */
void wt_code_lacks_tell(const struct wt_code_lacks *lacks, uint32_t cut, const char *whose);

#endif
