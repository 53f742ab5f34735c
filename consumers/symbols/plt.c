/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/elf_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/cursor.h"

/** Bytes of relocations and stubs looked at in one file: any number of sections may claim the same ones. */
static const uint64_t max_bytes = 256 << 20;

/** What one machine's stubs look like. */
struct machine {
	uint16_t id;                     /**< EM_* */
	uint32_t jump_slot, global_data; /**< relocation types of the slots stubs jump through */
	/** Looks at the bytes from `at` on; true: a stub of *size bytes starts *lead bytes before `at` and
	 * jumps through *slot. `address` is that of `at`. */
	bool (*stub)(struct wt_cursor at, uint64_t address, uint64_t *slot, unsigned *lead, unsigned *size);
	unsigned step; /**< alignment of the instruction looked for */
};

/** jmp *disp(%rip), in a stub of 16 bytes (8 where the section says so). */
static bool x86_stub(struct wt_cursor at, uint64_t address, uint64_t *slot, unsigned *lead, unsigned *size)
{
	uint16_t op = wt_cur_u16(&at);
	uint32_t disp = wt_cur_u32(&at);

	if (at.bad || op != 0x25ff)
		return false;
	*slot = address + 6 + (uint64_t)(int64_t)(int32_t)disp;
	*lead = 0;
	*size = 0;
	return true;
}

/** adrp x16, page; ldr x17, [x16, #low]; add; br x17. A "bti c" may stand before. */
static bool arm64_stub(struct wt_cursor at, uint64_t address, uint64_t *slot, unsigned *lead, unsigned *size)
{
	uint32_t adrp = wt_cur_u32(&at), ldr = wt_cur_u32(&at);
	uint64_t pages;

	if (at.bad || (adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (uint64_t)((adrp >> 5) & 0x7ffff) << 2 | ((adrp >> 29) & 3);
	pages = (pages ^ 0x100000) - 0x100000;
	*slot = (address & ~UINT64_C(0xfff)) + (pages << 12) + ((ldr >> 10) & 0xfff) * UINT64_C(8);
	*lead = 0;
	*size = 16;
	if (at.pos - at.base >= 12 && wt_load_u32(at.pos - 12) == 0xd503245f) {
		*lead = 4;
		*size = 24;
	}
	return true;
}

static const struct machine machines[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, x86_stub, 1},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, arm64_stub, 4},
};

struct slots {
	struct slot {
		uint64_t address;
		const char *name; /**< belongs to the file */
	} * list;
	size_t n, cap;
	uint64_t spent; /**< of max_bytes */
};

static const struct machine *machine_of(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].id == header.e_machine)
			return &machines[i];
	return NULL;
}

/** The bytes of a section; NULL when there are none or too many were looked at. */
static Elf_Data *section_bytes(struct slots *slots, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data;

	if (header->sh_flags & SHF_COMPRESSED || header->sh_size > max_bytes - slots->spent)
		return NULL;
	slots->spent += header->sh_size;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? data : NULL;
}

static bool slots_add(struct slots *slots, uint64_t address, const char *name)
{
	if (slots->n == slots->cap) {
		size_t cap = slots->cap ? slots->cap * 2 : 64;
		struct slot *list = realloc(slots->list, cap * sizeof(*list));

		if (!list)
			return false;
		slots->list = list;
		slots->cap = cap;
	}
	slots->list[slots->n++] = (struct slot){address, name};
	return true;
}

/** Adds the slots a relocation section fills with the address of a named symbol. */
static void slots_from(struct slots *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
		       const struct machine *machine)
{
	Elf_Scn *symbols_scn = elf_getscn(elf, header->sh_link);
	Elf_Data *relocs, *symbols;
	GElf_Shdr symbols_header;
	GElf_Rela rela;
	GElf_Sym symbol;

	if (!symbols_scn || !gelf_getshdr(symbols_scn, &symbols_header) ||
	    symbols_header.sh_type != SHT_DYNSYM)
		return;
	relocs = section_bytes(slots, scn, header);
	symbols = elf_getdata(symbols_scn, NULL);
	for (int i = 0; relocs && symbols && gelf_getrela(relocs, i, &rela); i++) {
		uint32_t type = GELF_R_TYPE(rela.r_info);
		const char *name;

		if ((type != machine->jump_slot && type != machine->global_data) ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
			continue;
		name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
		if (name && *name && !slots_add(slots, rela.r_offset, name))
			return;
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static const char *slot_name(const struct slots *slots, uint64_t address)
{
	struct slot key = {.address = address};
	const struct slot *hit = slots->n ? bsearch(&key, slots->list, slots->n, sizeof(key), compare_slots)
					  : NULL;

	return hit ? hit->name : NULL;
}

static void add_stub(struct wt_symtab_builder *builder, uint64_t start, uint64_t size, const char *name)
{
	const struct wt_symtab_row row = {.start = start, .size = size, .rank = WT_SYMTAB_PLT};
	size_t len = strnlen(name, WT_SYMTAB_NAME_MAX);
	struct wt_buf text = {0};

	wt_buf_put(&text, name, len);
	wt_buf_puts(&text, WT_ELF_PLT_SUFFIX);
	if (!text.failed)
		wt_symtab_add(builder, &row, (const char *)text.data, text.len);
	wt_buf_deinit(&text);
}

static void scan_section(struct wt_symtab_builder *builder, const struct slots *slots,
			 const struct machine *machine, const Elf_Data *data, const GElf_Shdr *header)
{
	unsigned entry = header->sh_entsize == 8 ? 8 : 16;

	for (size_t at = 0; at < data->d_size; at += machine->step) {
		struct wt_cursor cursor = wt_cursor(data->d_buf, data->d_size);
		uint64_t slot, start = at;
		unsigned lead, size;
		const char *name;

		wt_cur_bytes(&cursor, at);
		if (!machine->stub(cursor, header->sh_addr + at, &slot, &lead, &size))
			continue;
		name = slot_name(slots, slot);
		start = size ? at - lead : at - at % entry;
		if (name)
			add_stub(builder, header->sh_addr + start, size ? size : entry, name);
	}
}

static void scan_all(struct wt_symtab_builder *builder, struct slots *slots, const struct machine *machine,
		     Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strncmp(name, ".plt", 4) != 0)
			continue;
		data = section_bytes(slots, scn, &header);
		if (data)
			scan_section(builder, slots, machine, data, &header);
	}
}

size_t wt_elf_plt_symbols(const struct wt_elf *file, struct wt_symtab_builder *builder)
{
	const struct machine *machine = machine_of(file->elf);
	size_t before = builder->n;
	struct slots slots = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while (machine && (scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA)
			slots_from(&slots, file->elf, scn, &header, machine);
	if (slots.n) {
		qsort(slots.list, slots.n, sizeof(*slots.list), compare_slots);
		scan_all(builder, &slots, machine, file->elf);
	}
	free(slots.list);
	return builder->n - before;
}
