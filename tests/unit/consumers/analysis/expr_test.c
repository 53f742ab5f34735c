// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/expr.h"
#include "tracecore/base/nearest.h"

/* Five events: names and numbers of each kind a vector can have. */
enum { N = 5, NAME, COUNT, DELTA, RATIO, WHEN, ABSENT, PATH };

static const char *const names[] = {"name", "count", "delta", "ratio", "when", "absent", "path"};
static const uint64_t counts[N] = {0, 1, 2, 1000000, UINT64_MAX};
static const uint64_t deltas[N] = {(uint64_t)-2, (uint64_t)-1, 0, 1, INT64_MAX};
static const double ratios[N] = {-1.5, 0, 0.25, 1.5, 1e300};
static const uint32_t ids[N] = {0, 1, 2, 1, 0};
static const char *const texts[] = {"make", "cc1", ""};
static const uint32_t offsets[N + 1] = {0, 1, 3, 3, 6, 8};
static const uint8_t bytes[] = "/"
			       "/a"
			       ""
			       "/ab"
			       "a\0";

static int lookup(void *ctx, const char *name, uint32_t *handle, unsigned *types, struct wt_err *err)
{
	static const unsigned of[] = {WT_EXPR_TEXT,
				      WT_EXPR_NUMBER,
				      WT_EXPR_NUMBER,
				      WT_EXPR_NUMBER,
				      WT_EXPR_NUMBER | WT_EXPR_DURATION,
				      WT_EXPR_NUMBER | WT_EXPR_TEXT,
				      WT_EXPR_TEXT};

	(void)ctx;
	for (uint32_t i = 0; i < 7; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*handle = NAME + i;
		*types = of[i];
		return 0;
	}
	return wt_fail_unknown(err, "name", name, names, 7);
}

static int fetch(void *ctx, uint32_t handle, enum wt_expr_types as, struct wt_expr_vector *ret,
		 struct wt_err *err)
{
	(void)ctx;
	(void)err;
	switch (handle) {
	case NAME:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_IDS, .ids = ids};
		break;
	case COUNT:
	case WHEN:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_U64, .numbers = counts};
		break;
	case DELTA:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_I64, .numbers = deltas};
		break;
	case RATIO:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_F64,
					       .numbers = (const uint64_t *)(const void *)ratios};
		break;
	case PATH:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_BYTES, .offsets = offsets, .bytes = bytes};
		break;
	default:
		*ret = (struct wt_expr_vector){.kind = WT_EXPR_ABSENT};
	}
	assert_true(as == WT_EXPR_NUMBER || as == WT_EXPR_TEXT);
	return 0;
}

static const char *text_of(void *ctx, uint32_t handle, uint32_t id, size_t *len)
{
	(void)ctx;
	assert_int_equal(handle, NAME);
	*len = strlen(texts[id]);
	return texts[id];
}

static int bind(const char *text, struct wt_expr **ret, struct wt_expr_place *place, struct wt_err *err)
{
	struct wt_expr_scope scope = {.lookup = lookup};

	if (wt_expr_parse(text, ret, place, err))
		return -1;
	return wt_expr_bind(*ret, &scope, place, err);
}

/* The events that pass, as a word of 0 and 1. */
static void check(const char *text, const char *want)
{
	struct wt_expr_source source = {.fetch = fetch, .text = text_of};
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;
	uint8_t mask[N];
	char got[N + 1] = "";

	if (bind(text, &expr, NULL, &err))
		fail_msg("%s: %s", text, err.text);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(wt_expr_eval(expr, &source, N, mask, &err), 0);
		for (int i = 0; i < N; i++)
			got[i] = (char)('0' + mask[i]);
		if (strcmp(got, want) != 0)
			fail_msg("%s: %s, not %s", text, got, want);
	}
	assert_int_equal(wt_expr_eval(expr, &source, 0, mask, &err), 0);
	wt_expr_destroy(expr);
}

