// SPDX-License-Identifier: MIT
/* `enable` and `disable` change which events of programs a running session records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/session/spec_options.h"
#include "consumers/session/requests.h"
#include "tracecore/base/list.h"

const struct wt_option cmd_enable_options[] = {
	{"providers", 'p', "LIST", "NAME[:KEYWORDS[:LEVEL[:stack]]] of programs, separated by commas",
	 .set = wt_spec_set_providers, .values = "@providers"},
	{"filter", 0, "RULE", "NAME:KEY=VALUE[;KEY=VALUE...] as for 'wtrace start'",
	 WT_WORD(wt_spec_take_filter), .values = "@registered"},
	{"manifest", 0, "FILE,...", "names the keywords of a provider that no program has registered yet",
	 WT_LIST(wt_spec_take_manifest), .values = "@files"},
	{"session", 's', "NAME", "name of the session; default 'default'", WT_WORD(wt_spec_take_session),
	 .values = "@sessions"},
	WT_OPTIONS_END,
};

static int check_providers(const struct wt_spec *spec, struct wt_err *err)
{
	if (!spec->n_providers)
		return wt_fail(err, WT_ERR_USAGE, "no provider: wtrace enable PROVIDER...");
	for (size_t i = 0; i < spec->n_providers; i++)
		if (!spec->providers[i].user)
			return wt_fail(
				err, WT_ERR_USAGE,
				"provider %s is the kernel's: it can be turned on only by 'wtrace start'",
				spec->providers[i].name);
	return 0;
}

static int enable(const struct wt_spec *spec, struct wt_err *err)
{
	struct wt_place place;
	int rc;

	if (wt_session_find(spec->session, &place, err) < 0)
		return -1;
	rc = wt_session_enable(&place, spec->rules, spec->n_rules, err);
	if (rc)
		wt_fail_prefix(err, "session '%s'", place.name);
	wt_place_close(&place);
	return rc;
}

/* NAME alone is a provider, as for disable. */
static int add_provider(void *ctx, const char *word, struct wt_err *err)
{
	return wt_spec_set_providers(ctx, NULL, word, err);
}

int cmd_enable(int argc, char **argv, struct wt_err *err)
{
	struct wt_spec spec;
	int rc;

	wt_spec_init(&spec);
	rc = wt_options_words(argc, argv, cmd_enable_options, add_provider, &spec, err);
	if (rc >= 0)
		rc = check_providers(&spec, err);
	if (rc >= 0)
		rc = wt_spec_resolve(&spec, err);
	if (rc >= 0)
		rc = enable(&spec, err);
	wt_spec_deinit(&spec);
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}

struct disable_args {
	const char *session;
	char *names[WT_SPEC_MAX];
	size_t n;
};

static int add_name(void *ctx, char *word, struct wt_err *err)
{
	struct disable_args *args = ctx;

	if (args->n == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d providers", WT_SPEC_MAX);
	args->names[args->n] = strdup(word);
	return args->names[args->n] ? (args->n++, 0) : wt_fail_nomem(err);
}

static int take_name(void *ctx, const char *word, struct wt_err *err)
{
	struct disable_args *args = ctx;

	return wt_list_each(word, "the provider list", add_name, args, err);
}

const struct wt_option cmd_disable_options[] = {
	{"providers", 'p', "LIST", "another way to give LIST", WT_WORD(take_name), .values = "@registered"},
	{"session", 's', "NAME", "name of the session; default 'default'",
	 WT_TEXT(struct disable_args, session), .values = "@sessions"},
	WT_OPTIONS_END,
};

static int disable(struct disable_args *args, int argc, char **argv, struct wt_err *err)
{
	struct wt_place place;
	int rc = wt_options_words(argc, argv, cmd_disable_options, take_name, args, err);

	if (rc == 0 && !args->n)
		rc = wt_fail(err, WT_ERR_USAGE, "no provider: wtrace disable PROVIDER...");
	if (rc < 0 || wt_session_find(args->session, &place, err) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < args->n; i++)
		rc = wt_session_disable(&place, args->names[i], err);
	if (rc)
		wt_fail_prefix(err, "session '%s'", place.name);
	wt_place_close(&place);
	return rc;
}

int cmd_disable(int argc, char **argv, struct wt_err *err)
{
	struct disable_args args = {0};
	int rc = disable(&args, argc, argv, err);

	for (size_t i = 0; i < args.n; i++)
		free(args.names[i]);
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}
