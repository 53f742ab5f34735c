/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/table_writer.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/intern.h"
#include "tracecore/stackwalk/table_layout.h"
#include "tracecore/stackwalk/walk.h"

/* Rows of a page when they are spread evenly: the starts of a page then fill one or two cache lines. */
#define ROWS_PER_PAGE 32u
#define FIRST_SLOTS   256u

void wt_unwind_table_deinit(struct wt_unwind_table *table)
{
	free(table->bytes);
	*table = (struct wt_unwind_table){0};
}

int wt_unwind_writer_init(struct wt_unwind_writer *writer, uint64_t base, struct wt_err *err)
{
	const uint64_t align = UINT64_C(1) << WT_ABI_UNWIND_MAX_SHIFT;

	*writer = (struct wt_unwind_writer){.base = base & ~(align - 1)};
	writer->covered = base;
	writer->slots = calloc(FIRST_SLOTS, sizeof(*writer->slots));
	writer->rules = calloc(FIRST_SLOTS, sizeof(*writer->rules));
	if (!writer->slots || !writer->rules) {
		wt_unwind_writer_deinit(writer);
		return wt_fail_nomem(err);
	}
	writer->mask = FIRST_SLOTS - 1;
	writer->cap_rules = FIRST_SLOTS;
	writer->n_rules = 1;
	return 0;
}

void wt_unwind_writer_deinit(struct wt_unwind_writer *writer)
{
	free(writer->rows);
	free(writer->rules);
	free(writer->slots);
	*writer = (struct wt_unwind_writer){0};
}

static uint32_t rule_hash(const struct wt_abi_unwind_rule *rule)
{
	uint64_t words[4];

	memcpy(words, rule, sizeof(words));
	return (uint32_t)wt_hash2(wt_hash2(words[0], words[1]), wt_hash2(words[2], words[3]));
}

/* The slot of the rule, or the free slot where it belongs. */
static uint32_t *find_slot(const struct wt_unwind_writer *writer, const struct wt_abi_unwind_rule *rule)
{
	uint32_t i = rule_hash(rule) & writer->mask;

	while (writer->slots[i] && memcmp(&writer->rules[writer->slots[i]], rule, sizeof(*rule)) != 0)
		i = (i + 1) & writer->mask;
	return &writer->slots[i];
}

static int grow_rules(struct wt_unwind_writer *writer, struct wt_err *err)
{
	size_t cap = writer->cap_rules * 2;
	struct wt_abi_unwind_rule *rules = realloc(writer->rules, cap * sizeof(*rules));
	uint32_t *slots;

	if (!rules)
		return wt_fail_nomem(err);
	writer->rules = rules;
	slots = calloc(cap * 2, sizeof(*slots));
	if (!slots)
		return wt_fail_nomem(err);
	free(writer->slots);
	writer->slots = slots;
	writer->mask = (uint32_t)(cap * 2 - 1);
	writer->cap_rules = cap;
	for (uint32_t id = 1; id < writer->n_rules; id++)
		*find_slot(writer, &rules[id]) = id;
	return 0;
}

static int rule_id(struct wt_unwind_writer *writer, const struct wt_abi_unwind_rule *rule, uint32_t *ret,
		   struct wt_err *err)
{
	uint32_t *slot;

	if (rule->cfa == WT_ABI_CFA_NONE && !(rule->flags & WT_ABI_RULE_END)) {
		*ret = 0;
		return 0;
	}
	if (writer->n_rules == writer->cap_rules && grow_rules(writer, err) != 0)
		return -1;
	slot = find_slot(writer, rule);
	if (!*slot) {
		writer->rules[writer->n_rules] = *rule;
		*slot = (uint32_t)writer->n_rules++;
	}
	*ret = *slot;
	return 0;
}

static int push_row(struct wt_unwind_writer *writer, uint64_t at, uint32_t rule, struct wt_err *err)
{
	if (writer->n_rows && writer->rows[writer->n_rows - 1].rule == rule)
		return 0;
	if (wt_grow(&writer->rows, &writer->cap_rows, writer->n_rows, 1, err))
		return -1;
	writer->rows[writer->n_rows++] = (struct wt_unwind_row){(uint32_t)(at - writer->base), rule};
	return 0;
}

