/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Providers and events as text and as JSON, for `list`.
 */
#ifndef TOOLS_LIST_DESCRIBE_H
#define TOOLS_LIST_DESCRIBE_H

#include "consumers/catalog/catalog.h"
#include "consumers/session/registry.h"
#include "tracecore/base/json.h"
#include "tracecore/schema/schema.h"

/** Describes a provider for people: keywords, levels, events, fields. alias may be NULL. */
void wt_describe_provider(const struct wt_provider *provider, const char *alias, struct wt_buf *out);
/** Writes {"name", "alias", "manifest"}; the manifest is the one stored in log files. For one that programs
 * have registered (else NULL) also "uid" and "processes". */
int wt_describe_provider_json(const struct wt_provider *provider, const char *alias,
			      const struct wt_registered *registered, struct wt_json *json,
			      struct wt_err *err);

/** Describes a provider that programs of that user have registered. */
void wt_describe_registered(const struct wt_registered *registered, struct wt_buf *out);

/** Writes one line for each event and one heading for each group; tracepoints with their fields when
 * described. */
void wt_describe_catalog(const struct wt_catalog *catalog, struct wt_buf *out);

#endif
