/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A session's request to one program's provider: the -p item and its --filter, with numbers in place of
 * names.
 *
 * Filter syntax: KEY=VALUE[;KEY=VALUE...], where
 *   pid=12,13          only these processes, at most 8
 *   exe=py*,*.bin      only programs whose path or file name matches; '*' and '?' as in the shell
 *   id=3,4  id=!3,4    only these events by id, or all but these, at most 64
 *   event=req*,reply   only events whose names match
 *   all=io|0x4         keywords that an event must have all of (of those in the -p item any one suffices;
 *                      without them any keyword will). Events without keywords pass, as in ETW
 *   stack=3,4          with stacks for these event ids only
 */
#ifndef CONSUMERS_SESSION_PROGRAM_RULE_H
#define CONSUMERS_SESSION_PROGRAM_RULE_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/enable/control.h"
#include "tracecore/schema/schema.h"

#define WT_PROGRAM_RULE_PIDS 8
#define WT_PROGRAM_RULE_IDS  64
#define WT_PROGRAM_RULE_TEXT 512

struct wt_program_rule {
	char provider[WT_SCHEMA_MAX_NAME + 1];
	uint64_t any, all;
	uint8_t level;
	uint8_t stack;
	uint8_t ids_are_out;
	uint32_t pids[WT_PROGRAM_RULE_PIDS], n_pids;
	uint16_t ids[WT_PROGRAM_RULE_IDS], stack_ids[WT_PROGRAM_RULE_IDS];
	uint32_t n_ids, n_stack_ids;
	char exe[WT_PROGRAM_RULE_TEXT]; /**< alternatives separated by ';', in the form of the rules in force
					 */
	char names[WT_PROGRAM_RULE_TEXT];        /**< alternatives by ';' */
	char all_keywords[WT_PROGRAM_RULE_TEXT]; /**< as the user wrote them; empty: none */
};

/** True when a program's provider may have this name: MANIFEST.md's rule for names, and not a name of the
 * kernel's. */
bool wt_program_provider_name(const char *name);

/** Adds the part of a --filter that follows the provider's name; text is changed. WT_ERR_USAGE with the key
 * and its permitted values. */
int wt_program_rule_filter(struct wt_program_rule *rule, char *text, struct wt_err *err);
/** Converts written keywords to a mask: numbers and, with a manifest, names, joined by '|'. provider NULL:
 * its names are unknown, which the error says. */
int wt_program_rule_keywords(const char *name, const struct wt_provider *provider, const char *text,
			     uint64_t *ret, struct wt_err *err);

/** Returns the rule in the form for the rendezvous; borrows from rule. */
struct wt_enable_rule wt_program_rule_view(const struct wt_program_rule *rule);
/** True when events of any of the rules come with stacks. */
bool wt_program_rules_have_stacks(const struct wt_program_rule *rules, size_t n);
/** One line for status: "my-app: keywords 0x3, level 4, with stacks, exe py*". */
void wt_program_rule_text(const struct wt_program_rule *rule, struct wt_buf *out);

/** The form on the wire. decode checks every length, and that texts end. */
void wt_program_rule_encode(const struct wt_program_rule *rule, struct wt_buf *out);
int wt_program_rule_decode(struct wt_cursor *cur, struct wt_program_rule *ret, struct wt_err *err);

#endif
