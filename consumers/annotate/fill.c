/* SPDX-License-Identifier: MIT */
/* Instructions of a function, with their hits. */
#include <stdlib.h>
#include <string.h>

#include "consumers/annotate/process.h"
#include "consumers/annotate/work.h"
#include "tracecore/base/bound.h"

/* The greatest length of an instruction, and the bytes of code shown after the last hit where the end of
 * the function is unknown. */
enum { INSTRUCTION = 15, BEHIND = 64 };

struct code {
	const struct wt_log_image *image;
	struct wt_symbols_code where;
	struct wt_buf bytes;
	bool from_process;
};

static uint64_t address_of(const struct code *code, uint64_t offset)
{
	return code->where.address + (offset - code->where.start);
}

static int find_code(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
		     struct code *code, struct wt_err *err)
{
	const struct wt_annotate_place *last = &places[n - 1];
	uint64_t size = last->offset - places->start + BEHIND;

	code->image = wt_frame_image(places->tables, places->frame);
	if (wt_annotate_where(work, places, &code->where, &code->bytes, err))
		return -1;
	if (code->bytes.len || !places->named || !work->symbols || work->choice->no_asm ||
	    size > WT_PROCESS_CODE_MOST)
		return 0;
	wt_process_code(places->tables, places->thread, code->image, places->start,
			code->where.size ? code->where.size : (uint32_t)size, &code->bytes);
	code->from_process = code->bytes.len;
	return code->bytes.failed ? wt_fail_nomem(err) : 0;
}

/* The machine of the log. */
static int arch_of(const struct wt_log_segment *tables)
{
	for (uint32_t i = 0; i < tables->n_facts; i++) {
		const struct wt_log_fact *fact = &tables->facts[i];

		if (fact->key.len != 7 || memcmp(fact->key.p, "machine", 7) != 0)
			continue;
		if (fact->value.len == 6 && !memcmp(fact->value.p, "x86_64", 6))
			return WT_DISASM_X86_64;
		if (fact->value.len == 7 && !memcmp(fact->value.p, "aarch64", 7))
			return WT_DISASM_ARM64;
	}
	return -1;
}

/* Returns the disassembler, or NULL and the reason why there is none. */
static struct wt_disasm *get_disasm(struct wt_annotate_work *work, int arch, struct wt_str *why,
				    struct wt_err *err)
{
	struct wt_err reason = WT_ERR_INIT;

	if (arch < 0) {
		*why = wt_str("no disassembler for the machine of this log");
		return NULL;
	}
	if (!work->disasm[arch] && !work->no_disasm[arch].len &&
	    wt_disasm_create(work->choice->disassembler, (enum wt_disasm_arch)arch, &work->disasm[arch],
			     &reason)) {
		if (reason.code == WT_ERR_USAGE)
			*err = reason;
		wt_buf_puts(&work->no_disasm[arch], reason.text);
	}
	*why = wt_str_of(work->no_disasm[arch].data, work->no_disasm[arch].len);
	return work->disasm[arch];
}

static int put_text(struct wt_annotate_work *work, const struct code *code,
		    struct wt_annotated_function *function, struct wt_err *err)
{
	const struct wt_disasm_text *text = &work->text;
	struct wt_str bytes = wt_annotate_keep(work, code->bytes.data, code->bytes.len);

	function->instructions = calloc((size_t)text->n + 1, sizeof(*function->instructions));
	if (!function->instructions || !bytes.p)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < text->n; i++) {
		const struct wt_disasm_line *line = &text->lines[i];
		const char *words = wt_disasm_line_text(text, i);

		function->instructions[i] = (struct wt_annotated_instruction){
			.address = line->address,
			.bytes = {bytes.p + (line->address - code->where.address), line->size},
			.text = wt_annotate_keep(work, words, strlen(words)),
			.line = WT_ANNOTATE_NONE,
			.target = WT_ANNOTATE_NONE,
			.block = !i,
		};
	}
	function->n_instructions = text->n;
	return 0;
}

