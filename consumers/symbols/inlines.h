/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inlined functions from DWARF: address to the chain of calls that the compiler put in place of functions.
 *
 * Through libdw, with the supplementary file that dwz makes (.gnu_debugaltlink: looked for by its build id
 * below the debug root and at the name in the link, its build id must match) and with split units in files of
 * their own (.dwo). Packages of them (.dwp) libdw 0.188 does not read: their units count as missing.
 * Compilation units are found by their own address ranges, a unit's functions at the first address that falls
 * into it, the calls within a function at the first address within that; what is found of a unit is forgotten
 * at an address of another one, so ascending addresses are cheapest. A file that is cut meanwhile has no
 * inlined functions from then on. One thread.
 *
 * Debug information may say anything: units and their entries are walked forwards only, and as deep, as many,
 * and as long as there are bounds.
 */
#ifndef CONSUMERS_SYMBOLS_INLINES_H
#define CONSUMERS_SYMBOLS_INLINES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/buf.h"

struct wt_inlines;

struct wt_inlines_options {
	const char *debug_root; /**< borrowed for the time of open */
	const char *sysroot;    /**< the same; "": none */
	const char *path;       /**< of the file behind fd: relative links are beside it */
	bool trusted; /**< names of further files within it are followed by libdw itself: split units. Else
		       * there are none of those */
	uint64_t max_expanded; /**< compressed sections that expand to more: nothing is read */
};

/** Reads the file behind fd, which stays the caller's. NULL when it has no debug information, its
 * supplementary file is not there, or memory is out. */
struct wt_inlines *wt_inlines_open(int fd, const struct wt_inlines_options *options);
/** Appends the chain at the address (tracecore/logfmt/format/inlined.h), nothing where nothing was inlined.
 * False: no function is known there, memory is out, or the file was cut. */
bool wt_inlines_find(struct wt_inlines *inlines, uint64_t address, struct wt_buf *chain);
/** Units whose code is described in files of their own (split DWARF) were looked at. */
bool wt_inlines_split(const struct wt_inlines *inlines);
/** Units whose code is described in files that were not there or not to be opened (split DWARF). */
uint32_t wt_inlines_split_missing(const struct wt_inlines *inlines);
/** Memory held, as far as it is known. */
uint64_t wt_inlines_bytes(const struct wt_inlines *inlines);
void wt_inlines_close(struct wt_inlines *inlines);

#endif
