/* SPDX-License-Identifier: MIT */
#include "consumers/export/words.h"

#include <math.h>
#include <string.h>

#include "consumers/export/duration.h"

/* ---- keys: text ---- */

static bool is_time(const struct wt_view_key *key)
{
	return key->what == WT_KEY_TIME ||
	       (key->what == WT_KEY_FIELD && key->field.forms == (WT_FIELD_INTEGER | WT_FIELD_TIME));
}

static double real_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Times in fields are session time; times of the key already count from the origin. */
static int64_t moment(const struct wt_view_file *file, const struct wt_view_key *key, uint64_t value)
{
	return (int64_t)(key->what == WT_KEY_TIME ? value : value - file->origin);
}

static bool is_none(const struct wt_view_key *key, uint32_t id)
{
	const struct wt_key *number = &key->numbers.keys[id];

	if (number->b || number->a != WT_VIEW_NO_NUMBER)
		return number->b;
	return wt_view_key_may_lack(key->what) || (key->what == WT_KEY_FIELD && key->field.may_be_none);
}

/* "+1.50 s" from the beginning of the log, with as many decimals as a step of so many ns needs. */
static void put_moment(int64_t ns, uint64_t step, struct wt_buf *out)
{
	uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, unit = WT_NSEC;
	unsigned decimals = 0;

	for (; unit > 1 && step % unit; unit /= 10)
		decimals++;
	wt_buf_printf(out, "%c%llu", ns < 0 ? '-' : '+', (unsigned long long)(left / WT_NSEC));
	if (decimals)
		wt_buf_printf(out, ".%0*llu", (int)decimals, (unsigned long long)(left % WT_NSEC / unit));
	wt_buf_puts(out, " s");
}

static void number_text(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
			struct wt_buf *out)
{
	uint64_t v = key->numbers.keys[id].a;
	struct wt_value value = {.field = key->field.sample, .n = 1, .u = v, .f = real_of(v)};

	if (is_none(key, id))
		wt_buf_puts(out, "(none)");
	else if (is_time(key))
		put_moment(moment(file, key, v), key->what == WT_KEY_TIME ? key->bucket : 1, out);
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

/* ---- keys: JSON ---- */

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
	wt_json_known(json, number, row->number, WT_VIEW_NO_NUMBER);
	if (row->start)
		wt_json_signed(json, "start_ns", (int64_t)(row->start - file->origin));
}

/* FIELD is the number and FIELD_text its meaning, as in dump. */
static void named_json(const struct wt_view_key *key, const struct wt_value *value, struct wt_json *json)
{
	struct wt_buf name = {0}, text = {0};

	if (wt_type_is_signed(value->field->type))
		wt_json_signed(json, key->word, (int64_t)value->u);
	else
		wt_json_number(json, key->word, value->u);
	wt_buf_printf(&name, "%s_text", key->word);
	wt_value_text(value, &text);
	wt_json_bytes(json, wt_buf_cstr(&name), text.data, text.len);
	json->out->failed |= name.failed || text.failed;
	wt_buf_deinit(&name);
	wt_buf_deinit(&text);
}

/* The text stands for different numbers in events of different kinds, so there is no single number. */
static bool has_many_maps(const struct wt_view_key *key)
{
	return key->what == WT_KEY_FIELD && (key->field.forms & WT_FIELD_NAMED) &&
	       !(key->field.forms & WT_FIELD_TEXT);
}

static void unnumbered_json(const struct wt_view_file *file, const struct wt_view_key *key, uint32_t id,
			    struct wt_json *json)
{
	struct wt_buf name = {0};

	wt_buf_printf(&name, "%s_text", key->word);
	wt_json_null(json, key->word);
	text_json(file, wt_buf_cstr(&name), id, json);
	json->out->failed |= name.failed;
	wt_buf_deinit(&name);
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
	} else if (key->what == WT_KEY_FIELD && wt_field_has_words(value.field)) {
		named_json(key, &value, json);
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
		if (has_many_maps(key))
			unnumbered_json(file, key, id, json);
		else
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

/* ---- cells ---- */

static void put_integer(__int128 v, struct wt_buf *out)
{
	unsigned __int128 left = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	char digits[48];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + (int)(left % 10));
	while (left /= 10);
	if (v < 0)
		digits[--n] = '-';
	wt_buf_put(out, digits + n, sizeof(digits) - n);
}

static void put_seconds(__int128 ns, struct wt_buf *out)
{
	uint64_t left = (uint64_t)(ns < 0 ? -ns : ns);

	wt_buf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(left / WT_NSEC),
		      (unsigned long long)(left % WT_NSEC));
}

void wt_view_cell_text(const struct wt_view_cell *cell, struct wt_buf *out)
{
	if (cell->is_ns && (cell->kind == WT_CELL_INTEGER || cell->kind == WT_CELL_REAL)) {
		wt_buf_puts(out, cell->or_more ? ">=" : "");
		wt_duration_text(cell->kind == WT_CELL_REAL ? cell->f : (double)cell->i, out);
		return;
	}
	switch (cell->kind) {
	case WT_CELL_NONE:
		wt_buf_put_u8(out, '-');
		break;
	case WT_CELL_UNDEFINED:
		wt_buf_puts(out, "n/a");
		break;
	case WT_CELL_INTEGER:
		put_integer(cell->i, out);
		break;
	case WT_CELL_REAL:
		/* A quotient of counts may have any value. */
		wt_buf_printf(out, cell->f && fabs(cell->f) < 0.01 ? "%.3g" : "%.3f", cell->f);
		break;
	case WT_CELL_SHARE:
		wt_buf_printf(out, "%.2f", cell->f);
		break;
	case WT_CELL_SECONDS:
		put_seconds(cell->i, out);
		break;
	}
}

void wt_view_cell_json(const struct wt_view_cell *cell, struct wt_buf *out)
{
	if (cell->kind == WT_CELL_NONE || cell->kind == WT_CELL_UNDEFINED)
		wt_buf_puts(out, "null");
	else if (cell->kind == WT_CELL_SHARE)
		wt_buf_printf(out, "%.4f", cell->f);
	else if (cell->kind == WT_CELL_REAL && !isfinite(cell->f))
		wt_buf_puts(out, "null");
	else if (cell->kind == WT_CELL_REAL)
		wt_buf_printf(out, "%.17g", cell->f);
	else if (cell->kind == WT_CELL_INTEGER)
		put_integer(cell->i, out);
	else
		wt_view_cell_text(cell, out);
}
