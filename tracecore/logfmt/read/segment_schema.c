// SPDX-License-Identifier: MIT
/* Schemas of a segment, and the kinds of events they describe. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

/* The memory of a parsed schema, as a multiple of its text, that counts towards the bound on table memory. */
#define PARSED_FACTOR 8

/* The schema of that text, parsed when it is first seen. NULL: no memory or, with *rc 1, beyond the bound. */
static struct wt_log_schema *find_schema(struct wt_log_reader *log, const uint8_t *json, uint32_t len,
					 int *rc)
{
	uint32_t id = wt_strings_find(&log->schema_texts, json, len);
	struct wt_log_schema *schema;
	bool fresh;

	*rc = 0;
	if (id != WT_INTERN_NONE)
		return &log->schemas[id];
	*rc = (uint64_t)len * PARSED_FACTOR > log->table_bound - log->table_bytes ? 1 : 0;
	if (*rc == 0)
		*rc = wt_log_grow(log, &log->schemas, &log->cap_schemas, (uint64_t)log->n_schemas + 1,
				  sizeof(*schema));
	if (*rc)
		return NULL;
	id = wt_strings_add(&log->schema_texts, json, len, &fresh);
	if (id == WT_INTERN_NONE) {
		*rc = -1;
		return NULL;
	}
	schema = &log->schemas[id];
	log->table_bytes += (uint64_t)len * PARSED_FACTOR;
	log->n_schemas++;
	if (wt_manifest_parse(wt_strings_get(&log->schema_texts, id, NULL), len, log->name, &schema->provider,
			      NULL))
		schema->provider = NULL;
	return schema;
}

/* Represents kinds whose SCHEMA block cannot be read, so that the kinds after them keep their numbers. */
static char unknown_name[] = "?";

static bool is_unknown(const struct wt_provider *provider)
{
	return provider->name == unknown_name;
}

bool wt_log_kind_known(const struct wt_log_segment *segment, uint32_t kind)
{
	return kind < segment->kinds.n && !is_unknown(segment->kinds.kinds[kind].provider);
}

static void free_unknown(struct wt_provider *provider)
{
	free(provider->events);
	free(provider);
}

void wt_log_kinds_deinit(struct wt_log_tables *tables)
{
	for (uint32_t i = 0; i < tables->segment.kinds.n_providers; i++) {
		if (is_unknown(tables->providers[i]))
			free_unknown(tables->providers[i]);
	}
	free(tables->kinds);
	free(tables->providers);
}

static struct wt_provider *make_unknown(uint32_t n)
{
	struct wt_provider *provider = calloc(1, sizeof(*provider));

	if (!provider)
		return NULL;
	provider->name = unknown_name;
	provider->events = calloc(n, sizeof(*provider->events));
	provider->n_events = n;
	if (!provider->events) {
		free(provider);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		provider->events[i].name = unknown_name;
	return provider;
}

static int add_kinds(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_provider *provider)
{
	struct wt_kinds *kinds = &tables->segment.kinds;
	int rc = wt_log_grow(log, &tables->kinds, &tables->kinds_cap, (uint64_t)kinds->n + provider->n_events,
			     sizeof(*tables->kinds));

	if (rc == 0)
		rc = wt_log_grow(log, &tables->providers, &tables->providers_cap,
				 (uint64_t)kinds->n_providers + 1, sizeof(struct wt_provider *));
	if (rc)
		return rc;
	for (uint32_t i = 0; i < provider->n_events; i++)
		tables->kinds[kinds->n++] = (struct wt_kind){provider, &provider->events[i]};
	tables->providers[kinds->n_providers++] = provider;
	return 0;
}

static int fill_gap(struct wt_log_reader *log, struct wt_log_tables *tables, uint32_t n)
{
	struct wt_provider *provider;
	uint64_t size = (uint64_t)n * sizeof(struct wt_event_desc);
	int rc;

	if (size > log->table_bound - log->table_bytes)
		return 1;
	provider = make_unknown(n);
	rc = provider ? add_kinds(log, tables, provider) : -1;
	if (rc == 0)
		log->table_bytes += size;
	else if (provider)
		free_unknown(provider);
	return rc;
}

const char *wt_log_take_schema(struct wt_log_reader *log, struct wt_log_tables *tables,
			       const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	struct wt_kinds *kinds = &tables->segment.kinds;
	uint64_t before = log->table_bytes;
	struct wt_log_schema *schema;

	if (header->first < kinds->n || header->first > WT_DISK_MAX_KINDS ||
	    header->count > WT_DISK_MAX_KINDS - header->first)
		return "kinds defined twice or beyond the format's bound";
	schema = find_schema(log, raw, header->raw_size, rc);
	log->schema_bytes += log->table_bytes - before;
	if (!schema)
		return "schemas beyond the reader's bound";
	if (!schema->provider || schema->provider->n_events != header->count)
		return "schema is no manifest with that number of events";
	if (header->first > kinds->n)
		*rc = fill_gap(log, tables, header->first - kinds->n);
	if (*rc == 0)
		*rc = add_kinds(log, tables, schema->provider);
	return *rc ? "schemas beyond the reader's bound" : NULL;
}
