/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/sections.h"

#include <gelf.h>

#include "consumers/symbols/image.h"

/* More sections than compilers make for one file; further ones are left out. */
enum { MOST = 4096 };

static void each(const struct wt_elf *file,
		 void (*fn)(void *ctx, const char *name, uint64_t address, uint64_t size), void *ctx)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) < 0)
		return;
	for (int i = 0; i < MOST && (scn = elf_nextscn(file->elf, scn)); i++) {
		const char *name;

		if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(file->elf, names, header.sh_name);
		if (name && *name)
			fn(ctx, name, header.sh_addr, header.sh_size);
	}
}

void wt_sections_each(const struct wt_log_image *image,
		      void (*fn)(void *ctx, const char *name, uint64_t address, uint64_t size), void *ctx)
{
	const struct wt_image_roots roots = {.debug = "/usr/lib/debug", .sysroot = ""};
	struct wt_image files;

	if (image->kind != WT_IMAGE_FILE || !image->build_id.len)
		return;
	wt_image_open(&roots, image, &files);
	if (files.file.elf)
		each(&files.file, fn, ctx);
	wt_image_close(&files);
}
