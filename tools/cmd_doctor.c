// SPDX-License-Identifier: MIT

#include "tools/cmd.h"
#include "tools/doctor/findings.h"

const struct wt_option cmd_doctor_options[] = {
	{"json", 0, NULL, "one JSON object instead of text", .set = wt_set_flag},
	WT_OPTIONS_END,
};

int cmd_doctor(int argc, char **argv, struct wt_err *err)
{
	bool json = false;
	struct wt_facts facts = {0};
	struct wt_check checks[WT_CHECKS_MAX];
	struct wt_findings findings = {.facts = &facts, .checks = checks};
	struct wt_buf out = {0};
	int code;

	if (wt_options_words(argc, argv, cmd_doctor_options, NULL, &json, err) < 0)
		return -1;
	wt_facts_read("", &facts);
	wt_facts_probe(&facts);
	findings.n = wt_checks_make(&facts, checks);
	findings.possible = wt_checks_verdict(&facts, checks, findings.n, &findings.scope);
	(json ? wt_findings_json : wt_findings_text)(&findings, &out);
	code = wt_output_put(&out, err) ? -1 : findings.possible ? WT_EXIT_OK : WT_EXIT_FAILED;
	wt_buf_deinit(&out);
	return code;
}
