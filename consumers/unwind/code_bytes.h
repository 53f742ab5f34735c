/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rules for generated code that follow from its bytes: trampolines without a frame pointer (CPython's), which
 * tracecore/stackwalk/known_code.h recognizes.
 *
 * The bytes are read from the living process, later than the sample was taken, and are remembered for a
 * while: what lay there then may have been something else, so a walk by them is likely and not proved. How
 * often bytes are read is bounded, for each walk and for processes that have no such code. One thread.
 */
#ifndef CONSUMERS_UNWIND_CODE_BYTES_H
#define CONSUMERS_UNWIND_CODE_BYTES_H

#include "consumers/record/user_stack.h"
#include "tracecore/abi/wt_unwind.h"

/** Addresses and processes remembered, powers of two. */
#define WT_CODE_BYTES_KNOWN     4096u
#define WT_CODE_BYTES_PROCESSES 64u
/** Readings of one walk, at most. */
#define WT_CODE_BYTES_READS 64u

/** Zeroed knows nothing. */
struct wt_code_bytes {
	struct wt_known_bytes {
		uint64_t address, start_time;
		uint64_t read; /**< session clock; 0: free */
		const struct wt_abi_unwind_rule *rule;
		uint32_t pid;
	} known[WT_CODE_BYTES_KNOWN];
	/** Of those in which reading was in vain so often, and how long they are left alone. */
	struct wt_vain_bytes {
		uint64_t start_time, until;
		uint32_t pid, in_vain;
		uint32_t rests; /**< without a find since */
	} processes[WT_CODE_BYTES_PROCESSES];
	uint32_t reads; /**< of this walk */
};

/** The rule of the code at the address, which lies in [start, end) of generated code; NULL: it is none that
 * is known. */
const struct wt_abi_unwind_rule *wt_code_bytes_rule(struct wt_code_bytes *bytes,
						    const struct wt_unwind_task *task, uint64_t start,
						    uint64_t end, uint64_t address);

#endif
