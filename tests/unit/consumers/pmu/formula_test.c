// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/pmu/formula.h"

enum { NAMES = 8 };

/* The value with a, b, c as given; NAN: n/a. */
static struct wt_span spans(const char *text, struct wt_span a, struct wt_span b, struct wt_span c)
{
	const struct wt_span given[] = {a, b, c};
	struct wt_span values[NAMES], ret = {0};
	struct wt_formula *formula = NULL;
	struct wt_err err = WT_ERR_INIT;
	const char *const *names;
	size_t n;

	if (wt_formula_parse(text, &formula, &err))
		fail_msg("%s: %s", text, err.text);
	n = wt_formula_names(formula, &names);
	assert_true(n <= 3);
	for (size_t i = 0; i < n; i++)
		values[i] = given[names[i][0] - 'a'];
	if (!wt_formula_eval(formula, values, &ret))
		ret.value = NAN;
	wt_formula_destroy(formula);
	return ret;
}

static struct wt_span exact(double value)
{
	return (struct wt_span){value, value, value};
}

static double value(const char *text)
{
	return spans(text, exact(7), exact(2), exact(0)).value;
}

static void precedence(void **state)
{
	(void)state;
	assert_true(value("1 + 2 * 3") == 7);
	assert_true(value("(1 + 2) * 3") == 9);
	assert_true(value("a - b - 1") == 4);
	assert_true(value("a / b / 2") == 1.75);
	assert_true(value("-a + b") == -5);
	assert_true(value("a * -b") == -14);
	assert_true(value("- - a") == 7);
	assert_true(value("2.5e1 * .5") == 12.5);
	assert_true(value("1e3+a") == 1007);
	assert_true(value("a if b > 1 else 5") == 7);
	assert_true(value("a + 1 if b > 2 else b + 1") == 3);
	assert_true(value("1 if c else 2 if b == 2 else 3") == 2);
	assert_true(value("(a if c else b) + 10") == 12);
	assert_true(value("max(a, b)") == 7);
	assert_true(value("min(a, b, 1 - b)") == -1);
	assert_true(value("max( 0 , min(b,a) )") == 2);
	assert_true(value("a >= 7") == 1);
	assert_true(value("a <= 6") == 0);
	assert_true(value("a != 7") == 0);
}

static void what_has_no_value(void **state)
{
	(void)state;
	assert_true(isnan(value("a / c")));
	assert_true(isnan(value("a / (b - 2)")));
	assert_true(isnan(value("0 / c")));
	assert_true(isnan(value("max(1, a / c)")));
	assert_true(isnan(value("a / c if b else 1")));
	assert_true(isnan(value("1 if a / c else 2")));
	assert_true(isnan(value("1e308 * 10 * a")));
	assert_true(isnan(spans("a + 1", exact(NAN), exact(0), exact(0)).value));
	/* A branch that is not taken has no say. */
	assert_true(value("a / c if c else 3") == 3);
}

static void no_bounds(struct wt_span span, double expected)
{
	assert_true(span.value == expected);
	assert_true(span.low > span.high);
}

static void between(struct wt_span span, double low, double value, double high)
{
	assert_true(span.value == value);
	assert_true(span.low <= low && span.low > low - 1e-9);
	assert_true(span.high >= high && span.high < high + 1e-9);
}

static void bounds(void **state)
{
	const struct wt_span a = {10, 8, 12}, b = {4, 2, 5}, c = {1, -1, 3}, none = {5, 1, -1};

	(void)state;
	between(spans("a + b", a, b, c), 10, 14, 17);
	between(spans("a - b", a, b, c), 3, 6, 10);
	between(spans("a * c", a, b, c), -12, 10, 36);
	between(spans("a / b", a, b, c), 1.6, 2.5, 6);
	between(spans("-a", a, b, c), -12, -10, -8);
	between(spans("min(a, b)", a, b, c), 2, 4, 5);
	between(spans("max(c, 0)", a, b, c), 0, 1, 3);
	no_bounds(spans("a / c", a, b, c), 10);
	no_bounds(spans("a + b", none, b, c), 9);
	no_bounds(spans("max(a, b)", none, b, c), 5);
	/* Which branch it is stands open: both count. */
	between(spans("a if c > 0 else b", a, b, c), 2, 10, 12);
	between(spans("a if b > 1 else c", a, b, c), 8, 10, 12);
	no_bounds(spans("a if c > 0 else b / (c - c)", a, b, c), 10);
}