static void numbers_compare(void **state)
{
	(void)state;
	check("count == 1", "01000");
	check("count != 1", "10111");
	check("count < 2", "11000");
	check("count <= 2", "11100");
	check("count > 1", "00111");
	check("count >= 1", "01111");
	check("2 > count", "11000");
	check("1 <= count", "01111");
	check("count == 18446744073709551615", "00001");
	check("count == 0xffffffffffffffff", "00001");
	check("count > 18446744073709551615", "00000");
	check("count != 18446744073709551616", "11111");
	check("count >= -1", "11111");
	check("count == -1", "00000");
	check("count", "01111");
	check("!count", "10000");
}

/* ---- spans ---- */

static struct wt_expr_span spans[PATH + 1];

static struct wt_expr_span span_of(void *ctx, uint32_t handle)
{
	(void)ctx;
	return spans[handle];
}

static void may(const char *text, bool want)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;

	if (bind(text, &expr, NULL, &err))
		fail_msg("%s: %s", text, err.text);
	if (wt_expr_may_pass(expr, span_of, NULL) != want)
		fail_msg("%s: %s", text, want ? "nothing passes" : "something may pass");
	wt_expr_destroy(expr);
}

static void spans_rule_out(void **state)
{
	(void)state;
	spans[COUNT] = (struct wt_expr_span){WT_EXPR_WITHIN, 10, 20};
	spans[DELTA] = (struct wt_expr_span){WT_EXPR_WITHIN, -5, -5};
	spans[WHEN] = (struct wt_expr_span){WT_EXPR_WITHIN, (__int128)UINT64_MAX - 1, UINT64_MAX};
	spans[ABSENT] = (struct wt_expr_span){.kind = WT_EXPR_NONE};
	may("count < 10", false);
	may("count <= 10", true);
	may("count > 20", false);
	may("count >= 20", true);
	may("count > 19.5", true);
	may("count > 20.5", false);
	may("count == 9", false);
	may("count == 15", true);
	may("count == 15.5", false);
	may("count == 30.5", false);
	may("count != 15", true);
	may("count", true);
	may("!count", false);
	may("delta == -5", true);
	may("delta != -5", false);
	may("delta != -6", true);
	may("delta == -5.5", false);
	may("delta != -5.5", true);
	may("delta", true);
	may("when > 18446744073709551615ns", false);
	may("when >= 18446744073709551615ns", true);
	may("absent == 1", false);
	may("absent != 1", false);
	may("!(absent == 1)", true);
	may("absent == 'x'", false);
	may("name == 'x'", true);
	may("!(name == 'x')", true);
	may("ratio > 3", true);
	may("count < 10 && name == 'x'", false);
	may("count < 10 || name == 'x'", true);
	may("count < 10 || delta > 0", false);
	may("!(count < 10 || delta > 0)", true);
	may("!(count >= 10 && name == 'x')", true);
	may("!(count >= 10 || name == 'x')", false);
	may("count > 12 && count < 14", true);
}

static void signs_and_fractions(void **state)
{
	(void)state;
	check("delta < 0", "11000");
	check("delta >= -1", "01111");
	check("delta == -2", "10000");
	check("delta > 9223372036854775807", "00000");
	check("delta < 0.5", "11100");
	check("delta <= -1.5", "10000");
	check("delta > -1.5", "01111");
	check("delta >= 0.5", "00011");
	check("delta == 0.5", "00000");
	check("delta != 0.5", "11111");
	check("ratio < 0.25", "11000");
	check("ratio == 1.5", "00010");
	check("ratio >= 0.25", "00111");
}

static void units(void **state)
{
	(void)state;
	check("count == 1ms", "00010");
	check("count >= 0.5ms && count < 1.5ms", "00010");
	check("count == 1000us", "00010");
	check("when >= 1ms", "00011");
	check("when > 0", "01111");
	check("count > 1K", "00011");
	check("count > 1MiB", "00001");
}

static void texts_compare(void **state)
{
	(void)state;
	check("name == 'make'", "10001");
	check("name != \"make\"", "01110");
	check("name == ''", "00100");
	check("name < 'd'", "01110");
	check("name =~ '^c'", "01010");
	check("name =~ 'k|1$'", "11011");
	check("'make' == name", "10001");
	check("path == '/'", "10000");
	check("path =~ '/.'", "01010");
	check("path >= '/a'", "01011");
	check("path == 'a'", "00000");
}

