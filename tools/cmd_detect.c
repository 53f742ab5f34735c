// SPDX-License-Identifier: MIT
#include "tools/cmd.h"
#include "tools/form.h"
#include "consumers/inventory/devices.h"
#include "tracecore/base/diag.h"

const struct wt_option cmd_detect_options[] = {
	{.rows = wt_form_options},
	WT_OPTIONS_END,
};

int cmd_detect(int argc, char **argv, struct wt_err *err)
{
	struct wt_form form = {0};
	struct wt_table table = {0};
	struct wt_buf out = {0};
	struct wt_json json = wt_json(&out);
	int rc;

	if (wt_options_words(argc, argv, cmd_detect_options, NULL, &form, err) < 0)
		return -1;
	rc = wt_devices_list("", wt_diag_verbose() || !wt_form_is_json(&form), &table, err);
	if (!rc && wt_form_is_json(&form)) {
		wt_json_object(&json, NULL);
		wt_table_json(&table, "Devices", &json);
		wt_json_end_document(&json);
	} else if (!rc) {
		wt_table_print(&table, &out);
	}
	wt_table_deinit(&table);
	return rc ? -1 : wt_form_put(&form, &out, err);
}
