// SPDX-License-Identifier: MIT
#include "tools/wpa_columns.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

/* Without blanks, dashes and units, in small letters. */
static const struct {
	const char *theirs, *ours;
	bool is_key;
} words[] = {
	{"newprocess", "process", true},
	{"newprocessname", "process", true},
	{"newprocessid", "pid", true},
	{"newthread", "thread", true},
	{"newthreadname", "thread", true},
	{"newthreadid", "tid", true},
	{"newthreadstack", "stack", true},
	{"newprevstate", "left_as", true},
	{"newprevwaitreason", "kind", true},
	{"readyingprocess", "waker_process", true},
	{"readyingprocessname", "waker_process", true},
	{"readyingthread", "waker", true},
	{"readyingthreadname", "waker", true},
	{"readyingthreadid", "waker_tid", true},
	{"newinpri", "priority", true},
	{"cpu", "cpu", true},
	{"count", "count", false},
	{"count:waits", "waits", false},
	{"waits", "blocked", false},
	{"waitssum", "blocked", false},
	{"waitsmax", "max:blocked", false},
	{"ready", "ready", false},
	{"readysum", "ready", false},
	{"readymax", "max:ready", false},
	{"timesincelast", "sum:waited", false},
	{"timesincelastmax", "max:waited", false},
	{"cpuusage", "running", false},
	{"newinswitchtime", "running", false},
	{"lastswitchouttime", "first", false},
};

/* "Ready (us) Max" becomes "readymax". This program's own words have no capitals: false. */
static bool normalize(const char *word, size_t len, char ret[LONGEST])
{
	bool capital = false, inside = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		inside |= word[i] == '(';
		if (!inside && word[i] != ' ' && word[i] != '-') {
			capital |= isupper((unsigned char)word[i]) != 0;
			if (n + 1 == LONGEST)
				return false;
			ret[n++] = (char)tolower((unsigned char)word[i]);
		}
		inside &= word[i] != ')';
	}
	ret[n] = 0;
	return capital;
}

static void put(struct wt_buf *list, const char *word, size_t len)
{
	if (list->len)
		wt_buf_put_u8(list, ',');
	wt_buf_put(list, word, len);
}

bool wt_wpa_columns(const char *typed, struct wt_buf *keys, struct wt_buf *columns)
{
	bool any = false;

	for (size_t len; *typed; typed += len + (typed[len] == ',')) {
		char word[LONGEST];
		size_t i = sizeof(words) / sizeof(words[0]);

		len = strcspn(typed, ",");
		if (normalize(typed, len, word))
			for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
				if (!strcmp(words[i].theirs, word))
					break;
		if (i == sizeof(words) / sizeof(words[0])) {
			put(columns, typed, len);
			continue;
		}
		any = true;
		put(words[i].is_key ? keys : columns, words[i].ours, strlen(words[i].ours));
	}
	return any;
}
