// SPDX-License-Identifier: MIT
/* Patterns against regcomp, which says what they mean: written cases, and random ones. */
#include "consumers/analysis/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <regex.h>

#include <cmocka.h>

#include "tracecore/base/buf.h"

static bool finds(const char *pattern, const char *text, size_t len)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_pattern *made;
	bool found;

	if (wt_pattern_compile(pattern, &made, &err))
		fail_msg("%s", err.text);
	found = wt_pattern_find(made, text, len);
	assert_int_equal(wt_pattern_find(made, text, len), found);
	wt_pattern_destroy(made);
	return found;
}

static void same_as_regcomp(const char *pattern, const char *text)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_pattern *made = NULL;
	regex_t regex;
	int refused = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	int wrong = wt_pattern_compile(pattern, &made, &err);

	if (!refused != !wrong)
		fail_msg("'%s': %s, wanted %s", pattern, wrong ? err.text : "taken",
			 refused ? "refused" : "taken");
	if (!wrong && wt_pattern_find(made, text, strlen(text)) != !regexec(&regex, text, 0, NULL, 0))
		fail_msg("'%s' in '%s': regexec says otherwise", pattern, text);
	if (!refused)
		regfree(&regex);
	wt_pattern_destroy(made);
}

static const char *const patterns[] = {
	"",
	"a",
	"^a",
	"a$",
	"^$",
	"^ab*c$",
	"a|b",
	"a|",
	"|a",
	"()",
	"(a|b)*c",
	"(ab)+",
	"a?b",
	"a{2}",
	"a{2,}",
	"a{1,2}b",
	"a{,2}b",
	"a{0}b",
	"a{,}b",
	"a{2,1}",
	"a{",
	"a{1",
	"a{x}",
	"a{1,2,3}",
	"*a",
	"(*a)",
	"a|*b",
	"^*",
	"{1}",
	"a**",
	"a+?",
	")",
	"a)",
	"(a",
	"[",
	"[]",
	"[]a]",
	"[^]a]",
	"[a-c]",
	"[c-a]",
	"[a-]",
	"[-a]",
	"[a-c-e]",
	"[--/]",
	"[[:alpha:]]",
	"[[:foo:]]",
	"[[:alpha:",
	"[[.a.]]",
	"[[=a=]b]",
	"[[.-.]]",
	"[a-[.c.]]",
	"[[:digit:]-a]",
	"\\",
	"\\(a\\)",
	"\\.",
	"\\w+",
	"\\W",
	"\\s",
	"\\S\\S",
	"\\ba",
	"a\\b",
	"\\<b",
	"c\\>",
	"\\`a",
	"c\\'",
	"a\\Bb",
	"a^b",
	"a$b",
	"(^a|b)c",
	"(a$|b)",
	"a.c",
	"[^a]b",
	"\\n",
	"\\{",
	"a\\{1\\}",
	"}",
	"a}",
	"[\\n]",
	"x{32767}",
	"x{32768}",
	"(|a)b",
	"((a))*",
	"(a*)*b",
	"(a*)+$",
	"(a|b|c){2}$",
	"[[:space:]]a",
	"a{1}{2}",
	"[a",
};
static const char *const texts[] = {"",     "a",    "b",    "c",   "ab",    "abc", "aab", "aabb",
				    "bca",  "a\nc", "a.c",  "a-c", "-",     "/",   "]",   "\\",
				    "(a)",  "{",    "a{1}", "}",   ")",     "*a",  "a b", " abc ",
				    "\xe4", "_a",   "1-2",  "n",   "aaaab", "cab"};

static void written_cases(void **state)
{
	(void)state;
	for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++)
		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
			if (strcmp(patterns[p], "x{32767}") != 0)
				same_as_regcomp(patterns[p], texts[t]);
}

/* ---- random ones ---- */

static uint64_t seed = 1;

