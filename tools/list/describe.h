/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Providers and events as text and as JSON, for `list`.
 */
#ifndef TOOLS_LIST_DESCRIBE_H
#define TOOLS_LIST_DESCRIBE_H

#include "consumers/catalog/catalog.h"
#include "tracecore/base/json.h"
#include "tracecore/schema/schema.h"

/** A provider for people: keywords, levels, events, fields. alias may be NULL. */
void wt_describe_provider(const struct wt_provider *provider, const char *alias, struct wt_buf *out);
/** {"name", "alias", "manifest"}: the manifest is the one that goes into log files. */
int wt_describe_provider_json(const struct wt_provider *provider, const char *alias, struct wt_json *json,
			      struct wt_err *err);

/** The same for one that programs of that user have registered. */
void wt_describe_registered(const struct wt_provider *provider, uint32_t uid, uint32_t processes,
			    struct wt_buf *out);
int wt_describe_registered_json(const struct wt_provider *provider, uint32_t uid, uint32_t processes,
				struct wt_json *json, struct wt_err *err);

/** One line for each event, one heading for each group; tracepoints with their fields when described. */
void wt_describe_catalog(const struct wt_catalog *catalog, struct wt_buf *out);
/** {"events": [{"group", "name", "option", "help"[, "fields"][, "flaw"]}]} */
void wt_describe_catalog_json(const struct wt_catalog *catalog, struct wt_buf *out);

#endif
