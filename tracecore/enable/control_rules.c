// SPDX-License-Identifier: MIT
/* Encodes a session's rules as the bytes of a rules file. */
#include "tracecore/enable/control_impl.h"

#include <string.h>

#include "tracecore/enable/hash.h"

static const char *text(const char *given)
{
	return given ? given : "";
}

static int check(const struct wt_enable_rule *rule, struct wt_err *err)
{
	if (rule->n_pids > WT_ABI_RULE_PIDS)
		return wt_fail(err, WT_ERR_LIMIT, "provider %s: a filter of %u pids: at most %u",
			       rule->provider, rule->n_pids, WT_ABI_RULE_PIDS);
	if (rule->n_ids > WT_ABI_RULE_IDS || rule->n_stack_ids > WT_ABI_RULE_IDS)
		return wt_fail(err, WT_ERR_LIMIT, "provider %s: a filter of %u event ids: at most %u",
			       rule->provider,
			       rule->n_ids > rule->n_stack_ids ? rule->n_ids : rule->n_stack_ids,
			       WT_ABI_RULE_IDS);
	if (strlen(rule->provider) > 255 || strlen(text(rule->exe)) > WT_ABI_RULE_TEXT ||
	    strlen(text(rule->names)) > WT_ABI_RULE_TEXT)
		return wt_fail(err, WT_ERR_LIMIT, "provider %.80s: a filter longer than %u bytes",
			       rule->provider, WT_ABI_RULE_TEXT);
	return 0;
}

static void put_rule(const struct wt_enable_rule *rule, struct wt_buf *buf)
{
	const char *exe = text(rule->exe), *names = text(rule->names);
	size_t start = buf->len, bytes;
	struct wt_abi_rule head = {
		.level = rule->level,
		.flags = (uint8_t)((rule->stack ? WT_ABI_RULE_STACK : 0) |
				   (rule->ids_are_out ? WT_ABI_RULE_IDS_OUT : 0)),
		.n_ids = (uint8_t)rule->n_ids,
		.n_stack_ids = (uint8_t)rule->n_stack_ids,
		.any = rule->any,
		.all = rule->all,
		.provider_len = (uint16_t)strlen(rule->provider),
		.exe_len = (uint16_t)strlen(exe),
		.names_len = (uint16_t)strlen(names),
		.n_pids = (uint8_t)rule->n_pids,
	};

	wt_buf_put(buf, &head, sizeof(head));
	wt_buf_put(buf, rule->pids, rule->n_pids * sizeof(*rule->pids));
	wt_buf_put(buf, rule->ids, rule->n_ids * sizeof(*rule->ids));
	wt_buf_put(buf, rule->stack_ids, rule->n_stack_ids * sizeof(*rule->stack_ids));
	wt_buf_put(buf, rule->provider, head.provider_len);
	wt_buf_put(buf, exe, head.exe_len);
	wt_buf_put(buf, names, head.names_len);
	while (!buf->failed && (buf->len - start) % 8)
		wt_buf_put_u8(buf, 0);
	bytes = buf->len - start;
	if (!buf->failed)
		wt_store_u32(buf->data + start + offsetof(struct wt_abi_rule, bytes), (uint32_t)bytes);
}

int wt_rules_encode(const struct wt_enable_rule *rules, uint32_t n, struct wt_buf *ret, struct wt_err *err)
{
	struct wt_abi_rules head = {
		.magic = WT_ABI_RULES_MAGIC, .version = WT_ABI_ENABLE_VERSION, .n_rules = n};
	uint64_t hash;

	wt_buf_clear(ret);
	wt_buf_put(ret, &head, sizeof(head));
	for (uint32_t i = 0; i < n; i++) {
		if (check(&rules[i], err))
			return -1;
		put_rule(&rules[i], ret);
	}
	if (ret->failed)
		return wt_fail_nomem(err);
	if (ret->len > WT_ABI_RULES_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "rules of %zu bytes: at most %u", ret->len,
			       WT_ABI_RULES_MAX);
	hash = wt_hash_bytes(WT_HASH_INIT, ret->data + sizeof(head), ret->len - sizeof(head));
	head.bytes = (uint32_t)ret->len;
	head.checksum = wt_enable_checksum(hash);
	memcpy(ret->data, &head, sizeof(head));
	return 0;
}