static unsigned some(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

/* A pattern of the grammar. */
static void put_pattern(struct wt_buf *to, unsigned depth)
{
	static const char *const atoms[] = {"a",    "b",   "c",           ".",      "[ab]",
					    "[^a]", "\\w", "[[:digit:]]", "[b-c1]", " "};
	static const char *const repeats[] = {"", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}"};
	unsigned n = 1 + some(4);

	for (unsigned i = 0; i < n && to->len < 200; i++) {
		if (i && !some(5))
			wt_buf_puts(to, "|");
		if (depth && !some(3)) {
			wt_buf_puts(to, "(");
			put_pattern(to, depth - 1);
			wt_buf_puts(to, ")");
		} else {
			wt_buf_puts(to, atoms[some(sizeof(atoms) / sizeof(atoms[0]))]);
		}
		wt_buf_puts(to, repeats[some(sizeof(repeats) / sizeof(repeats[0]))]);
	}
}

static void random_patterns_mean_what_regcomp_says(void **state)
{
	struct wt_buf pattern = {0};
	char text[16];

	(void)state;
	for (int round = 0; round < 4000; round++) {
		wt_buf_clear(&pattern);
		wt_buf_puts(&pattern, some(4) ? "" : "^");
		put_pattern(&pattern, 2);
		wt_buf_puts(&pattern, some(4) ? "" : "$");
		for (int i = 0; i < 8; i++) {
			unsigned len = some(sizeof(text));

			for (unsigned k = 0; k < len; k++)
				text[k] = "abc1 _\n"[some(7)];
			text[len] = 0;
			same_as_regcomp(wt_buf_cstr(&pattern), text);
		}
	}
	wt_buf_deinit(&pattern);
}

/* Any row of characters that mean something: the same ones are refused. */
static void random_text_is_refused_alike(void **state)
{
	static const char letters[] = "ab()[]{}|*+?^$.,-12:\\";
	char pattern[12];

	(void)state;
	for (int round = 0; round < 40000; round++) {
		unsigned len = some(sizeof(pattern));
		bool apart = false;

		for (unsigned i = 0; i < len; i++)
			pattern[i] = letters[some(sizeof(letters) - 1)];
		pattern[len] = 0;
		/* Back references apart, and counts beyond the bound. */
		for (unsigned i = 0; i + 1 < len; i++)
			apart |= pattern[i] == '\\' && (pattern[i + 1] == '1' || pattern[i + 1] == '2');
		if (!apart && !strstr(pattern, "11") && !strstr(pattern, "12") && !strstr(pattern, "2"))
			same_as_regcomp(pattern, "ab(1");
	}
}

/* ---- bounds ---- */

static void refuse(const char *pattern, const char *why)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_pattern *made;

	assert_int_equal(wt_pattern_compile(pattern, &made, &err), -1);
	assert_null(made);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void what_is_too_large_is_refused_at_once(void **state)
{
	char deep[500] = "", *wide = malloc(4097);

	(void)state;
	refuse("((((a{30}){30}){30}){30}){30}", "smaller");
	refuse("((((((){32767}){32767}){32767}){32767}){32767}){32767}", "smaller");
	refuse("(((((a?){32767}){32767}){32767}){32767}){0,32767}", "smaller");
	refuse("x{32767}", "smaller");
	refuse("(a)\\1", "back references");
	memset(deep, '(', 200);
	refuse(deep, "nested");
	memset(wide, 'a', 4096);
	wide[4096] = 0;
	refuse(wide, "smaller");
	memset(wide + 1, '*', 4095);
	refuse(wide, "smaller");
	free(wide);
}

/* 200,000 bytes: each looked at once, not once for each beginning. */
static void time_grows_with_the_text(void **state)
{
	enum { N = 200000 };
	char *text = malloc(N);

	(void)state;
	memset(text, 'a', N);
	assert_false(finds("(a*)*b", text, N));
	assert_false(finds("(a?){100}a{100}b", text, N / 10));
	assert_false(finds("((a{1,9}){1,9}){1,5}c", text, N / 100));
	assert_true(finds("^(a|aa)+$", text, N));
	free(text);
}

static void zeros_are_bytes(void **state)
{
	(void)state;
	assert_true(finds("a[^b]c", "a\0c", 3));
	assert_false(finds("a.c", "a\0c", 3));
	assert_true(finds("c$", "a\0c", 3));
	assert_false(finds("a$", "a\0c", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_cases),
		cmocka_unit_test(random_patterns_mean_what_regcomp_says),
		cmocka_unit_test(random_text_is_refused_alike),
		cmocka_unit_test(what_is_too_large_is_refused_at_once),
		cmocka_unit_test(time_grows_with_the_text),
		cmocka_unit_test(zeros_are_bytes),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
