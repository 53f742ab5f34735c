/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the build id among the notes of an ELF file in the way the kernel does. GNU ld does not pad a
 * --build-id whose length is not a multiple of four, and the last note may end with such a build id.
 * Async-signal-safe.
 */
#ifndef TRACECORE_BASE_ELF_NOTE_H
#define TRACECORE_BASE_ELF_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_elf_note_id {
	const uint8_t *bytes; /**< among the notes */
	uint32_t len;         /**< 1 or more */
};

/** notes: any len bytes. False: there is no build id, or a note before it is invalid. */
bool wt_elf_note_build_id(const void *notes, size_t len, struct wt_elf_note_id *ret);

#endif
