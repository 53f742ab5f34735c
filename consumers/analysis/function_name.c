// SPDX-License-Identifier: MIT
#include "consumers/analysis/function_name.h"

#include <string.h>

#include "consumers/model/unfold.h"

/* The words that may follow the parameters of a member function. */
static size_t without_qualifiers(const char *text, size_t len)
{
	static const char *const qualifiers[] = {" const", " volatile", " &", " &&"};

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
		size_t n = strlen(qualifiers[i]);

		if (len > n && !memcmp(text + len - n, qualifiers[i], n))
			return without_qualifiers(text, len - n);
	}
	return len;
}

/* Returns where the parameters begin; len: there are none. */
static size_t parameters(const char *text, size_t len)
{
	size_t end = without_qualifiers(text, len), depth = 0;

	if (!end || text[end - 1] != ')')
		return len;
	for (size_t i = end; i-- > 0;) {
		depth += text[i] == ')';
		depth -= text[i] == '(';
		if (!depth)
			return i;
	}
	return len;
}

static size_t without_mark(const char *text, size_t len)
{
	const size_t n = sizeof(WT_UNFOLDED_MARK) - 1;

	return len > n && !memcmp(text + len - n, WT_UNFOLDED_MARK, n) ? len - n : len;
}

bool wt_function_is(const char *text, size_t len, const char *name, size_t name_len)
{
	if (len < name_len || memcmp(text, name, name_len))
		return false;
	if (len == name_len)
		return true;
	len = without_mark(text, len);
	return len == name_len || (name_len && parameters(text, len) == name_len);
}
