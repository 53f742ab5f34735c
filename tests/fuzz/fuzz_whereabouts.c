/* SPDX-License-Identifier: MIT */
// Covers: consumers/record/whereabouts.c
/* Any text as /proc/PID/cgroup, as a control group's path and as /proc/PID/status. */
#include <stdint.h>
#include <stdlib.h>

#include "consumers/record/whereabouts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_str text = wt_str_of(data, size), path = wt_cgroup_path(text);
	struct wt_buf out = {0};

	if (path.len && (path.p < text.p || path.p + path.len > text.p + text.len))
		abort();
	wt_cgroup_container(path, &out);
	if (out.len > path.len)
		abort();
	wt_buf_clear(&out);
	wt_cgroup_container(text, &out);
	wt_buf_deinit(&out);
	if (wt_status_inside_pid(text) > INT32_MAX)
		abort();
	return 0;
}
