/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Small text files of the kernel: sysfs attributes, sysctls, lists of CPUs.
 */
#ifndef PROVIDERS_PERF_TEXTFILE_H
#define PROVIDERS_PERF_TEXTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/buf.h"

/** Highest CPU number + 1 that this program handles: the kernel's own limit. */
enum { WT_PERF_MAX_CPUS = 8192 };

struct wt_cpuset {
	uint64_t bits[WT_PERF_MAX_CPUS / 64];
};

/** Reads one short file into text (zero-ended, white space at the end cut). Returns its length; -1 with errno
 * set, EFBIG when it does not fit. */
int wt_text_read(const char *path, char *text, size_t size);
/** Reads all of a file of any length, at most max bytes; -1 with errno set. */
int wt_text_read_all(const char *path, struct wt_buf *out, size_t max);
/** Reads a file with one number, decimal and possibly negative. Returns fallback when there is none. */
int64_t wt_text_number(const char *path, int64_t fallback);
/** True when all of text is one unsigned number (decimal, or 0x hexadecimal). */
bool wt_text_u64(const char *text, uint64_t *ret);

/** Parses "0-3,8" into a set; -1 when it is not such a list. An empty list is an empty set. */
int wt_cpuset_parse(const char *list, struct wt_cpuset *ret);
/** Parses the list in a file; -1 with errno set (EINVAL: not a list). */
int wt_cpuset_read(const char *path, struct wt_cpuset *ret);

static inline bool wt_cpuset_has(const struct wt_cpuset *set, uint32_t cpu)
{
	return cpu < WT_PERF_MAX_CPUS && (set->bits[cpu / 64] >> (cpu % 64) & 1);
}

static inline void wt_cpuset_add(struct wt_cpuset *set, uint32_t cpu)
{
	if (cpu < WT_PERF_MAX_CPUS)
		set->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

uint32_t wt_cpuset_count(const struct wt_cpuset *set);
/** Returns the highest CPU in the set + 1; 0 when empty. */
uint32_t wt_cpuset_end(const struct wt_cpuset *set);

#endif