static uint32_t find(const struct wt_annotated_function *function, uint64_t address)
{
	const struct wt_annotated_instruction *list = function->instructions;

	return (uint32_t)WT_BOUND(i, 0, function->n_instructions, list[i].address <= address) - 1;
}

/* Finds jumps within the function and the blocks that they make. */
static void mark_jumps(const struct wt_disasm_text *text, struct wt_annotated_function *function)
{
	for (uint32_t i = 0; i < text->n; i++) {
		const struct wt_disasm_line *line = &text->lines[i];
		uint32_t target;

		if (!line->jumps)
			continue;
		if (i + 1 < text->n)
			function->instructions[i + 1].block = true;
		target = line->has_target ? find(function, line->target) : WT_ANNOTATE_NONE;
		if (target == WT_ANNOTATE_NONE || function->instructions[target].address != line->target)
			continue;
		function->instructions[i].target = target;
		function->instructions[target].block = true;
	}
}

/* Lists only addresses with hits, with the bytes there if they are known. */
static int put_places(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
		      const struct code *code, struct wt_annotated_function *function, struct wt_err *err)
{
	function->instructions = calloc((size_t)n + 1, sizeof(*function->instructions));
	if (!function->instructions)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = places[i].offset - code->where.start, left;
		struct wt_annotated_instruction *row = &function->instructions[function->n_instructions];

		if (i && places[i].offset == places[i - 1].offset)
			continue;
		*row = (struct wt_annotated_instruction){.address = address_of(code, places[i].offset),
							 .line = WT_ANNOTATE_NONE,
							 .target = WT_ANNOTATE_NONE};
		left = at < code->bytes.len ? code->bytes.len - at : 0;
		left = left < INSTRUCTION ? left : INSTRUCTION;
		if (i + 1 < n && places[i + 1].offset > places[i].offset &&
		    places[i + 1].offset - places[i].offset < left)
			left = places[i + 1].offset - places[i].offset;
		row->bytes = left ? wt_annotate_keep(work, code->bytes.data + at, left) : (struct wt_str){0};
		function->n_instructions++;
	}
	return 0;
}

static bool covers(const struct wt_annotate_place *places, uint32_t n, const struct code *code)
{
	return places->offset >= code->where.start &&
	       places[n - 1].offset - code->where.start < code->bytes.len;
}

static const char *why_no_code(const struct wt_annotate_work *work, const struct code *code)
{
	if (!work->symbols)
		return "files of this machine are left out (--no-resolve)";
	if (code->where.reason && code->where.reason < WT_N_FRAME_REASONS)
		return wt_frame_reason_names[code->where.reason];
	return "the code is not on this machine";
}

static int put_instructions(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
			    struct code *code, struct wt_annotated_function *function, struct wt_err *err)
{
	struct wt_err failed = WT_ERR_INIT;
	struct wt_disasm *disasm;
	struct wt_str why = {0};

	if (work->choice->no_asm || !code->bytes.len || !covers(places, n, code)) {
		why = wt_str(why_no_code(work, code));
	} else {
		disasm = get_disasm(work, arch_of(places->tables), &why, err);
		if (!disasm && err->code == WT_ERR_USAGE)
			return -1;
		if (disasm && !wt_disasm_run(disasm, code->bytes.data, (uint32_t)code->bytes.len,
					     code->where.address, &work->text, &failed)) {
			if (put_text(work, code, function, err))
				return -1;
			mark_jumps(&work->text, function);
			if (code->from_process)
				why = wt_str("code as it lies in the process now");
			else if (code->where.unproved)
				why = wt_str(
					"code of a file in memory: nothing proves that it is the code that "
					"ran");
			function->no_code = wt_annotate_keep(work, why.p ? why.p : "", why.len);
			return 0;
		}
		why = failed.code ? wt_str(failed.text) : why;
	}
	function->no_code = work->choice->no_asm ? (struct wt_str){0}
						 : wt_annotate_keep(work, why.p, why.len);
	return put_places(work, places, n, code, function, err);
}

