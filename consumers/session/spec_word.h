/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The words of -p, one at a time: NAME[:KEYWORDS[:LEVEL[:stack]]] becomes a wt_spec_provider. spec.h settles
 * the words in combination.
 */
#ifndef CONSUMERS_SESSION_SPEC_WORD_H
#define CONSUMERS_SESSION_SPEC_WORD_H

#include "consumers/session/spec.h"

/** Names that -p accepts, each with its ETW flag; one that has none has the name twice. */
struct wt_spec_known {
	const char *name;
	const char *alias;
	bool here; /**< false: the name is reserved for a later version */
};
extern const struct wt_spec_known wt_spec_known[];
extern const size_t wt_spec_n_known;

/** The first ETW flag of a provider, NULL: none; whether word is one of its flags, in any case. */
const char *wt_spec_alias(const char *provider);
bool wt_spec_is_alias(const char *provider, const char *word);

/** Replaces *ret (owned) by a copy of text. */
int wt_spec_copy(char **ret, const char *text, struct wt_err *err);
/** Reads a number from 0 to max, decimal, 0x or 0; `what` names it in the error. */
int wt_spec_number(const char *text, const char *what, uint64_t max, uint64_t *ret, struct wt_err *err);
/** Appends one -p item; word is changed. */
int wt_spec_parse_provider(struct wt_spec *spec, char *word, struct wt_err *err);

#endif
