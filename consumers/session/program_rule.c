// SPDX-License-Identifier: MIT
#include "consumers/session/program_rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/nearest.h"
#include "tracecore/schema/builtin.h"

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

bool wt_program_provider_name(const char *name)
{
	const char *const *own;
	size_t len = strlen(name), n = wt_builtin_names(&own);

	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(name, own[i]))
			return false;
	return len && len <= WT_SCHEMA_MAX_NAME && name[0] != '.' && name[0] != '-' &&
	       strspn(name, LETTERS_AND_DIGITS "_.-") == len;
}

/* Reads a list of numbers from 0 to max, at most cap of them; take stores one. */
static int each_number(const char *key, char *list, uint64_t max, uint32_t cap, uint32_t *n,
		       void (*take)(struct wt_program_rule *rule, uint32_t at, uint32_t value),
		       struct wt_program_rule *rule, struct wt_err *err)
{
	char *word, *end;

	while ((word = strsep(&list, ","))) {
		uint64_t value;

		errno = 0;
		value = strtoull(word, &end, 0);
		if (!isdigit((unsigned char)word[0]) || *end || errno || value > max)
			return wt_fail(err, WT_ERR_USAGE,
				       "filter %s of provider %s: '%s' is not a number from 0 to %llu", key,
				       rule->provider, word, (unsigned long long)max);
		if (*n == cap)
			return wt_fail(err, WT_ERR_USAGE, "filter %s of provider %s: more than %u numbers",
				       key, rule->provider, cap);
		take(rule, (*n)++, (uint32_t)value);
	}
	return 0;
}

static void take_pid(struct wt_program_rule *rule, uint32_t at, uint32_t value)
{
	rule->pids[at] = value;
}

static void take_id(struct wt_program_rule *rule, uint32_t at, uint32_t value)
{
	rule->ids[at] = (uint16_t)value;
}

static void take_stack_id(struct wt_program_rule *rule, uint32_t at, uint32_t value)
{
	rule->stack_ids[at] = (uint16_t)value;
}

/* Appends patterns "a,b" as "a;b" to the existing ones. */
static int add_patterns(const struct wt_program_rule *rule, const char *key, char ret[WT_PROGRAM_RULE_TEXT],
			const char *patterns, struct wt_err *err)
{
	size_t have = strlen(ret), len = strlen(patterns);

	if (have + len + 2 > WT_PROGRAM_RULE_TEXT)
		return wt_fail(err, WT_ERR_LIMIT, "filter %s of provider %s: more than %d bytes of patterns",
			       key, rule->provider, WT_PROGRAM_RULE_TEXT - 1);
	if (have)
		ret[have++] = ';';
	for (size_t i = 0; i <= len; i++)
		ret[have + i] = patterns[i] == ',' ? ';' : patterns[i];
	return 0;
}

static int set_pid(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	return each_number("pid", value, INT32_MAX, WT_PROGRAM_RULE_PIDS, &rule->n_pids, take_pid, rule, err);
}

static int set_exe(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	return add_patterns(rule, "exe", rule->exe, value, err);
}

static int set_id(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	bool out = value[0] == '!';

	if (rule->n_ids && out != rule->ids_are_out)
		return wt_fail(err, WT_ERR_USAGE,
			       "filter id of provider %s: either the ids wanted or, with '!', those not "
			       "wanted",
			       rule->provider);
	rule->ids_are_out = out;
	return each_number("id", value + out, UINT16_MAX, WT_PROGRAM_RULE_IDS, &rule->n_ids, take_id, rule,
			   err);
}

static int set_event(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	return add_patterns(rule, "event", rule->names, value, err);
}

static int set_all(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	if (rule->all_keywords[0] || strlen(value) >= sizeof(rule->all_keywords))
		return wt_fail(err, WT_ERR_USAGE,
			       "filter all of provider %s: one list of keywords, joined by '|'",
			       rule->provider);
	snprintf(rule->all_keywords, sizeof(rule->all_keywords), "%s", value);
	return 0;
}

static int set_stack(struct wt_program_rule *rule, char *value, struct wt_err *err)
{
	return each_number("stack", value, UINT16_MAX, WT_PROGRAM_RULE_IDS, &rule->n_stack_ids, take_stack_id,
			   rule, err);
}

