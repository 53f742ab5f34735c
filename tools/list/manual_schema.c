// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tools/list/describe.h"
#include "tools/list/manual.h"

static void head(struct wt_manual *manual, const char *name, const char *type, const char *help)
{
	wt_manual_begin(manual);
	wt_manual_row(manual, "NAME", name);
	wt_manual_row(manual, "TYPE", type);
	wt_manual_row(manual, "DESCRIPTION", help);
}

static void put_fields(struct wt_manual *manual, const struct wt_event_desc *event)
{
	struct wt_buf text = {0};

	for (uint32_t i = 0; i < event->n_fields; i++) {
		wt_buf_printf(&text, "%s%s ", i ? ", " : "", event->fields[i].name);
		wt_describe_type(&event->fields[i], &text);
	}
	wt_manual_row(manual, "FIELDS", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

void wt_manual_provider(struct wt_manual *manual, const struct wt_provider *provider, const char *alias)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "provider%s%s", alias ? ", also " : "", alias ? alias : "");
	head(manual, provider->name, wt_buf_cstr(&text), provider->help);
	wt_buf_clear(&text);
	for (uint32_t i = 0; i < provider->n_keywords; i++)
		wt_buf_printf(&text, "%s%s=0x%llx", i ? ", " : "", provider->keywords[i].name,
			      (unsigned long long)provider->keywords[i].value);
	wt_manual_row(manual, "KEYWORDS", wt_buf_cstr(&text));
	wt_buf_clear(&text);
	for (uint32_t i = 0; i < provider->n_events; i++)
		wt_buf_printf(&text, "%s%s", i ? ", " : "", provider->events[i].name);
	wt_manual_row(manual, "EVENTS", wt_buf_cstr(&text));
	wt_buf_clear(&text);
	wt_buf_printf(&text, "wtrace start -p %s", provider->name);
	wt_manual_row(manual, "EXAMPLE", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

void wt_manual_event(struct wt_manual *manual, const struct wt_provider *provider,
		     const struct wt_event_desc *event)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "event of the provider %s, level %s", provider->name,
		      wt_level_name(provider, event->level));
	head(manual, event->name, wt_buf_cstr(&text), event->help);
	put_fields(manual, event);
	wt_buf_deinit(&text);
}

void wt_manual_field(struct wt_manual *manual, const char *provider, const struct wt_event_desc *event,
		     const struct wt_field *field)
{
	struct wt_buf text = {0};

	wt_buf_printf(&text, "field of %s/%s: ", provider, event->name);
	wt_describe_type(field, &text);
	head(manual, field->name, wt_buf_cstr(&text), field->help);
	if (field->unit)
		wt_manual_row(manual, "UNIT", field->unit);
	wt_buf_clear(&text);
	for (uint32_t i = 0; field->map && i < field->map->n_entries; i++)
		wt_buf_printf(&text, "%s%llu=%s", i ? ", " : "",
			      (unsigned long long)field->map->entries[i].value, field->map->entries[i].name);
	if (field->map)
		wt_manual_row(manual, "VALUES", wt_buf_cstr(&text));
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

static void put_item(struct wt_manual *manual, const struct wt_catalog_item *item)
{
	char type[80], example[300];

	snprintf(type, sizeof(type), wt_catalog_is_tracepoint(item) ? "%s of the kernel" : "%s event",
		 item->group);
	snprintf(example, sizeof(example),
		 wt_catalog_is_tracepoint(item) ? "wtrace start -p %.200s" : "wtrace stat -e %.200s -- true",
		 item->name);
	head(manual, item->name, type, item->help);
	if (item->schema)
		put_fields(manual, &item->schema->events[0]);
	if (item->flaw)
		wt_manual_row(manual, "FLAW", item->flaw);
	wt_manual_row(manual, "EXAMPLE", example);
}

static void put_item_field(struct wt_manual *manual, const struct wt_catalog_item *item, const char *field)
{
	const struct wt_event_desc *event = item->schema ? &item->schema->events[0] : NULL;
	int at = event ? wt_event_field(event, field) : -1;

	if (at >= 0)
		wt_manual_field(manual, item->schema->name, event, &event->fields[at]);
}

int wt_manual_kernel(struct wt_manual *manual, const struct wt_catalog *catalog, const char *name,
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
			put_item_field(manual, &found.items[i], field);
		else
			put_item(manual, &found.items[i]);
	}
	wt_catalog_deinit(&found);
	return rc;
}
