/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/line_program.h"

#include <dwarf.h>

#include "tracecore/stackwalk/leb.h"

/* ---- numbers ---- */

static uint64_t offset(struct wt_cursor *cur, bool wide)
{
	return wide ? wt_cur_u64(cur) : wt_cur_u32(cur);
}

/* ---- lists of paths ---- */

/* A value of a header's list: the text or the number it is. */
struct value {
	struct wt_cursor text; /* up to its section's end; the zero is looked for when it is used */
	uint64_t number;
};

static struct wt_cursor at(struct wt_cursor section, uint64_t from)
{
	if (from > wt_cur_left(&section))
		section.bad = true;
	else
		section.pos += from;
	return section;
}

static bool read_value(struct wt_cursor *cur, uint64_t form, bool wide,
		       const struct wt_line_sections *sections, struct value *ret)
{
	const uint8_t *zero;

	*ret = (struct value){.text.bad = true};
	switch (form) {
	case DW_FORM_string:
		ret->text = *cur;
		zero = wt_cur_left(cur) ? memchr(cur->pos, 0, wt_cur_left(cur)) : NULL;
		cur->bad |= !zero;
		if (zero)
			cur->pos = zero + 1;
		break;
	case DW_FORM_line_strp:
		ret->number = offset(cur, wide);
		if (sections)
			ret->text = at(sections->line_str, ret->number);
		break;
	case DW_FORM_udata:
		ret->number = wt_cur_uleb(cur);
		break;
	case DW_FORM_data1:
		ret->number = wt_cur_u8(cur);
		break;
	case DW_FORM_data2:
		ret->number = wt_cur_u16(cur);
		break;
	case DW_FORM_data4:
		ret->number = wt_cur_u32(cur);
		break;
	case DW_FORM_data8:
		ret->number = wt_cur_u64(cur);
		break;
	case DW_FORM_data16:
		wt_cur_bytes(cur, 16);
		break;
	case DW_FORM_block:
		wt_cur_bytes(cur, wt_cur_uleb(cur));
		break;
	default:
		return false;
	}
	return !cur->bad;
}

/* An entry: its path, and for a file the number of its directory. */
static bool read_entry(struct wt_cursor *cur, const struct wt_line_paths *paths, bool wide,
		       const struct wt_line_sections *sections, struct wt_cursor *path, uint64_t *directory)
{
	struct wt_cursor formats = paths->formats;

	*directory = 0;
	path->bad = true;
	for (unsigned i = 0; i < paths->n_formats; i++) {
		uint64_t content = wt_cur_uleb(&formats), form = wt_cur_uleb(&formats);
		struct value value;

		if (!read_value(cur, form, wide, sections, &value))
			return false;
		if (content == DW_LNCT_path)
			*path = value.text;
		else if (content == DW_LNCT_directory_index)
			*directory = value.number;
	}
	return true;
}

static bool read_paths(struct wt_cursor *cur, bool wide, struct wt_line_paths *ret)
{
	struct wt_cursor path;
	uint64_t directory;

	ret->n_formats = wt_cur_u8(cur);
	ret->formats = *cur;
	for (unsigned i = 0; i < ret->n_formats; i++) {
		wt_cur_uleb(cur);
		wt_cur_uleb(cur);
	}
	ret->n = wt_cur_uleb(cur);
	ret->entries = *cur;
	/* An entry without a format would be one of no bytes. */
	if (cur->bad || (ret->n && !ret->n_formats))
		return false;
	for (uint64_t i = 0; i < ret->n; i++)
		if (!read_entry(cur, ret, wide, NULL, &path, &directory) || cur->bad)
			return false;
	return true;
}

/* ---- the header ---- */

static bool read_header(struct wt_cursor *cur, struct wt_line_program *ret)
{
	uint64_t length;
	struct wt_cursor code;
	uint8_t operations;

	if (wt_cur_u16(cur) != 5)
		return false;
	ret->address_size = wt_cur_u8(cur);
	wt_cur_u8(cur); /* of a segment's selector */
	length = offset(cur, ret->wide);
	code = at(*cur, length);
	ret->step = wt_cur_u8(cur);
	operations = wt_cur_u8(cur);
	wt_cur_u8(cur); /* whether rows are statements at first: all are taken */
	ret->line_base = (int8_t)wt_cur_u8(cur);
	ret->line_range = wt_cur_u8(cur);
	ret->opcode_base = wt_cur_u8(cur);
	if (cur->bad || code.bad || operations != 1 || !ret->line_range || !ret->opcode_base ||
	    (ret->address_size != 4 && ret->address_size != 8))
		return false;
	ret->operands = wt_cur_bytes(cur, ret->opcode_base - 1u);
	ret->code = code;
	return read_paths(cur, ret->wide, &ret->directories) && read_paths(cur, ret->wide, &ret->files);
}

