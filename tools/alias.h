/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The names ETW users know, for providers that exist here.
 */
#ifndef TOOLS_ALIAS_H
#define TOOLS_ALIAS_H

/** "PROFILE" for "pmu-profile"; NULL when the provider has none. */
const char *wt_alias_of(const char *provider);

#endif