static const struct key {
	const char *name;
	int (*set)(struct wt_program_rule *rule, char *value, struct wt_err *err);
} keys[] = {
	{"pid", set_pid},     {"exe", set_exe}, {"id", set_id},
	{"event", set_event}, {"all", set_all}, {"stack", set_stack},
};
enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static int set_key(struct wt_program_rule *rule, char *word, struct wt_err *err)
{
	char *value = strchr(word, '=');
	const char *names[N_KEYS];

	if (!value || !value[1])
		return wt_fail(err, WT_ERR_USAGE,
			       "filter '%s' of provider %s: KEY=VALUE is needed; keys: pid, exe, id, event, "
			       "all, stack",
			       word, rule->provider);
	*value++ = 0;
	for (size_t i = 0; i < N_KEYS; i++) {
		names[i] = keys[i].name;
		if (!strcmp(word, keys[i].name))
			return keys[i].set(rule, value, err);
	}
	return wt_fail_unknown(err, "filter", word, names, N_KEYS);
}

int wt_program_rule_filter(struct wt_program_rule *rule, char *text, struct wt_err *err)
{
	char *word;
	int rc = 0;

	while (!rc && (word = strsep(&text, ";")))
		rc = set_key(rule, word, err);
	return rc;
}

static int keyword(const char *name, const struct wt_provider *provider, const char *word, uint64_t *ret,
		   struct wt_err *err)
{
	const char *names[64];
	uint32_t n = 0;
	char *end;

	if (isdigit((unsigned char)word[0])) {
		errno = 0;
		*ret |= strtoull(word, &end, 0);
		return *end || errno ? wt_fail(err, WT_ERR_USAGE, "keywords '%s' is not a number", word) : 0;
	}
	if (!provider)
		return wt_fail(err, WT_ERR_USAGE,
			       "keyword '%s': no program has registered provider %s, so the names of its "
			       "keywords are not known; give numbers, or its manifest with --manifest FILE",
			       word, name);
	for (uint32_t i = 0; i < provider->n_keywords; i++) {
		if (n < 64)
			names[n++] = provider->keywords[i].name;
		if (strcasecmp(provider->keywords[i].name, word))
			continue;
		*ret |= provider->keywords[i].value;
		return 0;
	}
	return wt_fail_unknown(err, "keyword", word, names, n);
}

int wt_program_rule_keywords(const char *name, const struct wt_provider *provider, const char *text,
			     uint64_t *ret, struct wt_err *err)
{
	char *copy = strdup(text), *rest = copy, *word;
	uint64_t mask = 0;
	int rc = copy ? 0 : wt_fail_nomem(err);

	while (!rc && (word = strsep(&rest, "|")))
		rc = keyword(name, provider, word, &mask, err);
	free(copy);
	if (!rc)
		*ret = mask;
	return rc;
}

struct wt_enable_rule wt_program_rule_view(const struct wt_program_rule *rule)
{
	return (struct wt_enable_rule){
		.provider = rule->provider,
		.any = rule->any,
		.all = rule->all,
		.level = rule->level,
		.stack = rule->stack,
		.pids = rule->n_pids ? rule->pids : NULL,
		.n_pids = rule->n_pids,
		.exe = rule->exe[0] ? rule->exe : NULL,
		.ids = rule->n_ids ? rule->ids : NULL,
		.n_ids = rule->n_ids,
		.ids_are_out = rule->ids_are_out,
		.names = rule->names[0] ? rule->names : NULL,
		.stack_ids = rule->n_stack_ids ? rule->stack_ids : NULL,
		.n_stack_ids = rule->n_stack_ids,
	};
}

static void put_ids(struct wt_buf *out, const char *what, const uint16_t *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		wt_buf_printf(out, "%s%u", i ? "," : what, ids[i]);
}

