/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The published rules of a session, and the test of events against them. Both sides use these functions, so
 * that a registrant and a controller always get the same bits.
 *
 * A rules file is read into private memory, checked once, then walked. No allocation, no locks; everything
 * here is async-signal-safe.
 */
#ifndef TRACECORE_ENABLE_RULES_H
#define TRACECORE_ENABLE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/abi/wt_enable.h"
#include "tracecore/base/cursor.h"

/** The bytes of a rules file. Owned by the caller. */
struct wt_rules {
	const uint8_t *bytes;
	size_t len;
};

struct wt_rule_text {
	const char *p; /**< not zero-ended */
	uint32_t len;
};

/** One rule, pointing into the file's bytes. */
struct wt_rule {
	uint64_t any, all;
	uint8_t level, flags, n_pids, n_ids, n_stack_ids;
	const uint8_t *pids, *ids, *stack_ids; /**< little-endian, not aligned */
	struct wt_rule_text provider, exe, names;
};

/** A provider's events, in the form of its enable file. names ends with a zero. */
struct wt_rule_events {
	const struct wt_abi_event *events;
	const char *names;
	uint32_t n, names_len;
};

/** The process that asks: the values of the second test. */
struct wt_rule_process {
	uint32_t pid;
	const char *exe; /**< path; "" when unknown: then it passes no exe filter */
};

/** The bits that an event can get. */
enum wt_rule_bit { WT_RULE_ON = 1, WT_RULE_STACK = 2 };

/** True when the bytes are a whole rules file. */
bool wt_rules_valid(const struct wt_rules *rules);
/** A cursor before the first rule of valid rules. */
struct wt_cursor wt_rules_begin(const struct wt_rules *rules);
/** 0: the next rule is in *ret; 1: no more. */
int wt_rules_next(struct wt_cursor *cur, struct wt_rule *ret);

bool wt_rule_is_for(const struct wt_rule *rule, const char *provider);
/** pid and exe. */
bool wt_rule_admits(const struct wt_rule *rule, const struct wt_rule_process *process);

/** Adds to bits[i] the bits that the rules for this provider give event i. process NULL: for any process. */
void wt_rules_apply(const struct wt_rules *rules, const char *provider, const struct wt_rule_events *events,
		    const struct wt_rule_process *process, uint8_t *bits);
/** The bits that the rules give to one event. */
uint8_t wt_rules_event(const struct wt_rules *rules, const char *provider,
		       const struct wt_rule_events *events, uint32_t event,
		       const struct wt_rule_process *process);

/** True when text matches one of the globs ('*', '?'), which are separated by ';'. The time is at most the
 * product of the lengths. */
bool wt_rule_glob(struct wt_rule_text globs, const char *text);

#endif
