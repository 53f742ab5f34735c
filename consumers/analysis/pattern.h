/* SPDX-License-Identifier: MIT */
/**
 * @file
 * POSIX extended regular expressions, searched in a time that grows with the text and never explodes.
 *
 *   .  [...]  (...)  |  *  +  ?  {m}  {m,}  {m,n}  {,n}  ^  $
 *   [ ] with ranges, [:classes:], [=x=], [.x.]
 *   \w \W \s \S, \b \B \< \> (words), \` \' (ends of the text); any other byte behind \ is itself
 *
 * They mean what regcomp makes of them in the C locale: bytes, no newlines apart, '.' is any byte but zero.
 * What regcomp refuses is refused; so are back references (\1), for which there is no such bound, and what
 * takes more than WT_PATTERN_MOST steps when counts are written out.
 *
 * All ways through a pattern are followed at once: a search looks at each byte of the text once, and at most
 * at each step for it. Single-threaded.
 */
#ifndef CONSUMERS_ANALYSIS_PATTERN_H
#define CONSUMERS_ANALYSIS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/err.h"

enum { WT_PATTERN_MOST = 1000, WT_PATTERN_DEPTH = 100 };

struct wt_pattern;

/** -1: WT_ERR_USAGE, and err says what is wrong with it. */
int wt_pattern_compile(const char *text, struct wt_pattern **ret, struct wt_err *err);
/** Whether it matches somewhere in the text. */
bool wt_pattern_find(struct wt_pattern *pattern, const char *text, size_t len);
void wt_pattern_destroy(struct wt_pattern *pattern);

#endif
