/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/bound.h"
#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/file_guard.h"
#include "consumers/symbols/symbols.h"
#include "tracecore/base/grow.h"
#include "tracecore/logfmt/format/inlined.h"

/** Bounds of what is taken of a file, a unit, a function; what is beyond has no inlined functions. */
enum {
	MAX_UNIT_RANGES = 4 << 20,
	MAX_FUNCTIONS = 4 << 20,
	MAX_CALL_RANGES = 1 << 20,
	MAX_ENTRIES = 16 << 20,
	MAX_DEPTH = 256,
};

/** libdw forgets nothing until it is closed: done when what it was asked for may take more than that. */
static const uint64_t max_bytes = 64 << 20;

/** The memory libdw keeps for one row of a line table, which it reads to give the names of files. */
enum { BYTES_PER_ROW = 64 };

struct range {
	uint64_t low, high;
	uint32_t at; /**< index in units, functions, calls */
};

struct ranges {
	struct range *rows; /**< owned */
	size_t n, cap;
};

/** A function that was inlined; its parent contains it. */
struct call {
	Dwarf_Die die;
	uint32_t parent; /**< index + 1; 0: the function that is no inlined one */
};

struct wt_inlines {
	int fd; /**< owned */
	Elf *elf;
	Dwarf *dwarf, *alt;
	struct wt_elf alt_file;
	uint64_t bytes; /**< libdw's, about */
	bool trusted;
	Dwarf_Off *units; /**< offsets of their entries; owned */
	size_t n_units, units_cap;
	struct ranges unit_ranges; /**< by low, not overlapping */
	bool split;                /**< some unit is */
	uint32_t split_missing;
	/* the unit in hand */
	uint32_t unit; /**< index + 1; 0: none */
	Dwarf_Die unit_die;
	Dwarf_Files *files;
	size_t n_files;
	Dwarf_Die *functions; /**< owned */
	size_t n_functions, functions_cap;
	struct ranges function_ranges; /**< by low, not overlapping */
	size_t entries;                /**< looked at */
	/* the function in hand */
	uint32_t function;  /**< index + 1; 0: none */
	struct call *calls; /**< each behind its parent; owned */
	size_t n_calls, calls_cap;
	struct ranges call_ranges; /**< in the order of calls */
	/* a guarded call */
	const struct wt_inlines_options *options; /**< while opening */
	struct wt_buf text;
	struct wt_buf *chain;
	uint64_t address;
	bool ok;
};

/* ---- ranges ---- */

static bool range_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t at, size_t most)
{
	if (ranges->n >= most)
		return true;
	if (wt_grow(&ranges->rows, &ranges->cap, ranges->n, 1, NULL))
		return false;
	ranges->rows[ranges->n++] = (struct range){low, high, at};
	return true;
}

