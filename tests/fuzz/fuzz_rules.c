// SPDX-License-Identifier: MIT
// Covers: tracecore/enable/rules.c
/* Any bytes as a rules file, as they are and with a header that fits: refused, or evaluated for some events.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/enable/hash.h"
#include "tracecore/enable/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wt_abi_event events[] = {{.id = 1, .level = 4, .keywords = 1},
					     {.id = 2, .name = 6},
					     {.id = 65535, .level = 255, .name = 4000}};

static void evaluate(const uint8_t *data, size_t size)
{
	struct wt_rules rules = {.bytes = data, .len = size};
	struct wt_rule_events table = {.events = events, .names = "start\0stop", .n = 3, .names_len = 11};
	struct wt_rule_process process = {.pid = 7, .exe = "/usr/bin/true"};
	uint8_t all[3] = {0}, some[3] = {0};

	if (!wt_rules_valid(&rules))
		return;
	wt_rules_apply(&rules, "app", &table, NULL, all);
	wt_rules_apply(&rules, "app", &table, &process, some);
	for (uint32_t i = 0; i < 3; i++) {
		if ((some[i] & ~all[i]) || wt_rules_event(&rules, "app", &table, i, &process) != some[i])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_abi_rules head;
	uint8_t *copy;

	evaluate(data, size);
	if (size < sizeof(head) || size > WT_ABI_RULES_MAX)
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	memcpy(&head, data, sizeof(head));
	head.magic = WT_ABI_RULES_MAGIC;
	head.version = WT_ABI_ENABLE_VERSION;
	head.bytes = (uint32_t)size;
	head.checksum = wt_enable_checksum(
		wt_hash_bytes(WT_HASH_INIT, data + sizeof(head), size - sizeof(head)));
	memcpy(copy, &head, sizeof(head));
	evaluate(copy, size);
	free(copy);
	return 0;
}
