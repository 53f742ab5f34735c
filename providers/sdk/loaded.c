// SPDX-License-Identifier: MIT
#include "providers/sdk/loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* A module's program headers must lie in its first page, behind its ELF header; otherwise they are ignored.
 */
#define FIRST_PAGE 4096u
/* Most bytes of notes that are looked at. */
#define NOTES 4096u

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Weak, because nothing in a static program may require it. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static bool has_loader(void)
{
	return _dl_find_object != NULL;
}

static bool ask_loader(uintptr_t address, struct wt_sdk_loaded *ret)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found))
		return false;
	*ret = (struct wt_sdk_loaded){.start = (uintptr_t)found.dlfo_map_start,
				      .end = (uintptr_t)found.dlfo_map_end,
				      .bias = found.dlfo_link_map->l_addr,
				      .mark = (uintptr_t)found.dlfo_eh_frame};
	return true;
}
#else
static bool has_loader(void)
{
	return false;
}

static bool ask_loader(uintptr_t address, struct wt_sdk_loaded *ret)
{
	(void)address, (void)ret;
	return false;
}
#endif

/** Program headers in memory. */
struct headers {
	const ElfW(Phdr) * at;
	size_t n;
};

/* Returns the program's own headers, as the kernel gave them at the start. */
static struct headers of_program(void)
{
	return (struct headers){(const ElfW(Phdr) *)getauxval(AT_PHDR), getauxval(AT_PHNUM)};
}

/* Returns the headers behind the ELF header at the start of a module; none when there is no ELF header. */
static struct headers of_module(uintptr_t start)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)start;

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phentsize != sizeof(ElfW(Phdr)) ||
	    elf->e_phoff % sizeof(ElfW(Addr)) || elf->e_phoff > FIRST_PAGE ||
	    elf->e_phnum > (FIRST_PAGE - elf->e_phoff) / sizeof(ElfW(Phdr)))
		return (struct headers){0};
	return (struct headers){(const ElfW(Phdr) *)(start + elf->e_phoff), elf->e_phnum};
}

static const ElfW(Phdr) * find_header(const struct headers *headers, uint32_t type)
{
	for (size_t i = 0; i < headers->n; i++)
		if (headers->at[i].p_type == type)
			return &headers->at[i];
	return NULL;
}

/* True when only the kernel has loaded the program. */
static bool is_static(void)
{
	static uint32_t known; /* 1 yes, 2 no */
	uint32_t kind = __atomic_load_n(&known, __ATOMIC_RELAXED);
	struct headers program;

	if (!kind) {
		program = of_program();
		kind = program.at && !find_header(&program, PT_INTERP) ? 1 : 2;
		__atomic_store_n(&known, kind, __ATOMIC_RELAXED);
	}
	return kind == 1;
}

bool wt_sdk_can_find_loaded(void)
{
	return has_loader() || is_static();
}

/* Finds the range of the loadable segments. */
static bool span(const struct headers *headers, uintptr_t bias, struct wt_sdk_loaded *ret)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (size_t i = 0; i < headers->n; i++) {
		const ElfW(Phdr) *load = &headers->at[i];

		if (load->p_type != PT_LOAD)
			continue;
		low = load->p_vaddr < low ? load->p_vaddr : low;
		high = load->p_vaddr + load->p_memsz > high ? load->p_vaddr + load->p_memsz : high;
	}
	*ret = (struct wt_sdk_loaded){
		.start = (low & ~(uintptr_t)(FIRST_PAGE - 1)) + bias, .end = high + bias, .bias = bias};
	return low < high;
}

/* Finds the module whose ELF header is at start. */
static bool at_header(uintptr_t start, struct wt_sdk_loaded *ret)
{
	struct headers headers = of_module(start);

	for (size_t i = 0; i < headers.n; i++)
		if (headers.at[i].p_type == PT_LOAD && !headers.at[i].p_offset)
			return span(&headers, start - headers.at[i].p_vaddr, ret);
	return false;
}

/* Returns the program's ELF header, which linkers put in front of its program headers; 0 when it is
 * elsewhere. */
static uintptr_t program_start(void)
{
	uintptr_t headers = (uintptr_t)of_program().at, start = headers - sizeof(ElfW(Ehdr));

	if (headers % FIRST_PAGE < sizeof(ElfW(Ehdr)) || (uintptr_t)of_module(start).at != headers)
		return 0;
	return start;
}

/* A static program is one module; the kernel's page for system calls is another one. */
static bool ask_kernel(uintptr_t address, struct wt_sdk_loaded *ret)
{
	const uintptr_t starts[] = {program_start(), getauxval(AT_SYSINFO_EHDR)};

	for (unsigned i = 0; i < 2; i++)
		if (starts[i] && at_header(starts[i], ret) && address >= ret->start && address < ret->end)
			return true;
	return false;
}

/* In a static program glibc's _dl_find_object, if present, does not know the program's bounds. */
bool wt_sdk_find_loaded(uintptr_t address, struct wt_sdk_loaded *ret)
{
	if (is_static() && ask_kernel(address, ret))
		return true;
	return has_loader() && ask_loader(address, ret);
}

/* True when len bytes at a link-time address are in a readable segment. */
static bool is_readable(const struct headers *headers, uintptr_t at, size_t len)
{
	for (size_t i = 0; i < headers->n; i++) {
		const ElfW(Phdr) *load = &headers->at[i];

		if (load->p_type == PT_LOAD && load->p_flags & PF_R && at >= load->p_vaddr &&
		    at - load->p_vaddr <= load->p_filesz && len <= load->p_filesz - (at - load->p_vaddr))
			return true;
	}
	return false;
}

bool wt_sdk_find_build_id(const struct wt_sdk_loaded *loaded, struct wt_elf_note_id *ret)
{
	struct headers headers = of_module(loaded->start);

	for (size_t i = 0; i < headers.n; i++) {
		const ElfW(Phdr) *notes = &headers.at[i];
		size_t len = notes->p_filesz < NOTES ? notes->p_filesz : NOTES;

		if (notes->p_type == PT_NOTE && is_readable(&headers, notes->p_vaddr, len) &&
		    wt_elf_note_build_id((const void *)(loaded->bias + notes->p_vaddr), len, ret))
			return true;
	}
	return false;
}

bool wt_sdk_find_unwind_data(const struct wt_sdk_loaded *loaded, size_t *at, struct wt_sdk_unwind_data *ret)
{
	struct headers headers = of_module(loaded->start);
	const ElfW(Phdr) *data = find_header(&headers, PT_GNU_EH_FRAME);

	while (*at < headers.n) {
		const ElfW(Phdr) *load = &headers.at[(*at)++];
		uintptr_t from = data ? data->p_vaddr - load->p_vaddr : 0;

		if (load->p_type != PT_LOAD || from >= load->p_filesz ||
		    (data && data->p_vaddr < load->p_vaddr) ||
		    (!data && (load->p_flags & (PF_R | PF_W)) != PF_R))
			continue;
		*ret = (struct wt_sdk_unwind_data){loaded->bias + load->p_vaddr + from,
						   load->p_filesz - from};
		if (data)
			*at = headers.n;
		return true;
	}
	return false;
}
