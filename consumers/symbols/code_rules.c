/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/code_rules.h"

#include <string.h>

#include "tracecore/stackwalk/cfi_run.h"
#include "tracecore/stackwalk/walk.h"

/* Addresses that are relative to their own place lie around this address. */
#define SOMEWHERE (UINT64_C(1) << 40)
/* The maximum length of a piece of code. */
#define LONGEST (UINT64_C(1) << 30)

/* The functions lie in the writer as they lie to one another. */
static int add_functions(struct wt_code_rules *rules, struct wt_cfi *cfi)
{
	struct wt_cfi_run run = {.writer = &rules->writer, .machine = WT_WALK_MACHINE};
	uint64_t at = rules->writer.covered, first;

	if (!cfi->n_fdes || cfi->n_fdes > WT_CODE_RULES_FUNCTIONS || wt_cfi_sort(cfi, NULL))
		return -1;
	first = cfi->fdes[0].start;
	for (size_t i = 0; i < cfi->n_fdes; i++) {
		struct wt_cfi_fde fde = cfi->fdes[i];

		if (fde.end - first > LONGEST || at > WT_ABI_UNWIND_MAX_SPAN - LONGEST)
			return -1;
		fde.start = at + (fde.start - first);
		fde.end = at + (fde.end - first);
		if (wt_cfi_run(&run, &cfi->cies[fde.cie], &fde, NULL) < 0)
			return -1;
	}
	rules->last_span = (struct wt_code_span){at, (uint32_t)(rules->writer.covered - at)};
	return 0;
}

static int add(struct wt_code_rules *rules, const uint8_t *bytes, size_t len)
{
	const struct wt_cfi_section section = {.bytes = bytes, .len = len, .address = SOMEWHERE};
	struct wt_cfi cfi = {0};
	int failed = wt_cfi_read(&cfi, &section, NULL) || add_functions(rules, &cfi);

	wt_cfi_deinit(&cfi);
	return failed;
}

struct wt_code_span wt_code_rules_add(struct wt_code_rules *rules, struct wt_cursor eh_frame)
{
	static const struct wt_code_span none;
	size_t len = wt_cur_left(&eh_frame);
	const uint8_t *bytes = wt_cur_bytes(&eh_frame, len);

	if (!bytes || !len || len > WT_CODE_RULES_PIECE)
		return none;
	if (rules->last.len == len && !memcmp(rules->last.data, bytes, len))
		return rules->last_span;
	if (!rules->writer.rules && wt_unwind_writer_init(&rules->writer, 0, NULL))
		return none;
	wt_buf_clear(&rules->last);
	if (add(rules, bytes, len))
		return none;
	wt_buf_put(&rules->last, bytes, len);
	return rules->last_span;
}

const struct wt_abi_unwind_rule *wt_code_rules_find(const struct wt_code_rules *rules,
						    struct wt_code_span span, uint64_t offset)
{
	return offset < span.len ? wt_unwind_writer_rule(&rules->writer, 0, span.at + offset) : NULL;
}

uint64_t wt_code_rules_bytes(const struct wt_code_rules *rules)
{
	const struct wt_unwind_writer *writer = &rules->writer;

	return writer->cap_rows * sizeof(*writer->rows) + writer->cap_rules * sizeof(*writer->rules) +
	       (writer->slots ? ((uint64_t)writer->mask + 1) * sizeof(*writer->slots) : 0) + rules->last.cap;
}

void wt_code_rules_deinit(struct wt_code_rules *rules)
{
	wt_unwind_writer_deinit(&rules->writer);
	wt_buf_deinit(&rules->last);
	*rules = (struct wt_code_rules){0};
}
