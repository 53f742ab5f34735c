/* SPDX-License-Identifier: MIT */
/* From the text of an expression to its nodes. */
#include "consumers/analysis/expr.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/expr_lex.h"

struct parser {
	struct wt_expr_lexer lex;
	struct wt_expr *expr;
	unsigned depth;
	struct wt_err *err;
};

static int parse_or(struct parser *parser, uint32_t *ret);

static int next(struct parser *parser)
{
	return wt_expr_next(&parser->lex, parser->err);
}

static int fail_word(struct parser *parser, const char *wanted)
{
	const struct wt_expr_place *place = &parser->lex.place;

	if (parser->lex.word == WT_WORD_END)
		return wt_fail(parser->err, WT_ERR_USAGE, "the filter ends where %s is expected", wanted);
	return wt_fail(parser->err, WT_ERR_USAGE, "'%.*s' at byte %zu of the filter, where %s is expected",
		       (int)(place->len < 40 ? place->len : 40), parser->lex.text + place->at, place->at + 1,
		       wanted);
}

static int new_node(struct parser *parser, enum wt_expr_op op, uint32_t *ret)
{
	struct wt_expr *expr = parser->expr;

	if (expr->n == WT_EXPR_MAX_NODES)
		return wt_fail(parser->err, WT_ERR_USAGE, "the filter has more than %d parts",
			       WT_EXPR_MAX_NODES);
	expr->nodes[expr->n].op = op;
	*ret = expr->n++;
	return 0;
}

static int take_name(struct parser *parser, struct wt_expr_node *node)
{
	const struct wt_expr_place *place = &parser->lex.place;

	if (parser->lex.word != WT_WORD_NAME)
		return fail_word(parser, "a name");
	node->place = *place;
	node->name = strndup(parser->lex.text + place->at, place->len);
	if (!node->name)
		return wt_fail_nomem(parser->err);
	return next(parser);
}

static int take_value(struct parser *parser, struct wt_expr_node *node)
{
	if (parser->lex.word != WT_WORD_VALUE)
		return fail_word(parser, "a value");
	node->value_place = parser->lex.place;
	node->value = parser->lex.value;
	parser->lex.value.text = NULL;
	return next(parser);
}

/* A value, or a text without quotes. */
static int take_word(struct parser *parser, struct wt_expr_node *node)
{
	const struct wt_expr_place *place = &parser->lex.place;

	if (parser->lex.word != WT_WORD_NAME)
		return take_value(parser, node);
	node->word = true;
	node->value_place = *place;
	node->value = (struct wt_expr_value){.is_text = true, .len = place->len};
	node->value.text = strndup(parser->lex.text + place->at, place->len);
	if (!node->value.text)
		return wt_fail_nomem(parser->err);
	return next(parser);
}

static int take_has(struct parser *parser, struct wt_expr_node *node)
{
	node->op = WT_EXPR_HAS;
	if (next(parser))
		return -1;
	if (parser->lex.word != WT_WORD_NAME &&
	    !(parser->lex.word == WT_WORD_VALUE && parser->lex.value.is_text))
		return fail_word(parser, "a name");
	return take_word(parser, node);
}

static bool is_word(const struct parser *parser, const char *word)
{
	const struct wt_expr_place *place = &parser->lex.place;

	return parser->lex.word == WT_WORD_NAME && place->len == strlen(word) &&
	       !memcmp(parser->lex.text + place->at, word, place->len);
}

static enum wt_expr_op turned(enum wt_expr_op op)
{
	switch (op) {
	case WT_EXPR_LT:
		return WT_EXPR_GT;
	case WT_EXPR_LE:
		return WT_EXPR_GE;
	case WT_EXPR_GT:
		return WT_EXPR_LT;
	case WT_EXPR_GE:
		return WT_EXPR_LE;
	default:
		return op;
	}
}

static int parse_turned(struct parser *parser, struct wt_expr_node *node)
{
	if (take_value(parser, node))
		return -1;
	if (parser->lex.word != WT_WORD_OP)
		return fail_word(parser, "a comparison (== != < <= > >= =~)");
	if (parser->lex.op == WT_EXPR_MATCH)
		return fail_word(parser, "== != < <= > or >= (the expression of =~ stands on its right)");
	node->op = turned(parser->lex.op);
	if (next(parser))
		return -1;
	return take_name(parser, node);
}

/* ---- in region ---- */

