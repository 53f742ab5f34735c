/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The words of -e where events are sampled: EVENT[:PERIOD], and the events of the provider counters. Besides
 * the words of wt_perf_spec_parse, they may be events of the CPU's model, or names of wperf: ld_spec:100000,
 * cycle.
 */
#ifndef CONSUMERS_COUNTING_SAMPLED_WORD_H
#define CONSUMERS_COUNTING_SAMPLED_WORD_H

#include "consumers/counting/cores.h"

/** Calls fn with the word or, for an event of a model, with NAME=EVENT[:PERIOD] for each kind of core. An
 * unknown word is handed on unchanged. cores: NULL for this machine's. WT_ERR_USAGE: the event cannot be
 * sampled here, or it is one of another CPU's model. */
int wt_sampled_word(const char *word, const struct wt_cores *cores,
		    int (*fn)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		    struct wt_err *err);
/** Fails with the reason for which a word that fn got names no event to sample. */
int wt_sampled_check(const char *word, struct wt_err *err);
/** As wt_sampled_word, for a counter of a log: fn is called once. A tracepoint is handed on as it is.
 * WT_ERR_USAGE also for an event that has another number on each kind of core. */
int wt_counter_word(const char *word, const struct wt_cores *cores,
		    int (*fn)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		    struct wt_err *err);

#endif
