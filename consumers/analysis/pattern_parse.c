/* SPDX-License-Identifier: MIT */
/* A regular expression's text to its tree, as regcomp reads it. */
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/pattern_tree.h"
#include "tracecore/base/grow.h"

/* As <limits.h> has RE_DUP_MAX. */
#define MOST_TIMES 32767

struct parser {
	const char *text, *at;
	struct wt_pattern_tree *tree;
	unsigned depth;
	struct wt_err *err;
};

static int parse_either(struct parser *parser, uint32_t *ret);

bool wt_pattern_is_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int fail(struct parser *parser, const char *why)
{
	return wt_fail(parser->err, WT_ERR_USAGE, "regular expression '%.100s': %s (at byte %zu)",
		       parser->text, why, (size_t)(parser->at - parser->text) + 1);
}

static int new_node(struct parser *parser, struct wt_pattern_node node, uint32_t *ret)
{
	struct wt_pattern_tree *tree = parser->tree;

	if (wt_grow(&tree->nodes, &tree->cap, tree->n, 1, parser->err))
		return -1;
	tree->nodes[tree->n] = node;
	*ret = tree->n++;
	return 0;
}

static void set_add(struct wt_pattern_set *set, uint8_t c)
{
	set->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

static int new_set(struct parser *parser, const struct wt_pattern_set *set, uint32_t *ret)
{
	return new_node(parser, (struct wt_pattern_node){.kind = WT_PATTERN_SET, .set = *set}, ret);
}

static int new_byte(struct parser *parser, uint8_t c, uint32_t *ret)
{
	struct wt_pattern_set set = {{0}};

	set_add(&set, c);
	return new_set(parser, &set, ret);
}

static int new_place(struct parser *parser, enum wt_pattern_place place, uint32_t *ret)
{
	return new_node(parser, (struct wt_pattern_node){.kind = WT_PATTERN_PLACE, .place = place}, ret);
}

/* \w \W \s \S */
static int new_kind(struct parser *parser, char letter, uint32_t *ret)
{
	struct wt_pattern_set set = {{0}};
	bool word = letter == 'w' || letter == 'W';

	for (int c = 0; c < 256; c++) {
		bool in = word ? wt_pattern_is_word((uint8_t)c) : c == ' ' || (c >= '\t' && c <= '\r');

		if (in == (letter == 'w' || letter == 's'))
			set_add(&set, (uint8_t)c);
	}
	return new_set(parser, &set, ret);
}

static int parse_escape(struct parser *parser, uint32_t *ret)
{
	static const char places[] = "`'<>bB";
	static const enum wt_pattern_place meant[] = {
		WT_PLACE_BEGIN,    WT_PLACE_END,       WT_PLACE_WORD_BEGIN,
		WT_PLACE_WORD_END, WT_PLACE_WORD_EDGE, WT_PLACE_NO_WORD_EDGE,
	};
	char c = *parser->at;
	const char *place = c ? strchr(places, c) : NULL;

	if (!c)
		return fail(parser, "a backslash at the end");
	if (c >= '1' && c <= '9')
		return fail(parser, "back references are not supported");
	parser->at++;
	if (place)
		return new_place(parser, meant[place - places], ret);
	if (strchr("wWsS", c))
		return new_kind(parser, c, ret);
	return new_byte(parser, (uint8_t)c, ret);
}

static int parse_group(struct parser *parser, uint32_t *ret)
{
	if (++parser->depth > WT_PATTERN_DEPTH)
		return fail(parser, "parentheses are nested too deep");
	if (parse_either(parser, ret))
		return -1;
	parser->depth--;
	if (*parser->at != ')')
		return fail(parser, "'(' without its ')'");
	parser->at++;
	return 0;
}

static int parse_list(struct parser *parser, uint32_t *ret)
{
	struct wt_pattern_set set;
	const char *wrong = wt_pattern_read_set(&parser->at, &set);

	return wrong ? fail(parser, wrong) : new_set(parser, &set, ret);
}

/* '.': every byte but zero. */
static int new_any(struct parser *parser, uint32_t *ret)
{
	const struct wt_pattern_set set = {{~UINT64_C(1), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};

	return new_set(parser, &set, ret);
}

/* One element. Places (^ $ and those of words) cannot be repeated: *fixed. */
static int parse_atom(struct parser *parser, bool *fixed, uint32_t *ret)
{
	char c = *parser->at;
	int rc;

	*fixed = false;
	if (strchr("*+?{", c))
		return fail(parser, "there is nothing to repeat");
	parser->at++;
	switch (c) {
	case '(':
		return parse_group(parser, ret);
	case '[':
		return parse_list(parser, ret);
	case '.':
		return new_any(parser, ret);
	case '\\':
		rc = parse_escape(parser, ret);
		*fixed = !rc && parser->tree->nodes[*ret].kind == WT_PATTERN_PLACE;
		return rc;
	case '^':
	case '$':
		*fixed = true;
		return new_place(parser, c == '^' ? WT_PLACE_BEGIN : WT_PLACE_END, ret);
	default:
		return new_byte(parser, (uint8_t)c, ret);
	}
}

/* Digits; -1 when there are none, -2 when it is too much. */
static int read_count(struct parser *parser)
{
	int n = -1;

	for (; *parser->at >= '0' && *parser->at <= '9'; parser->at++)
		if (n != -2)
			n = (n < 0 ? 0 : n) * 10 + (*parser->at - '0') > MOST_TIMES
				    ? -2
				    : (n < 0 ? 0 : n) * 10 + (*parser->at - '0');
	return n;
}

/* {m} {m,} {m,n} {,n}, behind the '{'. */
static int parse_counts(struct parser *parser, int *min, int *max)
{
	*min = read_count(parser);
	if (*min == -1 && *parser->at != ',')
		return fail(parser, "'{' without a count");
	*max = *min;
	if (*parser->at == ',') {
		parser->at++;
		*max = read_count(parser);
	}
	if (*parser->at != '}')
		return fail(parser, "'{' without its '}'");
	parser->at++;
	if (*min == -2 || *max == -2)
		return fail(parser, "a count is over 32767");
	if (*min < 0)
		*min = 0;
	return *max >= 0 && *min > *max ? fail(parser, "counts that end before they begin") : 0;
}

static int parse_repeats(struct parser *parser, uint32_t *ret)
{
	while (*parser->at && strchr("*+?{", *parser->at)) {
		char c = *parser->at++;
		int min = c == '+', max = c == '?' ? 1 : -1;

		if (c == '{' && parse_counts(parser, &min, &max))
			return -1;
		if (new_node(parser,
			     (struct wt_pattern_node){
				     .kind = WT_PATTERN_REPEAT, .left = *ret, .min = min, .max = max},
			     ret))
			return -1;
	}
	return 0;
}

static int join(struct parser *parser, enum wt_pattern_kind kind, uint32_t left, uint32_t *ret)
{
	return new_node(parser, (struct wt_pattern_node){.kind = kind, .left = left, .right = *ret}, ret);
}

/* Elements one behind the other. A ')' that closes nothing is itself. */
static int parse_row(struct parser *parser, uint32_t *ret)
{
	bool first = true, fixed;

	if (new_node(parser, (struct wt_pattern_node){.kind = WT_PATTERN_EMPTY}, ret))
		return -1;
	while (*parser->at && *parser->at != '|' && !(*parser->at == ')' && parser->depth)) {
		uint32_t left = *ret;

		if (parse_atom(parser, &fixed, ret) || (!fixed && parse_repeats(parser, ret)))
			return -1;
		if (!first && join(parser, WT_PATTERN_BOTH, left, ret))
			return -1;
		first = false;
	}
	return 0;
}

static int parse_either(struct parser *parser, uint32_t *ret)
{
	if (parse_row(parser, ret))
		return -1;
	while (*parser->at == '|') {
		uint32_t left = *ret;

		parser->at++;
		if (parse_row(parser, ret) || join(parser, WT_PATTERN_EITHER, left, ret))
			return -1;
	}
	return 0;
}

int wt_pattern_parse(const char *text, struct wt_pattern_tree *ret, struct wt_err *err)
{
	struct parser parser = {.text = text, .at = text, .tree = ret, .err = err};

	*ret = (struct wt_pattern_tree){0};
	return parse_either(&parser, &ret->root);
}