static char *quoted_region(const char *name, size_t len)
{
	struct wt_buf text = {0};

	wt_buf_puts(&text, "region == '");
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '\'' || name[i] == '\\')
			wt_buf_put_u8(&text, '\\');
		wt_buf_put_u8(&text, (uint8_t)name[i]);
	}
	wt_buf_puts(&text, "'");
	wt_buf_put_u8(&text, '\0');
	if (text.failed)
		wt_buf_deinit(&text);
	return (char *)text.data;
}

/* Skips to the bracket that closes the one just read; place spans the text between. */
static int skip_brackets(struct parser *parser, struct wt_expr_place *place)
{
	unsigned depth = 1;

	place->at = parser->lex.place.at + 1;
	while (depth) {
		if (next(parser))
			return -1;
		if (parser->lex.word == WT_WORD_END)
			return fail_word(parser, "')'");
		if (parser->lex.word == WT_WORD_VALUE) {
			free(parser->lex.value.text);
			parser->lex.value.text = NULL;
		}
		depth += parser->lex.word == WT_WORD_OPEN;
		depth -= parser->lex.word == WT_WORD_CLOSE;
	}
	place->len = parser->lex.place.at - place->at;
	return next(parser);
}

static int take_regions(struct parser *parser, struct wt_expr_node *node)
{
	node->op = WT_EXPR_HAS;
	free(node->name);
	node->name = strdup(WT_EXPR_IN_REGION);
	if (!node->name)
		return wt_fail_nomem(parser->err);
	if (next(parser))
		return -1;
	node->value_place = parser->lex.place;
	if (parser->lex.word == WT_WORD_OPEN) {
		if (skip_brackets(parser, &node->value_place))
			return -1;
		node->value.text = strndup(parser->lex.text + node->value_place.at, node->value_place.len);
	} else if (parser->lex.word == WT_WORD_VALUE && parser->lex.value.is_text) {
		node->value.text = quoted_region(parser->lex.value.text, parser->lex.value.len);
		free(parser->lex.value.text);
		parser->lex.value.text = NULL;
		if (next(parser))
			return -1;
	} else {
		return fail_word(parser, "'NAME' or ( EXPRESSION )");
	}
	if (!node->value.text)
		return wt_fail_nomem(parser->err);
	node->value.is_text = true;
	node->value.len = strlen(node->value.text);
	return 0;
}

static int parse_comparison(struct parser *parser, uint32_t *ret)
{
	struct wt_expr_node *node;

	if (new_node(parser, WT_EXPR_NE, ret))
		return -1;
	node = &parser->expr->nodes[*ret];
	if (parser->lex.word == WT_WORD_VALUE)
		return parse_turned(parser, node);
	if (take_name(parser, node))
		return -1;
	node->value_place = node->place;
	if (is_word(parser, "has"))
		return take_has(parser, node);
	if (!strcmp(node->name, "in") && is_word(parser, "region"))
		return take_regions(parser, node);
	if (parser->lex.word != WT_WORD_OP)
		return 0;
	node->op = parser->lex.op;
	if (next(parser))
		return -1;
	return take_word(parser, node);
}

static int parse_group(struct parser *parser, uint32_t *ret)
{
	if (next(parser) || parse_or(parser, ret))
		return -1;
	if (parser->lex.word != WT_WORD_CLOSE)
		return fail_word(parser, "')' or an operator");
	parser->expr->nodes[*ret].grouped = true;
	return next(parser);
}

static int parse_not(struct parser *parser, uint32_t *ret);

/* True for the word in small or in capital letters, as SQL has it. */
static bool is_either(const struct parser *parser, const char *small, const char *capital)
{
	return is_word(parser, small) || is_word(parser, capital);
}

/* True where no name can stand, so that the word is an operator. */
static bool is_joint(const struct parser *parser, enum wt_expr_word word)
{
	if (word == WT_WORD_AND)
		return parser->lex.word == word || is_either(parser, "and", "AND");
	return parser->lex.word == word || is_either(parser, "or", "OR");
}

