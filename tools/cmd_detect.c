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
	int rc;

	if (wt_options_words(argc, argv, cmd_detect_options, NULL, &form, err) < 0)
		return -1;
	rc = wt_devices_list("", wt_diag_verbose() || !wt_form_is_json(&form), &table, err);
	if (!rc)
		rc = wt_form_put_table(&form, &table, "Devices", wt_table_print, err);
	wt_table_deinit(&table);
	return rc;
}
