// SPDX-License-Identifier: MIT
#include "tracecore/schema/decode.h"

#include "tracecore/base/utf8.h"

static const char hex_digits[] = "0123456789abcdef";

/* Bytes from p on that can be copied to JSON as they are: ASCII without controls, quote and backslash. */
static size_t plain_json(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= 0x20 && p[n] < 0x80 && p[n] != '"' && p[n] != '\\')
		n++;
	return n;
}

static void json_escape(struct wt_buf *out, uint8_t c)
{
	static const char letters[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	const char two[2] = {'\\', c < 0x20 ? letters[c] : (char)c};
	const char six[6] = {'\\', 'u', '0', '0', hex_digits[c >> 4], hex_digits[c & 15]};

	if (two[1])
		wt_buf_put(out, two, sizeof(two));
	else
		wt_buf_put(out, six, sizeof(six));
}

void wt_json_string(struct wt_buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i = 0;

	wt_buf_put_u8(out, '"');
	while (i < len) {
		size_t n = plain_json(p + i, len - i);
		bool valid;

		wt_buf_put(out, p + i, n);
		i += n;
		if (i == len)
			break;
		if (p[i] < 0x80) {
			json_escape(out, p[i++]);
			continue;
		}
		n = wt_utf8_step(p + i, len - i, &valid);
		if (valid)
			wt_buf_put(out, p + i, n);
		else
			wt_buf_puts(out, "\xef\xbf\xbd");
		i += n;
	}
	wt_buf_put_u8(out, '"');
}

/* Eight bytes at once: none below 0x20, which borrows into its top bit, none above 0x7e. */
static bool is_plain_word(const uint8_t *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word = wt_load_u64(p);

	return !(((word - 0x20 * ones) | (word + ones) | word) & 0x80 * ones);
}

static size_t plain_text(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (len - n >= 8 && is_plain_word(p + n))
		n += 8;
	while (n < len && p[n] >= 0x20 && p[n] < 0x7f)
		n++;
	return n;
}

/* C1 controls (U+0080..U+009F) drive terminals as well as C0 ones do. */
static bool is_c1(const uint8_t *p, size_t n)
{
	return n == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

static void text_escape(struct wt_buf *out, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char four[4] = {'\\', 'x', hex_digits[p[i] >> 4], hex_digits[p[i] & 15]};

		if (p[i] == '\n')
			wt_buf_puts(out, "\\n");
		else if (p[i] == '\t')
			wt_buf_puts(out, "\\t");
		else if (p[i] == '\r')
			wt_buf_puts(out, "\\r");
		else
			wt_buf_put(out, four, sizeof(four));
	}
}

void wt_text_escape(struct wt_buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i = 0;

	while (i < len) {
		size_t n = plain_text(p + i, len - i);
		bool valid;

		wt_buf_put(out, p + i, n);
		i += n;
		if (i == len)
			break;
		n = wt_utf8_step(p + i, len - i, &valid);
		if (valid && p[i] >= 0x80 && !is_c1(p + i, n))
			wt_buf_put(out, p + i, n);
		else
			text_escape(out, p + i, n);
		i += n;
	}
}
