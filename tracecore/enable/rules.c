// SPDX-License-Identifier: MIT
#include "tracecore/enable/rules.h"

#include <string.h>
#include <strings.h>

#include "tracecore/enable/hash.h"

static bool header_valid(const struct wt_rules *rules)
{
	struct wt_abi_rules head;
	uint64_t hash;

	if (rules->len < sizeof(head) || rules->len > WT_ABI_RULES_MAX)
		return false;
	memcpy(&head, rules->bytes, sizeof(head));
	if (head.magic != WT_ABI_RULES_MAGIC || head.version != WT_ABI_ENABLE_VERSION ||
	    head.bytes != rules->len)
		return false;
	hash = wt_hash_bytes(WT_HASH_INIT, rules->bytes + sizeof(head), rules->len - sizeof(head));
	return head.checksum == wt_enable_checksum(hash);
}

bool wt_rules_valid(const struct wt_rules *rules)
{
	struct wt_abi_rules head;
	struct wt_cursor cur;
	struct wt_rule rule;
	uint32_t n = 0;

	if (!header_valid(rules))
		return false;
	memcpy(&head, rules->bytes, sizeof(head));
	cur = wt_rules_begin(rules);
	while (wt_rules_next(&cur, &rule) == 0)
		n++;
	return !cur.bad && n == head.n_rules;
}

struct wt_cursor wt_rules_begin(const struct wt_rules *rules)
{
	return wt_cursor(rules->bytes + sizeof(struct wt_abi_rules),
			 rules->len - sizeof(struct wt_abi_rules));
}

static struct wt_rule_text take_text(struct wt_cursor *cur, uint32_t len)
{
	return (struct wt_rule_text){.p = (const char *)wt_cur_bytes(cur, len), .len = len};
}

int wt_rules_next(struct wt_cursor *cur, struct wt_rule *ret)
{
	struct wt_abi_rule head;
	struct wt_cursor body;
	const uint8_t *p;

	if (!wt_cur_left(cur))
		return 1;
	p = wt_cur_bytes(cur, sizeof(head));
	if (!p)
		return 1;
	memcpy(&head, p, sizeof(head));
	if (head.bytes < sizeof(head) || head.bytes % 8 || head.n_pids > WT_ABI_RULE_PIDS ||
	    head.n_ids > WT_ABI_RULE_IDS || head.n_stack_ids > WT_ABI_RULE_IDS) {
		cur->bad = true;
		return 1;
	}
	body = wt_cur_sub(cur, head.bytes - sizeof(head));
	*ret = (struct wt_rule){.any = head.any,
				.all = head.all,
				.level = head.level,
				.flags = head.flags,
				.n_pids = head.n_pids,
				.n_ids = head.n_ids,
				.n_stack_ids = head.n_stack_ids};
	ret->pids = wt_cur_bytes(&body, 4u * head.n_pids);
	ret->ids = wt_cur_bytes(&body, 2u * head.n_ids);
	ret->stack_ids = wt_cur_bytes(&body, 2u * head.n_stack_ids);
	ret->provider = take_text(&body, head.provider_len);
	ret->exe = take_text(&body, head.exe_len);
	ret->names = take_text(&body, head.names_len);
	if (body.bad)
		cur->bad = true;
	return cur->bad;
}

/* Matches one glob. It backtracks to the last star only, so time is at most glob times text. */
static bool match(const char *glob, const char *end, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (glob < end && *glob == '*') {
			star = ++glob;
			from = text;
		} else if (glob < end && (*glob == '?' || *glob == *text)) {
			glob++;
			text++;
		} else if (star) {
			glob = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (glob < end && *glob == '*')
		glob++;
	return glob == end;
}

bool wt_rule_glob(struct wt_rule_text globs, const char *text)
{
	const char *p = globs.p, *end = globs.p + globs.len;

	while (p < end) {
		const char *stop = memchr(p, ';', (size_t)(end - p));

		if (!stop)
			stop = end;
		if (stop > p && match(p, stop, text))
			return true;
		p = stop + 1;
	}
	return false;
}

static bool has_id(const uint8_t *ids, unsigned n, uint16_t id)
{
	for (unsigned i = 0; i < n; i++) {
		if (wt_load_u16(ids + 2 * i) == id)
			return true;
	}
	return false;
}

bool wt_rule_is_for(const struct wt_rule *rule, const char *provider)
{
	return strlen(provider) == rule->provider.len &&
	       strncasecmp(provider, rule->provider.p, rule->provider.len) == 0;
}

bool wt_rule_admits(const struct wt_rule *rule, const struct wt_rule_process *process)
{
	const char *base = strrchr(process->exe, '/');
	bool pid_passes = !rule->n_pids;

	for (unsigned i = 0; i < rule->n_pids; i++)
		pid_passes |= wt_load_u32(rule->pids + 4 * i) == process->pid;
	if (!pid_passes || !rule->exe.len)
		return pid_passes;
	return wt_rule_glob(rule->exe, process->exe) || (base && wt_rule_glob(rule->exe, base + 1));
}

/* enum wt_rule_bit of one event: level, keywords, ids, names, stacks. name may be NULL: "". */
static uint8_t event_bits(const struct wt_rule *rule, const struct wt_abi_event *event, const char *name)
{
	uint64_t keywords = event->keywords;
	bool listed = has_id(rule->ids, rule->n_ids, event->id);

	if (event->level && rule->level && event->level > rule->level)
		return 0;
	if (keywords && rule->any && (!(keywords & rule->any) || (keywords & rule->all) != rule->all))
		return 0;
	if (rule->n_ids && listed == !!(rule->flags & WT_ABI_RULE_IDS_OUT))
		return 0;
	if (rule->names.len && !wt_rule_glob(rule->names, name ? name : ""))
		return 0;
	if ((rule->flags & WT_ABI_RULE_STACK) || has_id(rule->stack_ids, rule->n_stack_ids, event->id))
		return WT_RULE_ON | WT_RULE_STACK;
	return WT_RULE_ON;
}

static const char *event_name(const struct wt_rule_events *events, uint32_t i)
{
	uint32_t at = events->events[i].name;

	return at < events->names_len ? events->names + at : "";
}

void wt_rules_apply(const struct wt_rules *rules, const char *provider, const struct wt_rule_events *events,
		    const struct wt_rule_process *process, uint8_t *bits)
{
	struct wt_cursor cur = wt_rules_begin(rules);
	struct wt_rule rule;

	while (wt_rules_next(&cur, &rule) == 0) {
		if (!wt_rule_is_for(&rule, provider) || (process && !wt_rule_admits(&rule, process)))
			continue;
		for (uint32_t i = 0; i < events->n; i++)
			bits[i] |= event_bits(&rule, &events->events[i], event_name(events, i));
	}
}

uint8_t wt_rules_event(const struct wt_rules *rules, const char *provider,
		       const struct wt_rule_events *events, uint32_t event,
		       const struct wt_rule_process *process)
{
	struct wt_cursor cur = wt_rules_begin(rules);
	struct wt_rule rule;
	uint8_t bits = 0;

	if (event >= events->n)
		return 0;
	while (wt_rules_next(&cur, &rule) == 0) {
		if (wt_rule_is_for(&rule, provider) && (!process || wt_rule_admits(&rule, process)))
			bits |= event_bits(&rule, &events->events[event], event_name(events, event));
	}
	return bits;
}
