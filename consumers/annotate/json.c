/* SPDX-License-Identifier: MIT */
#include "consumers/annotate/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_str(struct wt_json *json, const char *key, struct wt_str text)
{
	if (text.p)
		wt_json_bytes(json, key, text.p, text.len);
	else
		wt_json_null(json, key);
}

static void put_address(struct wt_json *json, const char *key, uint64_t address)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%llx", (unsigned long long)address);

	wt_json_bytes(json, key, text, (size_t)n);
}

/* ---- as wperf ---- */

static void put_wperf_asm(const struct wt_annotated_function *function, uint32_t line, struct wt_json *json)
{
	const struct wt_annotated_instruction *list = function->instructions, *hot = NULL;

	for (uint32_t i = 0; i < function->n_instructions; i++)
		if (list[i].line == line && (!hot || list[i].hits > hot->hits))
			hot = &list[i];
	put_address(json, "instruction_address", hot ? hot->address : 0);
	wt_json_object(json, "disassembled_line");
	wt_json_array(json, "disassemble");
	for (uint32_t i = 0; i < function->n_instructions; i++) {
		if (list[i].line != line)
			continue;
		wt_json_object(json, NULL);
		put_address(json, "address", list[i].address);
		wt_json_bytes(json, "instruction", list[i].text.p ? list[i].text.p : "", list[i].text.len);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	wt_json_end_object(json);
}

static int most_hits_first(const void *x, const void *y, void *ctx)
{
	const struct wt_annotated_line *lines = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (lines[a].hits != lines[b].hits)
		return lines[a].hits > lines[b].hits ? -1 : 1;
	return a < b ? -1 : 1;
}

static void put_wperf_lines(const struct wt_annotated_function *function, bool with_asm, struct wt_json *json)
{
	uint32_t *order = calloc((size_t)function->n_lines + 1, sizeof(*order)), n = 0;

	if (!order) {
		json->out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < function->n_lines; i++)
		if (function->lines[i].hits)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), most_hits_first, function->lines);
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_annotated_line *line = &function->lines[order[i]];

		wt_json_object(json, NULL);
		wt_json_number(json, "line_number", line->line);
		wt_json_number(json, "hits", line->hits);
		put_str(json, "filename", line->file);
		if (with_asm)
			put_wperf_asm(function, order[i], json);
		wt_json_end_object(json);
	}
	free(order);
}

/* "name:module", without the module's directory. */
static void put_name(const struct wt_annotated_function *function, const char *key, struct wt_json *json)
{
	struct wt_str module = wt_view_module_end(function->module);
	struct wt_buf name = {0};

	wt_buf_put(&name, function->name.p, function->name.len);
	wt_buf_puts(&name, ":");
	wt_buf_put(&name, module.p, module.len);
	wt_json_bytes(json, key, name.data, name.len);
	json->out->failed |= name.failed;
	wt_buf_deinit(&name);
}

