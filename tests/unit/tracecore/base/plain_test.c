// SPDX-License-Identifier: MIT
#include "tracecore/base/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/base/utf8.h"

static void controls_become_escapes(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"", ""},
		{"plain \\ 100%", "plain \\ 100%"},
		{"a\tb\nc\rd", "a\\tb\\nc\\rd"},
		{"host \033[31mred", "host \\x1b[31mred"},
		{"\001\037\177", "\\x01\\x1f\\x7f"},
		{"\303\244 \342\202\254 \360\237\230\200", "\303\244 \342\202\254 \360\237\230\200"},
		{"\302\233 \302\205", "\\xc2\\x9b \\xc2\\x85"},
		{"\342\200\256a\363\240\201\201", "\\u{202e}a\\u{e0041}"},
		{"\233 \377 \342\202", "\\x9b \\xff \\xe2\\x82"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(text, rows[i].in, strlen(rows[i].in) + 1);
		wt_plain(text, sizeof(text));
		assert_string_equal(text, rows[i].out);
		wt_plain(text, sizeof(text));
		assert_string_equal(text, rows[i].out);
	}
}

/* In every room: a beginning of the whole, nothing but whole escapes and characters, nothing behind the room.
 */
static void what_does_not_fit_is_cut(void **state)
{
	static const char in[] = "a\033\303\244\342\202\254\377\n\302\233z";
	static const char whole[] = "a\\x1b\303\244\342\202\254\\xff\\n\\xc2\\x9bz";
	static const uint8_t ends[] = {0, 1, 5, 7, 10, 14, 16, 20, 24, 25};
	char box[64], start[64];

	(void)state;
	for (size_t size = 1; size < sizeof(whole) + 8; size++) {
		size_t n = 0;

		memset(box, '#', sizeof(box));
		memcpy(start, in, sizeof(in));
		start[size <= strlen(in) ? size - 1 : strlen(in)] = 0; /* as snprintf leaves it */
		memcpy(box, start, strlen(start) + 1);
		box[size] = '#';
		wt_plain(box, size);
		assert_int_equal(box[size], '#');
		assert_memory_equal(box, whole, strlen(box));
		while (n < sizeof(ends) && ends[n] != strlen(box))
			n++;
		assert_true(n < sizeof(ends));
	}
	assert_string_equal(box, whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_become_escapes),
		cmocka_unit_test(what_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