/* Bounds hold whatever values within the inputs' bounds give: 20,000 triples by a fixed seed. */
static void bounds_hold(void **state)
{
	const char *const texts[] = {"a * b - c / (a + 1)", "(a - b) * (a - c)", "min(a, b) / max(c, 1)",
				     "a / b if a > c else b - a", "-(a - b * c) / (b * b + 1)"};
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		double x[9];
		struct wt_span in[3], wide, point;

		for (int k = 0; k < 9; k++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			x[k] = (double)(int64_t)(seed % 2001) / 100 - 10;
		}
		for (int k = 0; k < 3; k++)
			in[k] = (struct wt_span){(x[k] + x[k + 3]) / 2, fmin(x[k], x[k + 3]),
						 fmax(x[k], x[k + 3])};
		wide = spans(texts[i % 5], in[0], in[1], in[2]);
		for (int k = 0; k < 3; k++)
			x[k] = in[k].low + (in[k].high - in[k].low) * (x[k + 6] + 10) / 20.01;
		point = spans(texts[i % 5], exact(x[0]), exact(x[1]), exact(x[2]));
		if (!isnan(wide.value) && wide.low <= wide.high) {
			assert_false(isnan(point.value));
			assert_true(wide.low <= point.value && point.value <= wide.high);
		}
	}
}

static void names_once(void **state)
{
	struct wt_formula *formula;
	const char *const *names;

	(void)state;
	assert_int_equal(wt_formula_parse("b.x:c1 + a / b.x:c1 if #smt_on else ocr:msr_val=0x10 * max",
					  &formula, NULL),
			 0);
	assert_int_equal(wt_formula_names(formula, &names), 5);
	assert_string_equal(names[0], "b.x:c1");
	assert_string_equal(names[1], "a");
	assert_string_equal(names[2], "#smt_on");
	assert_string_equal(names[3], "ocr:msr_val=0x10");
	assert_string_equal(names[4], "max");
	wt_formula_destroy(formula);
}

static void refused(const char *text, const char *why)
{
	struct wt_formula *formula;
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_formula_parse(text, &formula, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s': %s", text, err.text);
}

static void errors_name_the_place(void **state)
{
	(void)state;
	refused("", "a value is missing at its end");
	refused("a +", "a value is missing at its end");
	refused("a b", "nothing more is expected at 'b' (byte 3)");
	refused("(a", "')' is missing at its end");
	refused("a)", "nothing more is expected at ')' (byte 2)");
	refused("a if b", "'else' is missing");
	refused("if", "a value is missing at 'if' (byte 1)");
	refused("max(a)", "a second argument is missing");
	refused("1.2.3", "no number at '1.2.3'");
	refused("1e999", "no number");
	refused("3a", "no number");
	refused("0x10", "no number");
	refused("a < b < c", "nothing more is expected at '< c'");
	refused("a $ b", "nothing more is expected at '$ b'");
}

static char *repeated(const char *part, size_t n, const char *end)
{
	char *text = malloc(strlen(part) * n + strlen(end) + 1), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++, at += strlen(part))
		memcpy(at, part, strlen(part));
	memcpy(at, end, strlen(end) + 1);
	return text;
}

static void refused_repeated(const char *part, size_t n, const char *end, const char *why)
{
	char *text = repeated(part, n, end);

	refused(text, why);
	free(text);
}

static void bounds_of_the_text(void **state)
{
	char *text;
	struct wt_formula *formula;

	(void)state;
	refused_repeated("(", 65, "a", "nested more than 64");
	refused_repeated("-", 65, "a", "nested more than 64");
	refused_repeated("a if b else ", 65, "a", "nested more than 64");
	refused_repeated("max(1,", 65, "a", "nested more than 64");
	refused_repeated("a + ", 16384, "a", "longer than 65536 bytes");
	refused_repeated("a", 256, "", "255 bytes");
	text = repeated("a + ", 16383, "a");
	assert_int_equal(wt_formula_parse(text, &formula, NULL), 0);
	wt_formula_destroy(formula);
	free(text);
	text = repeated("max(1 < 2 + 3 * ", 60, "a");
	refused(text, "second argument");
	free(text);
}

static const char *behind(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "twice"))
		return "2 * once";
	if (!strcmp(name, "once"))
		return "a - b";
	if (!strcmp(name, "loop"))
		return "1 + pool";
	return strcmp(name, "pool") ? NULL : "loop / 2";
}

static void formulas_behind_names(void **state)
{
	const struct wt_span values[] = {exact(10), exact(4)};
	struct wt_err err = WT_ERR_INIT;
	struct wt_formula *formula;
	struct wt_span ret;

	(void)state;
	assert_int_equal(wt_formula_parse_with("twice / once + twice", behind, NULL, &formula, &err), 0);
	assert_true(wt_formula_eval(formula, values, &ret));
	assert_true(ret.value == 14);
	wt_formula_destroy(formula);
	assert_int_equal(wt_formula_parse_with("loop", behind, NULL, &formula, &err), -1);
	assert_non_null(strstr(err.text, "'loop' leads to itself"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precedence),
		cmocka_unit_test(what_has_no_value),
		cmocka_unit_test(bounds),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(names_once),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(bounds_of_the_text),
		cmocka_unit_test(formulas_behind_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
