// SPDX-License-Identifier: MIT
#include "consumers/sample/result.h"
#include "consumers/annotate/json.h"
#include "tracecore/base/json.h"

static void put_rows(const struct wt_sample_event *event, struct wt_json *json)
{
	wt_json_array(json, "samples");
	for (size_t i = 0; i < event->n_rows; i++) {
		wt_json_object(json, NULL);
		wt_json_key(json, "overhead");
		wt_buf_printf(json->out, "%.6g", event->rows[i].overhead);
		json->more = true;
		wt_json_number(json, "count", event->rows[i].count);
		wt_json_text(json, "symbol", event->rows[i].symbol);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_event(const struct wt_sample_result *result, const struct wt_sample_event *event,
		      const struct wt_sample_choice *choice, struct wt_json *json)
{
	uint32_t end, from = wt_sample_annotated(result, event, &end);

	wt_json_object(json, NULL);
	wt_json_text(json, "type", event->name);
	put_rows(event, json);
	wt_json_number(json, "interval", event->interval);
	wt_json_number(json, "printed_sample_num", event->n_rows);
	if (choice->details)
		wt_sample_json_addresses(result, event, choice, json);
	wt_annotation_wperf(&result->annotation, from, end, choice->disassemble, json);
	wt_json_end_object(json);
}

void wt_sample_json(const struct wt_sample_result *result, const struct wt_sample_choice *choice,
		    struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_object(&json, "sampling");
	wt_json_text(&json, "pe_file", choice->pe_file ? choice->pe_file : "");
	wt_json_text(&json, "pdb_file", choice->pdb_file ? choice->pdb_file : "");
	wt_json_number(&json, "sample_display_row", choice->rows);
	wt_json_number(&json, "samples_generated", result->samples + result->dropped);
	wt_json_number(&json, "samples_dropped", result->dropped);
	/* Addresses are those in the file: a reader adds no load address. */
	wt_json_number(&json, "base_address", 0);
	wt_json_number(&json, "runtime_delta", 0);
	if (choice->details)
		wt_sample_json_modules(result, &json);
	wt_json_array(&json, "events");
	for (size_t i = 0; i < result->n_events; i++)
		put_event(result, &result->events[i], choice, &json);
	wt_json_end_array(&json);
	wt_json_end_object(&json);
	wt_json_end_object(&json);
	wt_buf_puts(out, "\n");
}
