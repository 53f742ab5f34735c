/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/image_names.c
// Covers: consumers/symbols/image_inputs.c
/* Any file as what is kept of an image of build "ab" at /x, with debug files in /d. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/image_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_names(const struct wt_name_rows *rows, uint64_t address)
{
	struct wt_symtab_hit hit;

	if (wt_name_rows_find(rows, address, &hit) && strlen(hit.name) >= rows->names_len)
		abort();
}

/* An address has a line or none, but always the same. */
static void ask_lines(const struct wt_image_names *names, const uint64_t *addresses, size_t n)
{
	struct wt_line_table table;
	struct wt_lines *lines;
	struct wt_line line, again;

	if (!wt_line_table_reopen(&names->sections, names->sequences, &table))
		return;
	lines = wt_lines_of_table(&table);
	if (!lines)
		wt_line_table_deinit(&table);
	for (size_t i = 0; lines && i < n; i++)
		if (wt_lines_find(lines, addresses[i], &line) &&
		    (!wt_lines_find(lines, addresses[i], &again) || line.line != again.line))
			abort();
	wt_lines_close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = {0, 1, 0x1000, 0x1139, 0x1150, 0x401126, UINT64_MAX};
	const struct wt_image_roots roots = {.debug = "/d", .sysroot = ""};
	const struct wt_log_image image = {.kind = WT_IMAGE_FILE, .build_id = {"ab", 2}, .path = {"/x", 2}};
	struct wt_image_names names;
	uint64_t address;

	if (!wt_image_names_read(wt_cursor(data, size), &roots, &image, &names))
		return 0;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		ask_names(&names.rows, addresses[i]);
		wt_elf_address(&names.loads, addresses[i], &address);
	}
	ask_lines(&names, addresses, sizeof(addresses) / sizeof(addresses[0]));
	return 0;
}
