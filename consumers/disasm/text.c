/* SPDX-License-Identifier: MIT */
/* The lines that disassemblers make. */
#include <stdlib.h>

#include "consumers/disasm/back.h"
#include "tracecore/base/grow.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int wt_disasm_put(struct wt_disasm_text *text, uint64_t address, uint32_t size, const char *line, size_t len,
		  struct wt_err *err)
{
	uint32_t at = (uint32_t)text->texts.len;

	while (len && is_blank(line[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		if (!is_blank(line[i]))
			wt_buf_put_u8(&text->texts, (uint8_t)line[i]);
		else if (i && !is_blank(line[i - 1]) && text->texts.len > at)
			wt_buf_put_u8(&text->texts, ' ');
	}
	wt_buf_put_u8(&text->texts, 0);
	if (text->texts.failed || wt_grow(&text->lines, &text->cap, text->n, 1, NULL))
		return wt_fail_nomem(err);
	text->lines[text->n++] = (struct wt_disasm_line){.address = address, .size = size, .text = at};
	return 0;
}

void wt_disasm_text_deinit(struct wt_disasm_text *text)
{
	free(text->lines);
	wt_buf_deinit(&text->texts);
	*text = (struct wt_disasm_text){0};
}
