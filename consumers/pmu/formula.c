// SPDX-License-Identifier: MIT
#include "consumers/pmu/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/formula_code.h"
#include "tracecore/base/grow.h"

#define TEXT_MAX    65536
#define NESTING_MAX 64
#define NAME_MAX_   255
#define CODE_MAX    131072
#define NAMES_MAX   1024

/* Formulas behind names: their names, and whether they are done. */
struct behind {
	char *name;
	bool done;
};

struct parser {
	struct wt_formula *formula;
	struct wt_err *err;
	wt_formula_lookup *lookup;
	void *ctx;
	const char *text, *at; /* of the formula being read */
	unsigned nesting;
	size_t height, slots; /* values on the stack; slots in use */
	struct behind behind[WT_FORMULA_SLOTS];
};

static int parse_choice(struct parser *p);

static int fail_at(const struct parser *p, const char *what)
{
	size_t place = (size_t)(p->at - p->text);

	if (!*p->at)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: %s at its end", what);
	return wt_fail(p->err, WT_ERR_USAGE, "formula: %s at '%.20s' (byte %zu)", what, p->at, place + 1);
}

static int emit(struct parser *p, enum wt_formula_op op, size_t index, double number)
{
	struct wt_formula *formula = p->formula;

	if (formula->n_code >= CODE_MAX)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: more than %d operations", CODE_MAX);
	if (wt_grow(&formula->code, &formula->cap_code, formula->n_code, 1, p->err))
		return -1;
	formula->code[formula->n_code++] = (struct wt_formula_step){op, (uint32_t)index, number};
	if (op == WT_OP_NUMBER || op == WT_OP_NAME || op == WT_OP_LOAD)
		p->height++;
	else if (op == WT_OP_CHOOSE)
		p->height -= 2;
	else if (op != WT_OP_STORE && op != WT_OP_MINUS)
		p->height--;
	if (p->height > WT_FORMULA_STACK)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: it needs more than %d values at a time",
			       WT_FORMULA_STACK);
	return 0;
}

static void skip_space(struct parser *p)
{
	p->at += strspn(p->at, " \t\r\n");
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.:=#@", c));
}

static bool begins_name(char c)
{
	return in_name(c) && !(c >= '0' && c <= '9') && !strchr(".:=@", c);
}

/* "==" ends a name: "a==b" is a comparison. */
static size_t name_length(const char *text)
{
	size_t n = 0;

	if (!begins_name(*text))
		return 0;
	while (in_name(text[n]) && !(text[n] == '=' && (text[n + 1] == '=' || !memchr(text, ':', n))))
		n++;
	return n;
}

/* Takes the word when it stands here as a whole. */
static bool take_word(struct parser *p, const char *word)
{
	skip_space(p);
	if (name_length(p->at) != strlen(word) || strncmp(p->at, word, strlen(word)))
		return false;
	p->at += strlen(word);
	return true;
}

static bool take(struct parser *p, const char *sign)
{
	skip_space(p);
	if (strncmp(p->at, sign, strlen(sign)))
		return false;
	p->at += strlen(sign);
	return true;
}

static int enter(struct parser *p)
{
	if (++p->nesting <= NESTING_MAX)
		return 0;
	return wt_fail(p->err, WT_ERR_USAGE, "formula: nested more than %d deep", NESTING_MAX);
}

static int parse_number(struct parser *p)
{
	char word[64];
	size_t n = strspn(p->at, "0123456789.");
	char *end;
	double number;

	if (p->at[n] == 'e' || p->at[n] == 'E') {
		size_t sign = p->at[n + 1] == '-' || p->at[n + 1] == '+';

		n += 1 + sign + strspn(p->at + n + 1 + sign, "0123456789");
	}
	if (n >= sizeof(word))
		return fail_at(p, "a number of more than 63 characters");
	memcpy(word, p->at, n);
	word[n] = 0;
	number = strtod(word, &end);
	if (*end || in_name(p->at[n]) || !isfinite(number))
		return fail_at(p, "no number");
	p->at += n;
	return emit(p, WT_OP_NUMBER, 0, number);
}

