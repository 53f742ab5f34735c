/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads mapped files that another process may cut meanwhile.
 *
 * Touching a page behind the new end raises SIGBUS. Within a guarded call that ends the call instead of the
 * process. The handler is installed for the time of the call and only acts for the calling thread; SIGBUS of
 * other threads does what it would have done. Calls do not nest.
 */
#ifndef CONSUMERS_SYMBOLS_FILE_GUARD_H
#define CONSUMERS_SYMBOLS_FILE_GUARD_H

#include <stdbool.h>

/** Runs fn; false when it was ended in the middle: its data is then in an unknown state and must be left
 * alone, locks and memory included. */
bool wt_file_guard(void (*fn)(void *ctx), void *ctx);

#endif
