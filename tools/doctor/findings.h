/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Prints the findings of doctor: lines for people, one object for programs.
 */
#ifndef TOOLS_DOCTOR_FINDINGS_H
#define TOOLS_DOCTOR_FINDINGS_H

#include "consumers/doctor/checks.h"
#include "tracecore/base/buf.h"

struct wt_findings {
	const struct wt_facts *facts;
	const struct wt_check *checks;
	size_t n;
	bool possible;     /**< recording is possible */
	const char *scope; /**< how far */
};

void wt_findings_text(const struct wt_findings *findings, struct wt_buf *out);
/** {"uid", "recording", "scope", "checks": [{"name", "state", "needed", "value", "meaning", "fix"}]} */
void wt_findings_json(const struct wt_findings *findings, struct wt_buf *out);

#endif
