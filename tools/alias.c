// SPDX-License-Identifier: MIT
#include "tools/alias.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *alias, *provider;
} aliases[] = {
	{"PROFILE", "pmu-profile"}, {"LOADER", "loader"},         {"PROC_THREAD", "proc_thread"},
	{"CSWITCH", "cswitch"},     {"DISPATCHER", "dispatcher"}, {"READYTHREAD", "dispatcher"},
};

const char *wt_alias_of(const char *provider)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(provider, aliases[i].provider))
			return aliases[i].alias;
	}
	return NULL;
}

bool wt_is_alias_of(const char *provider, const char *word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(provider, aliases[i].provider) && !strcasecmp(word, aliases[i].alias))
			return true;
	}
	return false;
}
