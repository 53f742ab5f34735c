// SPDX-License-Identifier: MIT
#include "tools/cmd.h"
#include "tools/pmu/cpus.h"

const char cmd_cmninfo_help[] =
	"usage: wtrace cmninfo [--json]\n"
	"\n"
	"Shows the machine's coherent mesh networks (Arm CMN and CI-700): product, revision, the number of "
	"events\n"
	"that the kernel names, and the CPU that counts for the mesh. For root it also shows the size of the "
	"mesh\n"
	"and its nodes, where debugfs is mounted. When there is no mesh, one line says so.\n"
	"\n"
	"@options\n"
	"\n"
	"examples:\n"
	"  sudo wtrace cmninfo\n"
	"  wtrace cmninfo --json\n";

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
