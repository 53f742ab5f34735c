/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/elf_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/bytes.h"

/** Address ranges of the executable sections, by section index. */
struct sections {
	struct section {
		uint64_t start, end; /**< empty when not executable */
	} * list;
	size_t n;
};

struct table {
	const Elf_Data *symbols, *names, *indexes;
	size_t n;
	bool arm;
};

static bool sections_init(struct sections *sections, Elf *elf)
{
	Elf_Scn *scn = NULL;

	*sections = (struct sections){0};
	if (elf_getshdrnum(elf, &sections->n) < 0 || !sections->n)
		return false;
	sections->list = calloc(sections->n, sizeof(*sections->list));
	if (!sections->list)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		size_t index = elf_ndxscn(scn);

		if (index >= sections->n || !gelf_getshdr(scn, &header) ||
		    !(header.sh_flags & SHF_EXECINSTR) || header.sh_addr > UINT64_MAX - header.sh_size)
			continue;
		sections->list[index] = (struct section){header.sh_addr, header.sh_addr + header.sh_size};
	}
	return true;
}

/** Symbols and names are read as a whole; those of the largest programs there are take a fraction of this. */
static const uint64_t max_section_bytes = 512 << 20;

/** A section's bytes, whole and not compressed; NULL otherwise. */
static const Elf_Data *section_data(Elf_Scn *scn, GElf_Shdr *header)
{
	if (!scn || !gelf_getshdr(scn, header) || header->sh_flags & SHF_COMPRESSED ||
	    header->sh_size > max_section_bytes)
		return NULL;
	return elf_getdata(scn, NULL);
}

/** The extended section indexes that belong to the symbol table, if any. */
static const Elf_Data *index_data(Elf *elf, size_t table)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == table)
			return elf_getdata(scn, NULL);
	return NULL;
}

static bool table_init(struct table *table, const struct wt_elf *file, uint32_t type)
{
	Elf_Scn *scn = wt_elf_section(file, type);
	size_t entry = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Shdr header, names_header;
	GElf_Ehdr ehdr;

	*table = (struct table){.symbols = section_data(scn, &header)};
	if (!table->symbols || !entry || !gelf_getehdr(file->elf, &ehdr))
		return false;
	table->names = section_data(elf_getscn(file->elf, header.sh_link), &names_header);
	if (!table->names || names_header.sh_type != SHT_STRTAB || !table->names->d_buf)
		return false;
	table->indexes = index_data(file->elf, elf_ndxscn(scn));
	table->arm = ehdr.e_machine == EM_AARCH64 || ehdr.e_machine == EM_ARM;
	table->n = header.sh_size / entry;
	if (table->n > WT_SYMTAB_MAX)
		table->n = WT_SYMTAB_MAX;
	return true;
}

/** A name of at most WT_SYMTAB_NAME_MAX bytes; NULL when the offset or the missing zero leaves the table. */
static const char *table_name(const struct table *table, uint64_t offset, size_t *len)
{
	size_t left, limit;
	const char *name;

	if (offset >= table->names->d_size)
		return NULL;
	left = table->names->d_size - offset;
	limit = left < WT_SYMTAB_NAME_MAX + 1 ? left : WT_SYMTAB_NAME_MAX + 1;
	name = (const char *)table->names->d_buf + offset;
	*len = strnlen(name, limit);
	return *len < limit ? name : NULL;
}

/** Length of a name without the version the linker puts behind it: "pthread_self@@GLIBC_2.2.5". */
static size_t unversioned(const char *name, size_t len)
{
	const char *at = len > 1 ? memchr(name + 1, '@', len - 1) : NULL;

	return at ? (size_t)(at - name) : len;
}

static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static uint8_t rank(const GElf_Sym *symbol)
{
	uint8_t sum = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? WT_SYMTAB_LOCAL : 0;

	return sum + (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? WT_SYMTAB_NOTYPE : 0);
}

