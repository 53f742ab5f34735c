/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/expr_lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
	return is_name_start(c) || is_digit(c) || (c && strchr("./:-#", c));
}

static const struct unit {
	const char *name;
	uint64_t factor;
	bool time;
} units[] = {
	{"", 1, false},
	{"ns", 1, true},
	{"us", 1000, true},
	{"ms", 1000000, true},
	{"s", 1000000000, true},
	{"K", UINT64_C(1) << 10, false},
	{"k", UINT64_C(1) << 10, false},
	{"M", UINT64_C(1) << 20, false},
	{"G", UINT64_C(1) << 30, false},
	{"KiB", UINT64_C(1) << 10, false},
	{"MiB", UINT64_C(1) << 20, false},
	{"GiB", UINT64_C(1) << 30, false},
};

static const struct unit *find_unit(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, text, len))
			return &units[i];
	return NULL;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int hex_number(const char *text, size_t len, struct wt_expr_value *ret)
{
	uint64_t v = 0;

	if (len < 3 || len > 18)
		return -1;
	for (size_t i = 2; i < len; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0)
			return -1;
		v = v << 4 | (unsigned)digit;
	}
	*ret = (struct wt_expr_value){.whole = (__int128)v, .real = (double)v};
	return 0;
}

/* 24 digits times the largest factor stay below 2^127, so the arithmetic below is exact. */
#define MAX_DIGITS 24

int wt_expr_number(const char *text, size_t len, struct wt_expr_value *ret)
{
	bool negative = len && text[0] == '-';
	size_t i = negative, digits = 0;
	__int128 mantissa = 0, scale = 1;
	const struct unit *unit;
	bool point = false;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return hex_number(text, len, ret);
	for (; i < len && (is_digit(text[i]) || (text[i] == '.' && !point && digits)); i++) {
		if (text[i] == '.') {
			point = true;
			continue;
		}
		if (++digits > MAX_DIGITS)
			return -1;
		mantissa = mantissa * 10 + (text[i] - '0');
		scale *= point ? 10 : 1;
	}
	unit = find_unit(text + i, len - i);
	if (!digits || !unit || text[i - 1] == '.')
		return -1;
	mantissa *= unit->factor;
	if (negative)
		mantissa = -mantissa;
	*ret = (struct wt_expr_value){.has_unit = unit->time, .fraction = mantissa % scale != 0};
	ret->whole = mantissa / scale - (ret->fraction && negative);
	ret->real = (double)mantissa / (double)scale;
	return 0;
}

static int fail_here(struct wt_expr_lexer *lex, size_t len, struct wt_err *err, const char *what)
{
	lex->place = (struct wt_expr_place){.at = lex->pos, .len = len};
	return wt_fail(err, WT_ERR_USAGE, "%s at byte %zu of the filter", what, lex->pos + 1);
}

static int lex_text(struct wt_expr_lexer *lex, struct wt_err *err)
{
	const char *p = lex->text + lex->pos;
	char quote = *p, *text = malloc(strlen(p) + 1);
	size_t i = 1, n = 0;

	if (!text)
		return wt_fail_nomem(err);
	while (p[i] && p[i] != quote) {
		if (p[i] == '\\' && (p[i + 1] == '\\' || p[i + 1] == quote))
			i++;
		text[n++] = p[i++];
	}
	if (!p[i]) {
		free(text);
		return fail_here(lex, i, err, "text without closing quote");
	}
	text[n] = 0;
	lex->value = (struct wt_expr_value){.is_text = true, .text = text, .len = n};
	lex->word = WT_WORD_VALUE;
	lex->place.len = i + 1;
	return 0;
}

static int lex_number(struct wt_expr_lexer *lex, struct wt_err *err)
{
	const char *p = lex->text + lex->pos;
	size_t len = 1;

	while (is_name(p[len]) && p[len] != '-' && p[len] != ':' && p[len] != '/')
		len++;
	if (wt_expr_number(p, len, &lex->value))
		return fail_here(lex, len, err, "not a number (123, 0x7b, 1.5ms; units ns us ms s, K M G)");
	lex->word = WT_WORD_VALUE;
	lex->place.len = len;
	return 0;
}

static void lex_name(struct wt_expr_lexer *lex)
{
	const char *p = lex->text + lex->pos;
	size_t len = 1;

	while (is_name(p[len]))
		len++;
	lex->word = WT_WORD_NAME;
	lex->place.len = len;
}

static const struct symbol {
	char text[3];
	enum wt_expr_word word;
	enum wt_expr_op op;
} symbols[] = {
	{"==", WT_WORD_OP, WT_EXPR_EQ},
	{"!=", WT_WORD_OP, WT_EXPR_NE},
	{"<=", WT_WORD_OP, WT_EXPR_LE},
	{">=", WT_WORD_OP, WT_EXPR_GE},
	{"=~", WT_WORD_OP, WT_EXPR_MATCH},
	{"&&", WT_WORD_AND, 0},
	{"||", WT_WORD_OR, 0},
	{"<", WT_WORD_OP, WT_EXPR_LT},
	{">", WT_WORD_OP, WT_EXPR_GT},
	{"!", WT_WORD_NOT, 0},
	{"(", WT_WORD_OPEN, 0},
	{")", WT_WORD_CLOSE, 0},
};

static int lex_symbol(struct wt_expr_lexer *lex, struct wt_err *err)
{
	const char *p = lex->text + lex->pos;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		size_t len = strlen(symbols[i].text);

		if (strncmp(p, symbols[i].text, len) != 0)
			continue;
		lex->word = symbols[i].word;
		lex->op = symbols[i].op;
		lex->place.len = len;
		return 0;
	}
	if (*p == '=')
		return fail_here(lex, 1, err, "'=' is not an operator; did you mean '=='?");
	if (*p == '&' || *p == '|')
		return fail_here(lex, 1, err, "a single '&' or '|'; did you mean '&&' or '||'?");
	return fail_here(lex, 1, err, "unexpected character");
}

int wt_expr_next(struct wt_expr_lexer *lex, struct wt_err *err)
{
	char c;

	lex->pos = lex->place.at + lex->place.len;
	while (lex->text[lex->pos] && strchr(" \t\n\r", lex->text[lex->pos]))
		lex->pos++;
	lex->place = (struct wt_expr_place){.at = lex->pos};
	c = lex->text[lex->pos];
	if (!c) {
		lex->word = WT_WORD_END;
		return 0;
	}
	if (c == '\'' || c == '"')
		return lex_text(lex, err);
	if (is_digit(c) || (c == '-' && is_digit(lex->text[lex->pos + 1])))
		return lex_number(lex, err);
	if (is_name_start(c)) {
		lex_name(lex);
		return 0;
	}
	return lex_symbol(lex, err);
}
