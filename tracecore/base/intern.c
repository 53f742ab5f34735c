// SPDX-License-Identifier: MIT
#include "tracecore/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

#define FIRST_SLOTS 64

/* Both tables keep id + 1 in open-addressed slots. This doubles and rebuilds them. */
static bool grow_slots(uint32_t **slots, uint32_t *mask, uint32_t count,
		       uint32_t (*hash_of)(const void *, uint32_t), const void *table)
{
	uint64_t n = *slots ? ((uint64_t)*mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *fresh = n > UINT32_MAX ? NULL : calloc(n, sizeof(*fresh));

	if (!fresh)
		return false;
	for (uint32_t id = 0; id < count; id++) {
		uint32_t i = hash_of(table, id) & (uint32_t)(n - 1);

		while (fresh[i])
			i = (i + 1) & (uint32_t)(n - 1);
		fresh[i] = id + 1;
	}
	free(*slots);
	*slots = fresh;
	*mask = (uint32_t)(n - 1);
	return true;
}

static bool slots_full(const uint32_t *slots, uint32_t mask, uint32_t count)
{
	return !slots || (uint64_t)count * 3 >= ((uint64_t)mask + 1) * 2;
}

static uint32_t key_hash(const void *table, uint32_t id)
{
	const struct wt_key *key = &((const struct wt_intern *)table)->keys[id];

	return (uint32_t)wt_hash2(key->a, key->b);
}

uint32_t wt_intern_find(const struct wt_intern *table, uint64_t a, uint64_t b)
{
	uint32_t i;

	if (!table->slots)
		return WT_INTERN_NONE;
	i = (uint32_t)wt_hash2(a, b) & table->slot_mask;
	for (; table->slots[i]; i = (i + 1) & table->slot_mask) {
		const struct wt_key *key = &table->keys[table->slots[i] - 1];

		if (key->a == a && key->b == b)
			return table->slots[i] - 1;
	}
	return WT_INTERN_NONE;
}

uint32_t wt_intern(struct wt_intern *table, uint64_t a, uint64_t b, bool *fresh)
{
	uint32_t i;

	*fresh = false;
	if (slots_full(table->slots, table->slot_mask, table->count) &&
	    !grow_slots(&table->slots, &table->slot_mask, table->count, key_hash, table))
		return WT_INTERN_NONE;
	i = (uint32_t)wt_hash2(a, b) & table->slot_mask;
	for (; table->slots[i]; i = (i + 1) & table->slot_mask) {
		const struct wt_key *key = &table->keys[table->slots[i] - 1];

		if (key->a == a && key->b == b)
			return table->slots[i] - 1;
	}
	if (wt_grow(&table->keys, &table->cap, table->count, 1, NULL))
		return WT_INTERN_NONE;
	table->keys[table->count] = (struct wt_key){a, b};
	table->slots[i] = ++table->count;
	*fresh = true;
	return table->count - 1;
}

void wt_intern_clear(struct wt_intern *table)
{
	table->count = 0;
	if (table->slots)
		memset(table->slots, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->slots));
}

void wt_intern_deinit(struct wt_intern *table)
{
	free(table->keys);
	free(table->slots);
	*table = (struct wt_intern){0};
}

static uint32_t bytes_hash(const uint8_t *p, size_t len)
{
	uint64_t h = len;
	uint64_t word = 0;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		h = wt_hash2(h, word);
	}
	word = 0;
	memcpy(&word, p, len);
	return (uint32_t)wt_hash2(h, word);
}

static uint32_t entry_hash(const void *table, uint32_t id)
{
	return ((const struct wt_strings *)table)->entries[id].hash;
}

/* Slot of the string, or the free slot where it belongs. */
static uint32_t find_slot(const struct wt_strings *table, const void *bytes, size_t len, uint32_t hash)
{
	uint32_t i = hash & table->slot_mask;

	for (; table->slots[i]; i = (i + 1) & table->slot_mask) {
		const struct wt_strings_entry *e = &table->entries[table->slots[i] - 1];

		if (e->hash == hash && e->len == len && !memcmp(table->bytes + e->offset, bytes, len))
			break;
	}
	return i;
}

uint32_t wt_strings_find(const struct wt_strings *table, const void *bytes, size_t len)
{
	uint32_t slot;

	if (!table->slots)
		return WT_INTERN_NONE;
	slot = find_slot(table, bytes ? bytes : "", len, bytes_hash(bytes ? bytes : (const void *)"", len));
	return table->slots[slot] ? table->slots[slot] - 1 : WT_INTERN_NONE;
}

static bool grow_entries(struct wt_strings *table, size_t len)
{
	if (wt_grow(&table->entries, &table->cap, table->count, 1, NULL))
		return false;
	return !wt_grow(&table->bytes, &table->bytes_cap, table->bytes_len, len + 1, NULL);
}

uint32_t wt_strings_add(struct wt_strings *table, const void *bytes, size_t len, bool *fresh)
{
	const void *from = bytes ? bytes : "";
	uint32_t hash = bytes_hash(from, len);
	uint32_t slot;

	*fresh = false;
	if (len >= UINT32_MAX)
		return WT_INTERN_NONE;
	if (slots_full(table->slots, table->slot_mask, table->count) &&
	    !grow_slots(&table->slots, &table->slot_mask, table->count, entry_hash, table))
		return WT_INTERN_NONE;
	slot = find_slot(table, from, len, hash);
	if (table->slots[slot])
		return table->slots[slot] - 1;
	if (!grow_entries(table, len))
		return WT_INTERN_NONE;
	memcpy(table->bytes + table->bytes_len, from, len);
	table->bytes[table->bytes_len + len] = 0;
	table->entries[table->count] = (struct wt_strings_entry){
		.offset = table->bytes_len, .len = (uint32_t)len, .hash = hash};
	table->bytes_len += len + 1;
	table->slots[slot] = ++table->count;
	*fresh = true;
	return table->count - 1;
}

const char *wt_strings_get(const struct wt_strings *table, uint32_t id, size_t *len)
{
	bool known = id < table->count;

	if (len)
		*len = known ? table->entries[id].len : 0;
	return known ? table->bytes + table->entries[id].offset : "";
}

void wt_strings_clear(struct wt_strings *table)
{
	table->count = 0;
	table->bytes_len = 0;
	if (table->slots)
		memset(table->slots, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->slots));
}

void wt_strings_deinit(struct wt_strings *table)
{
	free(table->entries);
	free(table->bytes);
	free(table->slots);
	*table = (struct wt_strings){0};
}
