// SPDX-License-Identifier: MIT
#include "tracecore/base/foreign.h"

#include "tracecore/base/utf8.h"

static const char hex_digits[] = "0123456789abcdef";

/* ---- classes of characters ---- */

static uint32_t code_of(const uint8_t *p, unsigned n)
{
	uint32_t code = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	for (unsigned i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

static bool is_unseen(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

unsigned wt_foreign_step(const uint8_t *p, size_t left, enum wt_foreign *what, uint32_t *code)
{
	bool valid;
	unsigned n = wt_utf8_step(p, left, &valid);

	*code = valid ? code_of(p, n) : p[0];
	if (!valid)
		*what = WT_FOREIGN_INVALID;
	else if (*code < 0x20 || (*code >= 0x7f && *code < 0xa0))
		*what = WT_FOREIGN_CONTROL;
	else
		*what = is_unseen(*code) ? WT_FOREIGN_UNSEEN : WT_FOREIGN_SHOWN;
	return n;
}

/* Tests eight bytes at once: no byte is below 0x20 (it would borrow into its top bit) or above 0x7e. */
static bool is_plain_word(const uint8_t *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word = wt_load_u64(p);

	return !(((word - 0x20 * ones) | (word + ones) | word) & 0x80 * ones);
}

/* The number of bytes from p on that certainly are shown unchanged. */
static size_t plain_len(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (len - n >= 8 && is_plain_word(p + n))
		n += 8;
	while (n < len && p[n] >= 0x20 && p[n] < 0x7f)
		n++;
	return n;
}

/* ---- text ---- */

static void put_byte(struct wt_buf *out, uint8_t c)
{
	const char four[4] = {'\\', 'x', hex_digits[c >> 4], hex_digits[c & 15]};

	if (c == '\n')
		wt_buf_puts(out, "\\n");
	else if (c == '\t')
		wt_buf_puts(out, "\\t");
	else if (c == '\r')
		wt_buf_puts(out, "\\r");
	else
		wt_buf_put(out, four, sizeof(four));
}

/* Appends one character that is not plain; returns its length. */
static unsigned put_special(struct wt_buf *out, const uint8_t *p, size_t left)
{
	enum wt_foreign what;
	uint32_t code;
	unsigned n = wt_foreign_step(p, left, &what, &code);

	if (what == WT_FOREIGN_SHOWN) {
		wt_buf_put(out, p, n);
	} else if (what == WT_FOREIGN_UNSEEN) {
		wt_buf_puts(out, "\\u{");
		wt_buf_put_hex(out, code, 1);
		wt_buf_put_u8(out, '}');
	} else {
		for (unsigned i = 0; i < n; i++)
			put_byte(out, p[i]);
	}
	return n;
}

void wt_text_escape(struct wt_buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t i = 0;

	while (i < len) {
		size_t n = plain_len(p + i, len - i);

		wt_buf_put(out, p + i, n);
		i += n;
		if (i < len)
			i += put_special(out, p + i, len - i);
	}
}

void wt_text_write(FILE *out, const char *text)
{
	struct wt_buf buf = {0};

	wt_text_escape(&buf, text, strlen(text));
	fwrite(buf.data, 1, buf.len, out);
	wt_buf_deinit(&buf);
}

/* Appends plain bytes, with an escape before those that have a meaning in this place. */
static void put_marked(struct wt_buf *out, const uint8_t *p, size_t n, uint8_t quote)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\')
			wt_buf_put_u8(out, '\\');
		else if (p[i] == '"')
			wt_buf_put_u8(out, quote);
		wt_buf_put_u8(out, p[i]);
	}
}

static void put_quoted(struct wt_buf *out, const uint8_t *p, size_t len, uint8_t quote)
{
	size_t i = 0;

	while (i < len) {
		size_t n = plain_len(p + i, len - i);

		put_marked(out, p + i, n, quote);
		i += n;
		if (i < len)
			i += put_special(out, p + i, len - i);
	}
}

static bool looks_like_fields(const uint8_t *p, size_t len)
{
	const uint8_t *space = len ? memchr(p, ' ', len) : NULL, *end = p + len;

	if (len && p[0] == '"')
		return true;
	for (const uint8_t *at = space; at && at < end; at++)
		if (*at == '=' || *at == '[' || (*at == ' ' && at + 1 < end && at[1] == ' '))
			return true;
	return false;
}

void wt_text_value(struct wt_buf *out, const void *bytes, size_t len)
{
	if (!looks_like_fields(bytes, len)) {
		wt_text_escape(out, bytes, len);
		return;
	}
	wt_buf_put_u8(out, '"');
	put_quoted(out, bytes, len, '\\');
	wt_buf_put_u8(out, '"');
}

/* ---- CSV ---- */

void wt_csv_field(struct wt_buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	bool quote = false;

	for (size_t i = 0; i < len && !quote; i++)
		quote = p[i] == ',' || p[i] == '"' || p[i] == '\r' || p[i] == '\n';
	if (quote)
		wt_buf_put_u8(out, '"');
	put_quoted(out, p, len, '"');
	if (quote)
		wt_buf_put_u8(out, '"');
}

/* ---- JSON ---- */

static size_t plain_json(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= 0x20 && p[n] < 0x7f && p[n] != '"' && p[n] != '\\')
		n++;
	return n;
}

