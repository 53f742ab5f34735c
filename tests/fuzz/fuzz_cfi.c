/* SPDX-License-Identifier: MIT */
// Covers: tracecore/stackwalk/build.c
// Covers: tracecore/stackwalk/cfi*.c
// Covers: tracecore/stackwalk/table_writer.c
/* Call frame information of any content as a module: the first byte chooses machine and kind of section, the
 * rest is the section, and the code it describes too. The table that comes out must be one. */
#include <stdint.h>
#include <stdlib.h>

#include "tracecore/stackwalk/build.h"
#include "tracecore/stackwalk/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
	if (!good)
		abort();
}

/* Every page begins with a row, rows ascend, rules exist. */
static void check_rows(const struct wt_unwind_view *view, uint32_t n_pages)
{
	require(view->pages[0] == 0 && view->pages[n_pages] == view->n_rows);
	for (uint32_t page = 0; page < n_pages; page++) {
		uint32_t first = view->pages[page], end = view->pages[page + 1];

		require(first < end && view->starts[first] == 0);
		for (uint32_t row = first; row < end; row++) {
			require(row == first || view->starts[row - 1] < view->starts[row]);
			require((view->ids ? view->ids[row] : view->wide_ids[row]) < view->n_rules);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_unwind_code code = {.start = 0x1000, .end = 0x1000 + (UINT64_C(1) << 24)};
	struct wt_unwind_input input = {.code = &code, .n_code = 1, .machine = WT_ABI_UNWIND_X86_64};
	struct wt_cfi_section section = {.address = 0x1000};
	struct wt_unwind_table table;
	struct wt_unwind_view view;
	struct wt_err err = WT_ERR_INIT;

	if (!size)
		return 0;
	if (data[0] & 1)
		input.machine = WT_ABI_UNWIND_AARCH64;
	section.bytes = data + 1;
	section.len = size - 1;
	if (data[0] & 4) {
		code.end = code.start + section.len;
		code.bytes = section.bytes;
	}
	section.debug = data[0] & 2;
	*(section.debug ? &input.debug_frame : &input.eh_frame) = section;
	if (wt_unwind_build(&input, &table, &err) != 0)
		return 0;
	require(wt_unwind_view(table.bytes, table.size, &view, &err) == 0);
	require(((const struct wt_abi_unwind *)table.bytes)->checksum ==
		wt_unwind_checksum(table.bytes, table.size));
	check_rows(&view, ((const struct wt_abi_unwind *)table.bytes)->n_pages);
	wt_unwind_table_deinit(&table);
	return 0;
}