static void logic(void **state)
{
	(void)state;
	check("count == 0 || count == 1 && name == 'x'", "10000");
	check("(count == 0 || count == 1) && name == 'cc1'", "01000");
	check("!(count < 2) && !(name == 'make')", "00110");
	check("!!count", "01111");
	check("count > 0 && count > 1 && count > 2", "00011");
	check("absent == 1", "00000");
	check("absent != 1", "00000");
	check("absent == 'x' || !(absent == 'x')", "11111");
}

static void check_fail(const char *text, size_t at, const char *word)
{
	struct wt_expr_place place = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr = NULL;

	if (!bind(text, &expr, &place, &err))
		fail_msg("'%s' was taken", text);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, word))
		fail_msg("'%s': no '%s' in: %s", text, word, err.text);
	if (place.at != at)
		fail_msg("'%s': place %zu, not %zu: %s", text, place.at, at, err.text);
	assert_null(strchr(err.text, '\n'));
	wt_expr_destroy(expr);
}

static void a_plain_word_needs_no_quotes(void **state)
{
	(void)state;
	check("name == make", "10001");
	check("name != make", "01110");
	check("name =~ c", "01010");
	check("!(name == make) && name == cc1", "01010");
	check("name == 'make'", "10001");
	check("name == \"make\"", "10001");
}

/* ---- words for the operators ---- */

static void words_join_as_signs_do(void **state)
{
	(void)state;
	check("count == 0 or count == 1 and name == 'x'", "10000");
	check("(count == 0 OR count == 1) AND name == 'cc1'", "01000");
	check("not (count < 2) && not name == 'make'", "00110");
	check("not not count", "01111");
	check("NOT !count", "01111");
	check("not count", "10000");
	check("not 1 > count", "01111");
	check("name == and or name == make", "10001");
	check("name == not || name == cc1", "01010");
	check("count==1 and(name==cc1)or count==2", "01100");
	check_fail("not", 0, "unknown name 'not'");
	check_fail("not == 1", 0, "unknown name 'not'");
	check_fail("not and count", 0, "unknown name 'not'");
	check_fail("and", 0, "unknown name 'and'");
	check_fail("and == 1", 0, "unknown name 'and'");
	check_fail("count == 1 and", 14, "the filter ends");
	check_fail("count == 1 or or count", 17, "the end");
	check_fail("count == 1 And count", 11, "the end");
	check_fail("count == 1 not count", 11, "the end");
	check_fail("not 'a", 4, "closing quote");
}

/* The places of what joins the whole filter, as text. */
static void check_joints(const char *text, const char *want)
{
	struct wt_expr_place joints[2];
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;
	char got[64] = "";
	size_t n;

	assert_int_equal(wt_expr_parse(text, &expr, NULL, &err), 0);
	n = wt_expr_joints(expr, joints, 2);
	for (size_t i = 0; i < n && i < 2; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%zu+%zu ", joints[i].at,
			 joints[i].len);
	if (n > 2)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "of %zu", n);
	assert_string_equal(got, want);
	wt_expr_destroy(expr);
}

static void conditions_are_told_apart(void **state)
{
	(void)state;
	check_joints("count", "");
	check_joints("count && delta", "6+2 ");
	check_joints("count and delta && ratio", "6+3 16+2 ");
	check_joints("count && delta && ratio and count", "6+2 15+2 of 3");
	check_joints("(count && delta) and ratio", "17+3 ");
	check_joints("count and (delta && ratio)", "6+3 ");
	check_joints("(count && delta)", "");
	check_joints("count || delta && ratio", "");
	check_joints("name == and and name == '&& and'", "12+3 ");
}