static bool ranges_of(struct ranges *ranges, Dwarf_Die *die, uint32_t at, size_t most)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	while (ranges->n < most && (next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
		/* Functions the linker threw away stand at 0 or 1. */
		if (low > 1 && low < high && !range_add(ranges, low, high, at, most))
			return false;
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void ranges_settle(struct ranges *ranges)
{
	if (ranges->n)
		qsort(ranges->rows, ranges->n, sizeof(*ranges->rows), compare_ranges);
	for (size_t i = 0; i + 1 < ranges->n; i++)
		if (ranges->rows[i].high > ranges->rows[i + 1].low)
			ranges->rows[i].high = ranges->rows[i + 1].low;
}

static const struct range *range_at(const struct ranges *ranges, uint64_t address)
{
	size_t low = WT_BOUND(i, 0, ranges->n, ranges->rows[i].low <= address);

	/* Of functions that begin at one address all but the last were cut to nothing. */
	return low && address < ranges->rows[low - 1].high ? &ranges->rows[low - 1] : NULL;
}

/* ---- the file ---- */

static bool open_alt_at(struct wt_inlines *inlines, struct wt_str id)
{
	const char *path = wt_buf_cstr(&inlines->text);

	if (inlines->text.failed || !wt_elf_open(path, &inlines->alt_file))
		return false;
	if (wt_elf_is_build(&inlines->alt_file, id) &&
	    wt_elf_expanded(inlines->alt_file.elf) <= inlines->options->max_expanded)
		return true;
	wt_elf_close(&inlines->alt_file);
	return false;
}

static bool open_alt_by_id(struct wt_inlines *inlines, struct wt_str id)
{
	const char *root = inlines->options->debug_root;

	wt_buf_clear(&inlines->text);
	wt_buf_printf(&inlines->text, "%s%s/.build-id/", inlines->options->sysroot, root ? root : "");
	for (uint32_t i = 0; i < id.len; i++)
		wt_buf_printf(&inlines->text, i == 1 ? "/%02x" : "%02x", (unsigned char)id.p[i]);
	wt_buf_puts(&inlines->text, ".debug");
	return open_alt_at(inlines, id);
}

static bool open_alt_by_name(struct wt_inlines *inlines, const char *name, struct wt_str id)
{
	const char *path = inlines->options->path, *slash = path ? strrchr(path, '/') : NULL;

	wt_buf_clear(&inlines->text);
	if (name[0] == '/')
		wt_buf_puts(&inlines->text, inlines->options->sysroot);
	else if (slash)
		wt_buf_put(&inlines->text, path, (size_t)(slash - path) + 1);
	wt_buf_puts(&inlines->text, name);
	return open_alt_at(inlines, id);
}

/* libdw would look for it itself, and open whatever stands there. */
static bool open_alt(struct wt_inlines *inlines)
{
	const void *bytes = NULL;
	const char *name = NULL;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(inlines->dwarf, &name, &bytes);
	struct wt_str id = wt_str_of(bytes, n > 0 ? (size_t)n : 0);

	if (!n)
		return true;
	if (n < 2 || n > 64)
		return false;
	if (!inlines->alt_file.elf && !open_alt_by_id(inlines, id) && !open_alt_by_name(inlines, name, id))
		return false;
	inlines->alt = dwarf_begin_elf(inlines->alt_file.elf, DWARF_C_READ, NULL);
	if (inlines->alt)
		dwarf_setalt(inlines->dwarf, inlines->alt);
	return inlines->alt;
}

static bool dwarf_open(struct wt_inlines *inlines)
{
	elf_version(EV_CURRENT);
	inlines->elf = elf_begin(inlines->fd, ELF_C_READ_MMAP, NULL);
	if (!inlines->elf ||
	    (inlines->options && wt_elf_expanded(inlines->elf) > inlines->options->max_expanded))
		return false;
	inlines->dwarf = dwarf_begin_elf(inlines->elf, DWARF_C_READ, NULL);
	return inlines->dwarf && open_alt(inlines);
}

static void dwarf_close(struct wt_inlines *inlines)
{
	dwarf_end(inlines->dwarf);
	dwarf_end(inlines->alt);
	elf_end(inlines->elf);
	inlines->dwarf = inlines->alt = NULL;
	inlines->elf = NULL;
	inlines->unit = inlines->function = 0;
	inlines->bytes = 0;
}

static bool find_units(struct wt_inlines *inlines)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(inlines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		size_t before = inlines->unit_ranges.n;

		if (!ranges_of(&inlines->unit_ranges, &die, (uint32_t)inlines->n_units, MAX_UNIT_RANGES))
			return false;
		if (inlines->unit_ranges.n == before)
			continue;
		if (wt_grow(&inlines->units, &inlines->units_cap, inlines->n_units, 1, NULL))
			return false;
		inlines->units[inlines->n_units++] = dwarf_dieoffset(&die);
	}
	ranges_settle(&inlines->unit_ranges);
	return inlines->unit_ranges.n;
}

static void open_guarded(void *ctx)
{
	struct wt_inlines *inlines = ctx;

	inlines->ok = dwarf_open(inlines) && find_units(inlines);
}

/** The file was cut under its mapping: libdw's state is left as it is, forgotten and never freed. */
static void abandon(struct wt_inlines *inlines)
{
	inlines->dwarf = inlines->alt = NULL;
	inlines->elf = NULL;
	inlines->unit = inlines->function = 0;
	inlines->unit_ranges.n = 0;
}

struct wt_inlines *wt_inlines_open(int fd, const struct wt_inlines_options *options)
{
	struct wt_inlines *inlines = calloc(1, sizeof(*inlines));

	if (!inlines)
		return NULL;
	inlines->alt_file = (struct wt_elf)WT_ELF_CLOSED;
	inlines->trusted = options->trusted;
	inlines->options = options;
	inlines->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (inlines->fd >= 0 && !wt_file_guard(open_guarded, inlines))
		abandon(inlines);
	inlines->options = NULL;
	if (inlines->fd >= 0 && inlines->ok)
		return inlines;
	wt_inlines_close(inlines);
	return NULL;
}

/* ---- a unit ---- */

/* The next entry of the same list, which must stand behind this one. */
static bool next_entry(struct wt_inlines *inlines, Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die next;

	if (inlines->entries++ >= MAX_ENTRIES || dwarf_siblingof(die, &next) != 0 ||
	    dwarf_dieoffset(&next) <= before)
		return false;
	*die = next;
	return true;
}

static bool function_add(struct wt_inlines *inlines, Dwarf_Die *die)
{
	size_t before = inlines->function_ranges.n;

	if (!ranges_of(&inlines->function_ranges, die, (uint32_t)inlines->n_functions, MAX_FUNCTIONS))
		return false;
	if (inlines->function_ranges.n == before)
		return true;
	if (wt_grow(&inlines->functions, &inlines->functions_cap, inlines->n_functions, 1, NULL))
		return false;
	inlines->functions[inlines->n_functions++] = *die;
	return true;
}

/* True for entries that may contain functions: a lambda's function is in its class, which is in the function
 * or block around it. */
static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block;
}

