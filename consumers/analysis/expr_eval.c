/* SPDX-License-Identifier: MIT */
/* Binds an expression to keys, and evaluates it over a batch. */
#include "consumers/analysis/expr.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/expr_node.h"
#include "consumers/analysis/function_name.h"
#include "tracecore/base/foreign.h"
#include "tracecore/base/grow.h"

/* ---- bind ---- */

static int fail_at(const struct wt_expr_place *at, struct wt_expr_place *place)
{
	if (place)
		*place = *at;
	return -1;
}

static int check_number(const struct wt_expr_node *node, unsigned types, struct wt_err *err)
{
	bool zero = node->value.whole == 0 && !node->value.fraction;

	if (node->op == WT_EXPR_MATCH)
		return wt_fail(err, WT_ERR_USAGE, "=~ needs a regular expression in quotes");
	if (!(types & WT_EXPR_NUMBER))
		return wt_fail(err, WT_ERR_USAGE, "'%s' is a text: compare it with a text in quotes",
			       node->name);
	if ((types & WT_EXPR_DURATION) && !node->value.has_unit && !zero)
		return wt_fail(err, WT_ERR_USAGE, "'%s' is a time: give the value a unit (ns us ms s)",
			       node->name);
	return 0;
}

static int check_names(struct wt_expr_node *node, struct wt_err *err)
{
	node->names = true;
	if (node->value.is_text && node->op == WT_EXPR_HAS)
		return 0;
	if (node->value.is_text && node->op == WT_EXPR_MATCH)
		return wt_pattern_compile(node->value.text, &node->pattern, err);
	return wt_fail(err, WT_ERR_USAGE, "'%s' is many names: %s has 'NAME', or %s =~ 'REGEX'", node->name,
		       node->name, node->name);
}

static int check_node(struct wt_expr_node *node, unsigned types, struct wt_err *err)
{
	if (types & WT_EXPR_NAMES)
		return check_names(node, err);
	if (node->op == WT_EXPR_HAS)
		return wt_fail(err, WT_ERR_USAGE, "'%s' is one value: compare it with == or =~", node->name);
	if (!node->value.is_text)
		return check_number(node, types, err);
	if (!(types & WT_EXPR_TEXT))
		return wt_fail(err, WT_ERR_USAGE, "'%s' is a number: compare it with a number", node->name);
	return node->op == WT_EXPR_MATCH ? wt_pattern_compile(node->value.text, &node->pattern, err) : 0;
}

/* Texts are compared with values only: a word that is also a name is rejected as ambiguous. */
static int check_word(const struct wt_expr_node *node, const struct wt_expr_scope *scope, struct wt_err *err)
{
	struct wt_err ignored = WT_ERR_INIT;
	uint32_t handle;
	unsigned types;

	if (!node->word || node->op == WT_EXPR_HAS ||
	    scope->lookup(scope->ctx, node->value.text, &handle, &types, &ignored))
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is compared with a value, and '%s' is also the name of a key or field; write "
		       "the text in quotes: '%s'",
		       node->name, node->value.text, node->value.text);
}

static uint32_t rows_needed(const struct wt_expr *expr, uint32_t at)
{
	const struct wt_expr_node *node = &expr->nodes[at];
	uint32_t left, right;

	if (node->op == WT_EXPR_NOT)
		return rows_needed(expr, node->left);
	if (node->op != WT_EXPR_AND && node->op != WT_EXPR_OR)
		return 0;
	left = rows_needed(expr, node->left);
	right = 1 + rows_needed(expr, node->right);
	return left > right ? left : right;
}

int wt_expr_bind(struct wt_expr *expr, const struct wt_expr_scope *scope, struct wt_expr_place *place,
		 struct wt_err *err)
{
	for (uint32_t i = 0; i < expr->n; i++) {
		struct wt_expr_node *node = &expr->nodes[i];
		unsigned types = 0;

		if (!node->name)
			continue;
		if (scope->lookup(scope->ctx, node->name, &node->handle, &types, err))
			return fail_at(&node->place, place);
		node->calls = types & WT_EXPR_CALLS;
		if (check_node(node, types, err) || check_word(node, scope, err))
			return fail_at(&node->value_place, place);
	}
	expr->n_rows = rows_needed(expr, expr->root);
	return 0;
}

/* ---- numbers: every comparison with an integer is "inside [low, high]" or its opposite ---- */

struct range {
	__int128 low, high;
	bool outside;
};

static struct range number_range(const struct wt_expr_node *node)
{
	const __int128 edge = (__int128)1 << 100, whole = node->value.whole;
	const bool cut = node->value.fraction;
	struct range range = {.low = -edge, .high = edge};

