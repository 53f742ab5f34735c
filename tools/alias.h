/* SPDX-License-Identifier: MIT */
/**
 * @file
 * ETW's names for providers that exist here.
 */
#ifndef TOOLS_ALIAS_H
#define TOOLS_ALIAS_H

#include <stdbool.h>

/** Returns "PROFILE" for "pmu-profile"; NULL when the provider has none. The first of several. */
const char *wt_alias_of(const char *provider);
/** The word, in any case, is one of the provider's. */
bool wt_is_alias_of(const char *provider, const char *word);

#endif
