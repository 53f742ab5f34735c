/* SPDX-License-Identifier: MIT */
/* Names for the stubs of the procedure linkage table, which no symbol table has. */
#include "consumers/symbols/elf_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/grow.h"

/** Bytes of relocations and stubs looked at in one file: any number of sections may claim the same ones. */
static const uint64_t max_bytes = 64 << 20;

/** The form of one machine's stubs. */
struct machine {
	uint16_t id; /**< EM_* */
	/** Relocation types of the slots stubs jump through. */
	uint32_t jump_slot, global_data, indirect;
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
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, x86_stub, 1},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, arm64_stub, 4},
};

struct slots {
	struct slot {
		uint64_t address;
		const char *name;  /**< belongs to the file; NULL: that of `row` */
		uint64_t resolver; /**< of an indirect slot: the function asked for its content */
		size_t row;        /**< of the builder, which starts there, plus 1; 0: none */
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

static bool slots_add(struct slots *slots, const struct slot *slot)
{
	if (wt_grow(&slots->list, &slots->cap, slots->n, 1, NULL))
		return false;
	slots->list[slots->n++] = *slot;
	return true;
}

/** The symbols relocations refer to; a static program has none. */
struct symbols {
	Elf_Data *data;
	GElf_Shdr header;
};

static struct symbols symbols_of(Elf *elf, const GElf_Shdr *relocs)
{
	Elf_Scn *scn = relocs->sh_link ? elf_getscn(elf, relocs->sh_link) : NULL;
	struct symbols ret = {0};

	if (scn && gelf_getshdr(scn, &ret.header) && ret.header.sh_type == SHT_DYNSYM)
		ret.data = elf_getdata(scn, NULL);
	return ret;
}

/** Finds the function that a relocation puts into a slot; false when it is no slot, or the function is
 * unknown. */
static bool slot_of(Elf *elf, const struct machine *machine, const struct symbols *symbols,
		    const GElf_Rela *rela, struct slot *ret)
{
	uint32_t type = GELF_R_TYPE(rela->r_info);
	GElf_Sym symbol;

	*ret = (struct slot){.address = rela->r_offset, .resolver = (uint64_t)rela->r_addend};
	if (type == machine->indirect)
		return true;
	if ((type != machine->jump_slot && type != machine->global_data) || !symbols->data ||
	    !gelf_getsym(symbols->data, (int)GELF_R_SYM(rela->r_info), &symbol))
		return false;
	ret->name = elf_strptr(elf, symbols->header.sh_link, symbol.st_name);
	return ret->name && *ret->name;
}

/** Adds the slots a relocation section fills. */
static void slots_from(struct slots *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
		       const struct machine *machine)
{
	struct symbols symbols = symbols_of(elf, header);
	Elf_Data *relocs = section_bytes(slots, scn, header);
	struct slot slot;
	GElf_Rela rela;

	for (int i = 0; relocs && gelf_getrela(relocs, i, &rela); i++)
		if (slot_of(elf, machine, &symbols, &rela, &slot) && !slots_add(slots, &slot))
			return;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/** Indirect slots behind the others. */
static int by_resolver(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	return (x->resolver > y->resolver) - (x->resolver < y->resolver);
}

/** The first of n slots, in order of their resolvers, with that one or a later one. */
static struct slot *first_with(struct slot *slots, size_t n, uint64_t resolver)
{
	size_t low = WT_BOUND(i, 0, n, slots[i].resolver < resolver);

	return slots + low;
}

/** A function whose address is found at run time (memcpy in libc) is known by the one that finds it, which
 * has its name. */
static void name_indirect(struct slots *slots, const struct wt_symtab_builder *builder)
{
	struct slot *list = slots->list, *end = list + slots->n;

	qsort(list, slots->n, sizeof(*list), by_resolver);
	while (list < end && list->name)
		list++;
	for (size_t i = 0; list < end && i < builder->n; i++) {
		const struct wt_symtab_row *row = &builder->rows[i];
		struct slot *slot = first_with(list, (size_t)(end - list), row->start);

		if (slot < end && slot->resolver == row->start &&
		    (!slot->row || wt_symtab_is_better(builder, row, &builder->rows[slot->row - 1])))
			slot->row = i + 1;
	}
	for (; list + 1 < end; list++)
		if (list[1].resolver == list->resolver)
			list[1].row = list->row;
}

/** Puts the name of what the slot at this address leads to into `name`; false when that is not known. */
static bool slot_name(const struct slots *slots, const struct wt_symtab_builder *builder, uint64_t address,
		      struct wt_buf *name)
{
	struct slot key = {.address = address};
	const struct slot *hit = slots->n ? bsearch(&key, slots->list, slots->n, sizeof(key), by_address)
					  : NULL;
	const char *text = !hit        ? NULL
			   : hit->name ? hit->name
			   : hit->row  ? (const char *)builder->names.data + builder->rows[hit->row - 1].name
				       : NULL;

	wt_buf_clear(name);
	if (text)
		wt_buf_put(name, text, strnlen(text, WT_SYMTAB_NAME_MAX));
	return text;
}

static void add_stub(struct wt_symtab_builder *builder, uint64_t start, uint64_t size, struct wt_buf *name)
{
	const struct wt_symtab_row row = {.start = start, .size = size, .rank = WT_SYMTAB_PLT};

	wt_buf_puts(name, WT_ELF_PLT_SUFFIX);
	if (!name->failed)
		wt_symtab_add(builder, &row, (const char *)name->data, name->len);
}

/** Bytes of a stub on x86-64. Static programs have the short ones; only the alignment shows which ones they
 * are. */
static unsigned entry_size(const GElf_Shdr *header)
{
	uint64_t size = header->sh_entsize ? header->sh_entsize : header->sh_addralign;

	return size == 8 ? 8 : 16;
}

static void scan_section(struct wt_symtab_builder *builder, const struct slots *slots,
			 const struct machine *machine, const Elf_Data *data, const GElf_Shdr *header)
{
	unsigned entry = entry_size(header);
	struct wt_buf name = {0};

	for (size_t at = 0; at < data->d_size; at += machine->step) {
		struct wt_cursor cursor = wt_cursor(data->d_buf, data->d_size);
		uint64_t slot, start = at;
		unsigned lead, size;

		wt_cur_bytes(&cursor, at);
		if (!machine->stub(cursor, header->sh_addr + at, &slot, &lead, &size))
			continue;
		start = size ? at - lead : at - at % entry;
		if (slot_name(slots, builder, slot, &name))
			add_stub(builder, header->sh_addr + start, size ? size : entry, &name);
	}
	wt_buf_deinit(&name);
}

/** ".plt" and what follows it; lld has a section of their own for indirect functions. */
static bool is_plt(const char *name)
{
	return name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt"));
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
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR) || !is_plt(elf_strptr(elf, names, header.sh_name)))
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
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
			slots_from(&slots, file->elf, scn, &header, machine);
	if (slots.n) {
		name_indirect(&slots, builder);
		qsort(slots.list, slots.n, sizeof(*slots.list), by_address);
		scan_all(builder, &slots, machine, file->elf);
	}
	free(slots.list);
	return builder->n - before;
}