static void put_u16_escape(struct wt_buf *out, uint32_t unit)
{
	wt_buf_puts(out, "\\u");
	wt_buf_put_hex(out, unit, 4);
}

/* Appends a character by its number; above 16 bits as two surrogates. */
static void json_escape(struct wt_buf *out, uint32_t code)
{
	static const char letters[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	char letter = code < 0x20 ? letters[code] : code == '"' || code == '\\' ? (char)code : 0;

	if (letter) {
		wt_buf_put_u8(out, '\\');
		wt_buf_put_u8(out, (uint8_t)letter);
	} else if (code < 0x10000) {
		put_u16_escape(out, code);
	} else {
		put_u16_escape(out, 0xd800 + ((code - 0x10000) >> 10));
		put_u16_escape(out, 0xdc00 + ((code - 0x10000) & 0x3ff));
	}
}

/* Appends text whose first n bytes are plain and whose next byte is not. */
static void put_json(struct wt_buf *out, const uint8_t *p, size_t len, size_t n)
{
	enum wt_foreign what;
	uint32_t code;

	wt_buf_put_u8(out, '"');
	for (size_t i = 0;; n = plain_json(p + i, len - i)) {
		wt_buf_put(out, p + i, n);
		i += n;
		if (i == len)
			break;
		n = wt_foreign_step(p + i, len - i, &what, &code);
		if (what == WT_FOREIGN_INVALID)
			wt_buf_puts(out, "\xef\xbf\xbd");
		else if (what == WT_FOREIGN_SHOWN && code >= 0x80)
			wt_buf_put(out, p + i, n);
		else
			json_escape(out, code);
		i += n;
	}
	wt_buf_put_u8(out, '"');
}

void wt_json_string(struct wt_buf *out, const void *bytes, size_t len)
{
	size_t n = plain_json(bytes, len);
	uint8_t *p = n == len ? wt_buf_reserve(out, len + 2) : NULL;

	if (!p) {
		put_json(out, bytes, len, n);
		return;
	}
	p[0] = p[len + 1] = '"';
	if (len)
		memcpy(p + 1, bytes, len);
	out->len += len + 2;
}

/* ---- formats with their own grammar ---- */

/* True when the word at p has the form of a number: 12, 12/13, 1.5. */
static bool is_number(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && ((p[n] >= '0' && p[n] <= '9') || p[n] == '.' || p[n] == '/'))
		n++;
	return n && (n == len || p[n] == ' ');
}

void wt_foreign_no_numbers(struct wt_buf *out, size_t from)
{
	uint8_t *p = out->data;
	bool first = true;

	for (size_t i = from; i < out->len; i++) {
		if (p[i] == ' ' && (first || is_number(p + i + 1, out->len - i - 1)))
			p[i] = '_';
		else
			first = false;
	}
	if (from < out->len && p[from] == '#')
		p[from] = '_';
}

void wt_foreign_no_separator(struct wt_buf *out, size_t from, char separator, char instead)
{
	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == (uint8_t)separator)
			out->data[i] = (uint8_t)instead;
}
