/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/line_*.c
/* Any bytes as .debug_line, the u16 at the front of them as .debug_line_str. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sequences are in order, and an address of one has a line or none, but always the same. */
static void ask(struct wt_line_table *table, uint64_t address)
{
	uint32_t line = 0, again = 0;
	const char *file;
	bool found = wt_line_table_find(table, address, &file, &line);

	if (found && !file)
		abort();
	if (wt_line_table_find(table, address, &file, &again) != found || (found && again != line))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_line_sections sections;
	struct wt_line_table table;
	size_t strings;

	if (size < 2)
		return 0;
	strings = wt_load_u16(data);
	if (strings > size - 2)
		strings = size - 2;
	sections.line_str = wt_cursor(data + 2, strings);
	sections.line = wt_cursor(data + 2 + strings, size - 2 - strings);
	if (!wt_line_table_open(&sections, &table))
		return 0;
	for (size_t i = 0; i < table.n && i < 64; i++) {
		const struct wt_line_sequence *sequence = &table.sequences[i];

		if (i && sequence->low < sequence[-1].high)
			abort();
		ask(&table, sequence->low);
		ask(&table, sequence->low + (sequence->high - sequence->low) / 2);
		ask(&table, sequence->high - 1);
	}
	wt_line_table_deinit(&table);
	return 0;
}
