// SPDX-License-Identifier: MIT
// Covers: consumers/analysis/expr_*.c
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/expr.h"

/* Any bytes as an expression: parsed, bound to names of every type, evaluated twice on few events, and any
 * error must have a place inside the text and a message of one line. What the bounds of the numbers rule out
 * must not pass. */

enum { N = 4 };

static const uint64_t numbers[N] = {0, 1, UINT64_MAX, UINT64_C(1) << 63};
static const uint32_t ids[N] = {0, 1, 1, 3};
static const uint32_t offsets[N + 1] = {0, 0, 2, 5, 5};

static int lookup(void *ctx, const char *name, uint32_t *handle, unsigned *types, struct wt_err *err)
{
	(void)ctx;
	if (name[0] == 'x')
		return wt_fail(err, WT_ERR_USAGE, "unknown name");
	*handle = (uint32_t)name[0] % 6;
	*types = name[0] == 't' ? WT_EXPR_NUMBER | WT_EXPR_DURATION : WT_EXPR_NUMBER | WT_EXPR_TEXT;
	if (name[0] == 's' || !strcmp(name, WT_EXPR_IN_REGION))
		*types = WT_EXPR_NAMES;
	return 0;
}

static int fetch(void *ctx, uint32_t handle, enum wt_expr_types as, struct wt_expr_vector *ret,
		 struct wt_err *err)
{
	static const enum wt_expr_vector_kind kinds[] = {WT_EXPR_U64, WT_EXPR_I64, WT_EXPR_F64};

	(void)ctx;
	(void)err;
	*ret = (struct wt_expr_vector){.kind = WT_EXPR_ABSENT};
	if (handle < 3 && as == WT_EXPR_NUMBER)
		*ret = (struct wt_expr_vector){.kind = kinds[handle], .numbers = numbers};
	if (handle < 3 && as == WT_EXPR_TEXT)
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_IDS, .ids = ids};
	if (handle == 3 && as == WT_EXPR_TEXT)
		*ret = (struct wt_expr_vector){
			.kind = WT_EXPR_BYTES, .offsets = offsets, .bytes = (const uint8_t *)"ab\0cd"};
	return 0;
}

static int any(void *ctx, uint32_t handle, const struct wt_expr_test *test, uint8_t *mask, struct wt_err *err)
{
	(void)ctx;
	(void)handle;
	(void)err;
	for (uint32_t i = 0; i < N; i++)
		mask[i] = wt_expr_test(test, "main", 4) || wt_expr_test(test, "", 0);
	return 0;
}

static const char *text_of(void *ctx, uint32_t handle, uint32_t id, size_t *len)
{
	(void)ctx;
	(void)handle;
	*len = id;
	return "abc";
}

static void check_error(const char *text, const struct wt_expr_place *place, const struct wt_err *err)
{
	struct wt_buf shown = {0};

	if (err->code != WT_ERR_USAGE || place->at > strlen(text) || place->len > strlen(text) - place->at)
		abort();
	wt_expr_show_place(text, place, &shown);
	wt_buf_deinit(&shown);
}

/* What fetch has, by handle: the bounds of the two columns of integers. */
static struct wt_expr_span span(void *ctx, uint32_t handle)
{
	(void)ctx;
	if (handle == 0)
		return (struct wt_expr_span){.kind = WT_EXPR_WITHIN, .most = UINT64_MAX};
	if (handle == 1)
		return (struct wt_expr_span){.kind = WT_EXPR_WITHIN, .least = INT64_MIN, .most = 1};
	return (struct wt_expr_span){.kind = handle > 3 ? WT_EXPR_NONE : WT_EXPR_ANY};
}

static void check_span(const struct wt_expr *expr, const uint8_t *mask)
{
	if (wt_expr_may_pass(expr, span, NULL))
		return;
	for (int i = 0; i < N; i++)
		if (mask[i])
			abort();
}

static void check_eval(struct wt_expr *expr)
{
	struct wt_expr_source source = {.fetch = fetch, .text = text_of, .any = any};
	struct wt_err err = WT_ERR_INIT;
	uint8_t first[N], second[N];

	if (wt_expr_eval(expr, &source, N, first, &err) || wt_expr_eval(expr, &source, N, second, &err) ||
	    memcmp(first, second, N) != 0)
		abort();
	for (int i = 0; i < N; i++)
		if (first[i] > 1)
			abort();
	check_span(expr, first);
}

/* The C library's regular expressions repeat their automaton for each {n,m}; that is its cost, not ours. */
static int costly(const char *text)
{
	return strstr(text, "=~") && strpbrk(text, "{*+");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_expr_scope scope = {.lookup = lookup};
	struct wt_expr_place place = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (costly(text)) {
		free(text);
		return 0;
	}
	if (wt_expr_parse(text, &expr, &place, &err)) {
		check_error(text, &place, &err);
		free(text);
		return 0;
	}
	if (wt_expr_bind(expr, &scope, &place, &err))
		check_error(text, &place, &err);
	else
		check_eval(expr);
	wt_expr_destroy(expr);
	free(text);
	return 0;
}
