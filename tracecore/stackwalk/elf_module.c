/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/elf_module.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/regular.h"
#include "tracecore/stackwalk/build.h"
#include "tracecore/stackwalk/elf_id.h"
#include "tracecore/stackwalk/walk.h"

#define MAX_CODE        16 /* executable segments; further ones are ignored */
#define MAX_STUBS       16
#define MAX_FRAME_BYTES (UINT64_C(1) << 30)
/* Code is read to decode parts without data. Larger segments are not read. */
#define MAX_CODE_BYTES (UINT64_C(256) << 20)

struct module {
	Elf *elf;
	int fd;               /* -1: in memory */
	const uint8_t *image; /* NULL: in a file */
	size_t image_len;
	struct wt_unwind_input input;
	struct wt_unwind_code code[MAX_CODE];
	struct wt_unwind_stub stubs[MAX_STUBS];
	void *owned[MAX_CODE + 2]; /* freed at the end */
	size_t n_owned;
};

static void module_deinit(struct module *m)
{
	while (m->n_owned)
		free(m->owned[--m->n_owned]);
	elf_end(m->elf);
}

/* Bytes of the file; NULL when they are not all there or there is no memory. They live as long as the
 * module. */
static const uint8_t *file_bytes(struct module *m, uint64_t offset, uint64_t len)
{
	uint8_t *p;
	size_t got = 0;

	if (m->image)
		return offset <= m->image_len && len <= m->image_len - offset ? m->image + offset : NULL;
	if (offset > INT64_MAX - len || m->n_owned == sizeof(m->owned) / sizeof(m->owned[0]))
		return NULL;
	p = malloc(len ? len : 1);
	while (p && got < len) {
		ssize_t n = pread(m->fd, p + got, len - got, (off_t)(offset + got));

		if (n <= 0) {
			free(p);
			return NULL;
		}
		got += (size_t)n;
	}
	if (p)
		m->owned[m->n_owned++] = p;
	return p;
}

/* ---- segments ---- */

static void add_code(struct module *m, const GElf_Phdr *segment, uint64_t file_size)
{
	struct wt_unwind_code *code = &m->code[m->input.n_code];
	uint64_t len = segment->p_filesz;

	if (m->input.n_code == MAX_CODE || !segment->p_memsz ||
	    segment->p_vaddr + segment->p_memsz < segment->p_vaddr)
		return;
	*code = (struct wt_unwind_code){.start = segment->p_vaddr,
					.end = segment->p_vaddr + segment->p_memsz};
	if (m->input.n_code && code->start < code[-1].end)
		return; /* overlapping or out of order: no linker writes this */
	if (len == segment->p_memsz && len <= MAX_CODE_BYTES && segment->p_offset <= file_size &&
	    len <= file_size - segment->p_offset)
		code->bytes = file_bytes(m, segment->p_offset, len);
	if (m->input.n_loads < 2)
		m->input.load[m->input.n_loads++] = (struct wt_abi_unwind_load){segment->p_offset,
										segment->p_vaddr};
	m->input.n_code++;
}

/* The bytes from an address to the end of its segment. */
static struct wt_cfi_section loaded_from(struct module *m, uint64_t address, uint64_t file_size)
{
	size_t n = 0;
	GElf_Phdr segment;

	elf_getphdrnum(m->elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(m->elf, (int)i, &segment); i++) {
		uint64_t from = address - segment.p_vaddr, len;

		if (segment.p_type != PT_LOAD || address < segment.p_vaddr || from >= segment.p_filesz)
			continue;
		len = segment.p_filesz - from;
		if (segment.p_offset > file_size - from || segment.p_offset + from > file_size ||
		    len > MAX_FRAME_BYTES)
			break;
		if (len > file_size - segment.p_offset - from)
			len = file_size - segment.p_offset - from;
		return (struct wt_cfi_section){
			.bytes = file_bytes(m, segment.p_offset + from, len), .len = len, .address = address};
	}
	return (struct wt_cfi_section){0};
}

