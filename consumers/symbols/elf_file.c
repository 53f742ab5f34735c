/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tracecore/base/regular.h"
#include "tracecore/stackwalk/elf_id.h"

static const uint64_t max_file_bytes = UINT64_C(4) << 30;

static bool usable(const struct wt_elf *file)
{
	return file->elf && elf_kind(file->elf) == ELF_K_ELF;
}

bool wt_elf_open(const char *path, struct wt_elf *ret)
{
	return wt_elf_open_fd(wt_regular_open(path, NULL), ret);
}

bool wt_elf_open_fd(int fd, struct wt_elf *ret)
{
	struct wt_elf file = {.fd = fd};
	struct stat st;

	if (file.fd < 0)
		return false;
	elf_version(EV_CURRENT);
	if (!fstat(file.fd, &st) && (uint64_t)st.st_size <= max_file_bytes)
		file.elf = elf_begin(file.fd, ELF_C_READ, NULL);
	if (!usable(&file)) {
		wt_elf_close(&file);
		return false;
	}
	*ret = file;
	return true;
}

bool wt_elf_open_memory(void *bytes, size_t len, struct wt_elf *ret)
{
	struct wt_elf file = WT_ELF_CLOSED;

	elf_version(EV_CURRENT);
	file.elf = elf_memory(bytes, len);
	if (!usable(&file)) {
		wt_elf_close(&file);
		return false;
	}
	*ret = file;
	return true;
}

void wt_elf_close(struct wt_elf *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->bytes);
	*file = (struct wt_elf)WT_ELF_CLOSED;
}

struct wt_str wt_elf_build_id(const struct wt_elf *file)
{
	struct wt_elf_note_id id = {0};

	(void)wt_elf_id(file->elf, &id);
	return wt_str_of(id.bytes, id.len);
}

bool wt_elf_is_build(const struct wt_elf *file, struct wt_str id)
{
	struct wt_str own;

	if (!id.len)
		return true;
	own = wt_elf_build_id(file);
	return own.len == id.len && !memcmp(own.p, id.p, id.len);
}

static bool has_bytes(const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL && header->sh_size;
}

Elf_Scn *wt_elf_section(const struct wt_elf *file, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == type && has_bytes(&header))
			return scn;
	return NULL;
}

Elf_Scn *wt_elf_section_named(const struct wt_elf *file, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *own;

		if (!gelf_getshdr(scn, &header) || !has_bytes(&header))
			continue;
		own = elf_strptr(file->elf, names, header.sh_name);
		if (own && !strcmp(own, name))
			return scn;
	}
	return NULL;
}

const char *wt_elf_debuglink(const struct wt_elf *file, uint32_t *crc)
{
	GElf_Word sum;
	const char *name = dwelf_elf_gnu_debuglink(file->elf, &sum);

	if (!name || !*name || strchr(name, '/'))
		return NULL;
	*crc = sum;
	return name;
}

bool wt_elf_crc(const struct wt_elf *file, uint32_t *ret)
{
	uLong crc = crc32(0, NULL, 0);
	unsigned char chunk[32 << 10];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(file->fd, chunk, sizeof(chunk), at)) > 0) {
		crc = crc32(crc, chunk, (uInt)n);
		at += n;
	}
	*ret = (uint32_t)crc;
	return n == 0;
}

uint64_t wt_elf_expanded(Elf *elf)
{
	uint64_t sum = 0;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		uint64_t size = 0;
		GElf_Shdr header;
		GElf_Chdr compressed;
		const char *name;

		if (!gelf_getshdr(scn, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &compressed))
			size = compressed.ch_size;
		else if (name && !strncmp(name, ".zdebug", 7))
			size = header.sh_size > UINT64_MAX / 10 ? UINT64_MAX : header.sh_size * 10;
		sum = size > UINT64_MAX - sum ? UINT64_MAX : sum + size;
	}
	return sum;
}

/** The offset at which a linker puts a segment that follows `end` bytes of file. */
static uint64_t laid_out(uint64_t end, uint64_t address, uint64_t align)
{
	uint64_t mask;

	if (align < 0x1000 || align & (align - 1))
		align = 0x1000;
	mask = align - 1;
	return end + ((address - end) & mask);
}

void wt_elf_loads(const struct wt_elf *file, enum wt_elf_layout layout, struct wt_elf_loads *ret)
{
	size_t n_headers = 0;
	uint64_t end = 0;

	ret->n = 0;
	if (elf_getphdrnum(file->elf, &n_headers) < 0 || n_headers > INT32_MAX)
		return;
	for (size_t i = 0; i < n_headers && ret->n < WT_ELF_MAX_LOADS; i++) {
		GElf_Phdr header;
		struct wt_elf_load *load = &ret->load[ret->n];

		if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		*load = (struct wt_elf_load){header.p_offset, header.p_filesz, header.p_vaddr};
		if (layout == WT_ELF_STRIPPED && header.p_filesz != header.p_memsz) {
			load->offset = laid_out(end, header.p_vaddr, header.p_align);
			load->size = header.p_memsz;
		}
		end = load->offset + load->size;
		ret->n++;
	}
}

bool wt_elf_address(const struct wt_elf_loads *loads, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < loads->n; i++) {
		const struct wt_elf_load *load = &loads->load[i];

		if (offset < load->offset || offset - load->offset >= load->size)
			continue;
		*ret = load->address + (offset - load->offset);
		return true;
	}
	return false;
}