/* Appends " <NAME+0x10>" to addresses that code jumps to or calls. */
static int name_targets(struct wt_annotate_work *work, const struct code *code,
			struct wt_annotated_function *function, struct wt_err *err)
{
	const struct wt_disasm_text *text = &work->text;
	uint64_t *offsets = calloc((size_t)text->n + 1, sizeof(*offsets));
	struct wt_log_symbol *rows = calloc((size_t)text->n + 1, sizeof(*rows));
	int failed = offsets && rows ? 0 : wt_fail_nomem(err);
	struct wt_buf words = {0};
	size_t n = 0;

	for (uint32_t i = 0; !failed && i < text->n; i++)
		if (text->lines[i].has_target)
			offsets[n++] = code->where.start + (text->lines[i].target - code->where.address);
	if (!failed && n)
		failed = wt_symbols_name(work->symbols, code->image, offsets, n, rows, err);
	n = 0;
	for (uint32_t i = 0; !failed && i < text->n; i++) {
		struct wt_annotated_instruction *row = &function->instructions[i];
		const struct wt_log_symbol *symbol = &rows[n];

		if (!text->lines[i].has_target)
			continue;
		n++;
		if (!symbol->name.len)
			continue;
		wt_buf_clear(&words);
		wt_buf_put(&words, row->text.p, row->text.len);
		wt_buf_printf(&words, " <%.*s", (int)symbol->name.len, symbol->name.p);
		if (symbol->symbol_offset)
			wt_buf_printf(&words, "+0x%x", symbol->symbol_offset);
		wt_buf_puts(&words, ">");
		row->text = wt_annotate_keep(work, words.data, words.len);
	}
	free(offsets);
	free(rows);
	wt_buf_deinit(&words);
	return failed;
}

/* Finds the line of each instruction: from the files of this machine, and otherwise from the log. */
static int find_lines(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
		      const struct code *code, struct wt_annotated_function *function, struct wt_err *err)
{
	uint32_t count = function->n_instructions;
	struct wt_log_symbol *rows = calloc((size_t)count + 1, sizeof(*rows));
	uint64_t *offsets = calloc((size_t)count + 1, sizeof(*offsets));
	int failed = rows && offsets ? 0 : wt_fail_nomem(err);

	for (uint32_t i = 0; !failed && i < count; i++)
		offsets[i] = code->where.start + (function->instructions[i].address - code->where.address);
	if (!failed && work->symbols && !code->where.reason)
		failed = wt_symbols_resolve(work->symbols, code->image, offsets, count, rows, err);
	for (uint32_t i = 0; !failed && i < n; i++) {
		uint32_t at = find(function, address_of(code, places[i].offset));
		const struct wt_log_symbol *known = wt_frame_log_symbol(places[i].tables, places[i].frame);

		if (at != WT_ANNOTATE_NONE && !rows[at].line && known->line)
			rows[at] = *known;
	}
	if (!failed)
		failed = wt_annotate_lines(work, rows, code->image, function, err);
	free(rows);
	free(offsets);
	return failed;
}

int wt_annotate_fill(struct wt_annotate_work *work, const struct wt_annotate_place *places, uint32_t n,
		     struct wt_annotated_function *function, struct wt_err *err)
{
	struct code code = {0};
	int failed = find_code(work, places, n, &code, err);

	work->text.n = 0;
	if (!failed)
		failed = put_instructions(work, places, n, &code, function, err);
	for (uint32_t i = 0; !failed && i < n; i++) {
		uint32_t at = find(function, address_of(&code, places[i].offset));

		function->instructions[at == WT_ANNOTATE_NONE ? 0 : at].hits += places[i].count;
	}
	if (!failed)
		failed = find_lines(work, places, n, &code, function, err);
	if (!failed && work->text.n && work->symbols && !code.where.reason)
		failed = name_targets(work, &code, function, err);
	wt_buf_deinit(&code.bytes);
	if (!failed && work->choice->no_asm) {
		free(function->instructions);
		function->instructions = NULL;
		function->n_instructions = 0;
	}
	return failed;
}
