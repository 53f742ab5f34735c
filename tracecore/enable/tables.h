/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The exchange of unwind tables from sessions to programs: the directory `unwind` below the user's
 * (ENABLE.md section 7).
 *
 * A program cannot make the tables of its modules, a session can. Each module has one file, named by the
 * module's key. A file appears whole, is never changed, and may be removed at any time: programs copy the
 * tables that they need. This code does not read the content of the files (tracecore/abi/wt_unwind.h).
 */
#ifndef TRACECORE_ENABLE_TABLES_H
#define TRACECORE_ENABLE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

/** The directory, below the user's. */
#define WT_TABLES_DIRECTORY "unwind"
/** Bytes the directory may hold: it is memory. */
#define WT_TABLES_BYTES (UINT64_C(64) << 20)
/** Bytes of a file's name, with its terminating zero. */
#define WT_TABLES_NAME 80

/** "KEY-MACHINE.vVERSION", hexadecimal and decimal, into ret. False: no key, or one too long.
 * Async-signal-safe. */
bool wt_tables_name(const uint8_t *key, size_t len, uint32_t machine, uint32_t version,
		    char ret[WT_TABLES_NAME]);

/** Changes whenever tables have been published in this process's directory; 0: never, or nothing is
 * registered. One load. Async-signal-safe. */
uint32_t wt_tables_published(void);
/** Opens the file of that name for reading: descriptor, or -1 with errno. Async-signal-safe. */
int wt_tables_open(const char *name);

/** Sessions: opens the directory below the user's, which is open as `directory`; made if absent.
 * Descriptor, or -1. */
int wt_tables_directory(int directory, struct wt_err *err);
/** Sessions: true when there is a file of that name. */
bool wt_tables_have(int dir, const char *name);
/** Sessions: puts a file into the directory. When it does not fit under max_bytes, all others are removed
 * first: programs have their copies, and a missing table is published again. WT_ERR_LIMIT: the file alone
 * is too large. */
int wt_tables_put(int dir, const char *name, const void *bytes, uint64_t size, uint64_t max_bytes,
		  struct wt_err *err);
/** Sessions: announces to the programs of the directory that there is a new table. */
int wt_tables_announce(int directory, struct wt_err *err);

#endif
