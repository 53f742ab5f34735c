// SPDX-License-Identifier: MIT
/* Makes the rules of programs' providers from the words of -p, --filter and --manifest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/session/other_name.h"
#include "consumers/session/registry.h"
#include "consumers/session/scope.h"
#include "consumers/session/spec.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"

enum { MAX_NAMES = 256 };

static struct wt_program_rule *find_rule(struct wt_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_rules; i++)
		if (!strcasecmp(spec->rules[i].provider, name))
			return &spec->rules[i];
	return NULL;
}

static int fail_unknown_rule(const struct wt_spec *spec, const char *name, struct wt_err *err)
{
	const char *names[WT_SPEC_MAX];

	for (size_t i = 0; i < spec->n_rules; i++)
		names[i] = spec->rules[i].provider;
	if (!spec->n_rules)
		return wt_fail(err, WT_ERR_USAGE,
			       "--filter %s: filters are for programs' providers, and -p names none", name);
	return wt_fail_unknown(err, "provider in --filter", name, names, spec->n_rules);
}

static int apply_filter(struct wt_spec *spec, char *text, struct wt_err *err)
{
	char *keys = strchr(text, ':');
	struct wt_program_rule *rule;

	if (!keys)
		return wt_fail(err, WT_ERR_USAGE,
			       "--filter '%s': NAME:KEY=VALUE[;KEY=VALUE...] is needed, for example "
			       "my-app:pid=12;event=request*; fields of the kernel's events are filtered in "
			       "reading: wtrace view LOG --where EXPR",
			       text);
	*keys++ = 0;
	rule = find_rule(spec, text);
	return rule ? wt_program_rule_filter(rule, keys, err) : fail_unknown_rule(spec, text, err);
}

static int apply_filters(struct wt_spec *spec, struct wt_err *err)
{
	for (size_t i = 0; i < spec->n_filters; i++) {
		char *text = strdup(spec->filters[i]);
		int rc = text ? apply_filter(spec, text, err) : wt_fail_nomem(err);

		free(text);
		if (rc)
			return -1;
	}
	return 0;
}

static int make_rules(struct wt_spec *spec, struct wt_err *err)
{
	spec->rules = calloc(spec->n_providers + 1, sizeof(*spec->rules));
	if (!spec->rules)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < spec->n_providers; i++) {
		const struct wt_spec_provider *item = &spec->providers[i];
		struct wt_program_rule *rule = &spec->rules[spec->n_rules];

		if (!item->user)
			continue;
		if (find_rule(spec, item->name))
			return wt_fail(err, WT_ERR_USAGE, "provider %s is given twice in -p", item->name);
		*rule = (struct wt_program_rule){.level = item->level, .stack = item->stack};
		snprintf(rule->provider, sizeof(rule->provider), "%s", item->name);
		spec->n_rules++;
	}
	return 0;
}

/* A name that no program has registered is right when the program comes later, and wrong when it is
 * misspelt. */
static void note_absent(const struct wt_registry *registry, const char *name, bool known)
{
	const char *names[MAX_NAMES], *nearest;
	size_t n = 0;

	if (known) {
		wt_note("no program with provider '%s' runs now; its events are recorded as soon as one does",
			name);
		return;
	}
	while (n < registry->n && n < MAX_NAMES) {
		names[n] = registry->list[n].provider->name;
		n++;
	}
	nearest = wt_nearest(name, names, n);
	if (nearest)
		wt_note("no program has registered provider '%s' yet (did you mean '%s'?); its events are "
			"recorded as soon as one does",
			name, nearest);
	else
		wt_note("no program has registered provider '%s' yet; its events are recorded as soon as one "
			"does",
			name);
}

static int settle_rule(const struct wt_registry *registry, const struct wt_spec_provider *item,
		       struct wt_program_rule *rule, struct wt_err *err)
{
	const struct wt_registered *known = wt_registry_find(registry, rule->provider);
	const struct wt_provider *provider = known ? known->provider : NULL;

	if (!known && !item->sure && wt_other_name(item, err))
		return -1;
	if (item->keywords &&
	    wt_program_rule_keywords(rule->provider, provider, item->keywords, &rule->any, err))
		return -1;
	if (rule->all_keywords[0] &&
	    wt_program_rule_keywords(rule->provider, provider, rule->all_keywords, &rule->all, err))
		return -1;
	/* Without a mask everything would pass, although the user wants only events with all of these
	 * keywords. */
	if (rule->all && !rule->any)
		rule->any = UINT64_MAX;
	if (!known || !known->processes)
		note_absent(registry, rule->provider, known != NULL);
	return 0;
}

static int settle_rules(struct wt_spec *spec, const struct wt_registry *registry, struct wt_err *err)
{
	for (size_t i = 0; i < spec->n_providers; i++)
		if (spec->providers[i].user &&
		    settle_rule(registry, &spec->providers[i], find_rule(spec, spec->providers[i].name), err))
			return -1;
	return 0;
}

int wt_spec_resolve(struct wt_spec *spec, struct wt_err *err)
{
	struct wt_registry registry = {0};
	int rc = make_rules(spec, err);

	if (!rc)
		rc = apply_filters(spec, err);
	if (!rc)
		rc = wt_scope_check(spec, spec->rules, spec->n_rules, err);
	if (!rc && !spec->n_rules)
		return 0;
	if (!rc)
		rc = wt_registry_read(&registry, err);
	for (size_t i = 0; !rc && i < spec->n_manifests; i++)
		rc = wt_registry_add_file(&registry, spec->manifests[i], err);
	if (!rc)
		rc = settle_rules(spec, &registry, err);
	wt_registry_deinit(&registry);
	return rc;
}