/* .eh_frame_hdr and the rest of its segment; bytes NULL: there is none. */
static struct wt_cfi_section unwind_data(struct module *m, uint64_t file_size)
{
	size_t n = 0;
	GElf_Phdr segment;

	elf_getphdrnum(m->elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(m->elf, (int)i, &segment); i++)
		if (segment.p_type == PT_GNU_EH_FRAME)
			return loaded_from(m, segment.p_vaddr, file_size);
	return (struct wt_cfi_section){0};
}

/* Without section headers: the program header of .eh_frame_hdr leads to it, and it has the address of
 * .eh_frame. */
static void eh_frame_by_header(struct module *m, uint64_t file_size)
{
	struct wt_cfi_section hdr = unwind_data(m, file_size);
	uint64_t address;

	if (!hdr.bytes || !wt_cfi_eh_frame_address(hdr.bytes, hdr.len, hdr.address, &address))
		return;
	m->input.eh_frame = loaded_from(m, address, file_size);
	m->input.eh_frame.data_base = hdr.address;
	if (!m->input.eh_frame.bytes)
		m->input.eh_frame.len = 0;
}

/* The two places that a table keeps lead from a page of the file to the address of this segment's code. */
static bool leads_to(const struct module *m, uint64_t page, const GElf_Phdr *segment)
{
	struct wt_abi_unwind places = {.n_loads = m->input.n_loads,
				       .load = {m->input.load[0], m->input.load[1]}};
	uint64_t address;

	return wt_unwind_link_address(&places, page, &address) &&
	       address - page == segment->p_vaddr - segment->p_offset;
}

static bool next_code(const struct module *m, size_t *i, GElf_Phdr *ret)
{
	size_t n = 0;

	for (elf_getphdrnum(m->elf, &n); *i < n && gelf_getphdr(m->elf, (int)(*i)++, ret);)
		if (ret->p_type == PT_LOAD && ret->p_flags & PF_X)
			return true;
	return false;
}

static int read_segments(struct module *m, uint64_t file_size, struct wt_err *err)
{
	const uint64_t page = 0xfff;
	GElf_Phdr segment;

	m->input.code = m->code;
	for (size_t i = 0; next_code(m, &i, &segment);)
		add_code(m, &segment, file_size);
	/* What is mapped is known by its place in the file. */
	for (size_t i = 0; next_code(m, &i, &segment);)
		if (segment.p_filesz &&
		    (!leads_to(m, segment.p_offset & ~page, &segment) ||
		     !leads_to(m, (segment.p_offset + segment.p_filesz - 1) & ~page, &segment)))
			return wt_fail(
				err, WT_ERR_UNSUPPORTED,
				"code segments whose addresses do not follow from their places in the file");
	return 0;
}

/* ---- sections ---- */

static void take_frame(struct wt_cfi_section *to, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || header->sh_size > MAX_FRAME_BYTES)
		return;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return;
	to->bytes = data->d_buf;
	to->len = data->d_size;
	to->address = header->sh_addr;
}

static void take_debug_frame(struct module *m, Elf_Scn *scn, const GElf_Shdr *header)
{
	GElf_Chdr packed;
	GElf_Shdr unpacked;

	if (!(header->sh_flags & SHF_COMPRESSED)) {
		take_frame(&m->input.debug_frame, scn, header);
		return;
	}
	if (!gelf_getchdr(scn, &packed) || packed.ch_size > MAX_FRAME_BYTES || elf_compress(scn, 0, 0) < 0 ||
	    !gelf_getshdr(scn, &unpacked))
		return;
	take_frame(&m->input.debug_frame, scn, &unpacked);
}

