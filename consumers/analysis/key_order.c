/* SPDX-License-Identifier: MIT */
/* The order of a key's ids for people. */
#include "consumers/analysis/key.h"

#include <string.h>

static bool is_real(const struct wt_view_key *key)
{
	return key->what == WT_KEY_FIELD && (key->field.forms & WT_FIELD_REAL);
}

static double real_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static int number_order(const struct wt_view_key *key, uint32_t a, uint32_t b)
{
	const struct wt_key *x = &key->numbers.keys[a], *y = &key->numbers.keys[b];

	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	if (is_real(key))
		return (real_of(x->a) > real_of(y->a)) - (real_of(x->a) < real_of(y->a));
	if (key->what == WT_KEY_FIELD && (key->field.forms & WT_FIELD_SIGNED))
		return ((int64_t)x->a > (int64_t)y->a) - ((int64_t)x->a < (int64_t)y->a);
	return (x->a > y->a) - (x->a < y->a);
}

static int text_order(const struct wt_view_file *file, uint32_t a, uint32_t b)
{
	return strcmp(wt_strings_get(&file->texts, a, NULL), wt_strings_get(&file->texts, b, NULL));
}

static int symbol_order(const struct wt_view_file *file, uint32_t a, uint32_t b)
{
	const struct wt_key *x = &file->symbols.keys[a], *y = &file->symbols.keys[b];
	int order = text_order(file, (uint32_t)x->a, (uint32_t)y->a);

	return order ? order : text_order(file, (uint32_t)x->b, (uint32_t)y->b);
}

static int identity_order(const struct wt_view_file *file, const struct wt_view_identity *a,
			  const struct wt_view_identity *b)
{
	int order = text_order(file, a->name, b->name);

	if (order)
		return order;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

int wt_view_key_order(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t a, uint32_t b)
{
	switch (key->domain) {
	case WT_DOMAIN_SYMBOL:
		return symbol_order(file, a, b);
	case WT_DOMAIN_PROCESS:
		return identity_order(file, &file->processes.rows[a], &file->processes.rows[b]);
	case WT_DOMAIN_THREAD:
		return identity_order(file, &file->threads.rows[a], &file->threads.rows[b]);
	case WT_DOMAIN_NUMBER:
		return number_order(key, a, b);
	default:
		return text_order(file, a, b);
	}
}