	switch (node->op) {
	case WT_EXPR_LT:
		range.high = cut ? whole : whole - 1;
		break;
	case WT_EXPR_LE:
		range.high = whole;
		break;
	case WT_EXPR_GT:
		range.low = whole + 1;
		break;
	case WT_EXPR_GE:
		range.low = cut ? whole + 1 : whole;
		break;
	default:
		range.outside = node->op == WT_EXPR_NE;
		range.low = whole;
		range.high = cut ? whole - 1 : whole;
	}
	return range;
}

/* Signed numbers are moved up by 2^63, so that one unsigned loop serves both. */
static void compare_integers(const struct wt_expr_node *node, const struct wt_expr_vector *vector, uint32_t n,
			     uint8_t *mask)
{
	const uint64_t bias = vector->kind == WT_EXPR_I64 ? UINT64_C(1) << 63 : 0;
	struct range range = number_range(node);
	uint64_t low, width;

	range.low = range.low + bias < 0 ? 0 : range.low + bias;
	range.high = range.high + bias > UINT64_MAX ? UINT64_MAX : range.high + bias;
	if (range.low > range.high) {
		memset(mask, range.outside, n);
	} else {
		low = (uint64_t)range.low;
		width = (uint64_t)range.high - low;
		for (uint32_t i = 0; i < n; i++)
			mask[i] = (vector->numbers[i] + bias - low <= width) != range.outside;
	}
	for (uint32_t i = 0; vector->has_none && i < n; i++)
		mask[i] &= vector->numbers[i] != vector->none;
}

static bool compare_real(enum wt_expr_op op, double a, double b)
{
	switch (op) {
	case WT_EXPR_EQ:
		return a == b;
	case WT_EXPR_NE:
		return a != b;
	case WT_EXPR_LT:
		return a < b;
	case WT_EXPR_LE:
		return a <= b;
	case WT_EXPR_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static void compare_reals(const struct wt_expr_node *node, const uint64_t *bits, uint32_t n, uint8_t *mask)
{
	for (uint32_t i = 0; i < n; i++) {
		double v;

		memcpy(&v, &bits[i], sizeof(v));
		mask[i] = compare_real(node->op, v, node->value.real);
	}
}

/* ---- texts ---- */

static bool compare_text(const struct wt_expr_node *node, const char *text, size_t len)
{
	const struct wt_expr_value *value = &node->value;
	size_t common = len < value->len ? len : value->len;
	int order;

	if (node->op == WT_EXPR_MATCH)
		return wt_pattern_find(node->pattern, text, len);
	if (node->calls && wt_function_is(text, len, value->text, value->len))
		len = common = value->len;
	order = common ? memcmp(text, value->text, common) : 0;
	if (!order)
		order = (len > value->len) - (len < value->len);
	return compare_real(node->op == WT_EXPR_HAS ? WT_EXPR_EQ : node->op, order, 0);
}

struct wt_expr_test {
	const struct wt_expr_node *node;
};

bool wt_expr_test(const struct wt_expr_test *test, const char *text, size_t len)
{
	return compare_text(test->node, text, len);
}

static void compare_bytes(const struct wt_expr_node *node, const struct wt_expr_vector *vector, uint32_t n,
			  uint8_t *mask)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = vector->offsets[i];

		mask[i] = compare_text(node, (const char *)vector->bytes + from,
				       vector->offsets[i + 1] - from);
	}
}

static int compare_ids(struct wt_expr_node *node, const struct wt_expr_source *source, const uint32_t *ids,
		       uint32_t n, uint8_t *mask, struct wt_err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = ids[i];

		if (id >= node->n_memo && wt_grow_filled(&node->memo, &node->n_memo, id, 1, 0, err))
			return -1;
		if (!node->memo[id]) {
			size_t len = 0;
			const char *text = source->text(source->ctx, node->handle, id, &len);

			node->memo[id] = compare_text(node, text, len) ? 2 : 1;
		}
		mask[i] = node->memo[id] == 2;
	}
	return 0;
}

/* ---- eval ---- */

static int eval_comparison(struct wt_expr_node *node, const struct wt_expr_source *source, uint32_t n,
			   uint8_t *mask, struct wt_err *err)
{
	struct wt_expr_vector vector = {.kind = WT_EXPR_ABSENT};
	enum wt_expr_types as = node->value.is_text ? WT_EXPR_TEXT : WT_EXPR_NUMBER;
	struct wt_expr_test test = {.node = node};

	if (node->names)
		return source->any(source->ctx, node->handle, &test, mask, err);
	if (source->fetch(source->ctx, node->handle, as, &vector, err))
		return -1;
	switch (vector.kind) {
	case WT_EXPR_U64:
	case WT_EXPR_I64:
		compare_integers(node, &vector, n, mask);
		return 0;
	case WT_EXPR_F64:
		compare_reals(node, vector.numbers, n, mask);
		return 0;
	case WT_EXPR_IDS:
		return compare_ids(node, source, vector.ids, n, mask, err);
	case WT_EXPR_BYTES:
		compare_bytes(node, &vector, n, mask);
		return 0;
	case WT_EXPR_ABSENT:
		break;
	}
	memset(mask, 0, n);
	return 0;
}

