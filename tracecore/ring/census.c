/* SPDX-License-Identifier: MIT */
/* How many records of each provider a ring has had: in overwrite mode every block begins with it, so that a
 * reader that finds blocks gone knows exactly what they held. It is computed when a block is left, from the
 * block and its own census, and becomes true with the commit that leaves the block. */
#include "tracecore/ring/writing.h"

struct count {
	const struct wt_writing *to;
	uint64_t head;
	struct wt_abi_census *entries; /* in the new block */
	uint64_t n;
};

static enum wt_section_result set(const struct count *count, uint64_t *word, uint64_t value)
{
	return wt_writing_store(count->to, &count->to->ring->head, count->head, word, value);
}

static enum wt_section_result add(struct count *count, uint32_t provider, uint64_t n)
{
	uint64_t i = 0;
	enum wt_section_result result;

	while (i < count->n && count->entries[i].provider != provider)
		i++;
	if (i == WT_ABI_CENSUS_MAX) {
		i--;
		provider = WT_ABI_LOSS_OTHERS;
	}
	if (i < count->n && (count->entries[i].provider == provider || i == WT_ABI_CENSUS_MAX - 1))
		n += count->entries[i].count;
	else
		count->n = i + 1;
	if (i == WT_ABI_CENSUS_MAX - 1)
		provider = WT_ABI_LOSS_OTHERS;
	result = set(count, (uint64_t *)&count->entries[i], provider);
	return result ? result : set(count, &count->entries[i].count, n);
}

/* The old block's records. It cannot change while the head stands; when it does not, what is read here is
 * rubbish, and no store made from it happens. */
static enum wt_section_result add_records(struct count *count, const uint8_t *old, uint32_t pos, uint32_t end)
{
	uint32_t provider = 0;
	uint64_t run = 0;
	enum wt_section_result result;

	while (end - pos >= sizeof(struct wt_abi_record)) {
		const volatile struct wt_abi_record *record = (const void *)(old + pos);
		uint32_t size = record->size;

		if (size < sizeof(struct wt_abi_record) || size % 8 || size > end - pos)
			break;
		if (run && record->provider != provider) {
			if ((result = add(count, provider, run)))
				return result;
			run = 0;
		}
		provider = record->provider;
		run++;
		pos += size;
	}
	return run ? add(count, provider, run) : WT_SECTION_DONE;
}

enum wt_section_result wt_writing_census(const struct wt_writing *to, uint64_t head,
					 struct wt_abi_block *block, uint64_t *bytes)
{
	const uint8_t *old = wt_shape_block(to->shape, to->ring, wt_abi_head_slot(head));
	const struct wt_abi_block *from = (const void *)old;
	const struct wt_abi_census *before = (const void *)(from + 1);
	uint32_t n = __atomic_load_n(&from->n_census, __ATOMIC_RELAXED);
	struct count count = {.to = to, .head = head, .entries = (void *)(block + 1)};
	enum wt_section_result result;

	if (n > WT_ABI_CENSUS_MAX)
		n = WT_ABI_CENSUS_MAX;
	for (uint32_t i = 0; i < n; i++) {
		if ((result = add(&count, before[i].provider, before[i].count)))
			return result;
	}
	result = add_records(&count, old, (uint32_t)(sizeof(*from) + n * sizeof(*before)),
			     wt_abi_head_offset(head));
	*bytes = count.n * sizeof(struct wt_abi_census);
	return result;
}
