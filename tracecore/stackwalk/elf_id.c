// SPDX-License-Identifier: MIT
#include "tracecore/stackwalk/elf_id.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <link.h>
#include <sys/auxv.h>

/* The kernel too finds no build id in longer notes. */
#define NOTES_MOST (64u << 10)

/* elfutils needs the last note to be padded. */
static bool search(Elf *elf, struct wt_elf_note_id *ret)
{
	size_t n = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
		    header.p_filesz > NOTES_MOST)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf && wt_elf_note_build_id(data->d_buf, data->d_size, ret))
			return true;
	}
	return false;
}

bool wt_elf_id_of_vdso(struct wt_elf_note_id *ret)
{
	const char *start = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const void *)start;
	const ElfW(Phdr) * segment;

	if (!start)
		return false;
	segment = (const void *)(start + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_NOTE &&
		    wt_elf_note_build_id(start + segment[i].p_offset, segment[i].p_filesz, ret))
			return true;
	return false;
}

bool wt_elf_id(Elf *elf, struct wt_elf_note_id *ret)
{
	const void *id = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &id);

	if (len <= 0)
		return search(elf, ret);
	*ret = (struct wt_elf_note_id){id, (uint32_t)len};
	return true;
}
