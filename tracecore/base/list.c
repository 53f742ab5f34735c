// SPDX-License-Identifier: MIT
#include "tracecore/base/list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the end of a word of a list. */
static char *word_end(char *word)
{
	char *slash = strchr(word, '/'), *second = slash ? strchr(slash + 1, '/') : NULL;
	bool pmu = second && slash < word + strcspn(word, ",") &&
		   memchr(slash, '=', (size_t)(second - slash));
	char *from = pmu ? second : word;

	return from + strcspn(from, ",");
}

int wt_list_each(const char *list, const char *what, int (*fn)(void *ctx, char *word, struct wt_err *err),
		 void *ctx, struct wt_err *err)
{
	char *copy = strdup(list), *word = copy;
	int rc = copy ? 0 : wt_fail_nomem(err);

	while (!rc && word) {
		char *end = word_end(word), *next = *end ? end + 1 : NULL;

		*end = '\0';
		rc = *word ? fn(ctx, word, err)
			   : wt_fail(err, WT_ERR_USAGE, "empty word in %s '%.80s'", what, list);
		word = next;
	}
	free(copy);
	return rc ? -1 : 0;
}