static int use_event(struct parser *p, const char *name)
{
	struct wt_formula *formula = p->formula;
	size_t i = 0;

	while (i < formula->n_names && strcmp(formula->names[i], name))
		i++;
	if (i == NAMES_MAX)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: more than %d names", NAMES_MAX);
	if (i == formula->n_names) {
		if (wt_grow(&formula->names, &formula->cap_names, i, 1, p->err))
			return -1;
		formula->names[i] = strdup(name);
		if (!formula->names[i])
			return wt_fail_nomem(p->err);
		formula->n_names++;
	}
	return emit(p, WT_OP_NAME, i, 0);
}

static int parse_whole(struct parser *p)
{
	if (strnlen(p->text, TEXT_MAX + 1) > TEXT_MAX)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: longer than %d bytes", TEXT_MAX);
	if (parse_choice(p))
		return -1;
	skip_space(p);
	return *p->at ? fail_at(p, "nothing more is expected") : 0;
}

/* The formula behind a name: computed at its first use, then loaded. */
static int use_formula(struct parser *p, const char *name, const char *text)
{
	const char *was_text = p->text, *was_at = p->at;
	size_t i = 0;

	while (i < p->slots && strcmp(p->behind[i].name, name))
		i++;
	if (i < p->slots) {
		if (!p->behind[i].done)
			return wt_fail(p->err, WT_ERR_USAGE, "formula: '%.80s' leads to itself", name);
		return emit(p, WT_OP_LOAD, i, 0);
	}
	if (i == WT_FORMULA_SLOTS)
		return wt_fail(p->err, WT_ERR_USAGE, "formula: its names lead to more than %d other formulas",
			       WT_FORMULA_SLOTS);
	p->behind[i].name = strdup(name);
	if (!p->behind[i].name)
		return wt_fail_nomem(p->err);
	p->slots++;
	p->text = p->at = text;
	if (enter(p) || parse_whole(p))
		return -1;
	p->nesting--;
	p->text = was_text;
	p->at = was_at;
	p->behind[i].done = true;
	return emit(p, WT_OP_STORE, i, 0);
}

static int parse_name(struct parser *p)
{
	char name[NAME_MAX_ + 1];
	size_t n = name_length(p->at);
	const char *text;

	if (n > NAME_MAX_)
		return fail_at(p, "a name of more than 255 bytes");
	memcpy(name, p->at, n);
	name[n] = 0;
	if (!strcmp(name, "if") || !strcmp(name, "else"))
		return fail_at(p, "a value is missing");
	p->at += n;
	text = p->lookup ? p->lookup(p->ctx, name) : NULL;
	return text ? use_formula(p, name, text) : use_event(p, name);
}

/* min(a, b) and max(a, b): with more arguments, of all. */
static int parse_call(struct parser *p, enum wt_formula_op op)
{
	size_t n = 0;

	if (enter(p))
		return -1;
	do {
		if (parse_choice(p) || (n++ && emit(p, op, 0, 0)))
			return -1;
	} while (take(p, ","));
	if (n < 2)
		return fail_at(p, "a second argument is missing");
	if (!take(p, ")"))
		return fail_at(p, "')' is missing");
	p->nesting--;
	return 0;
}

static int parse_inside(struct parser *p)
{
	if (enter(p) || parse_choice(p))
		return -1;
	if (!take(p, ")"))
		return fail_at(p, "')' is missing");
	p->nesting--;
	return 0;
}

static bool take_call(struct parser *p, const char *word)
{
	const char *was = p->at;

	if (take_word(p, word) && take(p, "("))
		return true;
	p->at = was;
	return false;
}