/* The compression of older linkers: "ZLIB", then the size. */
static void take_zdebug_frame(struct module *m, Elf_Scn *scn, const GElf_Shdr *header)
{
	const Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
	uint64_t size = 0;
	GElf_Shdr unpacked;

	if (!data || !data->d_buf || data->d_size < 12)
		return;
	for (unsigned i = 4; i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	if (size > MAX_FRAME_BYTES || elf_compress_gnu(scn, 0, 0) < 0 || !gelf_getshdr(scn, &unpacked))
		return;
	take_frame(&m->input.debug_frame, scn, &unpacked);
}

/* Kept in order of address; a function that overlaps another one is left out. */
static void add_stub(struct module *m, const GElf_Shdr *header, enum wt_unwind_stub_kind kind)
{
	struct wt_unwind_stub stub = {header->sh_addr, header->sh_addr + header->sh_size, kind};
	size_t i = m->input.n_stubs;

	if (i == MAX_STUBS || stub.end <= stub.start || stub.end - stub.start > UINT64_C(1) << 26)
		return;
	for (; i && m->stubs[i - 1].start > stub.start; i--)
		;
	if ((i && m->stubs[i - 1].end > stub.start) || (i < m->input.n_stubs && m->stubs[i].start < stub.end))
		return;
	memmove(&m->stubs[i + 1], &m->stubs[i], (m->input.n_stubs - i) * sizeof(stub));
	m->stubs[i] = stub;
	m->input.n_stubs++;
}

static void take_stub(struct module *m, const char *name, const GElf_Shdr *header)
{
	bool arm = m->input.machine == WT_ABI_UNWIND_AARCH64;

	if (!strcmp(name, ".plt"))
		add_stub(m, header, WT_UNWIND_STUB_PLT);
	else if (!strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got") || !strcmp(name, ".iplt"))
		add_stub(m, header, WT_UNWIND_STUB_LEAF);
	else if ((!strcmp(name, ".init") || !strcmp(name, ".fini")) && !arm)
		add_stub(m, header, WT_UNWIND_STUB_FRAME);
}

/* .gopclntab, or .data.rel.ro.gopclntab where the code is position independent. */
static bool is_go_section(const char *name)
{
	static const char end[] = ".gopclntab";
	size_t len = strlen(name);

	return len >= sizeof(end) - 1 && !strcmp(name + len - (sizeof(end) - 1), end);
}

static void read_sections(struct module *m)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	m->input.stubs = m->stubs;
	m->input.debug_frame.debug = true;
	if (elf_getshdrstrndx(m->elf, &names) < 0)
		return;
	while ((scn = elf_nextscn(m->elf, scn))) {
		const char *name = gelf_getshdr(scn, &header) ? elf_strptr(m->elf, names, header.sh_name)
							      : NULL;

		if (!name)
			continue;
		if (!strcmp(name, ".eh_frame"))
			take_frame(&m->input.eh_frame, scn, &header);
		else if (!strcmp(name, ".debug_frame"))
			take_debug_frame(m, scn, &header);
		else if (!strcmp(name, ".zdebug_frame"))
			take_zdebug_frame(m, scn, &header);
		else if (!strcmp(name, ".eh_frame_hdr"))
			m->input.eh_frame.data_base = header.sh_addr;
		else if (is_go_section(name))
			m->input.is_go = true;
		else
			take_stub(m, name, &header);
	}
}

/* ---- the whole ---- */

static int check_machine(struct module *m, struct wt_err *err)
{
	GElf_Ehdr header;

	if (!m->elf || elf_kind(m->elf) != ELF_K_ELF || !gelf_getehdr(m->elf, &header))
		return wt_fail(err, WT_ERR_FORMAT, "not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
		return wt_fail(err, WT_ERR_UNSUPPORTED, "code of another machine: ELF machine %u",
			       (unsigned)header.e_machine);
	m->input.machine = header.e_machine;
	m->input.entry = header.e_entry;
	return 0;
}

static void take_build_id(Elf *elf, struct wt_unwind_key *key)
{
	struct wt_elf_note_id id;

	if (!wt_elf_id(elf, &id))
		return;
	key->len = id.len < sizeof(key->bytes) ? (uint8_t)id.len : (uint8_t)(sizeof(key->bytes) - 1);
	memcpy(key->bytes, id.bytes, key->len);
}

/* As long as no build id, so that the two cannot be confused. */
static void take_identity(const struct stat *st, struct wt_unwind_key *key)
{
	wt_store_u64(key->bytes, st->st_dev);
	wt_store_u64(key->bytes + 8, st->st_ino);
	wt_store_u64(key->bytes + 16, (uint64_t)st->st_size);
	wt_store_u64(key->bytes + 24,
		     (uint64_t)st->st_ctim.tv_sec * 1000000000u + (uint64_t)st->st_ctim.tv_nsec);
	key->len = sizeof(key->bytes);
}

static int make(struct module *m, uint64_t file_size, struct wt_unwind_table *ret, struct wt_err *err)
{
	if (check_machine(m, err) != 0)
		return -1;
	if (read_segments(m, file_size, err) != 0)
		return -1;
	read_sections(m);
	if (!m->input.eh_frame.len)
		eh_frame_by_header(m, file_size);
	return wt_unwind_build(&m->input, ret, err);
}

/* A module from the image of a file in memory. */
static int open_memory(struct module *m, const void *bytes, size_t len, struct wt_err *err)
{
	void *copy = malloc(len ? len : 1); /* libelf may write to the memory that it is given */

	*m = (struct module){.fd = -1, .image = bytes, .image_len = len};
	if (!copy)
		return wt_fail_nomem(err);
	memcpy(copy, bytes, len);
	m->owned[m->n_owned++] = copy;
	elf_version(EV_CURRENT);
	m->elf = elf_memory(copy, len);
	return 0;
}

int wt_unwind_from_memory_as(const void *bytes, size_t len, const struct wt_unwind_key *key,
			     struct wt_unwind_table *ret, struct wt_err *err)
{
	struct module m;
	int failed;

	if (open_memory(&m, bytes, len, err) != 0)
		return -1;
	if (key)
		m.input.key = *key;
	else if (m.elf)
		take_build_id(m.elf, &m.input.key);
	failed = make(&m, len, ret, err);
	module_deinit(&m);
	return failed;
}

int wt_unwind_from_memory(const void *bytes, size_t len, struct wt_unwind_table *ret, struct wt_err *err)
{
	return wt_unwind_from_memory_as(bytes, len, NULL, ret, err);
}

static bool hash_segments(struct module *m, uint64_t file_size, uint64_t *sum)
{
	size_t n = 0;
	GElf_Phdr segment;

	elf_getphdrnum(m->elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(m->elf, (int)i, &segment); i++) {
		struct wt_cfi_section data;

		if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != PF_R ||
		    !segment.p_filesz)
			continue;
		data = loaded_from(m, segment.p_vaddr, file_size);
		if (!data.bytes)
			return false;
		*sum = wt_unwind_hash(*sum, data.bytes, data.len);
	}
	return true;
}

static int take_loaded_key(struct module *m, uint64_t file_size, struct wt_unwind_key *ret,
			   struct wt_err *err)
{
	struct wt_unwind_key id = {.len = 0};
	struct wt_cfi_section data;
	uint64_t sum = 0;

	*ret = id;
	if (check_machine(m, err) != 0)
		return -1;
	take_build_id(m->elf, &id);
	data = unwind_data(m, file_size);
	if (data.bytes)
		sum = wt_unwind_hash(0, data.bytes, data.len);
	else if (!hash_segments(m, file_size, &sum))
		return 0;
	if (id.len)
		wt_unwind_loaded_key(id.bytes, id.len, sum, ret);
	return 0;
}

int wt_unwind_loaded_key_of_memory(const void *bytes, size_t len, struct wt_unwind_key *ret,
				   struct wt_err *err)
{
	struct module m;
	int failed;

	if (open_memory(&m, bytes, len, err) != 0)
		return -1;
	failed = take_loaded_key(&m, len, ret, err);
	module_deinit(&m);
	return failed;
}

static int look_at(int fd, struct stat *ret, struct wt_err *err)
{
	if (fstat(fd, ret) != 0)
		return wt_fail_errno(err, "a mapped file cannot be looked at");
	if (!S_ISREG(ret->st_mode))
		return wt_fail(err, WT_ERR_FORMAT, "not a regular file");
	return 0;
}

int wt_unwind_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err)
{
	struct wt_unwind_key key = {.len = 0};
	struct stat st;
	Elf *elf;

	if (look_at(fd, &st, err) != 0)
		return -1;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		take_build_id(elf, &key);
	elf_end(elf);
	if (!key.len)
		take_identity(&st, &key);
	*ret = key;
	return 0;
}

