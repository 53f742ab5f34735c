/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Function symbols of an ELF file.
 *
 * Taken are defined symbols of type FUNC, GNU_IFUNC and NOTYPE that lie in an executable section; assembler
 * mapping symbols of Arm ($x, $d, ...) are not. Symbols of no size are open up to their section's end.
 * Symbol versions ("@@GLIBC_2.34") are no part of the name. The trampolines that signal handlers return to
 * also own the byte before them, where the frame of a caller is looked for.
 */
#ifndef CONSUMERS_SYMBOLS_ELF_SYMBOLS_H
#define CONSUMERS_SYMBOLS_ELF_SYMBOLS_H

#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/symtab.h"

/** Adds the functions of the file's table of that type (SHT_SYMTAB or SHT_DYNSYM); returns how many. */
size_t wt_elf_symbols(const struct wt_elf *file, uint32_t type, struct wt_symtab_builder *builder);

/** Ends each symbol of no size where the next function begins that .eh_frame_hdr's search table names: a
 * function behind it may have lost its symbol. For what the builder has by then. */
void wt_elf_end_open_symbols(const struct wt_elf *file, struct wt_symtab_builder *builder);

#define WT_ELF_PLT_SUFFIX "@plt"

/** Adds "NAME@plt" for each stub of the procedure linkage table (x86-64, arm64) that jumps through a known
 * slot. */
size_t wt_elf_plt_symbols(const struct wt_elf *file, struct wt_symtab_builder *builder);

#endif