static void errors_point_at_the_place(void **state)
{
	(void)state;
	check_fail("", 0, "a name");
	check_fail("count == ", 9, "the filter ends");
	check_fail("count = 1", 6, "did you mean '=='");
	check_fail("count == 1 & name == 'a'", 11, "'&&'");
	check_fail("coutn == 1", 0, "did you mean 'count'");
	check_fail("count == 1 && nmae == 'a'", 14, "did you mean 'name'");
	check_fail("count == 'a'", 9, "is a number");
	check_fail("name == 1", 8, "is a text");
	check_fail("name", 0, "is a text");
	check_fail("name == 'a", 8, "closing quote");
	check_fail("name =~ '('", 8, "regular expression");
	check_fail("count =~ 1", 9, "in quotes");
	check_fail("when > 5", 7, "unit");
	check_fail("(count == 1", 11, "')'");
	check_fail("count == 1)", 10, "the end");
	check_fail("count == 1 2", 11, "the end");
	check_fail("count == word", 9, "is a number");
	check_fail("count == delta", 9, "is a number");
	check_fail("name == delta", 8, "write the text in quotes: 'delta'");
	check_fail("name =~ path", 8, "write the text in quotes: 'path'");
	check_fail("word == name", 0, "unknown name 'word'");
	check_fail("count == 1x", 9, "not a number");
	check_fail("count == 0x", 9, "not a number");
	check_fail("count == 1.", 9, "not a number");
	check_fail("count == 1234567890123456789012345", 9, "not a number");
	check_fail("count @ 1", 6, "unexpected character");
	check_fail("1 =~ name", 2, "on its right");
	check_fail("1", 1, "a comparison");
}

static void bounds(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;
	char *text = malloc(WT_EXPR_MAX_TEXT + 2);
	size_t n = 0;

	(void)state;
	memset(text, '(', WT_EXPR_MAX_TEXT + 1);
	text[WT_EXPR_MAX_TEXT + 1] = 0;
	assert_int_equal(wt_expr_parse(text, &expr, NULL, &err), -1);
	assert_non_null(strstr(err.text, "longer than"));
	text[200] = 0;
	assert_int_equal(wt_expr_parse(text, &expr, NULL, &err), -1);
	assert_non_null(strstr(err.text, "deeper than"));
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, 12, "%s", i ? "||count" : "count");
	assert_int_equal(wt_expr_parse(text, &expr, NULL, &err), -1);
	assert_non_null(strstr(err.text, "more than"));
	text[7 * 250 - 2] = 0;
	check(text, "01111");
	free(text);
}

static void places_are_shown(void **state)
{
	struct wt_buf out = {0};
	struct wt_expr_place place = {.at = 9, .len = 4};
	char text[400];

	(void)state;
	wt_expr_show_place("count == abcd && x", &place, &out);
	assert_string_equal(wt_buf_cstr(&out), "  count == abcd && x\n           ^^^^\n");
	wt_buf_clear(&out);
	place = (struct wt_expr_place){.at = 8, .len = 4};
	wt_expr_show_place("d\xc3\xa9 \x1b== abcd", &place, &out);
	assert_string_equal(wt_buf_cstr(&out), "  d\xc3\xa9 ?== abcd\n         ^^^^\n");
	wt_buf_clear(&out);
	place = (struct wt_expr_place){.at = 5, .len = 0};
	wt_expr_show_place("count", &place, &out);
	assert_string_equal(wt_buf_cstr(&out), "  count\n       ^\n");
	wt_buf_clear(&out);
	memset(text, 'x', sizeof(text));
	text[399] = 0;
	place = (struct wt_expr_place){.at = 300, .len = 50};
	wt_expr_show_place(text, &place, &out);
	assert_true(out.len < 250);
	assert_non_null(strstr(wt_buf_cstr(&out), " ^^^^"));
	wt_buf_deinit(&out);
}

static void names_are_listed(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_expr *expr;

	(void)state;
	assert_int_equal(wt_expr_parse("a == 1 && linux:x/y.b-c == 2", &expr, NULL, &err), 0);
	wt_expr_destroy(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_rule_out),
		cmocka_unit_test(numbers_compare),
		cmocka_unit_test(signs_and_fractions),
		cmocka_unit_test(units),
		cmocka_unit_test(texts_compare),
		cmocka_unit_test(logic),
		cmocka_unit_test(a_plain_word_needs_no_quotes),
		cmocka_unit_test(words_join_as_signs_do),
		cmocka_unit_test(conditions_are_told_apart),
		cmocka_unit_test(errors_point_at_the_place),
		cmocka_unit_test(bounds),
		cmocka_unit_test(places_are_shown),
		cmocka_unit_test(names_are_listed),
	};

	return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
