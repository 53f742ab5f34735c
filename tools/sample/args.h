/* SPDX-License-Identifier: MIT */
/** The options for the tables of `sample`, and of `record` with wperf's options, and their meaning together.
 */
#ifndef TOOLS_SAMPLE_ARGS_H
#define TOOLS_SAMPLE_ARGS_H

#include "consumers/sample/result.h"
#include "tools/session/spec_options.h"

struct wt_sample_args {
	struct wt_spec spec; /**< must be first: rows of start set its members */
	const char *pe_file, *pdb_file, *image_name, *symbol, *rows, *timeout, *csv;
	const char *output; /**< file for the result; NULL: standard output */
	int fd;             /**< settled: descriptor of output; -1: none */
	bool annotate, disassemble, mangled, json, force_lock;
	bool announced;  /**< "sampling ... done!" stands on standard output */
	uint64_t length; /**< --timeout, ns; settled: UINT64_MAX without one */
	struct wt_sample_choice choice;
	char *words[WT_SPEC_MAX]; /**< of choice; owned */
};

/** The rows that both commands have; ctx of wt_options_parse is the struct wt_sample_args. */
extern const struct wt_option wt_sample_options[];

int wt_sample_set_timeout(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
/** Call after the options are read. Undo with wt_sample_args_deinit, also after a failure. */
int wt_sample_args_settle(struct wt_sample_args *args, struct wt_err *err);
void wt_sample_args_deinit(struct wt_sample_args *args);

/** Says on standard output that sampling has begun, and that it is done, if the table will stand there. What
 * fails does so again when the table is written. */
void wt_sample_announce_begin(struct wt_sample_args *args);
void wt_sample_announce_end(const struct wt_sample_args *args);
/** Reads the log and writes the table or JSON. Writes JSON also when the output's name ends in .json. */
int wt_sample_show(const struct wt_sample_args *args, const char *log, struct wt_err *err);

#endif