int wt_line_program_next(struct wt_cursor *line, struct wt_line_program *ret)
{
	struct wt_cursor unit;
	uint64_t length;

	if (!wt_cur_left(line))
		return line->bad ? -1 : 1;
	length = wt_cur_u32(line);
	ret->wide = length == UINT32_MAX;
	if (ret->wide)
		length = wt_cur_u64(line);
	else if (length >= 0xfffffff0)
		return -1;
	if (length > wt_cur_left(line))
		return -1;
	unit = wt_cursor(line->pos, length);
	line->pos += length;
	return read_header(&unit, ret) ? 0 : -1;
}

/* ---- rows ---- */

void wt_line_row_init(struct wt_line_row *row)
{
	*row = (struct wt_line_row){.file = 1, .line = 1};
}

/* True: a row. */
static bool run_extended(const struct wt_line_program *program, struct wt_cursor *code,
			 struct wt_line_row *row)
{
	uint64_t len = wt_cur_uleb(code);
	struct wt_cursor body;

	if (!len || len > wt_cur_left(code)) {
		code->bad = true;
		return false;
	}
	body = wt_cursor(code->pos, len);
	code->pos += len;
	switch (wt_cur_u8(&body)) {
	case DW_LNE_end_sequence:
		row->end = true;
		return true;
	case DW_LNE_set_address:
		row->address = program->address_size == 8 ? wt_cur_u64(&body) : wt_cur_u32(&body);
		code->bad |= body.bad;
		return false;
	default:
		return false;
	}
}

static void skip_operands(const struct wt_line_program *program, uint8_t opcode, struct wt_cursor *code)
{
	for (unsigned i = 0; i < program->operands[opcode - 1]; i++)
		wt_cur_uleb(code);
}

/* True: a row. */
static bool run_standard(const struct wt_line_program *program, uint8_t opcode, struct wt_cursor *code,
			 struct wt_line_row *row)
{
	switch (opcode) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		row->address += wt_cur_uleb(code) * program->step;
		return false;
	case DW_LNS_advance_line:
		row->line += (uint32_t)wt_cur_sleb(code);
		return false;
	case DW_LNS_set_file:
		row->file = (uint32_t)wt_cur_uleb(code);
		return false;
	case DW_LNS_const_add_pc:
		row->address += (uint64_t)((255 - program->opcode_base) / program->line_range) *
				program->step;
		return false;
	case DW_LNS_fixed_advance_pc:
		row->address += wt_cur_u16(code);
		return false;
	default:
		skip_operands(program, opcode, code);
		return false;
	}
}

bool wt_line_program_row(const struct wt_line_program *program, struct wt_cursor *code,
			 struct wt_line_row *row)
{
	while (wt_cur_left(code)) {
		uint8_t opcode = wt_cur_u8(code);
		bool made = true;

		if (opcode >= program->opcode_base) {
			unsigned adjusted = opcode - program->opcode_base;

			row->address += (uint64_t)(adjusted / program->line_range) * program->step;
			row->line += (uint32_t)(program->line_base + (int)(adjusted % program->line_range));
		} else if (opcode) {
			made = run_standard(program, opcode, code, row);
		} else {
			made = run_extended(program, code, row);
		}
		if (made)
			return !code->bad;
	}
	return false;
}

/* ---- paths ---- */

/* Entry `index` of a list. */
static bool find_entry(const struct wt_line_program *program, const struct wt_line_paths *paths,
		       const struct wt_line_sections *sections, uint64_t index, struct wt_str *ret,
		       uint64_t *directory)
{
	struct wt_cursor cur = paths->entries, path;
	const uint8_t *zero;

	if (index >= paths->n)
		return false;
	for (uint64_t i = 0; i <= index; i++)
		if (!read_entry(&cur, paths, program->wide, sections, &path, directory))
			return false;
	zero = wt_cur_left(&path) ? memchr(path.pos, 0, wt_cur_left(&path)) : NULL;
	if (!zero)
		return false;
	*ret = wt_str_of(path.pos, (size_t)(zero - path.pos));
	return true;
}

static void put_directory(struct wt_buf *out, struct wt_str directory)
{
	wt_buf_put(out, directory.p, directory.len);
	wt_buf_put_u8(out, '/');
}

static bool is_absolute(struct wt_str path)
{
	return path.len && *path.p == '/';
}

bool wt_line_program_path(const struct wt_line_program *program, const struct wt_line_sections *sections,
			  uint64_t file, struct wt_buf *out)
{
	struct wt_str name, directory, base;
	uint64_t in, ignored;

	if (!find_entry(program, &program->files, sections, file, &name, &in))
		return false;
	if (!is_absolute(name)) {
		if (!find_entry(program, &program->directories, sections, in, &directory, &ignored))
			return false;
		if (in && !is_absolute(directory) &&
		    find_entry(program, &program->directories, sections, 0, &base, &ignored))
			put_directory(out, base);
		put_directory(out, directory);
	}
	wt_buf_put(out, name.p, name.len);
	return !out->failed;
}
