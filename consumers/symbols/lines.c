/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/bound.h"
#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/file_guard.h"
#include "consumers/symbols/line_table.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/grow.h"

/** The memory libdw keeps for one row of a line table, with its share of the rest. */
enum { BYTES_PER_ROW = 64 };

/** Address ranges kept: any number of units may name the same list of ranges. Further ones have no lines. */
enum { MAX_RANGES = 4 << 20 };

struct unit_range {
	uint64_t low, high;
	Dwarf_Off unit; /**< offset of the unit's DIE */
};

struct wt_lines {
	int fd; /**< owned: libdw finds the supplementary file (dwz) by it */
	Elf *elf;
	struct wt_line_table table; /**< has sequences: it is all that is needed, and nothing below is used */
	uint64_t expanded;          /**< bytes of its sections that were compressed */
	Dwarf *dwarf;
	struct unit_range *ranges; /**< by low, not overlapping; owned */
	size_t n, cap;
	uint64_t bytes, max_bytes; /**< of decoded line tables */
	uint64_t max_expanded;     /**< of compressed sections */
	Dwarf_Off unit;            /**< of `rows`; 0 none */
	Dwarf_Die die;
	Dwarf_Lines *rows;
	size_t n_rows;
	struct wt_buf path; /**< joined path of the last find */
	bool ok;            /**< the result of a guarded call */
	uint64_t address;   /**< what it is about */
	struct wt_line found;
};

/* Mapped, and so guarded: debug information is large and little of it is looked at. */
static bool open_elf(struct wt_lines *lines)
{
	elf_version(EV_CURRENT);
	if (!lines->elf)
		lines->elf = elf_begin(lines->fd, ELF_C_READ_MMAP, NULL);
	return lines->elf;
}

/* ---- sections of lines alone ---- */

/* The bytes of a section, expanded if need be; *left: what may still be expanded. False: they are not to be
 * had. A section that is not there is empty. */
static bool section_bytes(Elf *elf, size_t names, const char *wanted, uint64_t *left, struct wt_cursor *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Chdr compressed;
	const char *name;
	Elf_Data *data;

	*ret = wt_cursor(NULL, 0);
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, wanted) != 0)
			continue;
		if (header.sh_flags & SHF_COMPRESSED) {
			if (!gelf_getchdr(scn, &compressed) || compressed.ch_size > *left ||
			    elf_compress(scn, 0, 0) < 0)
				return false;
			*left -= compressed.ch_size;
		}
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			*ret = wt_cursor(data->d_buf, data->d_size);
		return data;
	}
	return true;
}

static bool table_open(struct wt_lines *lines)
{
	struct wt_line_sections sections;
	uint64_t left = lines->max_expanded;
	size_t names;

	if (!open_elf(lines) || elf_getshdrstrndx(lines->elf, &names) < 0 ||
	    !section_bytes(lines->elf, names, ".debug_line", &left, &sections.line) ||
	    !wt_cur_left(&sections.line) ||
	    !section_bytes(lines->elf, names, ".debug_line_str", &left, &sections.line_str))
		return false;
	lines->expanded = lines->max_expanded - left;
	return wt_line_table_open(&sections, &lines->table);
}

/* ---- all debug information ---- */

/* Compressed sections are expanded as a whole. */
static bool dwarf_open(struct wt_lines *lines)
{
	if (open_elf(lines) && wt_elf_expanded(lines->elf) <= lines->max_expanded)
		lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	return lines->dwarf;
}

static void dwarf_close(struct wt_lines *lines)
{
	dwarf_end(lines->dwarf);
	elf_end(lines->elf);
	lines->dwarf = NULL;
	lines->elf = NULL;
	lines->rows = NULL;
	lines->unit = 0;
	lines->bytes = 0;
}

static bool range_add(struct wt_lines *lines, uint64_t low, uint64_t high, Dwarf_Off unit)
{
	struct unit_range *last = lines->n ? &lines->ranges[lines->n - 1] : NULL;

	if (last && last->unit == unit && last->high == low) {
		last->high = high;
		return true;
	}
	if (wt_grow(&lines->ranges, &lines->cap, lines->n, 1, NULL))
		return false;
	lines->ranges[lines->n++] = (struct unit_range){low, high, unit};
	return true;
}

static bool unit_ranges(struct wt_lines *lines, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		/* Functions the linker threw away stand at 0 or 1. */
		if (low <= 1 || low >= high)
			continue;
		if (lines->n >= MAX_RANGES)
			return true;
		if (!range_add(lines, low, high, dwarf_dieoffset(die)))
			return false;
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static bool find_units(struct wt_lines *lines)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (!unit_ranges(lines, &die))
			return false;
	if (!lines->n)
		return false;
	qsort(lines->ranges, lines->n, sizeof(*lines->ranges), compare_ranges);
	for (size_t i = 0; i + 1 < lines->n; i++)
		if (lines->ranges[i].high > lines->ranges[i + 1].low)
			lines->ranges[i].high = lines->ranges[i + 1].low;
	return true;
}

/** The file was cut under its mapping: libdw's state is left as it is, forgotten and never freed. */
static void abandon(struct wt_lines *lines)
{
	lines->dwarf = NULL;
	lines->elf = NULL;
	lines->rows = NULL;
	lines->n = 0;
	wt_line_table_deinit(&lines->table);
}

