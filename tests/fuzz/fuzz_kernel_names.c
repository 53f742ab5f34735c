/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/kernel_names.c
// Covers: consumers/symbols/name_rows.c
/* Any file as the kept functions of a kernel: two bytes of build id, then the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/kernel_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct wt_name_rows *rows)
{
	static const uint64_t addresses[] = {0, 0x1000, 0xffffffff81000000, 0xffffffff81000010, UINT64_MAX};
	struct wt_symtab_hit hit;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (wt_name_rows_find(rows, addresses[i], &hit) && strlen(hit.name) >= rows->names_len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_str id = {(const char *)data, 2};
	struct wt_name_rows rows;

	if (size >= 2 && wt_kernel_names_read(wt_cursor(data + 2, size - 2), id, 0xffffffff81000000, &rows))
		ask(&rows);
	return 0;
}
