// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "providers/manifest/diff.h"
#include "providers/manifest/doubts.h"
#include "providers/manifest/header.h"
#include "providers/manifest/output.h"
#include "providers/manifest/report.h"
#include "tracecore/base/nearest.h"

enum { MAX_FILES = 256 };

struct manifest {
	const char *action; /* NULL until given */
	const char *paths[MAX_FILES];
	size_t n_paths;
	const char *output; /* NULL: standard output */
	bool as_json;
	struct wt_buf out;
};

const struct wt_option cmd_manifest_options[] = {
	{"json", 0, NULL,
	 "check, diff: one JSON object per file or pair instead of text; its \"error\" says why a file "
	 "cannot be read",
	 WT_FLAG(struct manifest, as_json)},
	{"output", 'o', "FILE", "header: where to write it; default: standard output",
	 WT_TEXT(struct manifest, output), .values = "@files"},
	WT_OPTIONS_END,
};

static int on_word(void *ctx, const char *word, struct wt_err *err)
{
	struct manifest *command = ctx;

	if (!command->action)
		command->action = word;
	else if (command->n_paths < MAX_FILES)
		command->paths[command->n_paths++] = word;
	else
		return wt_fail(err, WT_ERR_USAGE, "at most %d files", MAX_FILES);
	return 0;
}

/* Prints the errors of a manifest that had to be valid; nothing else is printed. */
static int fail_said(struct wt_remarks *remarks, struct wt_err *err)
{
	struct wt_buf text = {0};

	wt_remarks_text(remarks, &text);
	fwrite(text.data, 1, text.len, stderr);
	wt_buf_deinit(&text);
	*err = (struct wt_err)WT_ERR_INIT;
	return -1;
}

/* Reports the error at once; the other files are checked nevertheless: returns 1. -1: the error is not the
 * file's. */
static int leave_out(struct manifest *command, const char *path, struct wt_err *err)
{
	struct wt_remarks none = {0};

	if (err->code == WT_ERR_NOMEM)
		return -1;
	fprintf(stderr, "wtrace manifest: %s\n", err->text);
	if (command->as_json)
		wt_manifest_check_json(path, NULL, &none, err->text, &command->out);
	*err = (struct wt_err)WT_ERR_INIT;
	return 1;
}

/* Returns 0, or 1 when the manifest has errors. */
static int check_file(struct manifest *command, const char *path, struct wt_err *err)
{
	struct wt_manifest_file file = {0};
	struct wt_remarks remarks = {0};
	int rc = wt_manifest_file_read(&file, path, &remarks, err);

	if (rc) {
		wt_remarks_deinit(&remarks);
		wt_manifest_file_deinit(&file);
		return leave_out(command, path, err);
	}
	if (file.provider)
		rc = wt_manifest_doubts(&file, &remarks, err);
	if (!rc) {
		if (command->as_json)
			wt_manifest_check_json(path, file.provider, &remarks, NULL, &command->out);
		else
			wt_manifest_check_text(path, file.provider, &remarks, &command->out);
		rc = remarks.of_kind[WT_REMARK_ERROR] > 0;
		*err = (struct wt_err)WT_ERR_INIT;
	}
	wt_remarks_deinit(&remarks);
	wt_manifest_file_deinit(&file);
	return rc;
}

static int run_check(struct manifest *command, struct wt_err *err)
{
	int code = WT_EXIT_OK;

	if (!command->n_paths)
		return wt_fail(err, WT_ERR_USAGE, "no manifest: wtrace manifest check FILE...");
	for (size_t i = 0; i < command->n_paths; i++) {
		int rc = check_file(command, command->paths[i], err);

		if (rc < 0)
			return -1;
		code |= rc;
	}
	return code;
}

