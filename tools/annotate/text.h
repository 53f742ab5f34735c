/* SPDX-License-Identifier: MIT */
/** @file Annotated functions as text for people. Names and sources are hostile: control characters are
 * escaped. */
#ifndef TOOLS_ANNOTATE_TEXT_H
#define TOOLS_ANNOTATE_TEXT_H

#include "consumers/annotate/annotate.h"
#include "tracecore/base/out.h"

/** Writes for each function its source lines, then its instructions. colour: for a terminal. */
int wt_annotation_text(const struct wt_annotation *annotation, bool colour, struct wt_out *out,
		       struct wt_err *err);

#endif
