// SPDX-License-Identifier: MIT
#include "tracecore/base/elf_note.h"

#include <elf.h>
#include <string.h>

#include "tracecore/base/cursor.h"

static size_t padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

bool wt_elf_note_build_id(const void *notes, size_t len, struct wt_elf_note_id *ret)
{
	struct wt_cursor cur = wt_cursor(notes, len);

	while (wt_cur_left(&cur) >= sizeof(Elf64_Nhdr)) {
		uint32_t name_len = wt_cur_u32(&cur), id_len = wt_cur_u32(&cur), type = wt_cur_u32(&cur);
		const uint8_t *name = wt_cur_bytes(&cur, padded(name_len));
		const uint8_t *id = wt_cur_bytes(&cur, id_len);

		if (!name || !id)
			return false;
		if (type == NT_GNU_BUILD_ID && name_len == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && id_len) {
			*ret = (struct wt_elf_note_id){id, id_len};
			return true;
		}
		wt_cur_bytes(&cur, padded(id_len) - id_len);
	}
	return false;
}