static int eval_node(struct wt_expr *expr, uint32_t at, const struct wt_expr_source *source, uint32_t n,
		     uint8_t *mask, uint8_t *rows, struct wt_err *err)
{
	struct wt_expr_node *node = &expr->nodes[at];

	if (node->op > WT_EXPR_NOT)
		return eval_comparison(node, source, n, mask, err);
	if (eval_node(expr, node->left, source, n, mask, rows, err))
		return -1;
	if (node->op == WT_EXPR_NOT) {
		for (uint32_t i = 0; i < n; i++)
			mask[i] = !mask[i];
		return 0;
	}
	if (!memchr(mask, node->op == WT_EXPR_AND, n))
		return 0;
	if (eval_node(expr, node->right, source, n, rows, rows + n, err))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		mask[i] = node->op == WT_EXPR_AND ? mask[i] & rows[i] : mask[i] | rows[i];
	return 0;
}

int wt_expr_eval(struct wt_expr *expr, const struct wt_expr_source *source, uint32_t n, uint8_t *mask,
		 struct wt_err *err)
{
	size_t need = (size_t)expr->n_rows * n;

	if (!n)
		return 0;
	if (wt_grow(&expr->masks, &expr->masks_size, 0, need, err))
		return -1;
	return eval_node(expr, expr->root, source, n, mask, expr->masks, err);
}

/* ---- spans ---- */

/* The possible results of an expression for events of which only spans are known. */
enum { MAY_HOLD = 1, MAY_NOT = 2 };

static unsigned judge_number(const struct wt_expr_node *node, const struct wt_expr_span *span)
{
	struct range range = number_range(node);
	bool none = span->most < range.low || span->least > range.high || range.low > range.high;
	bool all = span->least >= range.low && span->most <= range.high;

	if (!none && !all)
		return MAY_HOLD | MAY_NOT;
	return all != range.outside ? MAY_HOLD : MAY_NOT;
}

static unsigned judge(const struct wt_expr *expr, uint32_t at,
		      struct wt_expr_span (*span_of)(void *ctx, uint32_t handle), void *ctx)
{
	const struct wt_expr_node *node = &expr->nodes[at];
	struct wt_expr_span span;
	unsigned left, right;

	if (node->op > WT_EXPR_NOT) {
		span = span_of(ctx, node->handle);
		if (span.kind == WT_EXPR_WITHIN && !node->value.is_text && !node->names)
			return judge_number(node, &span);
		return span.kind == WT_EXPR_NONE ? MAY_NOT : MAY_HOLD | MAY_NOT;
	}
	left = judge(expr, node->left, span_of, ctx);
	if (node->op == WT_EXPR_NOT)
		return (left & MAY_HOLD ? MAY_NOT : 0) | (left & MAY_NOT ? MAY_HOLD : 0);
	right = judge(expr, node->right, span_of, ctx);
	return node->op == WT_EXPR_AND ? (left & right & MAY_HOLD) | ((left | right) & MAY_NOT)
				       : ((left | right) & MAY_HOLD) | (left & right & MAY_NOT);
}

bool wt_expr_may_pass(const struct wt_expr *expr, struct wt_expr_span (*span)(void *ctx, uint32_t handle),
		      void *ctx)
{
	return judge(expr, expr->root, span, ctx) & MAY_HOLD;
}

/* ---- the place of an error ---- */

#define WINDOW 100

static size_t put_plain(struct wt_buf *out, const char *p, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0, step; i < n; i += step) {
		enum wt_foreign what;
		uint32_t code;

		step = wt_foreign_step((const uint8_t *)p + i, n - i, &what, &code);
		if (what == WT_FOREIGN_SHOWN)
			wt_buf_put(out, p + i, step);
		else
			wt_buf_put_u8(out, '?');
		columns++;
	}
	return columns;
}

void wt_expr_show_place(const char *text, const struct wt_expr_place *place, struct wt_buf *out)
{
	size_t len = strlen(text), at = place->at < len ? place->at : len;
	size_t from = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
	size_t to = len - from > WINDOW ? from + WINDOW : len;
	size_t marked = place->len < to - at ? place->len : to - at, before;

	while (from && ((unsigned char)text[from] & 0xc0) == 0x80)
		from--;
	wt_buf_puts(out, "  ");
	before = put_plain(out, text + from, at - from);
	marked = put_plain(out, text + at, marked) + (marked == 0);
	at += place->len < to - at ? place->len : to - at;
	put_plain(out, text + at, to - at);
	wt_buf_printf(out, "\n  %*s", (int)before, "");
	while (marked--)
		wt_buf_put_u8(out, '^');
	wt_buf_put_u8(out, '\n');
}
