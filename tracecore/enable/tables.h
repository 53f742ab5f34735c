/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Unwind tables on their way from sessions to programs: the directory `unwind` below the user's (ENABLE.md
 * section 7).
 *
 * A program cannot make the tables of its modules, a session can. One file per module, by its key; it
 * appears whole, is never changed, and may go at any time: programs copy what they need. What is in the files
 * is not known here (tracecore/abi/wt_unwind.h).
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

/** Changes whenever tables have been published to this process's directory; 0: never, or nothing is
 * registered. One load. Async-signal-safe. */
uint32_t wt_tables_published(void);
/** The file of that name for reading: descriptor, or -1 with errno. Async-signal-safe. */
int wt_tables_open(const char *name);

/** Sessions: the directory below the user's, which is open as `directory`; made if absent. Descriptor, or -1.
 */
int wt_tables_directory(int directory, struct wt_err *err);
/** Sessions: whether a file of that name is there. */
bool wt_tables_have(int dir, const char *name);
/** Sessions: puts a file into the directory. When it does not fit under max_bytes, all others go first:
 * programs have their copies, and what is missed is published again. WT_ERR_LIMIT: it is too large by itself.
 */
int wt_tables_put(int dir, const char *name, const void *bytes, uint64_t size, uint64_t max_bytes,
		  struct wt_err *err);
/** Sessions: tells the programs of the directory that there is something new. */
int wt_tables_announce(int directory, struct wt_err *err);

#endif
