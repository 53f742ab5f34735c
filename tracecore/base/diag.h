/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Diagnostics: messages for the person at the terminal, always on standard error.
 *
 * There are three levels. A note states a decision and its reason ("no PMU: sampling cpu-clock"). A warning
 * reports that something the user asked for is missing, or that data was lost. Debug text appears with -v
 * only. `-q` silences notes. Errors are not printed here but returned (err.h) and printed once, at the top
 * of the program. In a session's background processes the lines go to the session's own log instead
 * (wt_diag_redirect). Control characters in quoted text are written as escapes (plain.h).
 */
#ifndef TRACECORE_BASE_DIAG_H
#define TRACECORE_BASE_DIAG_H

#include <stdbool.h>

enum wt_diag_level { WT_DIAG_QUIET = 0, WT_DIAG_NORMAL = 1, WT_DIAG_VERBOSE = 2 };

/** Process-wide; default WT_DIAG_NORMAL. Set once, before threads. */
void wt_diag_level(enum wt_diag_level level);
/** False with -q: then summaries on standard error are left out too. */
bool wt_diag_enabled(void);
/** True with -v: output may contain more details. */
bool wt_diag_verbose(void);
/** Sends all later lines to fn instead of standard error; NULL restores standard error. fn gets the line
 * without newline. */
void wt_diag_redirect(void (*fn)(void *ctx, const char *line), void *ctx);

/** "wtrace: note: ..." unless quiet. */
void wt_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** "wtrace: warning: ...", always. */
void wt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** "wtrace: ...", with -v only. */
void wt_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
