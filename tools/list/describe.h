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

/** Describes a provider for people: keywords, levels, events, fields. alias may be NULL. */
void wt_describe_provider(const struct wt_provider *provider, const char *alias, struct wt_buf *out);
/** Writes {"name", "alias", "manifest"}; the manifest is the one stored in log files. */
int wt_describe_provider_json(const struct wt_provider *provider, const char *alias, struct wt_json *json,
			      struct wt_err *err);

/** Describes a provider that programs of that user have registered. */
void wt_describe_registered(const struct wt_provider *provider, uint32_t uid, uint32_t processes,
			    struct wt_buf *out);
int wt_describe_registered_json(const struct wt_provider *provider, uint32_t uid, uint32_t processes,
				struct wt_json *json, struct wt_err *err);

/** "u32", "u8[16]", "string[]" */
void wt_describe_type(const struct wt_field *field, struct wt_buf *out);

/** Writes one line for each event and one heading for each group; tracepoints with their fields when
 * described. */
void wt_describe_catalog(const struct wt_catalog *catalog, struct wt_buf *out);
/** {"events": [{"group", "name", "option", "help"[, "fields"][, "flaw"]}]} */
void wt_describe_catalog_json(const struct wt_catalog *catalog, struct wt_buf *out);

#endif