void wt_annotation_wperf(const struct wt_annotation *annotation, uint32_t from, uint32_t to, bool with_asm,
			 struct wt_json *json)
{
	wt_json_array(json, "annotate");
	for (uint32_t i = from; i < to; i++) {
		wt_json_object(json, NULL);
		put_name(&annotation->functions[i], "function_name", json);
		wt_json_array(json, "source_code");
		put_wperf_lines(&annotation->functions[i], with_asm, json);
		wt_json_end_array(json);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

/* A row of wperf's table of samples; "overhead" in percent. */
static void put_sample(const struct wt_annotated_function *function, struct wt_json *json)
{
	wt_json_object(json, NULL);
	wt_json_key(json, "overhead");
	wt_buf_printf(json->out, "%.4f",
		      function->table_hits ? 100.0 * (double)function->hits / (double)function->table_hits
					   : 0);
	wt_json_number(json, "count", function->hits);
	put_name(function, "symbol", json);
	wt_json_end_object(json);
}

static void put_event(const struct wt_annotation *annotation, uint32_t from, uint32_t to, bool with_asm,
		      struct wt_json *json)
{
	struct wt_str event = annotation->functions[from].event;

	wt_json_object(json, NULL);
	wt_json_bytes(json, "type", event.p, event.len);
	wt_json_array(json, "samples");
	for (uint32_t i = from; i < to; i++)
		put_sample(&annotation->functions[i], json);
	wt_json_end_array(json);
	wt_json_number(json, "interval", 0);
	wt_json_number(json, "printed_sample_num", to - from);
	wt_annotation_wperf(annotation, from, to, with_asm, json);
	wt_json_end_object(json);
}

void wt_annotation_sampling(const struct wt_annotation *annotation, const struct wt_annotate_choice *choice,
			    uint64_t generated, uint64_t dropped, struct wt_json *json)
{
	wt_json_object(json, "sampling");
	wt_json_text(json, "pe_file", "");
	wt_json_text(json, "pdb_file", "");
	wt_json_number(json, "sample_display_row", choice->top ? choice->top : WT_ANNOTATE_TOP);
	wt_json_number(json, "samples_generated", generated);
	wt_json_number(json, "samples_dropped", dropped);
	/* Addresses are those of the file: a reader has nothing to add. */
	wt_json_number(json, "base_address", 0);
	wt_json_number(json, "runtime_delta", 0);
	wt_json_array(json, "events");
	for (uint32_t from = 0, to; from < annotation->n; from = to) {
		struct wt_str event = annotation->functions[from].event;

		for (to = from; to < annotation->n && annotation->functions[to].event.len == event.len &&
				!memcmp(annotation->functions[to].event.p, event.p, event.len);
		     to++)
			;
		put_event(annotation, from, to, !choice->no_asm, json);
	}
	wt_json_end_array(json);
	wt_json_end_object(json);
}

/* ---- all there is ---- */

static void put_lines(const struct wt_annotated_function *function, struct wt_json *json)
{
	wt_json_array(json, "lines");
	for (uint32_t i = 0; i < function->n_lines; i++) {
		const struct wt_annotated_line *line = &function->lines[i];

		wt_json_object(json, NULL);
		put_str(json, "file", line->file);
		wt_json_number(json, "line", line->line);
		put_str(json, "inlined", line->inlined.len ? line->inlined : (struct wt_str){0});
		wt_json_number(json, "hits", line->hits);
		put_str(json, "text", line->text);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void put_instructions(const struct wt_annotated_function *function, struct wt_json *json)
{
	wt_json_array(json, "instructions");
	for (uint32_t i = 0; i < function->n_instructions; i++) {
		const struct wt_annotated_instruction *row = &function->instructions[i];

		wt_json_object(json, NULL);
		put_address(json, "address", row->address);
		wt_json_hex(json, "bytes", row->bytes.p, row->bytes.len);
		put_str(json, "text", row->text);
		wt_json_number(json, "hits", row->hits);
		wt_json_known(json, "line", row->line, WT_ANNOTATE_NONE);
		wt_json_known(json, "target", row->target, WT_ANNOTATE_NONE);
		wt_json_bool(json, "block", row->block);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

void wt_annotation_json(const struct wt_annotation *annotation, struct wt_json *json)
{
	wt_json_array(json, "functions");
	for (uint32_t i = 0; i < annotation->n; i++) {
		const struct wt_annotated_function *function = &annotation->functions[i];

		wt_json_object(json, NULL);
		put_str(json, "event", function->event);
		put_str(json, "function", function->name);
		put_str(json, "module", function->module);
		wt_json_number(json, "hits", function->hits);
		wt_json_number(json, "table_hits", function->table_hits);
		wt_json_number(json, "unplaced", function->unplaced);
		put_str(json, "no_code", function->no_code.len ? function->no_code : (struct wt_str){0});
		put_str(json, "no_source",
			function->no_source.len ? function->no_source : (struct wt_str){0});
		put_lines(function, json);
		put_instructions(function, json);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	wt_json_number(json, "functions_not_shown", annotation->n_left_out);
}
