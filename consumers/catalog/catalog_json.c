// SPDX-License-Identifier: MIT
/* The events as JSON. */
#include "consumers/catalog/catalog.h"

#include <string.h>

#include "tracecore/base/json.h"

static void put_fields_json(const struct wt_event_desc *event, struct wt_json *json)
{
	struct wt_buf type = {0};

	wt_json_array(json, "fields");
	for (uint32_t i = 0; i < event->n_fields; i++) {
		wt_field_type_text(&event->fields[i], &type);
		wt_json_object(json, NULL);
		wt_json_text(json, "name", event->fields[i].name);
		wt_json_text(json, "type", wt_buf_cstr(&type));
		wt_json_end_object(json);
		wt_buf_clear(&type);
	}
	wt_json_end_array(json);
	wt_buf_deinit(&type);
}

static const char *option_of(const struct wt_catalog_item *item)
{
	if (wt_catalog_is_tracepoint(item))
		return "-p";
	return strcmp(item->group, "model") ? "-e" : "stat -e";
}

void wt_catalog_json(const struct wt_catalog *catalog, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_array(&json, "events");
	for (size_t i = 0; i < catalog->n; i++) {
		const struct wt_catalog_item *item = &catalog->items[i];

		wt_json_next_line(&json);
		wt_json_object(&json, NULL);
		wt_json_text(&json, "group", item->group);
		wt_json_text(&json, "name", item->name);
		wt_json_text(&json, "option", option_of(item));
		wt_json_text(&json, "help", item->help);
		if (item->schema)
			put_fields_json(&item->schema->events[0], &json);
		if (item->flaw)
			wt_json_text(&json, "flaw", item->flaw);
		wt_json_end_object(&json);
	}
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
}
