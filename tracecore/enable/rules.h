/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rules as a session publishes them, and which events they let pass. Both sides use these functions, so that
 * a registrant and a controller always come to the same bits.
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

/** A provider's events, as they stand in its enable file. names ends with a zero. */
struct wt_rule_events {
	const struct wt_abi_event *events;
	const char *names;
	uint32_t n, names_len;
};

/** Who asks: the second test's side. */
struct wt_rule_process {
	uint32_t pid;
	const char *exe; /**< path; "" when it is not known: passes no exe filter */
};

/** What an event gets. */
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

/** Adds to bits[i] what event i gets from the rules for this provider; process NULL: whatever the process. */
void wt_rules_apply(const struct wt_rules *rules, const char *provider, const struct wt_rule_events *events,
		    const struct wt_rule_process *process, uint8_t *bits);
/** What one event gets from the rules. */
uint8_t wt_rules_event(const struct wt_rules *rules, const char *provider,
		       const struct wt_rule_events *events, uint32_t event,
		       const struct wt_rule_process *process);

/** Whether text matches one of the globs ('*', '?'), which stand between ';'. Time is at most the product of
 * the lengths. */
bool wt_rule_glob(struct wt_rule_text globs, const char *text);

#endif