/* A module from an open file. */
static int open_file(struct module *m, int fd, uint64_t *size, struct wt_err *err)
{
	struct stat st;

	*m = (struct module){.fd = fd};
	if (look_at(fd, &st, err) != 0)
		return -1;
	*size = (uint64_t)st.st_size;
	elf_version(EV_CURRENT);
	m->elf = elf_begin(fd, ELF_C_READ, NULL);
	return 0;
}

/* What a table is made from, but for code that has a build id: the linker has read that. */
static uint64_t content_of(struct module *m, uint64_t file_size)
{
	struct wt_unwind_key id = {.len = 0};
	struct wt_cfi_section data = unwind_data(m, file_size);
	uint64_t sum;
	GElf_Phdr segment;

	take_build_id(m->elf, &id);
	sum = wt_unwind_hash(0, id.bytes, id.len);
	if (data.bytes)
		sum = wt_unwind_hash(sum, data.bytes, data.len);
	else
		hash_segments(m, file_size, &sum);
	for (size_t i = 0; next_code(m, &i, &segment);) {
		sum = wt_unwind_hash(sum, &segment, sizeof(segment));
		if (id.len || segment.p_filesz > MAX_CODE_BYTES)
			continue;
		data = loaded_from(m, segment.p_vaddr, file_size);
		if (data.bytes)
			sum = wt_unwind_hash(sum, data.bytes, data.len);
	}
	return sum;
}