int wt_unwind_writer_add(struct wt_unwind_writer *writer, uint64_t from, uint64_t to,
			 const struct wt_abi_unwind_rule *rule, struct wt_err *err)
{
	uint64_t limit = writer->base + WT_ABI_UNWIND_MAX_SPAN;
	uint32_t id;

	from = from < writer->covered ? writer->covered : from;
	to = to > limit ? limit : to;
	if (from >= to)
		return 0;
	if (from > writer->covered && push_row(writer, writer->covered, 0, err) != 0)
		return -1;
	if (rule_id(writer, rule, &id, err) != 0 || push_row(writer, from, id, err) != 0)
		return -1;
	writer->covered = to;
	return 0;
}

/* The last row from `first` on that begins at or before `at`; n_rows when there is none. */
static size_t row_at(const struct wt_unwind_writer *writer, size_t first, uint64_t at)
{
	size_t low = WT_BOUND(i, first, writer->n_rows, writer->rows[i].at <= at);

	return low == first ? writer->n_rows : low - 1;
}

const struct wt_abi_unwind_rule *wt_unwind_writer_rule(const struct wt_unwind_writer *writer, size_t first,
						       uint64_t address)
{
	size_t i = row_at(writer, first, address - writer->base);

	return i < writer->n_rows && writer->rows[i].rule ? &writer->rules[writer->rows[i].rule] : NULL;
}

int wt_unwind_writer_patch(struct wt_unwind_writer *writer, size_t first, uint64_t from, uint64_t to,
			   const struct wt_abi_unwind_rule *rule, struct wt_err *err)
{
	uint64_t at = from - writer->base, end = to - writer->base;
	size_t i = row_at(writer, first, at), j = row_at(writer, first, end), cut, kept;
	struct wt_unwind_row tail;
	uint32_t id;

	if (i == writer->n_rows || from >= to || to > writer->covered)
		return 0;
	if (rule_id(writer, rule, &id, err) != 0)
		return -1;
	/* Makes room for two more rows, the most that one change adds. */
	for (int k = 0; k < 2; k++)
		if (push_row(writer, writer->covered, UINT32_MAX - (uint32_t)k, err) != 0)
			return -1;
	writer->n_rows -= 2;
	tail = (struct wt_unwind_row){(uint32_t)end, writer->rows[j].rule};
	cut = writer->rows[i].at == at ? i : i + 1;
	kept = to == writer->covered ? writer->n_rows : j + 1;
	memmove(&writer->rows[cut + 2], &writer->rows[kept], (writer->n_rows - kept) * sizeof(tail));
	writer->rows[cut] = (struct wt_unwind_row){(uint32_t)at, id};
	writer->rows[cut + 1] = tail;
	writer->n_rows = cut + 2 + (writer->n_rows - kept);
	if (to == writer->covered)
		writer->n_rows--;
	return 0;
}

/* ---- layout ---- */

struct layout {
	struct wt_abi_unwind header;
	struct wt_unwind_layout at;
	uint32_t first_page; /* of the writer's rows */
};

static uint32_t choose_shift(uint64_t span, size_t n_rows)
{
	uint32_t shift = WT_ABI_UNWIND_MIN_SHIFT;

	while (shift < WT_ABI_UNWIND_MAX_SHIFT && (span >> shift) * ROWS_PER_PAGE > n_rows)
		shift++;
	return shift;
}

/* The number of rows the table will have: one more for each page at whose start no row begins. */
static uint32_t count_rows(const struct wt_unwind_writer *writer, uint32_t shift, uint32_t n_pages)
{
	uint32_t mask = (1u << shift) - 1, at_start = 0;

	for (size_t i = 0; i < writer->n_rows; i++)
		at_start += !(writer->rows[i].at & mask);
	return (uint32_t)writer->n_rows + n_pages - at_start;
}

