/* SPDX-License-Identifier: MIT */
/**
 * @file
 * An ELF file opened for reading, with what identifies it.
 *
 * Only regular files of at most 4 GiB are opened, without ever waiting (no FIFO, no device). Bytes are read,
 * not mapped, so a file that is cut while it is looked at yields errors instead of signals. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_ELF_FILE_H
#define CONSUMERS_SYMBOLS_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/kernel_events.h"

/** Zeroed with fd -1 is closed; see WT_ELF_CLOSED. */
struct wt_elf {
	Elf *elf;    /**< owned; NULL: not open */
	int fd;      /**< owned; -1 for an image in memory */
	void *bytes; /**< owned: the image in memory, where it belongs to nobody else */
};

#define WT_ELF_CLOSED    \
	{                \
		.fd = -1 \
	}

/** Opens a file; false when it is missing, not readable, not regular, too large or not ELF. */
bool wt_elf_open(const char *path, struct wt_elf *ret);
/** As wt_elf_open, for an open file. The descriptor is taken over. */
bool wt_elf_open_fd(int fd, struct wt_elf *ret);
/** An image in memory, which must stay. */
bool wt_elf_open_memory(void *bytes, size_t len, struct wt_elf *ret);
/** The symbol table that distributions keep in stripped files, an ELF file of its own (.gnu_debugdata, xz):
 * functions of the file that it does not export. False when there is none, it is damaged, or takes more than
 * 64 MiB to unpack. */
bool wt_elf_open_minidebug(const struct wt_elf *file, struct wt_elf *ret);
void wt_elf_close(struct wt_elf *file);

/** The GNU build id; empty when there is none. The bytes belong to the file. */
struct wt_str wt_elf_build_id(const struct wt_elf *file);
/** True when id is empty or the file's own. */
bool wt_elf_is_build(const struct wt_elf *file, struct wt_str id);

/** Section of that type (SHT_*), or by name; NULL when there is none or it has no bytes in the file. */
Elf_Scn *wt_elf_section(const struct wt_elf *file, uint32_t type);
Elf_Scn *wt_elf_section_named(const struct wt_elf *file, const char *name);

/** File name and CRC-32 of the separate debug file; NULL when there is no link or it is no plain file name.
 */
const char *wt_elf_debuglink(const struct wt_elf *file, uint32_t *crc);
/** CRC-32 over the whole file as .gnu_debuglink has it; false on a read error. */
bool wt_elf_crc(const struct wt_elf *file, uint32_t *ret);

/** The size to which compressed sections expand. The old format (.zdebug_*) has no size in its header: its
 * sections are taken to expand tenfold. */
uint64_t wt_elf_expanded(Elf *elf);

/** A segment: the place where the loader puts the file's bytes. */
struct wt_elf_load {
	uint64_t offset, size; /**< in the file */
	uint64_t address;
};

/** More segments than any linker makes; further ones are ignored. */
#define WT_ELF_MAX_LOADS 64

struct wt_elf_loads {
	struct wt_elf_load load[WT_ELF_MAX_LOADS];
	size_t n;
};

/** The trust in the offsets of a file's program headers. */
enum wt_elf_layout {
	WT_ELF_WHOLE,   /**< as linked */
	WT_ELF_STRIPPED /**< a debug file: segments without their bytes have lost their offsets, which are
			 * computed anew as linkers lay files out: each at the next offset congruent to its
			 * address */
};

/** From the program headers. */
void wt_elf_loads(const struct wt_elf *file, enum wt_elf_layout layout, struct wt_elf_loads *ret);
/** Address of a file offset; false when no segment holds it. */
bool wt_elf_address(const struct wt_elf_loads *loads, uint64_t offset, uint64_t *ret);

#endif
