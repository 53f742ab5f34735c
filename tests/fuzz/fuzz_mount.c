/* SPDX-License-Identifier: MIT */
// Covers: tracecore/base/mount.c
/* Any text as mountinfo: a byte for the mount, a byte for the size of parts, then the text. In parts it says
 * the same as whole.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tracecore/base/mount.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum wt_mount_kind ask(const uint8_t *data, size_t size, size_t part, uid_t *by)
{
	struct wt_mount_search search;

	wt_mount_search_begin(&search, data[0]);
	for (size_t at = 2; at < size; at += part)
		if (wt_mount_search_take(&search, (const char *)data + at,
					 part < size - at ? part : size - at))
			break;
	return wt_mount_search_end(&search, by);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum wt_mount_kind whole;
	uid_t by, again;

	if (size < 2)
		return 0;
	whole = ask(data, size, size, &by);
	if (ask(data, size, data[1] + 1u, &again) != whole || again != by)
		abort();
	if (whole != WT_MOUNT_PROGRAM && by != WT_MOUNT_NOBODY)
		abort();
	return 0;
}
