// SPDX-License-Identifier: MIT
#include "tools/form.h"

#include <fcntl.h>
#include <unistd.h>

#include "tracecore/base/write_all.h"

const struct wt_option wt_form_options[] = {
	{"output", 'o', "FILE", "write the result to FILE: JSON where the name ends in .json",
	 WT_TEXT(struct wt_form, output), .values = "@files"},
	{"json", 0, NULL, "one JSON object instead of text", WT_FLAG(struct wt_form, json)},
	WT_OPTIONS_END,
};

bool wt_form_is_json(const struct wt_form *form)
{
	return form->json || wt_output_names_json(form->output);
}

static int put_file(const char *path, const struct wt_buf *text, struct wt_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc = 0;

	if (fd < 0 || wt_write_all(fd, text->data, text->len))
		rc = wt_fail_errno(err, "cannot write %.300s", path);
	if (fd >= 0 && close(fd) && !rc)
		rc = wt_fail_errno(err, "cannot write %.300s", path);
	return rc;
}

int wt_form_put(const struct wt_form *form, struct wt_buf *text, struct wt_err *err)
{
	int rc;

	if (text->failed)
		rc = wt_fail_nomem(err);
	else
		rc = form->output ? put_file(form->output, text, err) : wt_output_put(text, err);
	wt_buf_deinit(text);
	return rc;
}

int wt_form_put_table(const struct wt_form *form, struct wt_table *table, const char *key,
		      void (*text)(struct wt_table *table, struct wt_buf *out), struct wt_err *err)
{
	struct wt_buf out = {0};

	if (wt_form_is_json(form))
		wt_table_document(table, key, &out);
	else
		text(table, &out);
	return wt_form_put(form, &out, err);
}
