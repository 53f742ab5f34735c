// SPDX-License-Identifier: MIT
#include "consumers/sample/symbol.h"

#include <string.h>
#include <strings.h>

/* name has len bytes. */
static bool fits(const char *pattern, const char *name, size_t len)
{
	bool begins = pattern[0] == '^', ends;
	size_t wanted = strlen(pattern += begins);

	ends = wanted && pattern[wanted - 1] == '$';
	wanted -= ends;
	if (wanted > len || (begins == ends && wanted != len))
		return false;
	return !strncasecmp(ends ? name + len - wanted : name, pattern, wanted);
}

bool wt_sample_symbol_fits(const char *pattern, const char *text)
{
	const char *module = strrchr(text, ':');

	if (!pattern || fits(pattern, text, strlen(text)))
		return true;
	return module && fits(pattern, text, (size_t)(module - text));
}
