/* SPDX-License-Identifier: MIT */
/**
 * @file
 * ETW's names for providers that exist here.
 */
#ifndef TOOLS_ALIAS_H
#define TOOLS_ALIAS_H

/** Returns "PROFILE" for "pmu-profile"; NULL when the provider has none. */
const char *wt_alias_of(const char *provider);

#endif
