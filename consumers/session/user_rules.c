// SPDX-License-Identifier: MIT
/* The session's rules for programs' providers: published in every directory, changed while it runs. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/session/user_impl.h"

int wt_user_publish(struct wt_user_directory *directory, struct wt_err *err)
{
	const struct wt_user *user = directory->user;
	struct wt_enable_rule *rules = calloc(user->n_rules + 1, sizeof(*rules));
	int rc;

	if (!rules)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < user->n_rules; i++)
		rules[i] = wt_user_rule_view(&user->rules[i]);
	wt_allowance_begin(directory->allowance);
	rc = wt_control_set_rules(directory->control, rules, (uint32_t)user->n_rules, err);
	wt_allowance_end(directory->allowance);
	free(rules);
	directory->unpublished = rc != 0;
	return rc;
}

int wt_user_arm(struct wt_user *user, struct wt_err *err)
{
	for (size_t i = 0; i < user->n_directories; i++)
		if (wt_user_publish(user->directories[i], err) &&
		    wt_user_bear(user->directories[i], "its programs are not asked for all events", err))
			return wt_fail_prefix(err, "%s", user->directories[i]->path);
	return 0;
}

static size_t find_rule(const struct wt_user_rule *rules, size_t n, const char *provider)
{
	size_t i = 0;

	while (i < n && strcasecmp(rules[i].provider, provider))
		i++;
	return i;
}

/* Room for n more. */
static struct wt_user_rule *copy_rules(const struct wt_user *user, size_t n)
{
	struct wt_user_rule *ret = malloc((user->n_rules + n + 1) * sizeof(*ret));

	if (ret && user->n_rules)
		memcpy(ret, user->rules, user->n_rules * sizeof(*ret));
	return ret;
}

/* Takes over rules. What cannot be published everywhere is taken back everywhere. */
static int replace_rules(struct wt_user *user, struct wt_user_rule *rules, size_t n, struct wt_err *err)
{
	struct wt_user_rule *before = user->rules;
	struct wt_err ignored = WT_ERR_INIT;
	size_t n_before = user->n_rules;

	user->rules = rules;
	user->n_rules = n;
	wt_user_look_up(user);
	if (!wt_user_arm(user, err)) {
		free(before);
		return 0;
	}
	user->rules = before;
	user->n_rules = n_before;
	free(rules);
	wt_user_arm(user, &ignored);
	return -1;
}

/* Stacks in a session that began without: mapped files are looked up with each program. */
void wt_user_look_up(struct wt_user *user)
{
	if (!user->session->spec.no_images || !wt_user_rules_have_stacks(user->rules, user->n_rules))
		return;
	user->looks_up = true;
	for (size_t i = 0; i < user->n_directories; i++)
		user->directories[i]->kinds.seen = wt_user_seen;
}

/* Names that were not wanted before, and what is registered under them already. */
static int want_all(struct wt_user *user, const struct wt_user_rule *rules, size_t n, struct wt_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (wt_user_want(user, rules[i].provider, err))
			return -1;
	for (size_t i = 0; i < user->n_directories; i++) {
		struct wt_user_directory *directory = user->directories[i];
		int rc;

		wt_allowance_begin(directory->allowance);
		rc = wt_user_scan(directory, true, err);
		wt_allowance_end(directory->allowance);
		if (rc && wt_user_bear(directory, "its providers are left out", err))
			return -1;
	}
	return 0;
}

int wt_user_enable(struct wt_user *user, const struct wt_user_rule *rules, size_t n, struct wt_err *err)
{
	struct wt_user_rule *more;
	size_t n_more = user->n_rules;

	if (want_all(user, rules, n, err))
		return -1;
	more = copy_rules(user, n);
	if (!more)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		size_t at = find_rule(more, n_more, rules[i].provider);

		more[at] = rules[i];
		n_more += at == n_more;
	}
	return replace_rules(user, more, n_more, err);
}

int wt_user_disable(struct wt_user *user, const char *provider, struct wt_err *err)
{
	size_t n = user->n_rules, at = find_rule(user->rules, n, provider);
	struct wt_user_rule *fewer;

	if (at == n)
		return wt_fail(err, WT_ERR_NOTFOUND, "provider '%s' is not enabled in this session",
			       provider);
	fewer = copy_rules(user, 0);
	if (!fewer)
		return wt_fail_nomem(err);
	memmove(&fewer[at], &fewer[at + 1], (n - at - 1) * sizeof(*fewer));
	return replace_rules(user, fewer, n - 1, err);
}

size_t wt_user_rules(const struct wt_user *user, const struct wt_user_rule **ret)
{
	*ret = user->rules;
	return user->n_rules;
}