/* A name is followed by a comparison or by the end of its condition. */
static bool is_not(const struct parser *parser)
{
	struct parser ahead = {.lex = parser->lex};
	struct wt_err ignored = WT_ERR_INIT;

	if (parser->lex.word == WT_WORD_NOT)
		return true;
	if (!is_either(parser, "not", "NOT") || wt_expr_next(&ahead.lex, &ignored))
		return false;
	if (ahead.lex.word == WT_WORD_VALUE)
		free(ahead.lex.value.text);
	if (ahead.lex.word == WT_WORD_NAME)
		return !is_word(&ahead, "has") && !is_joint(&ahead, WT_WORD_AND) &&
		       !is_joint(&ahead, WT_WORD_OR);
	return ahead.lex.word == WT_WORD_VALUE || ahead.lex.word == WT_WORD_OPEN ||
	       ahead.lex.word == WT_WORD_NOT;
}

static int parse_unary(struct parser *parser, uint32_t *ret)
{
	int failed;

	if (++parser->depth > WT_EXPR_MAX_DEPTH)
		return wt_fail(parser->err, WT_ERR_USAGE, "the filter is nested deeper than %d",
			       WT_EXPR_MAX_DEPTH);
	if (parser->lex.word == WT_WORD_OPEN)
		failed = parse_group(parser, ret);
	else if (is_not(parser))
		failed = parse_not(parser, ret);
	else
		failed = parse_comparison(parser, ret);
	parser->depth--;
	return failed;
}

static int parse_not(struct parser *parser, uint32_t *ret)
{
	uint32_t inner;

	if (next(parser) || parse_unary(parser, &inner) || new_node(parser, WT_EXPR_NOT, ret))
		return -1;
	parser->expr->nodes[*ret].left = inner;
	return 0;
}

/* Reads `part { word part }` into a tree that grows to the left. */
static int parse_chain(struct parser *parser, enum wt_expr_word word, enum wt_expr_op op,
		       int (*part)(struct parser *, uint32_t *), uint32_t *ret)
{
	uint32_t right, both = 0;

	if (part(parser, ret))
		return -1;
	while (is_joint(parser, word)) {
		struct wt_expr_place place = parser->lex.place;

		if (next(parser) || part(parser, &right) || new_node(parser, op, &both))
			return -1;
		parser->expr->nodes[both].left = *ret;
		parser->expr->nodes[both].right = right;
		parser->expr->nodes[both].place = place;
		*ret = both;
	}
	return 0;
}

static int parse_and(struct parser *parser, uint32_t *ret)
{
	return parse_chain(parser, WT_WORD_AND, WT_EXPR_AND, parse_unary, ret);
}

static int parse_or(struct parser *parser, uint32_t *ret)
{
	return parse_chain(parser, WT_WORD_OR, WT_EXPR_OR, parse_and, ret);
}

int wt_expr_parse(const char *text, struct wt_expr **ret, struct wt_expr_place *place, struct wt_err *err)
{
	struct parser parser = {.lex = {.text = text}, .err = err};
	int failed;

	*ret = NULL;
	if (strlen(text) > WT_EXPR_MAX_TEXT)
		return wt_fail(err, WT_ERR_USAGE, "the filter is longer than %d bytes", WT_EXPR_MAX_TEXT);
	parser.expr = calloc(1, sizeof(*parser.expr));
	if (!parser.expr)
		return wt_fail_nomem(err);
	failed = next(&parser) || parse_or(&parser, &parser.expr->root);
	if (!failed && parser.lex.word != WT_WORD_END)
		failed = fail_word(&parser, "&&, || or the end");
	if (place)
		*place = parser.lex.place;
	free(parser.lex.value.text);
	if (failed) {
		wt_expr_destroy(parser.expr);
		return -1;
	}
	*ret = parser.expr;
	return 0;
}

size_t wt_expr_joints(const struct wt_expr *expr, struct wt_expr_place *ret, size_t max)
{
	size_t n = 0, i = 0;

	for (const struct wt_expr_node *at = &expr->nodes[expr->root]; at->op == WT_EXPR_AND && !at->grouped;
	     at = &expr->nodes[at->left])
		n++;
	for (const struct wt_expr_node *at = &expr->nodes[expr->root]; i < n; at = &expr->nodes[at->left])
		if (n - ++i < max)
			ret[n - i] = at->place;
	return n;
}

void wt_expr_destroy(struct wt_expr *expr)
{
	if (!expr)
		return;
	for (uint32_t i = 0; i < expr->n; i++) {
		struct wt_expr_node *node = &expr->nodes[i];

		free(node->name);
		free(node->value.text);
		free(node->memo);
		wt_pattern_destroy(node->pattern);
	}
	free(expr->masks);
	free(expr);
}
