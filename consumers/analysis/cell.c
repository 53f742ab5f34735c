/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/column.h"

#include "consumers/analysis/duration.h"

#include <math.h>
#include <string.h>

__int128 wt_view_cell_rank(const struct wt_view_cell *cell)
{
	double value = cell->f + 0.0; /* no zero below zero */
	uint64_t bits;

	if (cell->kind == WT_CELL_NONE)
		return -((__int128)1 << 126);
	if (cell->kind != WT_CELL_REAL && cell->kind != WT_CELL_SHARE)
		return cell->i;
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static void put_integer(__int128 v, struct wt_buf *out)
{
	unsigned __int128 left = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	char digits[48];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + (int)(left % 10));
	while (left /= 10);
	if (v < 0)
		digits[--n] = '-';
	wt_buf_put(out, digits + n, sizeof(digits) - n);
}

static void put_seconds(__int128 ns, struct wt_buf *out)
{
	uint64_t left = (uint64_t)(ns < 0 ? -ns : ns);

	wt_buf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(left / WT_NSEC),
		      (unsigned long long)(left % WT_NSEC));
}

void wt_view_cell_text(const struct wt_view_cell *cell, struct wt_buf *out)
{
	if (cell->is_ns && (cell->kind == WT_CELL_INTEGER || cell->kind == WT_CELL_REAL)) {
		wt_duration_text(cell->kind == WT_CELL_REAL ? cell->f : (double)cell->i, out);
		return;
	}
	switch (cell->kind) {
	case WT_CELL_NONE:
		wt_buf_put_u8(out, '-');
		break;
	case WT_CELL_INTEGER:
		put_integer(cell->i, out);
		break;
	case WT_CELL_REAL:
		wt_buf_printf(out, "%.3f", cell->f);
		break;
	case WT_CELL_SHARE:
		wt_buf_printf(out, "%.2f", cell->f);
		break;
	case WT_CELL_SECONDS:
		put_seconds(cell->i, out);
		break;
	}
}

void wt_view_cell_json(const struct wt_view_cell *cell, struct wt_buf *out)
{
	if (cell->kind == WT_CELL_NONE)
		wt_buf_puts(out, "null");
	else if (cell->kind == WT_CELL_SHARE)
		wt_buf_printf(out, "%.4f", cell->f);
	else if (cell->kind == WT_CELL_REAL && !isfinite(cell->f))
		wt_buf_puts(out, "null");
	else if (cell->kind == WT_CELL_REAL)
		wt_buf_printf(out, "%.17g", cell->f);
	else if (cell->kind == WT_CELL_INTEGER)
		put_integer(cell->i, out);
	else
		wt_view_cell_text(cell, out);
}
