/* SPDX-License-Identifier: MIT */
/** @file What doctor found, as one value and as JSON. */
#ifndef CONSUMERS_DOCTOR_FINDINGS_H
#define CONSUMERS_DOCTOR_FINDINGS_H

#include "consumers/doctor/checks.h"
#include "tracecore/base/buf.h"

struct wt_findings {
	const struct wt_facts *facts;
	const struct wt_check *checks;
	size_t n;
	bool possible;     /**< recording is possible */
	const char *scope; /**< how far */
};

/** {"uid", "recording", "scope", "checks": [{"name", "state", "needed", "value", "meaning", "fix"}]} */
void wt_findings_json(const struct wt_findings *findings, struct wt_buf *out);

#endif
