/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The hot functions of each sampled event of a log, as wperf shows them.
 *
 * The counts are those of `view` over the same log (counter.h). Shares are of all samples of the event,
 * even if a filter leaves rows out. One thread.
 *
 * With annotate the functions of the rows are annotated too (annotate.h). Functions that were inlined then
 * count for the function that they are part of. With details the code addresses and the images that were hit
 * are there too (addresses.h).
 */
#ifndef CONSUMERS_SAMPLE_RESULT_H
#define CONSUMERS_SAMPLE_RESULT_H

#include "consumers/annotate/addresses.h"
#include "consumers/annotate/annotate.h"

/** The rows to show, and the result's facts about the command line. Strings are borrowed; NULL: none. */
struct wt_sample_choice {
	const char *symbol; /**< filter (symbol.h) */
	uint32_t rows;      /**< of each event, 0: all */
	bool mangled;       /**< names as symbol tables have them */
	bool annotate;      /**< source lines of the functions too... */
	bool disassemble;   /**< ...and their instructions */
	bool details;       /**< code addresses, modules and their sections */
	const char *pe_file, *pdb_file;
	const char *const *words; /**< of -e: [NAME=]EVENT[:INTERVAL] */
	size_t n_words;
	double seconds; /**< that were sampled */
};

struct wt_sample_row {
	char *symbol; /**< owned: NAME:MODULE, escaped */
	char *name;   /**< owned: NAME:MODULE, demangled and not escaped */
	uint64_t count;
	double overhead; /**< percent of the event's samples */
};

struct wt_sample_event {
	char *name; /**< owned */
	/** The period that was asked for, or else the mean of the samples' periods. */
	uint64_t interval;
	uint64_t total;             /**< samples */
	struct wt_sample_row *rows; /**< owned; largest first, those that are shown */
	size_t n_rows, n_all;       /**< shown; and all */
	uint64_t shown;             /**< samples of the rows shown */
};

/** Zeroed is empty. */
struct wt_sample_result {
	struct wt_sample_event *events; /**< owned */
	size_t n_events;
	uint64_t samples, dropped; /**< of all events; those that are not in the log */
	struct wt_buf missing;     /**< text: the names that the log lacks; empty: none */
	struct wt_annotation annotation;
	struct wt_hits hits; /**< with details */
};

/** Reads the log at path. Undo with wt_sample_result_deinit, also after a failure. */
int wt_sample_result_read(const char *path, const struct wt_sample_choice *choice,
			  struct wt_sample_result *ret, struct wt_err *err);
void wt_sample_result_deinit(struct wt_sample_result *result);
/** The index of the first annotated function of an event; *end is the index after its last one. */
uint32_t wt_sample_annotated(const struct wt_sample_result *result, const struct wt_sample_event *event,
			     uint32_t *end);

void wt_sample_text(const struct wt_sample_result *result, const struct wt_sample_choice *choice,
		    struct wt_buf *out);
/** One object and a newline; whole numbers stay below 2^53. */
void wt_sample_json(const struct wt_sample_result *result, const struct wt_sample_choice *choice,
		    struct wt_buf *out);

/* ---- details.c: with details ---- */

/** The members modules and modules_info. */
void wt_sample_json_modules(const struct wt_sample_result *result, struct wt_json *json);
/** The member pcs of an event: all of its code addresses, but for those that the filter leaves out. */
void wt_sample_json_addresses(const struct wt_sample_result *result, const struct wt_sample_event *event,
			      const struct wt_sample_choice *choice, struct wt_json *json);
/** The tables of the modules, and of as many code addresses as the event has rows at most. */
void wt_sample_text_modules(const struct wt_sample_result *result, struct wt_buf *out);
void wt_sample_text_addresses(const struct wt_sample_result *result, const struct wt_sample_event *event,
			      const struct wt_sample_choice *choice, struct wt_buf *out);

#endif