static int parse_primary(struct parser *p)
{
	skip_space(p);
	if (take(p, "("))
		return parse_inside(p);
	if ((*p->at >= '0' && *p->at <= '9') || *p->at == '.')
		return parse_number(p);
	if (take_call(p, "min"))
		return parse_call(p, WT_OP_MIN);
	if (take_call(p, "max"))
		return parse_call(p, WT_OP_MAX);
	if (begins_name(*p->at))
		return parse_name(p);
	return fail_at(p, "a value is missing");
}

static int parse_signed(struct parser *p)
{
	if (take(p, "+") || take(p, "-")) {
		bool minus = p->at[-1] == '-';

		if (enter(p) || parse_signed(p))
			return -1;
		p->nesting--;
		return minus ? emit(p, WT_OP_MINUS, 0, 0) : 0;
	}
	return parse_primary(p);
}

static int parse_product(struct parser *p)
{
	if (parse_signed(p))
		return -1;
	while (take(p, "*") || take(p, "/")) {
		enum wt_formula_op op = p->at[-1] == '*' ? WT_OP_MUL : WT_OP_DIV;

		if (parse_signed(p) || emit(p, op, 0, 0))
			return -1;
	}
	return 0;
}

static int parse_sum(struct parser *p)
{
	if (parse_product(p))
		return -1;
	while (take(p, "+") || take(p, "-")) {
		enum wt_formula_op op = p->at[-1] == '+' ? WT_OP_ADD : WT_OP_SUB;

		if (parse_product(p) || emit(p, op, 0, 0))
			return -1;
	}
	return 0;
}

static int parse_comparison(struct parser *p)
{
	static const struct {
		const char *sign;
		enum wt_formula_op op;
	} signs[] = {{"<=", WT_OP_AT_MOST}, {">=", WT_OP_AT_LEAST}, {"==", WT_OP_EQUAL},
		     {"!=", WT_OP_UNEQUAL}, {"<", WT_OP_LESS},      {">", WT_OP_GREATER}};

	if (parse_sum(p))
		return -1;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (take(p, signs[i].sign))
			return parse_sum(p) || emit(p, signs[i].op, 0, 0) ? -1 : 0;
	}
	return 0;
}

static int parse_choice(struct parser *p)
{
	if (parse_comparison(p))
		return -1;
	if (!take_word(p, "if"))
		return 0;
	if (enter(p) || parse_comparison(p))
		return -1;
	if (!take_word(p, "else"))
		return fail_at(p, "'else' is missing");
	if (parse_choice(p))
		return -1;
	p->nesting--;
	return emit(p, WT_OP_CHOOSE, 0, 0);
}

int wt_formula_parse_with(const char *text, wt_formula_lookup *lookup, void *ctx, struct wt_formula **ret,
			  struct wt_err *err)
{
	struct parser *p = calloc(1, sizeof(*p));
	struct wt_formula *formula = calloc(1, sizeof(*formula));
	int rc = -1;

	if (p && formula) {
		*p = (struct parser){.formula = formula,
				     .err = err,
				     .lookup = lookup,
				     .ctx = ctx,
				     .text = text,
				     .at = text};
		rc = parse_whole(p);
		for (size_t i = 0; i < p->slots; i++)
			free(p->behind[i].name);
	} else {
		wt_fail_nomem(err);
	}
	free(p);
	if (rc) {
		wt_formula_destroy(formula);
		return -1;
	}
	*ret = formula;
	return 0;
}

int wt_formula_parse(const char *text, struct wt_formula **ret, struct wt_err *err)
{
	return wt_formula_parse_with(text, NULL, NULL, ret, err);
}

void wt_formula_destroy(struct wt_formula *formula)
{
	if (!formula)
		return;
	for (size_t i = 0; i < formula->n_names; i++)
		free(formula->names[i]);
	free(formula->names);
	free(formula->code);
	free(formula);
}

size_t wt_formula_names(const struct wt_formula *formula, const char *const **ret)
{
	*ret = (const char *const *)formula->names;
	return formula->n_names;
}
