// SPDX-License-Identifier: MIT
#include "tools/cmd.h"
#include "tools/pmu/cpus.h"

struct cpuinfo {
	const char *telemetry;
	bool as_json;
};

const struct wt_option cmd_cpuinfo_options[] = {
	{"telemetry", 0, "FILE", "a vendor's telemetry file in place of the table of its CPU",
	 WT_TEXT(struct cpuinfo, telemetry), .values = "@files"},
	{"json", 0, NULL, "one JSON object instead of text", WT_FLAG(struct cpuinfo, as_json)},
	WT_OPTIONS_END,
};

int cmd_cpuinfo(int argc, char **argv, struct wt_err *err)
{
	struct cpuinfo cpuinfo = {0};
	struct wt_buf out = {0};
	int rc;

	if (wt_options_words(argc, argv, cmd_cpuinfo_options, NULL, &cpuinfo, err) < 0)
		return -1;
	rc = wt_show_cpus("", cpuinfo.telemetry, cpuinfo.as_json, &out, err);
	if (!rc)
		rc = wt_output_put(&out, err);
	wt_buf_deinit(&out);
	return rc;
}
