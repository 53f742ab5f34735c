/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The build id among the notes of an ELF file, as the kernel finds it: GNU ld does not pad a --build-id of a
 * length that is no multiple of four, and the last note may end with it. Async-signal-safe.
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

/** notes: len bytes of anything. False: there is none, or a note before it makes no sense. */
bool wt_elf_note_build_id(const void *notes, size_t len, struct wt_elf_note_id *ret);

#endif
