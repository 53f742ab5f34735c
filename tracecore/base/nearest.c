// SPDX-License-Identifier: MIT
#include "tracecore/base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes of names that fit into an error with its other text. */
enum { WORD_MAX = 63, LISTED_BYTES = 400 };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Damerau-Levenshtein distance with adjacent swaps; both words fit WORD_MAX. The rows are the last but
 * one, the last and the present one. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][WORD_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t cost = !same_letter(a[i - 1], b[j - 1]);

			now[j] = smaller(smaller(last[j] + 1, now[j - 1] + 1), last[j - 1] + cost);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				now[j] = smaller(now[j], before[j - 2] + 1);
		}
	}
	return row[na % 3][nb];
}

const char *wt_nearest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word);
	size_t best = len / 3 ? len / 3 + 1 : 2;
	const char *ret = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(candidates[i]);
		size_t d;

		if (!strcasecmp(word, candidates[i]))
			return candidates[i];
		/* A copy of a function that the compiler made, or a version of a library. */
		if (best && len && other > len && candidates[i][len] == '.' &&
		    !memcmp(candidates[i], word, len)) {
			best = 0;
			ret = candidates[i];
		}
		if (len > WORD_MAX || other > WORD_MAX)
			continue;
		d = distance(word, len, candidates[i], other);
		if (d < best) {
			best = d;
			ret = candidates[i];
		}
	}
	return ret;
}

int wt_fail_unknown(struct wt_err *err, const char *what, const char *word, const char *const *candidates,
		    size_t n)
{
	const char *near = wt_nearest(word, candidates, n);
	char known[LISTED_BYTES] = "";
	size_t len = 0, i;

	if (near)
		return wt_fail(err, WT_ERR_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, near);
	if (!n)
		return wt_fail(err, WT_ERR_USAGE, "unknown %s '%s'", what, word);
	for (i = 0; i < n && len + strlen(candidates[i]) + 2 < sizeof(known); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					candidates[i]);
	if (i < n)
		return wt_fail(err, WT_ERR_USAGE, "unknown %s '%s'; known: %s, and %zu more", what, word,
			       known, n - i);
	return wt_fail(err, WT_ERR_USAGE, "unknown %s '%s'; known: %s", what, word, known);
}

int wt_one_of(struct wt_err *err, const char *what, const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return (int)i;
	return wt_fail_unknown(err, what, word, words, n);
}