void wt_program_rule_text(const struct wt_program_rule *rule, struct wt_buf *out)
{
	wt_buf_puts(out, rule->provider);
	wt_buf_puts(out, ": ");
	if (rule->any == UINT64_MAX)
		wt_buf_puts(out, "any keyword");
	else if (rule->any)
		wt_buf_printf(out, "keywords 0x%llx", (unsigned long long)rule->any);
	else
		wt_buf_puts(out, "all keywords");
	if (rule->all)
		wt_buf_printf(out, ", all of 0x%llx", (unsigned long long)rule->all);
	if (rule->level)
		wt_buf_printf(out, ", level %u", rule->level);
	else
		wt_buf_puts(out, ", all levels");
	if (rule->stack)
		wt_buf_puts(out, ", with stacks");
	put_ids(out, ", stacks for ids ", rule->stack_ids, rule->n_stack_ids);
	for (uint32_t i = 0; i < rule->n_pids; i++)
		wt_buf_printf(out, "%s%u", i ? "," : ", pid ", rule->pids[i]);
	if (rule->exe[0])
		wt_buf_printf(out, ", exe %s", rule->exe);
	put_ids(out, rule->ids_are_out ? ", not ids " : ", ids ", rule->ids, rule->n_ids);
	if (rule->names[0])
		wt_buf_printf(out, ", events %s", rule->names);
}

static void put_text(struct wt_buf *out, const char *text)
{
	wt_buf_put_counted(out, text, strlen(text));
}

void wt_program_rule_encode(const struct wt_program_rule *rule, struct wt_buf *out)
{
	put_text(out, rule->provider);
	wt_buf_put_u64(out, rule->any);
	wt_buf_put_u64(out, rule->all);
	wt_buf_put_u8(out, rule->level);
	wt_buf_put_u8(out, rule->stack);
	wt_buf_put_u8(out, rule->ids_are_out);
	wt_buf_put_u8(out, (uint8_t)rule->n_pids);
	wt_buf_put_u8(out, (uint8_t)rule->n_ids);
	wt_buf_put_u8(out, (uint8_t)rule->n_stack_ids);
	for (uint32_t i = 0; i < rule->n_pids; i++)
		wt_buf_put_u32(out, rule->pids[i]);
	for (uint32_t i = 0; i < rule->n_ids; i++)
		wt_buf_put_u16(out, rule->ids[i]);
	for (uint32_t i = 0; i < rule->n_stack_ids; i++)
		wt_buf_put_u16(out, rule->stack_ids[i]);
	put_text(out, rule->exe);
	put_text(out, rule->names);
}

/* Reads a text that must fit with its terminating zero and contain no other. */
static void get_text(struct wt_cursor *cur, char *ret, size_t size)
{
	size_t len = wt_cur_u16(cur);
	const uint8_t *p = wt_cur_bytes(cur, len);

	if (!p || len >= size || memchr(p, 0, len)) {
		cur->bad = true;
		return;
	}
	memcpy(ret, p, len);
	ret[len] = 0;
}

int wt_program_rule_decode(struct wt_cursor *cur, struct wt_program_rule *ret, struct wt_err *err)
{
	struct wt_program_rule rule = {0};

	get_text(cur, rule.provider, sizeof(rule.provider));
	rule.any = wt_cur_u64(cur);
	rule.all = wt_cur_u64(cur);
	rule.level = wt_cur_u8(cur);
	rule.stack = wt_cur_u8(cur) != 0;
	rule.ids_are_out = wt_cur_u8(cur) != 0;
	rule.n_pids = wt_cur_u8(cur);
	rule.n_ids = wt_cur_u8(cur);
	rule.n_stack_ids = wt_cur_u8(cur);
	if (rule.n_pids > WT_PROGRAM_RULE_PIDS || rule.n_ids > WT_PROGRAM_RULE_IDS ||
	    rule.n_stack_ids > WT_PROGRAM_RULE_IDS)
		return wt_fail(err, WT_ERR_FORMAT, "a provider's rule with more numbers than it may have");
	for (uint32_t i = 0; i < rule.n_pids; i++)
		rule.pids[i] = wt_cur_u32(cur);
	for (uint32_t i = 0; i < rule.n_ids; i++)
		rule.ids[i] = wt_cur_u16(cur);
	for (uint32_t i = 0; i < rule.n_stack_ids; i++)
		rule.stack_ids[i] = wt_cur_u16(cur);
	get_text(cur, rule.exe, sizeof(rule.exe));
	get_text(cur, rule.names, sizeof(rule.names));
	if (cur->bad || !wt_program_provider_name(rule.provider))
		return wt_fail(err, WT_ERR_FORMAT, "a provider's rule that is not valid");
	*ret = rule;
	return 0;
}

bool wt_program_rules_have_stacks(const struct wt_program_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].stack || rules[i].n_stack_ids)
			return true;
	return false;
}
