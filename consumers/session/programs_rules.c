// SPDX-License-Identifier: MIT
/* The session's rules for programs' providers: published in every directory, changed while the session runs.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/session/programs_impl.h"

int wt_programs_publish(struct wt_programs_directory *directory, struct wt_err *err)
{
	const struct wt_programs *programs = directory->programs;
	struct wt_enable_rule *rules = calloc(programs->n_rules + 1, sizeof(*rules));
	int rc;

	if (!rules)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < programs->n_rules; i++)
		rules[i] = wt_program_rule_view(&programs->rules[i]);
	wt_allowance_begin(directory->allowance);
	rc = wt_control_set_rules(directory->control, rules, (uint32_t)programs->n_rules, err);
	wt_allowance_end(directory->allowance);
	free(rules);
	directory->unpublished = rc != 0;
	return rc;
}

int wt_programs_arm(struct wt_programs *programs, struct wt_err *err)
{
	for (size_t i = 0; i < programs->n_directories; i++)
		if (wt_programs_publish(programs->directories[i], err) &&
		    wt_programs_bear(programs->directories[i], "its programs are not asked for all events",
				     err))
			return wt_fail_prefix(err, "%s", programs->directories[i]->path);
	return 0;
}

static size_t find_rule(const struct wt_program_rule *rules, size_t n, const char *provider)
{
	size_t i = 0;

	while (i < n && strcasecmp(rules[i].provider, provider))
		i++;
	return i;
}

/* Copies the rules, with room for n more. */
static struct wt_program_rule *copy_rules(const struct wt_programs *programs, size_t n)
{
	struct wt_program_rule *ret = malloc((programs->n_rules + n + 1) * sizeof(*ret));

	if (ret && programs->n_rules)
		memcpy(ret, programs->rules, programs->n_rules * sizeof(*ret));
	return ret;
}

/* Takes over rules. Rules that cannot be published everywhere are taken back everywhere. */
static int replace_rules(struct wt_programs *programs, struct wt_program_rule *rules, size_t n,
			 struct wt_err *err)
{
	struct wt_program_rule *before = programs->rules;
	struct wt_err ignored = WT_ERR_INIT;
	size_t n_before = programs->n_rules;

	programs->rules = rules;
	programs->n_rules = n;
	wt_programs_look_up(programs);
	if (!wt_programs_arm(programs, err)) {
		free(before);
		return 0;
	}
	programs->rules = before;
	programs->n_rules = n_before;
	free(rules);
	wt_programs_arm(programs, &ignored);
	return -1;
}

/* Stacks were enabled in a session that began without them: mapped files are then looked up with each
 * program. */
void wt_programs_look_up(struct wt_programs *programs)
{
	if (!programs->session->spec.no_images ||
	    !wt_program_rules_have_stacks(programs->rules, programs->n_rules))
		return;
	programs->looks_up = true;
	for (size_t i = 0; i < programs->n_directories; i++)
		programs->directories[i]->kinds.seen = wt_programs_seen;
}

/* Adds names that were not wanted before, with providers registered under them already. */
static int want_all(struct wt_programs *programs, const struct wt_program_rule *rules, size_t n,
		    struct wt_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (wt_programs_want(programs, rules[i].provider, err))
			return -1;
	for (size_t i = 0; i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];
		int rc;

		wt_allowance_begin(directory->allowance);
		rc = wt_programs_scan(directory, true, err);
		wt_allowance_end(directory->allowance);
		if (rc && wt_programs_bear(directory, "its providers are left out", err))
			return -1;
	}
	return 0;
}

int wt_programs_enable(struct wt_programs *programs, const struct wt_program_rule *rules, size_t n,
		       struct wt_err *err)
{
	struct wt_program_rule *more;
	size_t n_more = programs->n_rules;

	if (want_all(programs, rules, n, err))
		return -1;
	more = copy_rules(programs, n);
	if (!more)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		size_t at = find_rule(more, n_more, rules[i].provider);

		more[at] = rules[i];
		n_more += at == n_more;
	}
	return replace_rules(programs, more, n_more, err);
}

int wt_programs_disable(struct wt_programs *programs, const char *provider, struct wt_err *err)
{
	size_t n = programs->n_rules, at = find_rule(programs->rules, n, provider);
	struct wt_program_rule *fewer;

	if (at == n)
		return wt_fail(err, WT_ERR_NOTFOUND, "provider '%s' is not enabled in this session",
			       provider);
	fewer = copy_rules(programs, 0);
	if (!fewer)
		return wt_fail_nomem(err);
	memmove(&fewer[at], &fewer[at + 1], (n - at - 1) * sizeof(*fewer));
	return replace_rules(programs, fewer, n - 1, err);
}

size_t wt_programs_rules(const struct wt_programs *programs, const struct wt_program_rule **ret)
{
	*ret = programs->rules;
	return programs->n_rules;
}
