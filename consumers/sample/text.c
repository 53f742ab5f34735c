// SPDX-License-Identifier: MIT
#include "consumers/sample/result.h"
#include "tracecore/base/table.h"

/* The instructions of a line below each other, the line's own cells beside the first. */
static void put_instructions(const struct wt_annotated_function *function, uint32_t line,
			     struct wt_table *table)
{
	const struct wt_annotated_instruction *list = function->instructions;
	uint32_t hot = WT_ANNOTATE_NONE, n = 0;

	for (uint32_t i = 0; i < function->n_instructions; i++)
		if (list[i].line == line && (hot == WT_ANNOTATE_NONE || list[i].hits > list[hot].hits))
			hot = i;
	for (uint32_t i = 0; i < function->n_instructions; i++) {
		if (list[i].line != line)
			continue;
		for (int k = 0; n && k < 3; k++)
			wt_table_cell(table, "%s", "");
		if (n)
			wt_table_cell(table, "%s", "");
		else
			wt_table_cell(table, "%llx", (unsigned long long)list[hot].address);
		wt_table_cell(table, "%llx  %.*s", (unsigned long long)list[i].address, (int)list[i].text.len,
			      list[i].text.p ? list[i].text.p : "");
		n++;
	}
	for (int k = 0; !n && k < 2; k++)
		wt_table_cell(table, "%s", "");
}

static void put_lines(const struct wt_annotated_function *function, bool with_asm, struct wt_table *table)
{
	for (uint32_t i = 0; i < function->n_lines; i++) {
		const struct wt_annotated_line *line = &function->lines[i];

		if (!line->hits)
			continue;
		wt_table_cell(table, "%u", line->line);
		wt_table_cell(table, "%llu", (unsigned long long)line->hits);
		wt_table_cell(table, "%.*s", (int)line->file.len, line->file.p);
		if (with_asm)
			put_instructions(function, i, table);
	}
}

static void put_function(const struct wt_annotated_function *function, bool with_asm, struct wt_buf *out)
{
	struct wt_table table = {0};
	struct wt_str module = wt_view_module_end(function->module);

	wt_buf_puts(out, "\n");
	wt_text_escape(out, function->name.p, function->name.len);
	wt_buf_puts(out, ":");
	wt_text_escape(out, module.p, module.len);
	wt_buf_puts(out, "\n");
	if (function->hits > function->unplaced) {
		wt_table_column(&table, "line_number", true);
		wt_table_column(&table, "hits", true);
		wt_table_column(&table, "filename", false);
		if (with_asm) {
			wt_table_column(&table, "instruction_address", true);
			wt_table_column(&table, "disassembled_line", false);
		}
		put_lines(function, with_asm, &table);
		wt_table_print(&table, out);
	}
	wt_table_deinit(&table);
	if (function->unplaced)
		wt_buf_printf(
			out, "        %llu hits without a line: no debug information is here or in the log\n",
			(unsigned long long)function->unplaced);
}

static void put_event(const struct wt_sample_event *event, const struct wt_sample_choice *choice,
		      struct wt_buf *out)
{
	struct wt_table table = {0};

	wt_buf_printf(out, "======================== sample source: %s, ", event->name);
	if (choice->rows)
		wt_buf_printf(out, "top %u", choice->rows);
	else
		wt_buf_puts(out, "all");
	wt_buf_puts(out, " hot functions ========================\n");
	wt_table_column(&table, "overhead", true);
	wt_table_column(&table, "count", true);
	wt_table_column(&table, "symbol", false);
	for (size_t i = 0; i < event->n_rows; i++) {
		wt_table_cell(&table, "%.2f", event->rows[i].overhead);
		wt_table_cell(&table, "%llu", (unsigned long long)event->rows[i].count);
		wt_table_cell(&table, "%s", event->rows[i].symbol);
	}
	wt_table_print(&table, out);
	wt_table_deinit(&table);
	wt_buf_printf(out, "%6.2f%%%10llu  top %zu in total",
		      event->total ? 100.0 * (double)event->shown / (double)event->total : 0.0,
		      (unsigned long long)event->shown, event->n_rows);
	if (event->n_rows < event->n_all)
		wt_buf_printf(out, ", of %zu rows and %llu events", event->n_all,
			      (unsigned long long)event->total);
	wt_buf_puts(out, "\n");
}

void wt_sample_text(const struct wt_sample_result *result, const struct wt_sample_choice *choice,
		    struct wt_buf *out)
{
	if (choice->details)
		wt_sample_text_modules(result, out);
	for (size_t i = 0; i < result->n_events; i++) {
		uint32_t end, from = wt_sample_annotated(result, &result->events[i], &end);

		put_event(&result->events[i], choice, out);
		if (choice->details)
			wt_sample_text_addresses(result, &result->events[i], choice, out);
		for (; from < end; from++)
			put_function(&result->annotation.functions[from], choice->disassemble, out);
	}
	if (!result->n_events)
		wt_buf_puts(out, "no samples\n");
	wt_buf_printf(out, "\n                %.2f seconds time elapsed\n", choice->seconds);
}