static void lay_out(const struct wt_unwind_writer *writer, struct layout *l)
{
	struct wt_abi_unwind *header = &l->header;
	uint64_t first = writer->n_rows ? writer->rows[0].at : 0;
	uint64_t end = writer->n_rows ? writer->covered - writer->base : 0;
	uint32_t shift = choose_shift(end - first, writer->n_rows);

	l->first_page = (uint32_t)(first >> shift);
	header->magic = WT_ABI_UNWIND_MAGIC;
	header->version = WT_ABI_UNWIND_VERSION;
	header->n_inexact = writer->n_inexact;
	header->page_shift = (uint8_t)shift;
	header->base = writer->base + ((uint64_t)l->first_page << shift);
	header->n_pages = end ? (uint32_t)(((end - 1) >> shift) + 1 - l->first_page) : 0;
	header->n_rows = count_rows(writer, shift, header->n_pages);
	header->n_repeats = header->n_rows - (uint32_t)writer->n_rows;
	header->n_rules = (uint32_t)writer->n_rules;
	header->flags |= writer->n_rules > UINT16_MAX + 1u ? WT_ABI_UNWIND_WIDE : 0;
	l->at = wt_unwind_layout(header);
	header->size = l->at.end;
}

/* The rows of the table, one by one. */
struct row_output {
	uint32_t *pages;
	uint16_t *starts, *ids;
	uint32_t *wide_ids;
	uint32_t n;
};

static void put_row(struct row_output *out, uint32_t start, uint32_t rule)
{
	out->starts[out->n] = (uint16_t)start;
	if (out->wide_ids)
		out->wide_ids[out->n] = rule;
	else
		out->ids[out->n] = (uint16_t)rule;
	out->n++;
}

static void put_rows(const struct wt_unwind_writer *writer, const struct layout *l, struct row_output *out)
{
	uint32_t shift = l->header.page_shift, mask = (1u << shift) - 1, rule = 0;
	size_t i = 0;

	for (uint32_t page = 0; page < l->header.n_pages; page++) {
		uint64_t at = (uint64_t)(l->first_page + page) << shift;

		out->pages[page] = out->n;
		if (i == writer->n_rows || writer->rows[i].at != at)
			put_row(out, 0, rule);
		for (; i < writer->n_rows && writer->rows[i].at - at <= mask; i++) {
			rule = writer->rows[i].rule;
			put_row(out, writer->rows[i].at & mask, rule);
		}
	}
	out->pages[l->header.n_pages] = out->n;
}

int wt_unwind_writer_finish(struct wt_unwind_writer *writer, const struct wt_abi_unwind *facts,
			    struct wt_unwind_table *ret, struct wt_err *err)
{
	struct layout l = {.header = *facts};
	bool wide;
	uint8_t *p;

	/* The code after the last row has no data, also where a page continues. */
	if (writer->covered - writer->base < WT_ABI_UNWIND_MAX_SPAN && writer->n_rows &&
	    push_row(writer, writer->covered++, 0, err) != 0)
		return -1;
	lay_out(writer, &l);
	p = aligned_alloc(WT_ABI_UNWIND_ALIGN, wt_unwind_align(l.header.size));
	if (!p)
		return wt_fail_nomem(err);
	memset(p, 0, l.header.size);
	wide = l.header.flags & WT_ABI_UNWIND_WIDE;
	put_rows(writer, &l,
		 &(struct row_output){.pages = (void *)(p + l.at.pages),
				      .starts = (void *)(p + l.at.starts),
				      .ids = wide ? NULL : (void *)(p + l.at.ids),
				      .wide_ids = wide ? (void *)(p + l.at.ids) : NULL});
	memcpy(p + l.at.rules, writer->rules, writer->n_rules * sizeof(*writer->rules));
	memcpy(p, &l.header, sizeof(l.header));
	l.header.checksum = wt_unwind_checksum(p, l.header.size);
	memcpy(p, &l.header, sizeof(l.header));
	*ret = (struct wt_unwind_table){.bytes = p, .size = l.header.size};
	return 0;
}