/* Functions with code, wherever they are. */
static bool find_functions(struct wt_inlines *inlines, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && !function_add(inlines, &die))
			return false;
		if (has_functions(tag) && !find_functions(inlines, &die, depth + 1))
			return false;
	} while (next_entry(inlines, &die));
	return true;
}

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* The whole unit of a skeleton unit; libdw opens its file. */
static bool enter_split(struct wt_inlines *inlines, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_dwo_name), *directory = text_of(die, DW_AT_comp_dir);
	Dwarf_Die whole;

	if (!name)
		name = text_of(die, DW_AT_GNU_dwo_name);
	inlines->split = true;
	wt_buf_clear(&inlines->text);
	if (name && name[0] != '/' && directory)
		wt_buf_printf(&inlines->text, "%s/", directory);
	wt_buf_puts(&inlines->text, name ? name : "");
	if (!inlines->trusted || !is_regular(wt_buf_cstr(&inlines->text)) ||
	    dwarf_cu_info(die->cu, NULL, NULL, NULL, &whole, NULL, NULL, NULL) != 0 ||
	    dwarf_tag(&whole) != DW_TAG_compile_unit) {
		inlines->split_missing++;
		return false;
	}
	*die = whole;
	return true;
}

static bool enter_unit(struct wt_inlines *inlines, uint32_t unit)
{
	uint8_t type = DW_UT_compile;
	Dwarf_Die die;

	if (inlines->unit == unit + 1)
		return true;
	if (inlines->bytes > max_bytes)
		dwarf_close(inlines);
	inlines->unit = inlines->function = 0;
	inlines->function_ranges.n = inlines->n_functions = inlines->entries = 0;
	inlines->files = NULL;
	if ((!inlines->dwarf && !dwarf_open(inlines)) ||
	    !dwarf_offdie(inlines->dwarf, inlines->units[unit], &die))
		return false;
	inlines->unit = unit + 1;
	inlines->unit_die = die;
	if (dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
	    !enter_split(inlines, &inlines->unit_die))
		return true;
	if (!find_functions(inlines, &inlines->unit_die, 0))
		return false;
	ranges_settle(&inlines->function_ranges);
	inlines->bytes += inlines->entries * 16;
	return true;
}

/* ---- a function ---- */

static bool call_add(struct wt_inlines *inlines, Dwarf_Die *die, uint32_t parent)
{
	if (wt_grow(&inlines->calls, &inlines->calls_cap, inlines->n_calls, 1, NULL))
		return false;
	inlines->calls[inlines->n_calls++] = (struct call){*die, parent};
	return ranges_of(&inlines->call_ranges, die, (uint32_t)inlines->n_calls, MAX_CALL_RANGES);
}

static bool find_calls(struct wt_inlines *inlines, Dwarf_Die *parent, uint32_t call, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);
		uint32_t within = call;

		if (tag == DW_TAG_inlined_subroutine) {
			if (!call_add(inlines, &die, call))
				return false;
			within = (uint32_t)inlines->n_calls;
		} else if (tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
			   tag != DW_TAG_catch_block) {
			continue;
		}
		if (!find_calls(inlines, &die, within, depth + 1))
			return false;
	} while (inlines->call_ranges.n < MAX_CALL_RANGES && next_entry(inlines, &die));
	return true;
}

static bool enter_function(struct wt_inlines *inlines, uint32_t function)
{
	if (inlines->function == function + 1)
		return true;
	inlines->function = 0;
	inlines->n_calls = inlines->call_ranges.n = 0;
	if (!find_calls(inlines, &inlines->functions[function], 0, 0))
		return false;
	inlines->function = function + 1;
	return true;
}

