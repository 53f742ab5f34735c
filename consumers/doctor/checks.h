/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Judges the facts: the meaning of each for the caller, and the command that changes it.
 *
 * Pure: the same facts give the same checks. Nothing is allocated.
 */
#ifndef CONSUMERS_DOCTOR_CHECKS_H
#define CONSUMERS_DOCTOR_CHECKS_H

#include <stddef.h>

#include "consumers/doctor/facts.h"

enum wt_check_state {
	WT_CHECK_OK = 0,
	WT_CHECK_LIMITED = 1, /**< works, with less than the machine could offer */
	WT_CHECK_MISSING = 2, /**< not there */
};

struct wt_check {
	const char *name;
	enum wt_check_state state;
	bool needed;       /**< without it nothing can be recorded */
	char value[256];   /**< what was found */
	char meaning[320]; /**< the meaning for the caller */
	char fix[200];     /**< a command line; empty: nothing to do */
};

/** Most checks there are. */
enum { WT_CHECKS_MAX = 24 };

/** Makes all checks; returns how many. */
size_t wt_checks_make(const struct wt_facts *facts, struct wt_check checks[WT_CHECKS_MAX]);

/** Whether recording is possible, and how far: "whole machine, kernel and user". Static text. */
bool wt_checks_verdict(const struct wt_facts *facts, const struct wt_check *checks, size_t n,
		       const char **scope);

const char *wt_check_state_name(enum wt_check_state state);

#endif
