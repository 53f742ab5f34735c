/* SPDX-License-Identifier: MIT */
#include "tools/annotate/text.h"

typedef unsigned long long ull;

/* Source lines shown around one with hits. */
enum { AROUND = 2 };

/* Thresholds for the colours of shares, as in other profilers: hot code, and code worth a look. */
#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5

struct page {
	const struct wt_annotated_function *function;
	struct wt_buf *out;
	bool colour;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_str(struct wt_buf *out, struct wt_str text)
{
	wt_text_escape(out, text.p ? text.p : "", text.len);
}

/* Source has tabs. */
static void put_source(struct wt_buf *out, struct wt_str text)
{
	for (uint32_t at = 0, len; at < text.len; at += len + 1) {
		const char *tab = memchr(text.p + at, '\t', text.len - at);

		len = tab ? (uint32_t)(tab - (text.p + at)) : text.len - at;
		wt_text_escape(out, text.p + at, len);
		if (tab)
			wt_buf_puts(out, "    ");
	}
}

/* Puts hits and their share, or blanks; a coloured line ends with end_line. */
static const char *put_hits(const struct page *page, uint64_t hits)
{
	double share = percent(hits, page->function->hits);
	const char *colour = !page->colour || share < WARM_PERCENT ? ""
			     : share < HOT_PERCENT                 ? "\033[32m"
								   : "\033[31m";

	wt_buf_puts(page->out, colour);
	if (hits)
		wt_buf_printf(page->out, "%8llu %6.2f", (ull)hits, share);
	else
		wt_buf_printf(page->out, "%15s", "");
	return colour;
}

static void end_line(const struct page *page, const char *colour)
{
	while (page->out->len && page->out->data[page->out->len - 1] == ' ')
		page->out->len--;
	wt_buf_puts(page->out, *colour ? "\033[0m\n" : "\n");
}

static void put_title(const struct page *page)
{
	const struct wt_annotated_function *function = page->function;
	struct wt_buf *out = page->out;

	wt_buf_puts(out, "\n======================== ");
	put_str(out, function->event);
	wt_buf_puts(out, ": ");
	put_str(out, function->name);
	wt_buf_puts(out, ":");
	put_str(out, wt_view_module_end(function->module));
	wt_buf_printf(out, ", %llu of %llu hits (%.2f %%) ========================\n", (ull)function->hits,
		      (ull)function->table_hits, percent(function->hits, function->table_hits));
	if (function->no_source.len) {
		wt_buf_puts(out, "source      ");
		put_str(out, function->no_source);
		wt_buf_puts(out, "\n");
	}
	if (function->no_code.len) {
		wt_buf_puts(out, "code        ");
		put_str(out, function->no_code);
		wt_buf_puts(out, "\n");
	}
	if (function->unplaced)
		wt_buf_printf(out, "no line     %llu hits\n", (ull)function->unplaced);
}

static bool same(struct wt_str a, struct wt_str b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* True when a line with hits is at most AROUND lines away. */
static bool is_near(const struct wt_annotated_function *function, uint32_t i)
{
	uint32_t from = i < AROUND ? 0 : i - AROUND;

	for (uint32_t k = from; k < function->n_lines && k <= i + AROUND; k++)
		if (function->lines[k].hits && same(function->lines[k].file, function->lines[i].file))
			return true;
	return false;
}

static void put_line(const struct page *page, const struct wt_annotated_line *line)
{
	const char *colour = put_hits(page, line->hits);

	wt_buf_printf(page->out, "  %6u  ", line->line);
	put_source(page->out, line->text);
	if (line->inlined.len) {
		wt_buf_puts(page->out, "  [");
		put_str(page->out, line->inlined);
		wt_buf_puts(page->out, " (inlined)]");
	}
	end_line(page, colour);
}

static void put_lines(const struct page *page)
{
	const struct wt_annotated_function *function = page->function;
	uint32_t before = WT_ANNOTATE_NONE;

	for (uint32_t i = 0; i < function->n_lines; i++) {
		if (!is_near(function, i))
			continue;
		if (before == WT_ANNOTATE_NONE ||
		    !same(function->lines[before].file, function->lines[i].file)) {
			wt_buf_puts(page->out, "    hits      %    line  ");
			put_str(page->out, function->lines[i].file);
			wt_buf_puts(page->out, "\n");
		} else if (before + 1 != i) {
			wt_buf_printf(page->out, "%21s...\n", "");
		}
		before = i;
		put_line(page, &function->lines[i]);
	}
}

static void put_instruction(const struct page *page, uint32_t i)
{
	const struct wt_annotated_function *function = page->function;
	const struct wt_annotated_instruction *row = &function->instructions[i];
	const char *colour = put_hits(page, row->hits);
	uint32_t target = row->target;
	const char *jump = target == WT_ANNOTATE_NONE ? " " : target > i ? "v" : "^";

	wt_buf_printf(page->out, "  %c%s %8llx:  ", row->block ? '>' : ' ', jump, (ull)row->address);
	if (!row->text.len)
		for (uint32_t k = 0; k < row->bytes.len; k++)
			wt_buf_printf(page->out, "%02x ", (unsigned char)row->bytes.p[k]);
	put_str(page->out, row->text);
	end_line(page, colour);
}

/* Puts the source line above its instructions. */
static void put_heading(const struct page *page, const struct wt_annotated_line *line)
{
	wt_buf_printf(page->out, "%19s%s", "", page->colour ? "\033[36m" : "");
	put_str(page->out, wt_view_module_end(line->file));
	wt_buf_printf(page->out, ":%u", line->line);
	if (line->text.len)
		wt_buf_puts(page->out, "  ");
	put_source(page->out, line->text);
	end_line(page, page->colour ? "\033[36m" : "");
}

static void put_instructions(const struct page *page)
{
	const struct wt_annotated_function *function = page->function;
	uint32_t line = WT_ANNOTATE_NONE;

	if (function->n_instructions)
		wt_buf_puts(page->out, "    hits      %      address   instruction\n");
	for (uint32_t i = 0; i < function->n_instructions; i++) {
		uint32_t own = function->instructions[i].line;

		if (own != line && own != WT_ANNOTATE_NONE)
			put_heading(page, &function->lines[own]);
		line = own;
		put_instruction(page, i);
	}
}

int wt_annotation_text(const struct wt_annotation *annotation, bool colour, struct wt_out *out,
		       struct wt_err *err)
{
	wt_buf_puts(&out->buf,
		    "skid        a hit stands where the CPU was interrupted: at the instruction that took "
		    "the time, or "
		    "shortly after it\n"
		    "marks       > begins a basic block, v jumps down, ^ jumps up within the function\n");
	for (uint32_t i = 0; i < annotation->n; i++) {
		struct page page = {&annotation->functions[i], &out->buf, colour};

		put_title(&page);
		put_lines(&page);
		put_instructions(&page);
		if (wt_out_flow(out, err))
			return -1;
	}
	if (!annotation->n)
		wt_buf_puts(&out->buf, "\nno event hits code\n");
	if (annotation->n_left_out)
		wt_buf_printf(&out->buf, "\n%u more functions have hits; --top N shows more\n",
			      annotation->n_left_out);
	return wt_out_flow(out, err);
}