/** The row of a symbol; false when it is no function of this file. */
static bool symbol_row(const struct sections *sections, const GElf_Sym *symbol, uint32_t index, bool arm,
		       struct wt_symtab_row *ret)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	uint64_t start = symbol->st_value;
	const struct section *section;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (symbol->st_shndx == SHN_UNDEF ||
	    (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX))
		return false;
	if (index >= sections->n)
		return false;
	if (arm && type == STT_FUNC && start & 1)
		start--;
	section = &sections->list[index];
	if (start < section->start || start >= section->end)
		return false;
	*ret = (struct wt_symtab_row){.start = start, .size = symbol->st_size, .rank = rank(symbol)};
	if (!symbol->st_size) {
		ret->size = section->end - start;
		ret->flags = WT_SYMTAB_OPEN;
	}
	return true;
}

/** Code that is only returned to: signal handlers return to it. */
static bool is_trampoline(const char *name)
{
	return !strcmp(name, "__restore_rt") || !strcmp(name, "__kernel_rt_sigreturn");
}

static void add_all(const struct table *table, const struct sections *sections,
		    struct wt_symtab_builder *builder)
{
	for (size_t i = 0; i < table->n; i++) {
		struct wt_symtab_row row;
		GElf_Sym symbol;
		Elf32_Word extended = 0;
		const char *name;
		size_t len;

		if (!gelf_getsymshndx((Elf_Data *)table->symbols, (Elf_Data *)table->indexes, (int)i, &symbol,
				      &extended))
			break;
		if (!symbol_row(sections, &symbol, symbol.st_shndx == SHN_XINDEX ? extended : symbol.st_shndx,
				table->arm, &row))
			continue;
		name = table_name(table, symbol.st_name, &len);
		if (!name || (table->arm && is_mapping_symbol(name)))
			continue;
		wt_symtab_add(builder, &row, name, unversioned(name, len));
		if (row.start && is_trampoline(name)) {
			row = (struct wt_symtab_row){.start = row.start - 1, .size = 1, .rank = row.rank};
			wt_symtab_add(builder, &row, name, len);
		}
	}
}

size_t wt_elf_symbols(const struct wt_elf *file, uint32_t type, struct wt_symtab_builder *builder)
{
	size_t before = builder->n;
	struct sections sections;
	struct table table;

	if (!table_init(&table, file, type))
		return 0;
	if (sections_init(&sections, file->elf))
		add_all(&table, &sections, builder);
	free(sections.list);
	return builder->n - before;
}

/* ---- where functions begin ---- */

/* Entries of 8 bytes, both relative to the table's section: where a function begins, ascending, and its data
 * (DWARF pointer encodings of the Linux Standard Base: count udata4, table datarel | sdata4). */
struct starts {
	const uint8_t *at;
	uint64_t n, base;
};

static bool find_starts(struct starts *ret, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		const Elf_Data *data;
		const uint8_t *p;

		if (!name || strcmp(name, ".eh_frame_hdr") != 0 || header.sh_type == SHT_NOBITS)
			continue;
		data = section_data(scn, &header);
		if (!data || data->d_size < 12)
			return false;
		p = data->d_buf;
		/* The pointer to .eh_frame in front of the count takes 4 bytes in the encodings that linkers
		 * write. */
		if (p[0] != 1 || (p[1] & 0x0f) != 0x0b || p[2] != 0x03 || p[3] != 0x3b)
			return false;
		*ret = (struct starts){p + 12, (data->d_size - 12) / 8, header.sh_addr};
		if (wt_load_u32(p + 8) < ret->n)
			ret->n = wt_load_u32(p + 8);
		return true;
	}
	return false;
}

static uint64_t start_at(const struct starts *starts, uint64_t i)
{
	return starts->base + (uint64_t)(int64_t)(int32_t)wt_load_u32(starts->at + 8 * i);
}

/* The first start behind an address; 0: none. */
static uint64_t next_start(const struct starts *starts, uint64_t address)
{
	uint64_t low = WT_BOUND(i, 0, starts->n, start_at(starts, i) <= address);

	return low < starts->n ? start_at(starts, low) : 0;
}

void wt_elf_end_open_symbols(const struct wt_elf *file, struct wt_symtab_builder *builder)
{
	struct starts starts;

	if (!find_starts(&starts, file->elf))
		return;
	for (size_t i = 0; i < builder->n; i++) {
		struct wt_symtab_row *row = &builder->rows[i];
		uint64_t next;

		if (!(row->flags & WT_SYMTAB_OPEN))
			continue;
		next = next_start(&starts, row->start);
		if (next && next - row->start < row->size)
			row->size = next - row->start;
	}
}
