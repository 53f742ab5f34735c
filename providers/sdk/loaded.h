/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the module around an address from the dynamic loader or, in a static program, from the kernel.
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
	uintptr_t mark;       /**< a value that differs between modules: the address of its unwind data */
};

/** A piece of a module's unwind data in its memory. */
struct wt_sdk_unwind_data {
	uintptr_t at;
	size_t len;
};

/** True when modules can be found at all: not in dynamic programs where the library was built without
 * _dl_find_object (glibc before 2.35, musl). */
bool wt_sdk_can_find_loaded(void);
/** Finds the module around an address. No lock, no system call, async-signal-safe. */
bool wt_sdk_find_loaded(uintptr_t address, struct wt_sdk_loaded *ret);
/** Reads its build id from its notes: bounded, inside its readable segments. False when it has none. The
 * module must not be unloaded in the meantime. */
bool wt_sdk_find_build_id(const struct wt_sdk_loaded *loaded, struct wt_elf_note_id *ret);
/** Returns the places of its unwind data, piece by piece, as wt_unwind_loaded_key wants them. *at is 0 at
 * first and moves on; false after the last piece. The data are not read here, because those of a truncated
 * file may no longer exist. */
bool wt_sdk_find_unwind_data(const struct wt_sdk_loaded *loaded, size_t *at, struct wt_sdk_unwind_data *ret);

#endif
