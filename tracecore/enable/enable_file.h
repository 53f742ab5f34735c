/* SPDX-License-Identifier: MIT */
/**
 * @file
 * An enable file's layout, for both sides: where its parts are, its name, how one is made.
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
	uint32_t mapped;        /**< up to here a program maps it */
	uint32_t events, names, manifest;
	uint64_t end; /**< the file's size */
};

/** Whether it is a provider's name: MANIFEST.md section 1; len bytes. */
bool wt_enable_name_valid(const char *name, size_t len);
/** What a file's header says, when it is one and the file has that size: 0 and the layout, or -1. */
int wt_enable_check(const struct wt_abi_enable *head, uint64_t size, struct wt_enable_layout *ret);

/** Hash of a description: of the name in lower case and the manifest. */
uint64_t wt_enable_hash(const struct wt_enable_desc *desc);
/** The file's name into ret. */
#define WT_ENABLE_FILE_NAME 256
void wt_enable_file_name(const char *provider, uint64_t hash, char *ret);

/** The description's events as they stand in the file. Owns its memory. */
int wt_enable_events_init(struct wt_rule_events *ret, const struct wt_enable_desc *desc, struct wt_err *err);
void wt_enable_events_deinit(struct wt_rule_events *events);

/** Makes dir/name for the description: 0, 1 somebody else has made it, -1 with errno. */
int wt_enable_file_make(int dir, const char *name, const struct wt_enable_desc *desc,
			const struct wt_rule_events *events, uint32_t number);

#endif
