/* SPDX-License-Identifier: MIT */
/* Tables of real files: this program itself, whole and mutilated, and the vdso of this process. */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/stackwalk/table_of.h"

struct file {
	uint8_t *bytes;
	size_t len;
};

static struct file own_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct file file = {0};
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	file.len = (size_t)st.st_size;
	file.bytes = malloc(file.len);
	assert_non_null(file.bytes);
	for (size_t got = 0; got < file.len;) {
		ssize_t n = read(fd, file.bytes + got, file.len - got);

		assert_true(n > 0);
		got += (size_t)n;
	}
	close(fd);
	return file;
}

static int make(const struct file *file, struct wt_unwind_table *table, struct wt_unwind_view *view)
{
	if (wt_unwind_from_memory(file->bytes, file->len, table, NULL) != 0)
		return -1;
	assert_int_equal(wt_unwind_view(table->bytes, table->size, view, NULL), 0);
	return 0;
}

/* Link-time address of a function of this program. */
static uint64_t linked(const void *function)
{
	extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
	const Elf64_Ehdr *header = (const void *)__ehdr_start;

	return (uint64_t)(uintptr_t)function -
	       (header->e_type == ET_DYN ? (uint64_t)(uintptr_t)__ehdr_start : 0);
}

static void from_file_and_from_memory_are_the_same(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct wt_unwind_table of_file, of_memory;
	struct file file = own_file();
	struct wt_unwind_view view;
	struct wt_unwind_key key;

	(void)state;
	assert_int_equal(table_of_fd(fd, &of_file, NULL), 0);
	assert_int_equal(make(&file, &of_memory, &view), 0);
	assert_int_equal(of_file.size, of_memory.size);
	assert_memory_equal((const uint8_t *)of_file.bytes + sizeof(struct wt_abi_unwind),
			    (const uint8_t *)of_memory.bytes + sizeof(struct wt_abi_unwind),
			    of_file.size - sizeof(struct wt_abi_unwind));
	assert_non_null(rule_at(&view, linked((const void *)from_file_and_from_memory_are_the_same)));
	assert_int_equal(((struct wt_abi_unwind *)of_file.bytes)->machine, WT_WALK_MACHINE);
	assert_int_equal(wt_unwind_key_of_fd(fd, &key, NULL), 0);
	assert_int_equal(key.len, ((struct wt_abi_unwind *)of_file.bytes)->key_len);
	assert_memory_equal(key.bytes, ((struct wt_abi_unwind *)of_file.bytes)->key, key.len);
	close(fd);
	free(file.bytes);
	wt_unwind_table_deinit(&of_file);
	wt_unwind_table_deinit(&of_memory);
}

static void without_section_headers(void **state)
{
	struct file file = own_file();
	Elf64_Ehdr *header = (void *)file.bytes;
	struct wt_unwind_table whole, stripped;
	struct wt_unwind_view of_whole, of_stripped;
	uint64_t start;

	(void)state;
	assert_int_equal(make(&file, &whole, &of_whole), 0);
	header->e_shoff = 0;
	header->e_shnum = 0;
	header->e_shstrndx = 0;
	assert_int_equal(make(&file, &stripped, &of_stripped), 0);
	start = linked((const void *)without_section_headers);
	for (uint64_t a = start; a < start + 200; a++) {
		const struct wt_abi_unwind_rule *x = rule_at(&of_whole, a), *y = rule_at(&of_stripped, a);

		assert_true(x && y && !memcmp(x, y, sizeof(*x)));
	}
	free(file.bytes);
	wt_unwind_table_deinit(&whole);
	wt_unwind_table_deinit(&stripped);
}

/* No program header for .eh_frame_hdr: the section is enough. */
static void without_eh_frame_hdr(void **state)
{
	struct file file = own_file();
	const Elf64_Ehdr *header = (const void *)file.bytes;
	Elf64_Phdr *segments = (void *)(file.bytes + header->e_phoff);
	struct wt_unwind_table table;
	struct wt_unwind_view view;

	(void)state;
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			segments[i].p_type = PT_NULL;
	assert_int_equal(make(&file, &table, &view), 0);
	assert_non_null(rule_at(&view, linked((const void *)without_eh_frame_hdr)));
	wt_unwind_table_deinit(&table);
	free(file.bytes);
}

