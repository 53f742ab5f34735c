/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The build id of an ELF file that elfutils has open, and of the vdso that the kernel has mapped into this
 * process.
 */
#ifndef TRACECORE_STACKWALK_ELF_ID_H
#define TRACECORE_STACKWALK_ELF_ID_H

#include <libelf.h>
#include <stdbool.h>

#include "tracecore/base/elf_note.h"

/** Gives the build id that the kernel finds; if the kernel finds none, the one that elfutils finds. The
 * bytes live as long as elf. False: the file has none. */
bool wt_elf_id(Elf *elf, struct wt_elf_note_id *ret);
/** The build id of this process's vdso, in its memory. False: there is no vdso, or it has no id. */
bool wt_elf_id_of_vdso(struct wt_elf_note_id *ret);

#endif
