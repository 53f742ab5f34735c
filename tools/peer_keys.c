// SPDX-License-Identifier: MIT
#include "tools/peer_keys.h"

#include <string.h>

static const struct {
	const char *theirs, *ours; /* "": a column, which is shown anyway */
} keys[] = {
	{"comm", "comm"},     {"dso", "module"},         {"sym", "function"}, {"symbol", "function"},
	{"pid", "process"},   {"tid", "thread"},         {"cpu", "cpu"},      {"srcline", "line"},
	{"cgroup", "cgroup"}, {"overhead", ""},          {"sample", ""},      {"period", ""},
	{"time", "time:1s"},  {"overhead_children", ""},
};

static const char *find(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].theirs) == len && !memcmp(keys[i].theirs, word, len))
			return keys[i].ours;
	return NULL;
}

/* sym and symbol are one key, and a key is given once. */
static bool has(const char *list, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && !memcmp(at, key, len))
			return true;
	return false;
}

bool wt_peer_keys(const char *typed, struct wt_buf *ret)
{
	const char *at = typed;

	while (*at) {
		size_t len = strcspn(at, ",");
		const char *ours = find(at, len);

		if (!ours)
			return false;
		if (*ours && !has(wt_buf_cstr(ret), ours))
			wt_buf_printf(ret, "%s%s", ret->len ? "," : "", ours);
		at += len + (at[len] == ',');
	}
	return ret->len > 0;
}