/* Neither: nothing is described, and the code is hoped to have frame pointers. */
static void without_anything(void **state)
{
	struct file file = own_file();
	Elf64_Ehdr *header = (void *)file.bytes;
	Elf64_Phdr *segments = (void *)(file.bytes + header->e_phoff);
	struct wt_unwind_table table;
	struct wt_unwind_view view;

	(void)state;
	assert_int_equal(make(&file, &table, &view), 0);
	assert_int_equal(wt_unwind_fallback(table.bytes), WT_WALK_STOP);
	wt_unwind_table_deinit(&table);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			segments[i].p_type = PT_NULL;
	header->e_shoff = 0;
	header->e_shnum = 0;
	assert_int_equal(make(&file, &table, &view), 0);
	assert_null(rule_at(&view, linked((const void *)without_anything)));
	assert_int_equal(wt_unwind_fallback(table.bytes), WT_WALK_FP);
	wt_unwind_table_deinit(&table);
	free(file.bytes);
}

static Elf64_Shdr *section(const struct file *file, const char *name)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;
	Elf64_Shdr *sections = (void *)(file->bytes + header->e_shoff);
	const char *names = (const char *)file->bytes + sections[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* What Go makes beside its C code has frame pointers and no data. */
static void go_is_known_by_its_section(void **state)
{
	struct file file = own_file();
	const Elf64_Ehdr *header = (const void *)file.bytes;
	const Elf64_Shdr *sections = (const void *)(file.bytes + header->e_shoff);
	char *names = (char *)file.bytes + sections[header->e_shstrndx].sh_offset;
	struct wt_unwind_table table;
	struct wt_unwind_view view;

	(void)state;
	memcpy(names + section(&file, ".note.ABI-tag")->sh_name, ".gopclntab", sizeof(".gopclntab"));
	assert_int_equal(make(&file, &table, &view), 0);
	assert_non_null(rule_at(&view, linked((const void *)go_is_known_by_its_section)));
	assert_int_equal(wt_unwind_fallback(table.bytes), WT_WALK_FP);
	wt_unwind_table_deinit(&table);
	free(file.bytes);
}

/* Wherever .eh_frame is damaged, a table comes out that can be searched. */
static void a_damaged_eh_frame(void **state)
{
	struct file file = own_file();
	const Elf64_Shdr *frame = section(&file, ".eh_frame");
	uint8_t *bytes = file.bytes + frame->sh_offset;
	uint64_t random = 88172645463325252u;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct wt_unwind_table table;
		struct wt_unwind_view view;
		uint8_t *at, old;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		at = bytes + random % frame->sh_size;
		old = *at;
		*at = (uint8_t)(random >> 56);
		assert_int_equal(make(&file, &table, &view), 0);
		for (uint64_t a = 0; a < view.span; a += 61)
			rule_at(&view, view.base + a);
		wt_unwind_table_deinit(&table);
		*at = old;
	}
	free(file.bytes);
}

/* Section headers three gigabytes into a file that is mostly a hole: only what is needed is read. */
static void a_file_of_gigabytes(void **state)
{
	const uint64_t far = UINT64_C(3) << 30;
	struct file file = own_file();
	Elf64_Ehdr *header = (void *)file.bytes;
	size_t table_size = (size_t)header->e_shnum * header->e_shentsize;
	const uint8_t *sections = file.bytes + header->e_shoff;
	int fd = memfd_create("large", MFD_CLOEXEC);
	struct wt_unwind_table small, large;
	struct stat st;

	(void)state;
	assert_int_equal(wt_unwind_from_memory(file.bytes, file.len, &small, NULL), 0);
	header->e_shoff = far;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, file.bytes, file.len, 0), file.len);
	assert_int_equal(pwrite(fd, sections, table_size, (off_t)far), table_size);
	assert_int_equal(table_of_fd(fd, &large, NULL), 0);
	assert_int_equal(large.size, small.size);
	assert_memory_equal(large.bytes, small.bytes, small.size);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true((uint64_t)st.st_blocks * 512 < far / 8);
	close(fd);
	wt_unwind_table_deinit(&small);
	wt_unwind_table_deinit(&large);
	free(file.bytes);
}

static void the_vdso(void **state)
{
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct wt_unwind_table table;
	struct wt_unwind_view view;
	uint64_t at;

	(void)state;
	if (!vdso) { /* qemu's user mode has none: the rest is as on a machine without */
		assert_int_equal(wt_unwind_from_memory("", 0, &table, NULL), -1);
		return;
	}
	assert_int_equal(wt_unwind_from_memory(vdso,
					       vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize,
					       &table, NULL),
			 0);
	assert_int_equal(wt_unwind_view(table.bytes, table.size, &view, NULL), 0);
	assert_true(view.n_rows > 0);
	assert_true(wt_unwind_link_address(table.bytes, 0, &at));
	wt_unwind_table_deinit(&table);
}

