/* SPDX-License-Identifier: MIT */
/**
 * @file
 * This process's entry in its user's file `processes`, where sessions publish what it may do
 * (tracecore/ring/standing.h). ENABLE.md section 9.
 */
#ifndef TRACECORE_ENABLE_ENTRY_H
#define TRACECORE_ENABLE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/abi/wt_enable.h"

/** Bytes of the file. */
#define WT_ENTRY_FILE_BYTES \
	(sizeof(struct wt_abi_processes) + WT_ABI_PROCESS_ENTRIES * sizeof(struct wt_abi_process))
/** A bit of the word beside enum wt_standing: the process has ended, and its entry may be taken. */
#define WT_ENTRY_GONE 128u

/** The tag with which a standing of that process begins. */
static inline uint64_t wt_entry_tag(uint64_t process)
{
	return process * UINT64_C(0x9e3779b97f4a7c15) >> 8;
}

/** Enters the process in the file of the user's directory, which is made if absent. Cheap when the process is
 * entered already. When there is no room, the process has no entry, and no session can publish what it may
 * do. Under the registration lock. */
void wt_entry_make(int directory);
/** For the child after a fork. The child uses its parent's standing until it has its own. With ask false,
 * it makes no system call and uses the facts that its parent knew. */
void wt_entry_make_in_child(bool ask);
/** Enters a child that found no free entry while it could make no calls. Called where calls may be made
 * again. Async-signal-safe. */
void wt_entry_make_later(void);

#endif
