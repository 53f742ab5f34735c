// SPDX-License-Identifier: MIT
#include "consumers/pmu/json_tree.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX    (4u << 20)
#define NESTING_MAX 32

static size_t line_at(const char *text, size_t len, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < len; i++)
		line += text[i] == '\n';
	return line;
}

static const char *why(enum json_tokener_error error)
{
	return error == json_tokener_continue ? "unexpected end of text" : json_tokener_error_desc(error);
}

int wt_tree_parse(const char *text, size_t len, const char *origin, struct json_object **ret,
		  struct wt_err *err)
{
	struct json_tokener *tokener;
	enum json_tokener_error error;
	size_t end;

	*ret = NULL;
	if (len > TEXT_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "%s: longer than %u MiB", origin, TEXT_MAX >> 20);
	tokener = json_tokener_new_ex(NESTING_MAX);
	if (!tokener)
		return wt_fail_nomem(err);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*ret = json_tokener_parse_ex(tokener, text, (int)len);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_success) {
		while (end < len && strchr(" \t\r\n", text[end]) && text[end])
			end++;
		if (end == len && wt_tree_is_object(*ret))
			return 0;
	}
	wt_tree_free(*ret);
	*ret = NULL;
	return wt_fail(err, WT_ERR_FORMAT, "%s:%zu: not valid JSON: %s", origin, line_at(text, len, end),
		       error == json_tokener_success ? "one object {...} is expected" : why(error));
}

void wt_tree_free(struct json_object *root)
{
	json_object_put(root);
}

bool wt_tree_is_object(struct json_object *node)
{
	return json_object_is_type(node, json_type_object);
}

bool wt_tree_is_list(struct json_object *node)
{
	return json_object_is_type(node, json_type_array);
}

struct json_object *wt_tree_member(struct json_object *node, const char *key)
{
	struct json_object *ret = NULL;

	if (wt_tree_is_object(node))
		json_object_object_get_ex(node, key, &ret);
	return ret;
}

size_t wt_tree_count(struct json_object *node)
{
	if (wt_tree_is_list(node))
		return json_object_array_length(node);
	return wt_tree_is_object(node) ? (size_t)json_object_object_length(node) : 0;
}

struct json_object *wt_tree_element(struct json_object *list, size_t i)
{
	return wt_tree_is_list(list) ? json_object_array_get_idx(list, i) : NULL;
}

const char *wt_tree_text_of(struct json_object *node)
{
	const char *text;

	if (!json_object_is_type(node, json_type_string))
		return NULL;
	text = json_object_get_string(node);
	return strlen(text) == (size_t)json_object_get_string_len(node) ? text : NULL;
}

const char *wt_tree_member_text(struct json_object *node, const char *key)
{
	return wt_tree_text_of(wt_tree_member(node, key));
}

static bool number_of_text(const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	if (!n || digits[n])
		return false;
	errno = 0;
	*ret = strtoull(digits, NULL, hex ? 16 : 10);
	return !errno;
}

bool wt_tree_number_of(struct json_object *node, uint64_t *ret)
{
	const char *text = wt_tree_text_of(node);

	if (text)
		return number_of_text(text, ret);
	if (!json_object_is_type(node, json_type_int) || json_object_get_int64(node) < 0)
		return false;
	*ret = json_object_get_uint64(node);
	return true;
}

double wt_tree_real_of(struct json_object *node, double other)
{
	double real;

	if (!json_object_is_type(node, json_type_int) && !json_object_is_type(node, json_type_double))
		return other;
	real = json_object_get_double(node);
	return isfinite(real) ? real : other;
}

int wt_tree_members(struct json_object *node,
		    int (*fn)(void *ctx, const char *key, struct json_object *value), void *ctx)
{
	struct json_object_iterator it, end;
	int rc = 0;

	if (!wt_tree_is_object(node))
		return 0;
	end = json_object_iter_end(node);
	for (it = json_object_iter_begin(node); !rc && !json_object_iter_equal(&it, &end);
	     json_object_iter_next(&it))
		rc = fn(ctx, json_object_iter_peek_name(&it), json_object_iter_peek_value(&it));
	return rc;
}
