// SPDX-License-Identifier: MIT
/* Items that are forms with numbers in them: NUMBERED, both sides. */
#include <string.h>

#include "tracecore/logfmt/format/items.h"
#include "tracecore/logfmt/format/keys.h"

/* A number of digits that always fits 64 bits. */
#define MAX_DIGITS 18
/* The most digits of a 64-bit word. */
#define WORD_DIGITS 20

/* ---- writing ---- */

struct splitter {
	struct wt_buf form;    /* of one item */
	struct wt_buf numbers; /* u64 each */
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The number of digits from p on if the number they make is written with exactly these digits; otherwise
 * 0. */
static size_t number_at(const uint8_t *p, size_t len, uint64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < len && is_digit(p[n]) && n <= MAX_DIGITS)
		*ret = *ret * 10 + p[n++] - '0';
	return n > MAX_DIGITS || (n > 1 && p[0] == '0') ? 0 : n;
}

/* Puts the form of an item into split->form and appends its numbers to the others. False: the item has a
 * byte that forms use. */
static bool split_item(struct splitter *split, const uint8_t *p, size_t len)
{
	wt_buf_clear(&split->form);
	for (size_t i = 0; i < len;) {
		uint64_t number;
		size_t n = number_at(p + i, len - i, &number);

		if (p[i] == WT_DISK_GAP)
			return false;
		if (n) {
			wt_buf_put_u8(&split->form, WT_DISK_GAP);
			wt_buf_put_u64(&split->numbers, number);
			i += n;
			continue;
		}
		do
			wt_buf_put_u8(&split->form, p[i++]);
		while (i < len && is_digit(p[i]) && is_digit(p[i - 1]));
	}
	return true;
}

/* Puts the forms into scratch->strings and their indices into scratch->words. False when this does not pay
 * or does not fit. */
static bool split_items(struct splitter *split, const uint8_t *bytes, uint64_t start, const uint64_t *ends,
			uint32_t n, struct wt_log_column_scratch *scratch)
{
	uint32_t limit = n / 4;

	wt_strings_clear(&scratch->strings);
	for (uint32_t i = 0; i < n; i++) {
		bool fresh;

		if (!split_item(split, bytes + start, ends[i] - start) || split->form.failed ||
		    split->numbers.failed)
			return false;
		scratch->words[i] = wt_strings_add(&scratch->strings,
						   split->form.data ? (const void *)split->form.data : "",
						   split->form.len, &fresh);
		if (scratch->words[i] == WT_INTERN_NONE || scratch->strings.count > limit ||
		    split->numbers.len / sizeof(uint64_t) > WT_DISK_MAX_ROWS)
			return false;
		start = ends[i];
	}
	return split->numbers.len / sizeof(uint64_t) <= (size_t)4 * n;
}

bool wt_log_put_numbered(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
			 const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch)
{
	struct splitter split = {0};
	bool good = split_items(&split, bytes, start, ends, n, scratch);

	if (good) {
		uint32_t numbers = (uint32_t)(split.numbers.len / sizeof(uint64_t));
		size_t at = wt_log_begin_column(out, scratch);

		wt_buf_put_u32(out, scratch->strings.count);
		wt_log_put_words(out, 1, scratch->words, n, scratch);
		wt_log_put_strings(out, scratch);
		wt_buf_put_u32(out, numbers);
		if (numbers)
			wt_log_put_ints(out, 2, (const uint64_t *)(const void *)split.numbers.data, numbers,
					scratch);
		wt_log_end_column(out, at, id, WT_DISK_NUMBERED, 0);
	}
	wt_buf_deinit(&split.form);
	wt_buf_deinit(&split.numbers);
	return good;
}

/* ---- reading ---- */

/* Reads the forms into room->entries, the indices into room->words and the numbers into room->spare. */
static int get_parts(const struct wt_log_column_view *view, uint32_t n, struct wt_log_column_room *room,
		     uint32_t *numbers)
{
	struct wt_cursor data = view->data;
	uint32_t forms = wt_cur_u32(&data);
	struct wt_log_column_view indices, items, rest;

	if (!forms || forms > n || view->width || wt_log_column_next(&data, &indices) ||
	    wt_log_column_next(&data, &items))
		return -1;
	indices.before = view->before;
	if (wt_log_get_plain_strs(&items, forms, room->entries, room->words) ||
	    wt_log_get_words(&indices, n, room->words, room))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (room->words[i] >= forms)
			return -1;
	*numbers = wt_cur_u32(&data);
	if (data.bad || *numbers > (uint64_t)WT_LOG_SPARES * n)
		return -1;
	if (*numbers && (wt_log_column_next(&data, &rest) || wt_log_get_ints(&rest, *numbers, room->spare)))
		return -1;
	return wt_cur_left(&data) ? -1 : 0;
}

static uint8_t *put_decimal(uint8_t *p, uint64_t number)
{
	uint8_t digits[WORD_DIGITS];
	unsigned n = 0;

	do
		digits[n++] = (uint8_t)('0' + number % 10);
	while (number /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

/* Writes one item to p, which has room; NULL when numbers are missing. */
static uint8_t *put_item(uint8_t *p, struct wt_str form, const uint64_t **number, const uint64_t *end)
{
	const char *at = form.p, *stop = form.p + form.len, *gap;

	while (at < stop && (gap = memchr(at, WT_DISK_GAP, (size_t)(stop - at)))) {
		if (*number == end)
			return NULL;
		memcpy(p, at, (size_t)(gap - at));
		p = put_decimal(p + (gap - at), *(*number)++);
		at = gap + 1;
	}
	if (at < stop)
		memcpy(p, at, (size_t)(stop - at));
	return p + (stop - at);
}

/* A number is never shorter than its gap. So forms that alone are too long are found before memory is
 * taken. */
static uint8_t *room_for_items(struct wt_buf *store, uint32_t n, uint32_t numbers, size_t left,
			       const struct wt_log_column_room *room)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += room->entries[room->words[i]].len;
	wt_buf_clear(store);
	return sum > left ? NULL : wt_buf_reserve(store, sum + (size_t)WORD_DIGITS * numbers + 1);
}

int wt_log_get_numbered(const struct wt_log_column_view *view, uint32_t n, uint32_t *offsets,
			const uint8_t **bytes, struct wt_buf *store, size_t *left,
			struct wt_log_column_room *room)
{
	const uint64_t *number, *end;
	uint32_t numbers;
	uint8_t *p;

	if (n == 0 || n > room->cap || get_parts(view, n, room, &numbers))
		return -1;
	p = room_for_items(store, n, numbers, *left, room);
	if (!p)
		return -1;
	*bytes = p;
	number = room->spare;
	end = number + numbers;
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = (uint32_t)(p - *bytes);
		p = put_item(p, room->entries[room->words[i]], &number, end);
		if (!p)
			return -1;
	}
	offsets[n] = (uint32_t)(p - *bytes);
	if (number != end || offsets[n] > *left)
		return -1;
	*left -= offsets[n];
	return 0;
}
