// SPDX-License-Identifier: MIT
#include "consumers/doctor/findings.h"

#include "tracecore/base/json.h"

static void put_check_json(const struct wt_check *check, struct wt_json *json)
{
	wt_json_next_line(json);
	wt_json_object(json, NULL);
	wt_json_text(json, "name", check->name);
	wt_json_text(json, "state", wt_check_state_name(check->state));
	wt_json_bool(json, "needed", check->needed);
	wt_json_text(json, "value", check->value);
	wt_json_text(json, "meaning", check->meaning);
	wt_json_text(json, "fix", check->fix[0] ? check->fix : NULL);
	wt_json_end_object(json);
}

void wt_findings_json(const struct wt_findings *findings, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_number(&json, "uid", findings->facts->uid);
	wt_json_bool(&json, "recording", findings->possible);
	wt_json_text(&json, "scope", findings->possible ? findings->scope : NULL);
	wt_json_array(&json, "checks");
	for (size_t i = 0; i < findings->n; i++)
		put_check_json(&findings->checks[i], &json);
	wt_json_end_lines(&json);
	wt_json_end_document(&json);
}
