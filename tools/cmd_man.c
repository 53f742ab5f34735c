// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/manual/manual.h"
#include "tools/cmd.h"
#include "tools/form.h"
#include "tracecore/base/fold.h"
#include "tracecore/base/list.h"

/* Of a line: as wperf folds. */
enum { MOST_WORDS = 64, WIDTH = 81, INDENT = 4 };

struct man {
	struct wt_form form; /* first, for its options */
	const char *telemetry;
	char *words[MOST_WORDS]; /* owned */
	size_t n;
	struct wt_manual manual;
};

const struct wt_option cmd_man_options[] = {
	{"telemetry", 0, "FILE", "a vendor's JSON file of events and metrics, with its descriptions",
	 WT_TEXT(struct man, telemetry), .values = "@files"},
	{.rows = wt_form_options},
	WT_OPTIONS_END,
};

/* A page begins with CPU, or with NAME where it is the same on all CPUs. */
static void put_text(struct wt_table *rows, struct wt_buf *out)
{
	const char *cell = (const char *)rows->cells.data;
	bool of_cpu = false;

	for (size_t i = 0; i < rows->n_cells; i += 2) {
		const char *text = cell + strlen(cell) + 1;
		bool begins = !strcmp(cell, "CPU") || (!strcmp(cell, "NAME") && !of_cpu);

		wt_buf_printf(out, "%s%s\n", begins && i ? "\n" : "", cell);
		wt_fold(text, 0, INDENT, WIDTH, out);
		of_cpu = !strcmp(cell, "CPU");
		cell = text + strlen(text) + 1;
	}
}

static int each_word(void *ctx, char *word, struct wt_err *err)
{
	struct man *man = ctx;

	if (man->n == MOST_WORDS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d words", MOST_WORDS);
	man->words[man->n] = strdup(word);
	return man->words[man->n++] ? 0 : wt_fail_nomem(err);
}

static int on_word(void *ctx, const char *word, struct wt_err *err)
{
	return wt_list_each(word, "WORD", each_word, ctx, err);
}

static int run(struct man *man, int argc, char **argv, struct wt_err *err)
{
	if (wt_options_words(argc, argv, cmd_man_options, on_word, man, err) < 0)
		return -1;
	if (!man->n)
		return wt_fail(err, WT_ERR_USAGE,
			       "the name of an event, a metric, a provider or a field is missing; 'wtrace "
			       "list' shows names");
	if (wt_manual_open(&man->manual, man->telemetry, err))
		return -1;
	for (size_t i = 0; i < man->n; i++)
		if (wt_manual_word(&man->manual, man->words[i], err))
			return -1;
	return wt_form_put_table(&man->form, &man->manual.pages.rows, "Manual_Results", put_text, err);
}

int cmd_man(int argc, char **argv, struct wt_err *err)
{
	struct man man = {.n = 0};
	int rc = run(&man, argc, argv, err);

	for (size_t i = 0; i < man.n; i++)
		free(man.words[i]);
	wt_manual_close(&man.manual);
	return rc;
}
