// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "consumers/manual/pages.h"

static void head(struct wt_pages *pages, const char *name, const char *type, const char *help)
{
	wt_pages_begin(pages);
	wt_pages_row(pages, "NAME", name);
	wt_pages_row(pages, "TYPE", type);
	wt_pages_row(pages, "DESCRIPTION", help);
}

static void put_fields(struct wt_pages *pages, const struct wt_event_desc *event)
{
	struct wt_buf text = {0};

	for (uint32_t i = 0; i < event->n_fields; i++) {
		wt_buf_printf(&text, "%s%s ", i ? ", " : "", event->fields[i].name);
		wt_field_type_text(&event->fields[i], &text);
	}
	wt_pages_row(pages, "FIELDS", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

void wt_pages_provider(struct wt_pages *pages, const struct wt_provider *provider, const char *alias)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "provider%s%s", alias ? ", also " : "", alias ? alias : "");
	head(pages, provider->name, wt_buf_cstr(&text), provider->help);
	wt_buf_clear(&text);
	for (uint32_t i = 0; i < provider->n_keywords; i++)
		wt_buf_printf(&text, "%s%s=0x%llx", i ? ", " : "", provider->keywords[i].name,
			      (unsigned long long)provider->keywords[i].value);
	wt_pages_row(pages, "KEYWORDS", wt_buf_cstr(&text));
	wt_buf_clear(&text);
	for (uint32_t i = 0; i < provider->n_events; i++)
		wt_buf_printf(&text, "%s%s", i ? ", " : "", provider->events[i].name);
	wt_pages_row(pages, "EVENTS", wt_buf_cstr(&text));
	wt_buf_clear(&text);
	wt_buf_printf(&text, "wtrace start -p %s", provider->name);
	wt_pages_row(pages, "EXAMPLE", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

void wt_pages_event(struct wt_pages *pages, const struct wt_provider *provider,
		    const struct wt_event_desc *event)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "event of the provider %s, level %s", provider->name,
		      wt_level_name(provider, event->level));
	head(pages, event->name, wt_buf_cstr(&text), event->help);
	put_fields(pages, event);
	wt_buf_deinit(&text);
}

void wt_pages_field(struct wt_pages *pages, const char *provider, const struct wt_event_desc *event,
		    const struct wt_field *field)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "field of %s/%s: ", provider, event->name);
	wt_field_type_text(field, &text);
	head(pages, field->name, wt_buf_cstr(&text), field->help);
	if (field->unit)
		wt_pages_row(pages, "UNIT", field->unit);
	wt_buf_clear(&text);
	for (uint32_t i = 0; field->map && i < field->map->n_entries; i++)
		wt_buf_printf(&text, "%s%llu=%s", i ? ", " : "",
			      (unsigned long long)field->map->entries[i].value, field->map->entries[i].name);
	if (field->map)
		wt_pages_row(pages, "VALUES", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

/* ---- the kernel's events ---- */

/* "linux:sched:sched_switch" by its last one, two or three words. */
static bool is_called(const struct wt_catalog_item *item, const char *name)
{
	const char *at = item->name;

	if (!strcasecmp(at, name))
		return true;
	while (wt_catalog_is_tracepoint(item) && (at = strchr(at, ':')))
		if (!strcasecmp(++at, name))
			return true;
	return false;
}

static void put_item(struct wt_pages *pages, const struct wt_catalog_item *item)
{
	char type[80], example[300];

	snprintf(type, sizeof(type), wt_catalog_is_tracepoint(item) ? "%s of the kernel" : "%s event",
		 item->group);
	snprintf(example, sizeof(example),
		 wt_catalog_is_tracepoint(item) ? "wtrace start -p %.200s" : "wtrace stat -e %.200s -- true",
		 item->name);
	head(pages, item->name, type, item->help);
	if (item->schema)
		put_fields(pages, &item->schema->events[0]);
	if (item->flaw)
		wt_pages_row(pages, "FLAW", item->flaw);
	wt_pages_row(pages, "EXAMPLE", example);
}

static void put_item_field(struct wt_pages *pages, const struct wt_catalog_item *item, const char *field)
{
	const struct wt_event_desc *event = item->schema ? &item->schema->events[0] : NULL;
	int at = event ? wt_event_field(event, field) : -1;

	if (at >= 0)
		wt_pages_field(pages, item->schema->name, event, &event->fields[at]);
}

int wt_pages_kernel(struct wt_pages *pages, const struct wt_catalog *catalog, const char *name,
		    const char *field, struct wt_err *err)
{
	struct wt_catalog found = {0};
	int rc;

	for (size_t i = 0; i < catalog->n; i++)
		if (is_called(&catalog->items[i], name))
			wt_catalog_add(&found, catalog->items[i].group, catalog->items[i].name,
				       catalog->items[i].help);
	rc = found.failed ? wt_fail_nomem(err) : wt_catalog_describe(&found, err);
	for (size_t i = 0; !rc && i < found.n; i++) {
		if (field)
			put_item_field(pages, &found.items[i], field);
		else
			put_item(pages, &found.items[i]);
	}
	wt_catalog_deinit(&found);
	return rc;
}