/* Both manifests must be valid, because the meaning of an invalid one is unknown. */
static int diff_files(struct manifest *command, struct wt_manifest_file files[2], struct wt_remarks *remarks,
		      struct wt_err *err)
{
	for (unsigned i = 0; i < 2; i++) {
		if (wt_manifest_file_read(&files[i], command->paths[i], remarks, err))
			return -1;
		if (!files[i].provider)
			return fail_said(remarks, err);
	}
	if (wt_manifest_diff(&files[0], &files[1], remarks, err))
		return -1;
	if (command->as_json)
		wt_manifest_diff_json(command->paths[0], command->paths[1], remarks, &command->out);
	else
		wt_manifest_diff_text(remarks, &command->out);
	return remarks->of_kind[WT_REMARK_INCOMPATIBLE] ? WT_EXIT_FAILED : WT_EXIT_OK;
}

static int run_diff(struct manifest *command, struct wt_err *err)
{
	struct wt_manifest_file files[2] = {0};
	struct wt_remarks remarks = {0};
	int rc;

	if (command->n_paths != 2)
		return wt_fail(err, WT_ERR_USAGE, "diff takes two manifests: wtrace manifest diff OLD NEW");
	rc = diff_files(command, files, &remarks, err);
	wt_remarks_deinit(&remarks);
	wt_manifest_file_deinit(&files[0]);
	wt_manifest_file_deinit(&files[1]);
	return rc;
}

static int write_header(struct manifest *command, struct wt_err *err)
{
	if (wt_output_write(command->output, &command->out, err))
		return -1;
	wt_buf_clear(&command->out);
	return 0;
}

static int make_header(struct manifest *command, struct wt_manifest_file *file, struct wt_remarks *remarks,
		       struct wt_err *err)
{
	if (wt_manifest_file_read(file, command->paths[0], remarks, err))
		return -1;
	if (file->provider && wt_manifest_header(file, remarks, &command->out, err))
		return -1;
	if (remarks->of_kind[WT_REMARK_ERROR])
		return fail_said(remarks, err);
	return command->output ? write_header(command, err) : 0;
}

static int run_header(struct manifest *command, struct wt_err *err)
{
	struct wt_manifest_file file = {0};
	struct wt_remarks remarks = {0};
	int rc;

	if (command->n_paths != 1)
		return wt_fail(err, WT_ERR_USAGE,
			       "header takes one manifest: wtrace manifest header FILE [-o HEADER]");
	rc = make_header(command, &file, &remarks, err);
	if (rc)
		wt_buf_clear(&command->out);
	wt_remarks_deinit(&remarks);
	wt_manifest_file_deinit(&file);
	return rc;
}

static const struct action {
	const char *name;
	int (*run)(struct manifest *command, struct wt_err *err);
	bool json, output; /* whether it takes these options */
} actions[] = {
	{"check", run_check, true, false},
	{"header", run_header, false, true},
	{"diff", run_diff, true, false},
};

#define N_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct action *find_action(const char *word, struct wt_err *err)
{
	const char *names[N_ACTIONS];

	for (size_t i = 0; i < N_ACTIONS; i++) {
		names[i] = actions[i].name;
		if (!strcmp(word, names[i]))
			return &actions[i];
	}
	wt_fail_unknown(err, "action", word, names, N_ACTIONS);
	return NULL;
}

static int run(struct manifest *command, struct wt_err *err)
{
	const struct action *action;

	if (!command->action)
		return wt_fail(err, WT_ERR_USAGE,
			       "no action: wtrace manifest check, header or diff; 'wtrace help manifest' "
			       "explains them");
	action = find_action(command->action, err);
	if (!action)
		return -1;
	if (command->as_json && !action->json)
		return wt_fail(err, WT_ERR_USAGE, "%s does not take --json", action->name);
	if (command->output && !action->output)
		return wt_fail(err, WT_ERR_USAGE, "%s does not take --output", action->name);
	return action->run(command, err);
}

int cmd_manifest(int argc, char **argv, struct wt_err *err)
{
	struct manifest *command = calloc(1, sizeof(*command));
	int rc;

	if (!command)
		return wt_fail_nomem(err);
	rc = wt_options_words(argc, argv, cmd_manifest_options, on_word, command, err) < 0
		     ? -1
		     : run(command, err);
	/* Results from before a failure are printed nevertheless. */
	if (wt_output_put(&command->out, rc < 0 ? NULL : err) && rc >= 0)
		rc = -1;
	wt_buf_deinit(&command->out);
	free(command);
	return rc;
}
