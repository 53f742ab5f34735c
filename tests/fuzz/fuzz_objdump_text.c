/* SPDX-License-Identifier: MIT */
// Covers: consumers/disasm/objdump_text.c consumers/disasm/branch.c
/* What a child prints that calls itself objdump. */
#include <stdlib.h>

#include "consumers/disasm/back.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t address = 0x1000;
	const uint32_t n = 64;
	struct wt_disasm_text text = {0};
	struct wt_err err = WT_ERR_INIT;
	uint64_t at = address;

	if (!wt_objdump_text_read(wt_cursor(data, size), address, n, &text, &err)) {
		for (uint32_t i = 0; i < text.n; i++) {
			if (text.lines[i].address != at || !text.lines[i].size)
				abort();
			at += text.lines[i].size;
			wt_disasm_classify(i % 2 ? WT_DISASM_ARM64 : WT_DISASM_X86_64,
					   wt_disasm_line_text(&text, i), &text.lines[i]);
		}
		if (at != address + n)
			abort();
	}
	wt_disasm_text_deinit(&text);
	return 0;
}
