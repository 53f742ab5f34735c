// SPDX-License-Identifier: MIT
#include "providers/perf/copy.h"

#include <stdlib.h>
#include <string.h>

#include "providers/perf/user_regs.h"
#include "tracecore/base/bytes.h"

void wt_perf_copy_deinit(struct wt_perf_copy *copy)
{
	free(copy->bytes);
	*copy = (struct wt_perf_copy){0};
}

/* Reads the head of a piece; false: it cannot be one. */
static bool get_head(const struct wt_perf_record *record, struct wt_bpf_piece *ret)
{
	if (!record->sample.raw || record->sample.raw_len < sizeof(*ret))
		return false;
	memcpy(ret, record->sample.raw, sizeof(*ret));
	/* What says that registers are being changed is a piece alone. */
	if (ret->end == WT_BPF_CHANGING && (ret->number || ret->size))
		return false;
	return ret->size <= record->sample.raw_len - sizeof(*ret) && ret->end <= WT_BPF_CHANGING &&
	       ret->address + ret->size >= ret->address;
}

static void begin(struct wt_perf_copy *copy, const struct wt_perf_record *record,
		  const struct wt_bpf_piece *head, uint64_t start)
{
	wt_perf_copy_drop(copy);
	if (!copy->bytes)
		copy->bytes = malloc(WT_BPF_COPY_MOST);
	copy->open = copy->bytes != NULL;
	copy->start = copy->end = start;
	copy->number = 0;
	copy->sp = head->sp;
	copy->regs = head->regs;
	copy->time = record->time;
	copy->pid = record->pid;
	copy->tid = record->tid;
}

static bool goes_on(const struct wt_perf_copy *copy, const struct wt_perf_record *record,
		    const struct wt_bpf_piece *head, uint64_t start)
{
	return copy->open && !copy->whole && head->number == copy->number && start == copy->end &&
	       head->sp == copy->sp && head->regs == copy->regs && record->pid == copy->pid &&
	       record->tid == copy->tid && head->size <= WT_BPF_COPY_MOST - copy->used;
}

static void add_bytes(struct wt_perf_copy *copy, const uint8_t *bytes, const struct wt_bpf_piece *head)
{
	struct wt_stack_part *last = copy->n_parts ? &copy->parts[copy->n_parts - 1] : NULL;

	if (!head->size || (copy->n_parts == WT_PERF_COPY_PARTS && last->at + last->size != head->address))
		return;
	memcpy(copy->bytes + copy->used, bytes, head->size);
	if (last && last->at + last->size == head->address)
		last->size += head->size;
	else
		copy->parts[copy->n_parts++] = (struct wt_stack_part){
			.at = head->address, .bytes = copy->bytes + copy->used, .size = head->size};
	copy->used += head->size;
}

void wt_perf_copy_take(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       uint64_t end)
{
	struct wt_bpf_piece head;

	if (!get_head(record, &head)) {
		wt_perf_copy_drop(copy);
		return;
	}
	if (!head.number)
		begin(copy, record, &head, start);
	if (!goes_on(copy, record, &head, start)) {
		wt_perf_copy_drop(copy);
		return;
	}
	add_bytes(copy, record->sample.raw + sizeof(head), &head);
	copy->number++;
	copy->end = end;
	copy->whole = head.end != WT_BPF_MORE;
	copy->changing = head.end == WT_BPF_CHANGING;
}

static uint64_t hash_of(const struct wt_perf_record *record)
{
	unsigned long long words[64];

	for (unsigned i = 0; i < WT_PERF_REGS->n; i++)
		words[i] = wt_load_u64(record->sample.regs + 8 * (size_t)i);
	return wt_bpf_hash(words, WT_PERF_REGS->n);
}

/* True when the bytes present in both copies are equal. A stretch that begins below the stack pointer is of
 * another stack. */
static bool agrees(const struct wt_perf_copy *copy, const struct wt_stack_dump *dump)
{
	for (uint32_t i = 0; i < copy->n_parts; i++) {
		uint64_t from = copy->parts[i].at - copy->sp, n = copy->parts[i].size;

		if (from >= dump->size)
			continue;
		n = n < dump->size - from ? n : dump->size - from;
		if (memcmp(copy->parts[i].bytes, dump->bytes + from, n) != 0)
			return false;
	}
	return true;
}

static bool is_of(const struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start)
{
	uint64_t apart = record->time > copy->time ? record->time - copy->time : copy->time - record->time;

	return copy->open && copy->whole && (copy->n_parts || copy->changing) && start == copy->end &&
	       record->pid == copy->pid && record->tid == copy->tid && apart <= WT_PERF_COPY_NEAR &&
	       record->sample.regs && hash_of(record) == copy->regs;
}

bool wt_perf_copy_join(struct wt_perf_copy *copy, const struct wt_perf_record *record, uint64_t start,
		       struct wt_stack_dump *dump)
{
	uint32_t sp = WT_PERF_REGS == &wt_perf_regs_aarch64 ? 31 : 7;

	if (!is_of(copy, record, start) || !dump->machine || dump->r[sp] != copy->sp || !agrees(copy, dump)) {
		wt_perf_copy_drop(copy);
		return false;
	}
	copy->open = copy->whole = false;
	dump->parts = copy->parts;
	dump->n_parts = copy->n_parts;
	dump->changing = copy->changing;
	return true;
}
