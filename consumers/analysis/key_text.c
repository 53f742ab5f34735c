/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/key.h"

#include <string.h>

static bool is_time(const struct wt_view_key *key)
{
	return key->what == WT_KEY_TIME ||
	       (key->what == WT_KEY_FIELD && key->field.forms == (WT_FIELD_INTEGER | WT_FIELD_TIME));
}

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

/* Moments of fields are session time, those of the key count from the origin already. */
static int64_t moment(const struct wt_view_file *file, const struct wt_view_key *key, uint64_t value)
{
	return (int64_t)(key->what == WT_KEY_TIME ? value : value - file->origin);
}

static bool is_none(const struct wt_view_key *key, uint32_t id)
{
	const struct wt_key *number = &key->numbers.keys[id];

	return number->b || (key->what == WT_KEY_CPU && number->a == WT_CPU_NONE);
}

static void number_text(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
			struct wt_buf *out)
{
	uint64_t v = key->numbers.keys[id].a;
	struct wt_value value = {.field = key->field.sample, .n = 1, .u = v, .f = real_of(v)};

	if (is_none(key, id))
		wt_buf_puts(out, "(none)");
	else if (is_time(key))
		wt_buf_printf(out, "%.9fs", (double)moment(file, key, v) / (double)WT_NSEC);
	else if (key->what == WT_KEY_FIELD)
		wt_value_text(&value, out);
	else
		wt_buf_printf(out, "%llu", (unsigned long long)v);
}

static void put_text(const struct wt_view_file *file, uint32_t id, struct wt_buf *out)
{
	size_t len;
	const char *text = wt_strings_get(&file->texts, id, &len);

	wt_buf_put(out, text, len);
}

void wt_view_key_text(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
		      struct wt_buf *out)
{
	switch (key->domain) {
	case WT_DOMAIN_TEXT:
		put_text(file, id, out);
		break;
	case WT_DOMAIN_MODULE:
		wt_buf_puts(out, wt_view_module_base(wt_strings_get(&file->texts, id, NULL)));
		break;
	case WT_DOMAIN_SYMBOL:
		wt_view_symbol_text(file, id, out);
		break;
	case WT_DOMAIN_PROCESS:
		wt_view_identity_text(file, &file->processes, id, out);
		break;
	case WT_DOMAIN_THREAD:
		wt_view_identity_text(file, &file->threads, id, out);
		break;
	case WT_DOMAIN_NUMBER:
		number_text(file, key, id, out);
		break;
	}
}

/* ---- JSON ---- */

static void text_json(const struct wt_view_file *file, const char *name, uint32_t id, struct wt_json *json)
{
	size_t len;
	const char *text = wt_strings_get(&file->texts, id, &len);

	wt_json_bytes(json, name, text, len);
}

static void identity_json(const struct wt_view_file *file, const struct wt_view_identities *ids, uint32_t id,
			  const char *name, const char *number, struct wt_json *json)
{
	const struct wt_view_identity *row = &ids->rows[id];

	text_json(file, name, row->name, json);
	if (row->number == UINT32_MAX && row->name == file->self_text)
		return;
	wt_json_number(json, number, row->number);
	if (row->start)
		wt_json_signed(json, "start_ns", (int64_t)(row->start - file->origin));
}

static void number_json(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
			struct wt_json *json)
{
	uint64_t v = key->numbers.keys[id].a;
	struct wt_value value = {.field = key->field.sample, .n = 1, .u = v, .f = real_of(v)};

	if (is_none(key, id)) {
		wt_json_null(json, key->word);
	} else if (is_time(key)) {
		wt_json_signed(json, key->word, moment(file, key, v));
	} else if (key->what == WT_KEY_FIELD) {
		wt_json_key(json, key->word);
		wt_value_json(&value, json->out);
	} else {
		wt_json_number(json, key->word, v);
	}
}

void wt_view_key_json(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
		      struct wt_json *json)
{
	const struct wt_key *symbol;

	switch (key->domain) {
	case WT_DOMAIN_TEXT:
	case WT_DOMAIN_MODULE:
		text_json(file, key->word, id, json);
		break;
	case WT_DOMAIN_SYMBOL:
		symbol = &file->symbols.keys[id];
		text_json(file, "function", (uint32_t)symbol->a, json);
		text_json(file, "module", (uint32_t)symbol->b, json);
		break;
	case WT_DOMAIN_PROCESS:
		identity_json(file, &file->processes, id, "process", "pid", json);
		break;
	case WT_DOMAIN_THREAD:
		identity_json(file, &file->threads, id, "thread", "tid", json);
		break;
	case WT_DOMAIN_NUMBER:
		number_json(file, key, id, json);
		break;
	}
}

/* ---- order ---- */

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
