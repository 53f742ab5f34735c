/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The build id of an ELF file that elfutils has open, and of what the kernel has mapped into this process.
 */
#ifndef TRACECORE_STACKWALK_ELF_ID_H
#define TRACECORE_STACKWALK_ELF_ID_H

#include <libelf.h>
#include <stdbool.h>

#include "tracecore/base/elf_note.h"

/** What the kernel takes for it, and what elfutils does where that is more. The bytes live as long as elf.
 * False: it has none. */
bool wt_elf_id(Elf *elf, struct wt_elf_note_id *ret);
/** Of this process's vdso, in its memory. False: it has none, or no id. */
bool wt_elf_id_of_vdso(struct wt_elf_note_id *ret);

#endif
