// SPDX-License-Identifier: MIT
#include "tracecore/schema/manifest_read.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/nearest.h"

#define NESTING_MAX 32

/* The index is made for the first error only: most manifests have none. */
static size_t line_here(struct wt_mf *mf)
{
	if (!mf->index.nodes)
		wt_json_index_init(&mf->index, mf->text, mf->len);
	return wt_json_index_line(&mf->index, mf->path, mf->depth);
}

/* An error is one line, whatever words the manifest contains. */
static void one_line(char *text)
{
	for (; *text; text++) {
		if ((uint8_t)*text < 0x20 || *text == 0x7f)
			*text = '?';
	}
}

int wt_mf_fail_line(struct wt_mf *mf, size_t line, const char *text)
{
	if (mf->tell && mf->n_errors++ < WT_MANIFEST_MAX_ERRORS)
		mf->tell(mf->tell_ctx, line, text);
	return wt_fail(mf->err, WT_ERR_FORMAT, "%s:%zu: %s", mf->origin, line, text);
}

int wt_mf_fail(struct wt_mf *mf, const char *fmt, ...)
{
	char text[WT_ERR_TEXT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	one_line(text);
	return wt_mf_fail_line(mf, line_here(mf), text);
}

int wt_mf_stop(struct wt_mf *mf, size_t depth)
{
	if (!mf->tell || mf->n_errors >= WT_MANIFEST_MAX_ERRORS || mf->err->code != WT_ERR_FORMAT)
		return -1;
	mf->depth = depth;
	return 0;
}

int wt_mf_fail_unknown(struct wt_mf *mf, const char *what, const char *word, const char *const *known,
		       size_t n)
{
	struct wt_err err = WT_ERR_INIT;

	wt_fail_unknown(&err, what, word, known, n);
	return wt_mf_fail(mf, "%s", err.text);
}

void wt_mf_enter(struct wt_mf *mf, const char *key, size_t index)
{
	mf->path[mf->depth++] = (struct wt_json_step){.key = key, .index = index};
}

void wt_mf_leave(struct wt_mf *mf)
{
	mf->depth--;
}

bool wt_mf_is_object(struct json_object *node)
{
	return json_object_is_type(node, json_type_object);
}

int wt_mf_object(struct wt_mf *mf, struct json_object *node, const char *what, const char *const *keys,
		 size_t n)
{
	struct json_object_iterator it, end;
	char words[64];

	if (!json_object_is_type(node, json_type_object))
		return wt_mf_fail(mf, "%s must be an object {...}", what);
	end = json_object_iter_end(node);
	for (it = json_object_iter_begin(node); !json_object_iter_equal(&it, &end);
	     json_object_iter_next(&it)) {
		const char *key = json_object_iter_peek_name(&it);
		size_t i = 0;

		while (i < n && strcmp(keys[i], key))
			i++;
		if (i < n)
			continue;
		snprintf(words, sizeof(words), "key of %s", what);
		wt_mf_enter(mf, key, 0);
		wt_mf_fail_unknown(mf, words, key, keys, n);
		if (wt_mf_stop(mf, mf->depth - 1))
			return -1;
	}
	mf->members += (size_t)json_object_object_length(node);
	return 0;
}

struct json_object *wt_mf_member(struct json_object *node, const char *key)
{
	return json_object_object_get(node, key);
}

bool wt_mf_has(struct json_object *node, const char *key)
{
	return json_object_object_get_ex(node, key, NULL);
}

int wt_mf_array(struct wt_mf *mf, struct json_object *node, const char *key, size_t max,
		struct json_object **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
	if (!wt_mf_has(node, key))
		return 0;
	wt_mf_enter(mf, key, 0);
	*ret = wt_mf_member(node, key);
	if (!json_object_is_type(*ret, json_type_array))
		return wt_mf_fail(mf, "'%s' must be a list [...]", key);
	*n = json_object_array_length(*ret);
	if (*n > max)
		return wt_mf_fail(mf, "'%s' has %zu elements, at most %zu are allowed", key, *n, max);
	wt_mf_leave(mf);
	return 0;
}

struct json_object *wt_mf_element(struct json_object *array, size_t i)
{
	return json_object_array_get_idx(array, i);
}

bool wt_mf_is_text(struct json_object *node)
{
	return json_object_is_type(node, json_type_string);
}

const char *wt_mf_text_of(struct json_object *node)
{
	return json_object_get_string(node);
}

int wt_mf_word(struct wt_mf *mf, struct json_object *node, const char *key, const char **ret)
{
	struct json_object *value;

	if (!wt_mf_has(node, key))
		return 0;
	wt_mf_enter(mf, key, 0);
	value = wt_mf_member(node, key);
	if (!wt_mf_is_text(value))
		return wt_mf_fail(mf, "'%s' must be a string", key);
	if (json_object_get_string_len(value) > WT_SCHEMA_MAX_TEXT)
		return wt_mf_fail(mf, "'%s' is %d bytes long, at most %d are allowed", key,
				  json_object_get_string_len(value), WT_SCHEMA_MAX_TEXT);
	*ret = json_object_get_string(value);
	if (strlen(*ret) != (size_t)json_object_get_string_len(value))
		return wt_mf_fail(mf, "'%s' holds a zero byte", key);
	wt_mf_leave(mf);
	return 0;
}

int wt_mf_text(struct wt_mf *mf, struct json_object *node, const char *key, char **ret)
{
	const char *word = NULL;

	if (wt_mf_word(mf, node, key, &word))
		return -1;
	if (!word)
		return 0;
	*ret = strdup(word);
	return *ret ? 0 : wt_fail_nomem(mf->err);
}

static bool parse_hex(const char *text, uint64_t *ret)
{
	size_t digits = strlen(text);

	if (strncmp(text, "0x", 2) || digits < 3 || digits > 18 ||
	    strspn(text + 2, "0123456789abcdefABCDEF") != digits - 2)
		return false;
	*ret = strtoull(text + 2, NULL, 16);
	return true;
}

/* 1: a negative number, whose two's complement is in *ret. */
static int read_number(struct wt_mf *mf, struct json_object *node, uint64_t *ret)
{
	if (wt_mf_is_text(node) && parse_hex(json_object_get_string(node), ret))
		return 0;
	if (!json_object_is_type(node, json_type_int))
		return wt_mf_fail(mf, "%.64s is not a whole number or a \"0x...\" string of up to 16 digits",
				  node ? json_object_to_json_string(node) : "null");
	/* The library replaces a number that does not fit 64 bits by the nearest that does. */
	if (json_object_get_uint64(node) == UINT64_MAX || json_object_get_int64(node) == INT64_MIN)
		return wt_mf_fail(mf, "a number does not fit, or only just: write it as a \"0x...\" string");
	if (json_object_get_int64(node) < 0) {
		*ret = (uint64_t)json_object_get_int64(node);
		return 1;
	}
	*ret = json_object_get_uint64(node);
	return 0;
}

int wt_mf_number(struct wt_mf *mf, struct json_object *node, const char *key, uint64_t min, uint64_t max,
		 uint64_t *ret)
{
	uint64_t v;
	int sign;

	if (!wt_mf_has(node, key))
		return 0;
	wt_mf_enter(mf, key, 0);
	sign = read_number(mf, wt_mf_member(node, key), &v);
	if (sign < 0)
		return -1;
	if (sign || v < min || v > max)
		return wt_mf_fail(mf, "'%s' is %s, it must be from %llu to %llu", key,
				  json_object_get_string(wt_mf_member(node, key)), (unsigned long long)min,
				  (unsigned long long)max);
	*ret = v;
	wt_mf_leave(mf);
	return 0;
}

int wt_mf_bits_of(struct wt_mf *mf, struct json_object *node, uint64_t *ret)
{
	return read_number(mf, node, ret) < 0 ? -1 : 0;
}

int wt_mf_bits(struct wt_mf *mf, struct json_object *node, const char *key, uint64_t *ret)
{
	if (!wt_mf_has(node, key))
		return wt_mf_fail(mf, "'%s' is missing", key);
	wt_mf_enter(mf, key, 0);
	if (wt_mf_bits_of(mf, wt_mf_member(node, key), ret))
		return -1;
	wt_mf_leave(mf);
	return 0;
}

static int fail_syntax(struct wt_mf *mf, enum json_tokener_error error, size_t offset)
{
	char text[WT_ERR_TEXT_SIZE];

	if (error == json_tokener_continue)
		return wt_mf_fail_line(mf, wt_json_line(mf->text, mf->len),
				       "the text ends before the manifest does");
	if (error == json_tokener_error_depth)
		snprintf(text, sizeof(text), "nested deeper than %d levels", NESTING_MAX);
	else
		snprintf(text, sizeof(text), "not valid JSON: %s", json_tokener_error_desc(error));
	return wt_mf_fail_line(mf, wt_json_line(mf->text, offset), text);
}

int wt_mf_tree(struct wt_mf *mf, struct json_object **ret)
{
	struct json_tokener *tokener;
	size_t end;
	int failed = 0;

	if (mf->len > WT_SCHEMA_MAX_JSON)
		return wt_fail(mf->err, WT_ERR_LIMIT, "%s: %zu bytes, a manifest has at most %d", mf->origin,
			       mf->len, WT_SCHEMA_MAX_JSON);
	tokener = json_tokener_new_ex(NESTING_MAX);
	if (!tokener)
		return wt_fail_nomem(mf->err);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*ret = json_tokener_parse_ex(tokener, mf->text, (int)mf->len);
	end = json_tokener_get_parse_end(tokener);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		failed = fail_syntax(mf, json_tokener_get_error(tokener), end);
	else if (end != mf->len)
		failed = wt_mf_fail_line(mf, wt_json_line(mf->text, end),
					 "there is text after the end of the manifest");
	json_tokener_free(tokener);
	return failed;
}

void wt_mf_tree_free(struct json_object *root)
{
	json_object_put(root);
}