/* ---- a call ---- */

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static void load_files(struct wt_inlines *inlines)
{
	Dwarf_Lines *lines;
	size_t rows = 0;

	if (inlines->files)
		return;
	if (dwarf_getsrcfiles(&inlines->unit_die, &inlines->files, &inlines->n_files) != 0)
		inlines->files = NULL;
	if (dwarf_getsrclines(&inlines->unit_die, &lines, &rows) == 0)
		inlines->bytes += rows * BYTES_PER_ROW;
}

/* The path of a file of the unit, appended: libdw joins it with the compilation's directory. */
static void put_file(struct wt_inlines *inlines, uint32_t file, struct wt_buf *out)
{
	const char *path;

	load_files(inlines);
	path = inlines->files && file < inlines->n_files ? dwarf_filesrc(inlines->files, file, NULL, NULL)
							 : NULL;
	if (path)
		wt_buf_puts(out, path);
}

static bool put_call(struct wt_inlines *inlines, Dwarf_Die *die)
{
	const char *linkage = linkage_name(die), *plain = linkage ? NULL : dwarf_diename(die);
	struct wt_log_inlined call = {.line = number_of(die, DW_AT_call_line)};
	size_t name_len;

	wt_buf_clear(&inlines->text);
	if (!linkage || !wt_demangle(linkage, &inlines->text))
		wt_buf_puts(&inlines->text, linkage ? linkage : plain ? plain : "");
	name_len = inlines->text.len;
	put_file(inlines, number_of(die, DW_AT_call_file), &inlines->text);
	if (inlines->text.failed)
		return false;
	call.function = wt_str_of(inlines->text.data, name_len);
	call.file = wt_str_of((char *)inlines->text.data + name_len, inlines->text.len - name_len);
	return wt_log_inlined_put(inlines->chain, &call);
}

/* The innermost call at the address: index + 1, 0 for none. */
static uint32_t innermost(const struct wt_inlines *inlines)
{
	const struct ranges *ranges = &inlines->call_ranges;
	uint32_t at = 0;

	for (size_t i = 0; i < ranges->n; i++) {
		const struct range *range = &ranges->rows[i];

		if (range->low <= inlines->address && inlines->address < range->high &&
		    inlines->calls[range->at - 1].parent == at)
			at = range->at;
	}
	return at;
}

static void find_guarded(void *ctx)
{
	struct wt_inlines *inlines = ctx;
	const struct range *range = range_at(&inlines->unit_ranges, inlines->address);
	unsigned n = 0;

	if (!range || !enter_unit(inlines, range->at))
		return;
	range = range_at(&inlines->function_ranges, inlines->address);
	if (!range || !enter_function(inlines, range->at))
		return;
	inlines->ok = true;
	for (uint32_t at = innermost(inlines); at && n < WT_LOG_INLINED_MAX; n++) {
		struct call *call = &inlines->calls[at - 1];

		if (!put_call(inlines, &call->die))
			return;
		at = call->parent;
	}
}

bool wt_inlines_find(struct wt_inlines *inlines, uint64_t address, struct wt_buf *chain)
{
	inlines->ok = false;
	inlines->address = address;
	inlines->chain = chain;
	if (!wt_file_guard(find_guarded, inlines)) {
		abandon(inlines);
		return false;
	}
	return inlines->ok;
}

bool wt_inlines_split(const struct wt_inlines *inlines)
{
	return inlines->split;
}

uint32_t wt_inlines_split_missing(const struct wt_inlines *inlines)
{
	return inlines->split_missing;
}

uint64_t wt_inlines_bytes(const struct wt_inlines *inlines)
{
	return inlines->bytes +
	       (inlines->unit_ranges.cap + inlines->function_ranges.cap + inlines->call_ranges.cap) *
		       sizeof(struct range) +
	       inlines->functions_cap * sizeof(*inlines->functions) +
	       inlines->calls_cap * sizeof(*inlines->calls) + inlines->units_cap * sizeof(*inlines->units);
}

void wt_inlines_close(struct wt_inlines *inlines)
{
	if (!inlines)
		return;
	dwarf_close(inlines);
	wt_elf_close(&inlines->alt_file);
	if (inlines->fd >= 0)
		close(inlines->fd);
	free(inlines->units);
	free(inlines->unit_ranges.rows);
	free(inlines->functions);
	free(inlines->function_ranges.rows);
	free(inlines->calls);
	free(inlines->call_ranges.rows);
	wt_buf_deinit(&inlines->text);
	free(inlines);
}
