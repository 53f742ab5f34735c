// SPDX-License-Identifier: MIT
#include "tools/cmd.h"
#include "tools/pmu/cpus.h"

const struct wt_option cmd_cmninfo_options[] = {
	{"json", 0, NULL, "one JSON object instead of text", .set = wt_set_flag},
	WT_OPTIONS_END,
};

int cmd_cmninfo(int argc, char **argv, struct wt_err *err)
{
	bool as_json = false;
	struct wt_buf out = {0};
	int rc;

	if (wt_options_words(argc, argv, cmd_cmninfo_options, NULL, &as_json, err) < 0)
		return -1;
	rc = wt_show_meshes("", as_json, &out, err);
	if (!rc)
		rc = wt_output_put(&out, err);
	wt_buf_deinit(&out);
	return rc;
}