static void what_is_no_module_is_refused(void **state)
{
	struct file file = own_file();
	Elf64_Ehdr *header = (void *)file.bytes;
	struct wt_unwind_table table;
	struct wt_err err = WT_ERR_INIT;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(table_of_fd(fd, &table, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(wt_unwind_from_memory("#!/bin/sh\n", 10, &table, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	header->e_machine = EM_RISCV;
	assert_int_equal(wt_unwind_from_memory(file.bytes, file.len, &table, &err), -1);
	assert_int_equal(err.code, WT_ERR_UNSUPPORTED);
	/* 32 bits: as x32, which has the machine of 64, and as i386. */
	header->e_ident[EI_CLASS] = ELFCLASS32;
	header->e_machine = EM_X86_64;
	assert_int_equal(wt_unwind_from_memory(file.bytes, file.len, &table, &err), -1);
	assert_int_equal(err.code, WT_ERR_UNSUPPORTED);
	header->e_machine = EM_386;
	assert_int_equal(wt_unwind_from_memory(file.bytes, file.len, &table, &err), -1);
	assert_int_equal(err.code, WT_ERR_UNSUPPORTED);
	close(fd);
	free(file.bytes);
}

/* Cut at many places: fewer rows or an error. */
static void a_file_cut_anywhere(void **state)
{
	struct file file = own_file();

	(void)state;
	for (size_t len = 0; len < file.len; len += file.len / 61 + 1) {
		struct file cut = {malloc(len ? len : 1), len};
		struct wt_unwind_table table;
		struct wt_unwind_view view;

		assert_non_null(cut.bytes);
		memcpy(cut.bytes, file.bytes, len);
		if (make(&cut, &table, &view) == 0)
			wt_unwind_table_deinit(&table);
		free(cut.bytes);
	}
	free(file.bytes);
}

/* A mapped file that has been deleted, and one that was replaced by another. */
static void a_mapping_leads_to_its_file(void **state)
{
	char path[] = "/tmp/wt_elf_module_test.XXXXXX";
	int fd = mkstemp(path), found;
	struct stat st, of_found;
	struct wt_err err = WT_ERR_INIT;
	uint64_t at;
	void *p;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fstat(fd, &st), 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(p != MAP_FAILED);
	close(fd);
	at = (uint64_t)(uintptr_t)p;
	found = wt_unwind_open_mapping(getpid(), at, at + 4096, path, st.st_ino, &err);
	assert_true(found >= 0);
	assert_int_equal(fstat(found, &of_found), 0);
	assert_int_equal(of_found.st_ino, st.st_ino);
	close(found);
	unlink(path);
	found = wt_unwind_open_mapping(getpid(), at, at + 4096, path, st.st_ino, &err);
	if (geteuid() == 0 && found >= 0) { /* map_files needs the right to */
		assert_int_equal(fstat(found, &of_found), 0);
		assert_int_equal(of_found.st_ino, st.st_ino);
		close(found);
	} else {
		assert_int_equal(err.code, WT_ERR_NOTFOUND);
	}
	munmap(p, 4096);
	/* Not mapped any more, and the path is another file. */
	assert_int_equal(wt_unwind_open_mapping(getpid(), at, at + 4096, "/proc/self/status", 1, &err), -1);
	assert_int_equal(wt_unwind_open_mapping(getpid(), at, at + 4096, "[anon]", 0, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_file_and_from_memory_are_the_same),
		cmocka_unit_test(without_section_headers),
		cmocka_unit_test(without_eh_frame_hdr),
		cmocka_unit_test(without_anything),
		cmocka_unit_test(go_is_known_by_its_section),
		cmocka_unit_test(a_damaged_eh_frame),
		cmocka_unit_test(a_file_of_gigabytes),
		cmocka_unit_test(the_vdso),
		cmocka_unit_test(what_is_no_module_is_refused),
		cmocka_unit_test(a_file_cut_anywhere),
		cmocka_unit_test(a_mapping_leads_to_its_file),
	};

	return cmocka_run_group_tests_name("elf_module", tests, NULL, NULL);
}
