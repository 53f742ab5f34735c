// SPDX-License-Identifier: MIT
/* What -v adds: code addresses with their samples, and the modules that these lie in. */
#include "consumers/sample/result.h"
#include "consumers/sample/symbol.h"
#include "tracecore/base/json.h"
#include "tracecore/base/table.h"

#include <string.h>

static bool is_shown(const struct wt_hit_address *row, const struct wt_sample_event *event,
		     const struct wt_sample_choice *choice)
{
	/* Strings of the result end in a zero. */
	return !strcmp(row->event.p, event->name) && wt_sample_symbol_fits(choice->symbol, row->name.p);
}

/* ---- JSON ---- */

static void put_sections(const struct wt_hit_image *image, struct wt_json *json)
{
	wt_json_array(json, "sections");
	for (uint32_t i = 0; i < image->n_sections; i++) {
		wt_json_object(json, NULL);
		wt_json_bytes(json, "section", image->sections[i].name.p, image->sections[i].name.len);
		wt_json_number(json, "offset", image->sections[i].address);
		wt_json_number(json, "virtual_size", image->sections[i].size);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

void wt_sample_json_modules(const struct wt_sample_result *result, struct wt_json *json)
{
	const struct wt_hits *hits = &result->hits;

	wt_json_array(json, "modules");
	for (uint32_t i = 0; i < hits->n_images; i++) {
		struct wt_str name = wt_view_module_end(hits->images[i].path);

		wt_json_object(json, NULL);
		wt_json_bytes(json, "name", name.p, name.len);
		/* Addresses are those of the file, as base_address says. */
		wt_json_number(json, "address", 0);
		wt_json_bytes(json, "path", hits->images[i].path.p, hits->images[i].path.len);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	wt_json_array(json, "modules_info");
	for (uint32_t i = 0; i < hits->n_images; i++) {
		struct wt_str name = wt_view_module_end(hits->images[i].path);

		wt_json_object(json, NULL);
		put_sections(&hits->images[i], json);
		wt_json_bytes(json, "module", name.p, name.len);
		wt_json_text(json, "pdb_file", "");
		wt_json_bytes(json, "pe_name", hits->images[i].path.p, hits->images[i].path.len);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

void wt_sample_json_addresses(const struct wt_sample_result *result, const struct wt_sample_event *event,
			      const struct wt_sample_choice *choice, struct wt_json *json)
{
	wt_json_array(json, "pcs");
	for (uint32_t i = 0; i < result->hits.n_addresses; i++) {
		const struct wt_hit_address *row = &result->hits.addresses[i];

		if (!is_shown(row, event, choice))
			continue;
		wt_json_object(json, NULL);
		wt_json_number(json, "address", row->address);
		wt_json_number(json, "count", row->hits);
		wt_json_bytes(json, "in_symbol", row->name.p, row->name.len);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

/* ---- text ---- */

static void put_escaped(struct wt_table *table, struct wt_str text)
{
	struct wt_buf plain = {0};

	wt_text_escape(&plain, text.p, text.len);
	wt_table_cell(table, "%s", wt_buf_cstr(&plain));
	wt_buf_deinit(&plain);
}

void wt_sample_text_modules(const struct wt_sample_result *result, struct wt_buf *out)
{
	struct wt_table table = {0};

	if (!result->hits.n_images)
		return;
	wt_table_column(&table, "module", false);
	wt_table_column(&table, "path", false);
	for (uint32_t i = 0; i < result->hits.n_images; i++) {
		put_escaped(&table, wt_view_module_end(result->hits.images[i].path));
		put_escaped(&table, result->hits.images[i].path);
	}
	wt_table_print(&table, out);
	wt_table_deinit(&table);
	wt_buf_puts(out, "\n");
}

void wt_sample_text_addresses(const struct wt_sample_result *result, const struct wt_sample_event *event,
			      const struct wt_sample_choice *choice, struct wt_buf *out)
{
	uint32_t shown = 0, all = 0;
	struct wt_table table = {0};

	wt_table_column(&table, "address", true);
	wt_table_column(&table, "count", true);
	wt_table_column(&table, "in symbol", false);
	for (uint32_t i = 0; i < result->hits.n_addresses; i++) {
		const struct wt_hit_address *row = &result->hits.addresses[i];

		if (!is_shown(row, event, choice) || (choice->rows && all++ >= choice->rows))
			continue;
		wt_table_cell(&table, "%llx", (unsigned long long)row->address);
		wt_table_cell(&table, "%llu", (unsigned long long)row->hits);
		put_escaped(&table, row->name);
		shown++;
	}
	if (shown) {
		wt_buf_puts(out, "\n");
		wt_table_print(&table, out);
	}
	if (shown < all)
		wt_buf_printf(out, "        the first %u of %u addresses\n", shown, all);
	wt_table_deinit(&table);
}