int wt_unwind_identity_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err)
{
	struct module m;
	struct stat st;
	uint64_t size;

	if (look_at(fd, &st, err) != 0 || open_file(&m, fd, &size, err) != 0)
		return -1;
	take_identity(&st, ret);
	if (m.elf && elf_kind(m.elf) == ELF_K_ELF)
		wt_store_u64(ret->bytes + 16, content_of(&m, size));
	module_deinit(&m);
	return 0;
}

int wt_unwind_loaded_key_of_fd(int fd, struct wt_unwind_key *ret, struct wt_err *err)
{
	struct module m;
	uint64_t size;
	int failed;

	if (open_file(&m, fd, &size, err) != 0)
		return -1;
	failed = take_loaded_key(&m, size, ret, err);
	module_deinit(&m);
	return failed;
}

int wt_unwind_from_fd_as(int fd, const struct wt_unwind_key *key, struct wt_unwind_table *ret,
			 struct wt_err *err)
{
	struct module m;
	uint64_t size;
	int failed;

	if (open_file(&m, fd, &size, err) != 0)
		return -1;
	m.input.key = *key;
	failed = make(&m, size, ret, err);
	module_deinit(&m);
	return failed;
}

int wt_unwind_open_mapping(pid_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode,
			   struct wt_err *err)
{
	char name[4096 + 64];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)start,
		 (unsigned long long)end);
	fd = wt_regular_open(name, NULL);
	if (fd >= 0)
		return fd;
	if (path[0] != '/' ||
	    (size_t)snprintf(name, sizeof(name), "/proc/%d/root%s", (int)pid, path) >= sizeof(name))
		return wt_fail(err, WT_ERR_NOTFOUND, "no file is known for %s", path);
	fd = wt_regular_open(name, err);
	if (fd < 0)
		return -1;
	if (inode && (fstat(fd, &st) != 0 || st.st_ino != inode)) {
		close(fd);
		return wt_fail(err, WT_ERR_NOTFOUND, "%s is another file by now", path);
	}
	return fd;
}