static void open_guarded(void *ctx)
{
	struct wt_lines *lines = ctx;

	lines->ok = table_open(lines);
	if (lines->ok)
		return;
	elf_end(lines->elf);
	lines->elf = NULL;
	lines->ok = dwarf_open(lines) && find_units(lines);
}

struct wt_lines *wt_lines_open(int fd, uint64_t max_bytes, uint64_t max_expanded)
{
	struct wt_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->max_bytes = max_bytes;
	lines->max_expanded = max_expanded;
	lines->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (lines->fd >= 0 && !wt_file_guard(open_guarded, lines))
		abandon(lines);
	else if (lines->ok)
		return lines;
	wt_lines_close(lines);
	return NULL;
}

struct wt_lines *wt_lines_of_table(const struct wt_line_table *table)
{
	struct wt_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->fd = -1;
	lines->table = *table;
	return lines;
}

struct copying {
	struct wt_lines *lines;
	struct wt_buf *line, *line_str;
};

static void copy_guarded(void *ctx)
{
	struct copying *copying = ctx;
	const struct wt_line_sections *sections = &copying->lines->table.sections;

	wt_buf_put(copying->line, sections->line.pos, wt_cur_left(&sections->line));
	wt_buf_put(copying->line_str, sections->line_str.pos, wt_cur_left(&sections->line_str));
}

bool wt_lines_put_table(struct wt_lines *lines, uint64_t max_bytes, struct wt_buf *sequences,
			struct wt_buf *line, struct wt_buf *line_str)
{
	const struct wt_line_table *table = &lines->table;
	uint64_t line_bytes = wt_cur_left(&table->sections.line);
	uint64_t string_bytes = wt_cur_left(&table->sections.line_str);
	struct copying copying = {lines, line, line_str};

	if (!table->n || line_bytes > max_bytes || string_bytes > max_bytes - line_bytes ||
	    table->n > (max_bytes - line_bytes - string_bytes) / WT_LINE_SEQUENCE)
		return false;
	wt_line_table_put_sequences(table, sequences);
	/* Room is made before: a guarded call that is ended must not be in the middle of that. */
	if (!wt_buf_reserve(line, line_bytes + 1) || !wt_buf_reserve(line_str, string_bytes + 1))
		return false;
	if (wt_file_guard(copy_guarded, &copying))
		return !sequences->failed;
	abandon(lines);
	return false;
}

static const struct unit_range *range_of(const struct wt_lines *lines, uint64_t address)
{
	size_t low = WT_BOUND(i, 0, lines->n, lines->ranges[i].low <= address);

	if (!low || address >= lines->ranges[low - 1].high)
		return NULL;
	return &lines->ranges[low - 1];
}

/** Makes the unit's rows the current ones. */
static bool enter_unit(struct wt_lines *lines, Dwarf_Off unit)
{
	if (lines->rows && lines->unit == unit)
		return true;
	if (lines->bytes > lines->max_bytes)
		dwarf_close(lines);
	lines->rows = NULL;
	if (!lines->dwarf && !dwarf_open(lines))
		return false;
	if (!dwarf_offdie(lines->dwarf, unit, &lines->die) ||
	    dwarf_getsrclines(&lines->die, &lines->rows, &lines->n_rows) != 0)
		return false;
	lines->unit = unit;
	lines->bytes += lines->n_rows * BYTES_PER_ROW;
	return true;
}

/** A copy: libdw's own string may lie in the mapped file. */
static const char *full_path(struct wt_lines *lines, const char *file)
{
	Dwarf_Attribute attribute;
	const char *directory = NULL;

	if (file[0] != '/')
		directory = dwarf_formstring(dwarf_attr(&lines->die, DW_AT_comp_dir, &attribute));
	wt_buf_clear(&lines->path);
	if (directory)
		wt_buf_printf(&lines->path, "%s/", directory);
	wt_buf_puts(&lines->path, file);
	return wt_buf_cstr(&lines->path);
}

static void find_guarded(void *ctx)
{
	struct wt_lines *lines = ctx;
	const struct unit_range *range = range_of(lines, lines->address);
	Dwarf_Line *row;
	const char *file;
	int number;

	if (lines->table.n) {
		lines->ok = wt_line_table_find(&lines->table, lines->address, &lines->found.file,
					       &lines->found.line);
		return;
	}
	if (!range || !enter_unit(lines, range->unit))
		return;
	row = dwarf_getsrc_die(&lines->die, lines->address);
	file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(row, &number) != 0)
		return;
	lines->found.file = full_path(lines, file);
	lines->found.line = number > 0 ? (uint32_t)number : 0;
	lines->ok = true;
}

bool wt_lines_find(struct wt_lines *lines, uint64_t address, struct wt_line *ret)
{
	lines->ok = false;
	lines->address = address;
	if (!lines->elf && lines->table.n)
		find_guarded(lines);
	else if (!wt_file_guard(find_guarded, lines)) {
		abandon(lines);
		return false;
	}
	*ret = lines->found;
	return lines->ok;
}

uint64_t wt_lines_bytes(const struct wt_lines *lines)
{
	return lines->n * sizeof(*lines->ranges) + lines->bytes + lines->expanded +
	       wt_line_table_bytes(&lines->table);
}

void wt_lines_close(struct wt_lines *lines)
{
	if (!lines)
		return;
	wt_line_table_deinit(&lines->table);
	dwarf_close(lines);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->ranges);
	wt_buf_deinit(&lines->path);
	free(lines);
}
