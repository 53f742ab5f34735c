/* SPDX-License-Identifier: MIT */
/** @file Annotated functions as JSON. */
#ifndef CONSUMERS_ANNOTATE_JSON_H
#define CONSUMERS_ANNOTATE_JSON_H

#include "consumers/annotate/annotate.h"

/** The member "annotate" of an event as wperf has it, from functions [from, to): function_name, and
 * source_code with one item for each line that has hits, the most hits first. asm: with instruction_address,
 * the one with the most hits, and disassembled_line, all instructions of the line. */
void wt_annotation_wperf(const struct wt_annotation *annotation, uint32_t from, uint32_t to, bool with_asm,
			 struct wt_json *json);
/** The member "sampling": wperf's object about all events, each with a row for each of its functions.
 * generated: samples in the log; dropped: lost ones. */
void wt_annotation_sampling(const struct wt_annotation *annotation, const struct wt_annotate_choice *choice,
			    uint64_t generated, uint64_t dropped, struct wt_json *json);
/** The whole result, as the member "functions": with bytes, jumps, blocks, texts and inlined functions. */
void wt_annotation_json(const struct wt_annotation *annotation, struct wt_json *json);

#endif
