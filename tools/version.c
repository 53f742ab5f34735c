// SPDX-License-Identifier: MIT
#include "tools/version.h"

#include <sys/utsname.h>

#include "tracecore/base/json.h"

static const char *const features[] = {"perf", "tracepoints", "zstd", "elfutils", "demangle"};
#define N_FEATURES (sizeof(features) / sizeof(features[0]))

static const char *machine(void)
{
	static struct utsname name;

	return uname(&name) ? "unknown" : name.machine;
}

void wt_version_text(struct wt_buf *out)
{
	wt_buf_printf(out, "wtrace %s (%s) ", WT_VERSION, machine());
	for (size_t i = 0; i < N_FEATURES; i++)
		wt_buf_printf(out, "+%s", features[i]);
	wt_buf_puts(out, "\n");
}

void wt_version_json(struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "name", "wtrace");
	wt_json_text(&json, "version", WT_VERSION);
	wt_json_text(&json, "machine", machine());
	wt_json_array(&json, "features");
	for (size_t i = 0; i < N_FEATURES; i++)
		wt_json_text(&json, NULL, features[i]);
	wt_json_end_array(&json);
	wt_json_end_document(&json);
}
