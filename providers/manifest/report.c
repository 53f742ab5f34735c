// SPDX-License-Identifier: MIT
#include "providers/manifest/report.h"

#include <string.h>

#include "tracecore/schema/decode.h"

static void put_count(struct wt_buf *out, uint32_t n, const char *what)
{
	if (n)
		wt_buf_printf(out, "%u %s%s", n, what, n == 1 ? "" : "s");
	else
		wt_buf_printf(out, "no %ss", what);
}

void wt_manifest_check_text(const char *path, const struct wt_provider *provider, struct wt_remarks *remarks,
			    struct wt_buf *out)
{
	uint32_t errors = remarks->of_kind[WT_REMARK_ERROR];

	wt_remarks_text(remarks, out);
	wt_text_escape(out, path, strlen(path));
	wt_buf_puts(out, ": ");
	if (provider) {
		wt_buf_printf(out, "provider '%s', ", provider->name);
		put_count(out, provider->n_events, "event");
		wt_buf_puts(out, "; ");
	}
	put_count(out, errors, "error");
	wt_buf_puts(out, errors >= WT_MANIFEST_MAX_ERRORS ? " and perhaps more, " : ", ");
	put_count(out, remarks->of_kind[WT_REMARK_WARNING], "warning");
	wt_buf_puts(out, "\n");
}

void wt_manifest_check_json(const char *path, const struct wt_provider *provider, struct wt_remarks *remarks,
			    const char *failure, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", path);
	wt_json_text(&json, "provider", provider ? provider->name : NULL);
	wt_json_number(&json, "events", provider ? provider->n_events : 0);
	wt_json_number(&json, "errors", failure ? 1 : remarks->of_kind[WT_REMARK_ERROR]);
	wt_json_number(&json, "warnings", remarks->of_kind[WT_REMARK_WARNING]);
	wt_remarks_json(remarks, "remarks", &json);
	if (failure)
		wt_json_text(&json, "error", failure);
	wt_json_end_document(&json);
}

void wt_manifest_diff_text(struct wt_remarks *remarks, struct wt_buf *out)
{
	uint32_t bad = remarks->of_kind[WT_REMARK_INCOMPATIBLE];

	wt_remarks_text(remarks, out);
	if (!remarks->n)
		wt_buf_puts(out, "compatible: nothing changed\n");
	else if (bad)
		wt_buf_printf(out, "incompatible: %u of %u changes\n", bad, remarks->n);
	else
		wt_buf_printf(out, "compatible: %u change%s\n", remarks->n, remarks->n == 1 ? "" : "s");
}

void wt_manifest_diff_json(const char *old, const char *fresh, struct wt_remarks *remarks, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "old", old);
	wt_json_text(&json, "new", fresh);
	wt_json_bool(&json, "compatible", !remarks->of_kind[WT_REMARK_INCOMPATIBLE]);
	wt_remarks_json(remarks, "changes", &json);
	wt_json_end_document(&json);
}
