/* SPDX-License-Identifier: MIT */
/** The form of output: tables or JSON, to standard output or into a file. */
#ifndef TOOLS_FORM_H
#define TOOLS_FORM_H

#include "tools/cmd.h"
#include "tracecore/base/table.h"

struct wt_form {
	const char *output; /**< a file; NULL: standard output */
	bool json;
};

/** Rows of options for a struct whose first member is a wt_form. */
extern const struct wt_option wt_form_options[];

/** True when JSON was requested, or when the file's name ends in ".json". */
bool wt_form_is_json(const struct wt_form *form);
/** Writes the text to the output, and takes ownership of it. */
int wt_form_put(const struct wt_form *form, struct wt_buf *text, struct wt_err *err);
/** Writes a table to the output: by `text`, wt_table_print or another, or as a JSON document with this key.
 */
int wt_form_put_table(const struct wt_form *form, struct wt_table *table, const char *key,
		      void (*text)(struct wt_table *table, struct wt_buf *out), struct wt_err *err);

#endif
