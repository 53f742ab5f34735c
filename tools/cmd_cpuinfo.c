// SPDX-License-Identifier: MIT
#include "tools/cmd.h"
#include "tools/pmu/cpus.h"

const char cmd_cpuinfo_help[] = "usage: wtrace cpuinfo [--telemetry FILE] [--json]\n"
				"\n"
				"Shows each CPU: its node, package, cluster and core, its highest frequency, "
				"its model, the table that\n"
				"its PMU's events and metrics come from, and its identification: MIDR_EL1 on "
				"arm64; vendor, family, model\n"
				"(hexadecimal) and stepping on x86. CPUs of one machine may be of different "
				"models. A CPU that is offline\n"
				"reports nothing.\n"
				"\n"
				"@options\n"
				"\n"
				"examples:\n"
				"  wtrace cpuinfo\n"
				"  wtrace cpuinfo --json | jq '.cpus[].table'\n";

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
