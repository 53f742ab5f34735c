/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/walk.h"

#include <string.h>

#include "tracecore/base/bytes.h"
#include "tracecore/stackwalk/table_layout.h"

void wt_walk(uint32_t machine, const struct wt_walk_input *in, struct wt_walk_result *ret)
{
	switch (machine) {
	case WT_ABI_UNWIND_X86_64:
		wt_walk_run(in, ret, &wt_walk_x86_64);
		return;
	case WT_ABI_UNWIND_AARCH64:
		wt_walk_run(in, ret, &wt_walk_aarch64);
		return;
	}
	*ret = (struct wt_walk_result){.status = in->max ? WT_WALK_NO_DATA : WT_WALK_DEPTH,
				       .module = WT_WALK_MODULE_NONE,
				       .where = in->regs->pc};
	if (in->max) {
		in->pc[ret->n++] = in->regs->pc;
		ret->exact[0] = 1;
	}
}

static const char *header_fault(const struct wt_abi_unwind *header, uint64_t size)
{
	if (header->magic != WT_ABI_UNWIND_MAGIC)
		return "no unwind table";
	if (header->size != size)
		return "an unwind table of another size";
	if (header->machine != WT_ABI_UNWIND_X86_64 && header->machine != WT_ABI_UNWIND_AARCH64)
		return "an unwind table of an unknown machine";
	if (header->page_shift < WT_ABI_UNWIND_MIN_SHIFT || header->page_shift > WT_ABI_UNWIND_MAX_SHIFT ||
	    header->base & ((UINT64_C(1) << header->page_shift) - 1) ||
	    (uint64_t)header->n_pages << header->page_shift > WT_ABI_UNWIND_MAX_SPAN + (1u << 16) ||
	    header->key_len > sizeof(header->key) || !header->n_rules)
		return "an unwind table with an impossible header";
	return NULL;
}

int wt_unwind_view(const void *table, uint64_t size, struct wt_unwind_view *ret, struct wt_err *err)
{
	const uint8_t *bytes = table;
	const struct wt_abi_unwind *header = table;
	struct wt_unwind_layout at;
	const char *fault;
	bool wide;

	if (size < sizeof(*header) || (uintptr_t)table & 7)
		return wt_fail(err, WT_ERR_FORMAT, "no unwind table");
	fault = header_fault(header, size);
	if (fault)
		return wt_fail(err, WT_ERR_FORMAT, "%s", fault);
	if (header->version != WT_ABI_UNWIND_VERSION ||
	    header->flags & ~(WT_ABI_UNWIND_WIDE | WT_ABI_UNWIND_FP))
		return wt_fail(err, WT_ERR_VERSION, "an unwind table of version %u", header->version);
	at = wt_unwind_layout(header);
	if (at.end != size)
		return wt_fail(err, WT_ERR_FORMAT, "an unwind table whose parts do not add up to its size");
	wide = header->flags & WT_ABI_UNWIND_WIDE;
	*ret = (struct wt_unwind_view){
		.pages = (const void *)(bytes + at.pages),
		.starts = (const void *)(bytes + at.starts),
		.ids = wide ? NULL : (const void *)(bytes + at.ids),
		.wide_ids = wide ? (const void *)(bytes + at.ids) : NULL,
		.rules = (const void *)(bytes + at.rules),
		.base = header->base,
		.span = (uint64_t)header->n_pages << header->page_shift,
		.n_rows = header->n_rows,
		.n_rules = header->n_rules,
		.shift = header->page_shift,
		.machine = header->machine,
	};
	return 0;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h << 29 | h >> 35;
}

enum { LANES = 8 };

/* Eight lanes over words of 8 bytes, so that eight multiplications run at a time. A tail is padded with
 * zeros. STACKWALK.md describes it in words. */
static uint64_t hash(const uint8_t *p, uint64_t left, uint64_t seed)
{
	uint64_t lane[LANES] = {seed, 1, 2, 3, 4, 5, 6, 7}, sum;
	uint8_t tail[8 * LANES] = {0};

	for (; left >= sizeof(tail); left -= sizeof(tail), p += sizeof(tail))
		for (unsigned i = 0; i < LANES; i++)
			lane[i] = mix(lane[i], wt_load_u64(p + 8 * i));
	memcpy(tail, p, left);
	for (unsigned i = 0; i < LANES; i++)
		lane[i] = mix(lane[i], wt_load_u64(tail + 8 * i));
	sum = lane[0];
	for (unsigned i = 1; i < LANES; i++)
		sum = mix(sum, lane[i]);
	return sum;
}

uint64_t wt_unwind_checksum(const void *table, uint64_t size)
{
	const uint64_t from = offsetof(struct wt_abi_unwind, base);

	return hash((const uint8_t *)table + from, size - from, size);
}

uint64_t wt_unwind_hash(uint64_t seed, const void *data, uint64_t size)
{
	return hash(data, size, mix(seed, size));
}

void wt_unwind_loaded_key(const uint8_t *build_id, size_t len, uint64_t data, struct wt_unwind_key *ret)
{
	len = len < WT_UNWIND_LOADED_ID ? len : WT_UNWIND_LOADED_ID;
	*ret = (struct wt_unwind_key){.len = (uint8_t)(len + 8)};
	memcpy(ret->bytes, build_id, len);
	wt_store_u64(ret->bytes + len, data);
}

bool wt_unwind_link_address(const void *table, uint64_t offset, uint64_t *ret)
{
	const struct wt_abi_unwind *header = table;
	const uint64_t page =
		0xfff; /* a mapping begins where the segment's first page begins, also with larger pages */
	bool found = false;

	for (unsigned i = 0; i < 2 && i < header->n_loads; i++) {
		const struct wt_abi_unwind_load *load = &header->load[i];

		if ((load->offset & ~page) > offset)
			continue;
		*ret = load->address + (offset - load->offset);
		found = true;
	}
	return found;
}

enum wt_walk_fallback wt_unwind_fallback(const void *table)
{
	const struct wt_abi_unwind *header = table;

	return header->flags & WT_ABI_UNWIND_FP ? WT_WALK_FP : WT_WALK_STOP;
}
