// SPDX-License-Identifier: MIT
#include "tools/version.h"

#include <sys/utsname.h>

#include "tracecore/schema/decode.h"

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
	const char *text = machine();

	wt_buf_puts(out, "{\"name\":\"wtrace\",\"version\":\"" WT_VERSION "\",\"machine\":");
	wt_json_string(out, text, strlen(text));
	wt_buf_puts(out, ",\"features\":[");
	for (size_t i = 0; i < N_FEATURES; i++)
		wt_buf_printf(out, "%s\"%s\"", i ? "," : "", features[i]);
	wt_buf_puts(out, "]}\n");
}
