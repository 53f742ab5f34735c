/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the dynamic loader, or in a static program the kernel, says of the module around an address.
 */
#ifndef PROVIDERS_SDK_LOADED_H
#define PROVIDERS_SDK_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/elf_note.h"

/** A module in this process's memory. */
struct wt_sdk_loaded {
	uintptr_t start, end; /**< from its first mapping to the end of its last one */
	uintptr_t bias;       /**< run-time minus link-time address */
	uintptr_t mark;       /**< something that differs between modules: where its unwind data is */
};

/** A piece of a module's unwind data in its memory. */
struct wt_sdk_unwind_data {
	uintptr_t at;
	size_t len;
};

/** Whether modules can be found at all: not in dynamic programs where the library was built without
 * _dl_find_object (glibc before 2.35, musl). */
bool wt_sdk_can_find_loaded(void);
/** The module around an address. No lock, no system call, async-signal-safe. */
bool wt_sdk_find_loaded(uintptr_t address, struct wt_sdk_loaded *ret);
/** Its build id, read from its notes: bounded, inside its readable segments. False when it has none. Of a
 * module that is not unloaded meanwhile. */
bool wt_sdk_find_build_id(const struct wt_sdk_loaded *loaded, struct wt_elf_note_id *ret);
/** Where its unwind data are, piece by piece as wt_unwind_loaded_key wants them: *at is 0 at first and moved
 * on; false behind the last one. They are not read here: of a file that has been cut they may be gone. */
bool wt_sdk_find_unwind_data(const struct wt_sdk_loaded *loaded, size_t *at, struct wt_sdk_unwind_data *ret);

#endif
