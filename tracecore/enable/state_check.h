/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The checksum of a state record. It also covers the identity of the record, so that a reader that copies
 * an entry while its room passes to another record cannot confuse the two.
 */
#ifndef TRACECORE_ENABLE_STATE_CHECK_H
#define TRACECORE_ENABLE_STATE_CHECK_H

#include "tracecore/abi/wt_enable.h"
#include "tracecore/enable/hash.h"

static inline uint32_t wt_state_checksum(const struct wt_abi_state_entry *entry,
					 const struct wt_abi_state_half *half, const void *bytes)
{
	uint64_t hash = WT_HASH_INIT;

	hash = wt_hash_bytes(hash, &entry->provider, sizeof(entry->provider));
	hash = wt_hash_bytes(hash, &entry->event, sizeof(entry->event));
	hash = wt_hash_bytes(hash, &entry->key, sizeof(entry->key));
	hash = wt_hash_bytes(hash, &half->commit, sizeof(half->commit));
	hash = wt_hash_bytes(hash, &half->len, sizeof(half->len));
	return wt_enable_checksum(wt_hash_bytes(hash, bytes, half->len));
}

#endif
