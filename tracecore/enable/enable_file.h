/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The layout of an enable file for both sides: the places of its parts, its name, and its making.
 */
#ifndef TRACECORE_ENABLE_ENABLE_FILE_H
#define TRACECORE_ENABLE_ENABLE_FILE_H

#include <stddef.h>

#include "tracecore/enable/enable.h"
#include "tracecore/enable/rules.h"

/** Offsets of the parts, bytes from the file's start. */
struct wt_enable_layout {
	uint32_t bytes, stacks; /**< n_events bytes each */
	uint32_t processes;     /**< WT_ABI_PROCESSES words */
	uint32_t mapped;        /**< programs map the file up to this offset */
	uint32_t events, names, manifest;
	uint64_t end; /**< the file's size */
};

/** True when the len bytes are a valid name of a provider: MANIFEST.md section 1. */
bool wt_enable_name_valid(const char *name, size_t len);
/** Checks a file's header against the file's size: 0 and the layout, or -1. */
int wt_enable_check(const struct wt_abi_enable *head, uint64_t size, struct wt_enable_layout *ret);

/** Hash of a description: of the name in lower case and the manifest. */
uint64_t wt_enable_hash(const struct wt_enable_desc *desc);
/** The file's name into ret. */
#define WT_ENABLE_FILE_NAME 256
void wt_enable_file_name(const char *provider, uint64_t hash, char *ret);

/** The description's events, in the form of the file. Owns its memory. */
int wt_enable_events_init(struct wt_rule_events *ret, const struct wt_enable_desc *desc, struct wt_err *err);
void wt_enable_events_deinit(struct wt_rule_events *events);

/** Makes dir/name for the description: 0; 1 another process has made it; -1 with errno. */
int wt_enable_file_make(int dir, const char *name, const struct wt_enable_desc *desc,
			const struct wt_rule_events *events, uint32_t number);

#endif
