/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The values of a session's options, one at a time: text becomes a member of the struct wt_spec that is the
 * ctx. What is out of bounds, or another tool's, is refused (WT_ERR_USAGE).
 */
#ifndef CONSUMERS_SESSION_SPEC_TAKE_H
#define CONSUMERS_SESSION_SPEC_TAKE_H

#include "consumers/session/spec.h"

int wt_spec_take_session(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_output(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_frequency(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_filter(void *ctx, const char *value, struct wt_err *err);
/** "user" or "process"; "tables" or "fp". */
int wt_spec_take_buffers(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_unwind(void *ctx, const char *value, struct wt_err *err);
/** Sizes, as wt_parse_size reads them. The bytes of a stack are rounded up to whole words. */
int wt_spec_take_stack_bytes(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_buffer(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_max_file(void *ctx, const char *value, struct wt_err *err);
/** Times: seconds, and a number with ms or s. */
int wt_spec_take_flush(void *ctx, const char *value, struct wt_err *err);
int wt_spec_take_count_interval(void *ctx, const char *value, struct wt_err *err);

/** One word of a list, which is changed. A word for stacks may be several names joined by '+', one for CPUs a
 * range. */
int wt_spec_take_stack(void *ctx, char *word, struct wt_err *err);
int wt_spec_take_pid(void *ctx, char *word, struct wt_err *err);
int wt_spec_take_cpus(void *ctx, char *word, struct wt_err *err);
int wt_spec_take_manifest(void *ctx, char *word, struct wt_err *err);

/** Takes a word of -e that is a tracepoint, SUBSYSTEM:EVENT. Returns 1 for every other word: it names a
 * sampled event, which wt_spec_take_sampled takes in the kernel's words. */
int wt_spec_take_event(struct wt_spec *spec, const char *word, struct wt_err *err);
int wt_spec_take_sampled(void *ctx, const char *word, struct wt_err *err);

/** Parses a number of bytes: digits and K, M or G. */
int wt_parse_size(const char *text, uint64_t *ret, struct wt_err *err);

#endif
