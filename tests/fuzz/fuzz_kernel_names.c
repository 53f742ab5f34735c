/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/kernel_names.c
/* Any file as the kept functions of a kernel: two bytes of build id, then the file, whose hash is made right
 * so that what lies behind it is reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/kernel_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct wt_symtab *table)
{
	static const uint64_t addresses[] = {0, 0x1000, 0xffffffff81000000, 0xffffffff81000010, UINT64_MAX};
	struct wt_symtab_hit hit;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (wt_symtab_find(table, addresses[i], &hit) && strlen(hit.name) >= table->names_len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_str id = {(const char *)data, 2};
	struct wt_symtab table;
	uint8_t *file;

	if (size < 2)
		return 0;
	file = malloc(size - 2 + 1);
	if (!file)
		return 0;
	memcpy(file, data + 2, size - 2);
	wt_kernel_names_sign(file, size - 2);
	if (wt_kernel_names_read(wt_cursor(file, size - 2), id, 0xffffffff81000000, &table)) {
		ask(&table);
		wt_symtab_deinit(&table);
	}
	free(file);
	return 0;
}
