/* SPDX-License-Identifier: MIT */
/** @file A record whose payload stands in one buffer, written as the library for programs writes small
 * events. */
#ifndef TESTS_WRITE_ONE_H
#define TESTS_WRITE_ONE_H

#include "tracecore/ring/ring_fast.h"

/** Returns enum wt_ring_result. */
static inline int write_one(struct wt_ring_writer *w, const struct wt_abi_record *head, const void *payload,
			    uint32_t len)
{
	uint64_t all = sizeof(struct wt_abi_record) + (uint64_t)len, token = wt_ring_token();
	struct wt_ring_piece piece = {payload, len};

	if (token && wt_ring_write_fast(w, token, wt_ring_head_of(head), &piece, 1, all))
		return WT_RING_OK;
	return wt_ring_write_otherwise(w, wt_ring_head_of(head), &piece, 1, all);
}

#endif
