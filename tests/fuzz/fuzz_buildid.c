/* SPDX-License-Identifier: MIT */
// Covers: providers/perf/buildid.c
/* Build ids: the input as an ELF image and as notes. Any user can map any file. */
#include <stdlib.h>
#include <string.h>

#include "providers/perf/buildid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_build_id id;

	wt_build_id_of_memory(data, size, &id);
	if (id.len > WT_BUILD_ID_MAX)
		abort();
	wt_build_id_of_notes(data, size, &id);
	if (id.len > WT_BUILD_ID_MAX)
		abort();
	return 0;
}
