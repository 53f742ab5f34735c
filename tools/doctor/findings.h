/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Prints the findings of doctor as lines for people.
 */
#ifndef TOOLS_DOCTOR_FINDINGS_H
#define TOOLS_DOCTOR_FINDINGS_H

#include "consumers/doctor/findings.h"

void wt_findings_text(const struct wt_findings *findings, struct wt_buf *out);

#endif
