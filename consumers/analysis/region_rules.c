// SPDX-License-Identifier: MIT
#include "consumers/analysis/region_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char everything[] = "all keywords, all levels";

/* Names are compared without case, as sessions do. */
static bool lower(const char *name, size_t len, char ret[256])
{
	if (len >= 256)
		return false;
	for (size_t i = 0; i < len; i++)
		ret[i] = (char)tolower((unsigned char)name[i]);
	ret[len] = '\0';
	return true;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

static struct wt_region_rule *rule_of(struct wt_region_rules *rules, const char *name, uint32_t *ret)
{
	bool fresh;
	struct wt_region_rule *grown;

	*ret = wt_strings_add(&rules->names, name, strlen(name), &fresh);
	if (*ret == WT_INTERN_NONE || !fresh)
		return *ret == WT_INTERN_NONE ? NULL : &rules->rules[*ret];
	grown = realloc(rules->rules, rules->names.count * sizeof(*grown));
	if (!grown)
		return NULL;
	rules->rules = grown;
	grown[*ret] = (struct wt_region_rule){.text = WT_INTERN_NONE};
	return &grown[*ret];
}

static int add_change(struct wt_region_rules *rules, uint32_t name, uint64_t from, uint64_t to,
		      struct wt_err *err)
{
	struct wt_region_change *grown = realloc(rules->changes,
						 (rules->n_changes + (size_t)1) * sizeof(*grown));

	if (!grown)
		return wt_fail_nomem(err);
	rules->changes = grown;
	grown[rules->n_changes++] = (struct wt_region_change){name, from, to};
	return 0;
}

/* A rule is in force: the time in which it was changing or off is over. */
static int take_rule(struct wt_region_rules *rules, uint32_t name, const char *text, size_t len,
		     uint64_t time, struct wt_err *err)
{
	struct wt_region_rule *rule = &rules->rules[name];
	size_t n = strlen(everything);
	bool fresh;
	uint32_t id = wt_strings_add(&rules->texts, text, len, &fresh);
	uint64_t since = rule->since ? rule->since : time;
	bool changed = rule->off || (rule->text != WT_INTERN_NONE && rule->text != id);

	if (id == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	rule->text = id;
	rule->since = 0;
	rule->off = false;
	/* Stacks are no matter. */
	rule->partial |= len < n || memcmp(text, everything, n) != 0 || memmem(text, len, ", pid ", 6) ||
			 memmem(text, len, ", exe ", 6) || memmem(text, len, ", ids ", 6) ||
			 memmem(text, len, ", not ids ", 10) || memmem(text, len, ", events ", 9);
	return changed ? add_change(rules, name, since, time, err) : 0;
}

int wt_region_rules_take(struct wt_region_rules *rules, const char *text, size_t len, uint64_t time,
			 struct wt_err *err)
{
	const char *colon = memmem(text, len, ": ", 2);
	struct wt_region_rule *rule;
	char name[256];
	uint32_t id;

	if (!colon || !lower(text, (size_t)(colon - text), name))
		return 0;
	rule = rule_of(rules, name, &id);
	if (!rule)
		return wt_fail_nomem(err);
	len -= (size_t)(colon + 2 - text);
	text = colon + 2;
	rule->off |= is_word(text, len, "off");
	if (!is_word(text, len, "off") && !is_word(text, len, "changes"))
		return take_rule(rules, id, text, len, time, err);
	rule->since = rule->since ? rule->since : time;
	return 0;
}

int wt_region_rules_settle(struct wt_region_rules *rules, struct wt_err *err)
{
	for (uint32_t i = 0; i < rules->names.count; i++)
		if (rules->rules[i].since && add_change(rules, i, rules->rules[i].since, UINT64_MAX, err))
			return -1;
	return 0;
}

void wt_region_rules_deinit(struct wt_region_rules *rules)
{
	wt_strings_deinit(&rules->names);
	wt_strings_deinit(&rules->texts);
	free(rules->rules);
	free(rules->changes);
	*rules = (struct wt_region_rules){0};
}

static uint32_t find(const struct wt_region_rules *rules, const char *provider)
{
	char name[256];

	if (!rules->names.count || !lower(provider, strlen(provider), name))
		return WT_INTERN_NONE;
	return wt_strings_find(&rules->names, name, strlen(name));
}

bool wt_region_rules_touch(const struct wt_region_rules *rules, const char *provider, uint64_t from,
			   uint64_t to)
{
	uint32_t name = rules->n_changes ? find(rules, provider) : WT_INTERN_NONE;

	for (uint32_t i = 0; name != WT_INTERN_NONE && i < rules->n_changes; i++)
		if (rules->changes[i].name == name && rules->changes[i].from <= to &&
		    rules->changes[i].to >= from)
			return true;
	return false;
}

bool wt_region_rules_partial(const struct wt_region_rules *rules, const char *provider)
{
	uint32_t name = find(rules, provider);

	return name != WT_INTERN_NONE && rules->rules[name].partial;
}
