/* SPDX-License-Identifier: MIT */
#include "tests/stackwalk/names.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

static Elf *open_elf(const char *path, int *fd)
{
	Elf *elf;

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	elf = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
	if (!elf)
		target_fail(path);
	return elf;
}

/* Calls visit with every symbol until it says true. */
static void each_symbol(const char *path, bool (*visit)(void *ctx, const GElf_Sym *symbol, const char *name),
			void *ctx)
{
	int fd;
	Elf *elf = open_elf(path, &fd);
	Elf_Scn *scn = NULL;
	GElf_Shdr section;
	GElf_Sym symbol;
	bool done = false;

	while (!done && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &section) ||
		    (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM))
			continue;
		for (int i = 0; !done && gelf_getsym(elf_getdata(scn, NULL), i, &symbol); i++) {
			const char *name = elf_strptr(elf, section.sh_link, symbol.st_name);

			done = name && symbol.st_shndx != SHN_UNDEF && visit(ctx, &symbol, name);
		}
	}
	elf_end(elf);
	close(fd);
}

struct by_name {
	const char *name;
	uint64_t found;
};

static bool has_name(void *ctx, const GElf_Sym *symbol, const char *name)
{
	struct by_name *wanted = ctx;

	if (strcmp(name, wanted->name) != 0)
		return false;
	wanted->found = symbol->st_value;
	return true;
}

uint64_t names_address(const char *path, const char *name)
{
	struct by_name wanted = {.name = name};

	each_symbol(path, has_name, &wanted);
	return wanted.found;
}

uint64_t names_entry(const char *path)
{
	int fd;
	Elf *elf = open_elf(path, &fd);
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		target_fail(path);
	elf_end(elf);
	close(fd);
	return header.e_entry;
}

struct by_address {
	uint64_t address;
	const char *const *names;
	int n, found;
};

static bool covers(void *ctx, const GElf_Sym *symbol, const char *name)
{
	struct by_address *wanted = ctx;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || wanted->address < symbol->st_value ||
	    wanted->address - symbol->st_value >= symbol->st_size)
		return false;
	for (wanted->found = wanted->n - 1; wanted->found >= 0; wanted->found--)
		if (!strcmp(name, wanted->names[wanted->found]))
			return true;
	return false;
}

int names_find(const struct target *target, uint64_t address, const char *const *names, int n)
{
	struct by_address wanted = {.names = names, .n = n, .found = -1};
	struct wt_walk_module m;

	if (!target_find((void *)(uintptr_t)target, address, &m) || m.id >= target->n ||
	    target->modules[m.id].path[0] != '/')
		return -1;
	wanted.address = address - m.bias;
	each_symbol(target->modules[m.id].path, covers, &wanted);
	return wanted.found;
}
