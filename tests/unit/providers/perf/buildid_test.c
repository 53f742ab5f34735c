// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tests/unit/providers/perf/fake_directory.h"
#include "providers/perf/buildid.h"
#include "tracecore/base/buf.h"

static struct wt_buf buf;
static struct wt_build_id id;

static void put_note(uint32_t type, const char *name, uint32_t name_len, uint32_t id_len)
{
	wt_buf_put_u32(&buf, name_len);
	wt_buf_put_u32(&buf, id_len);
	wt_buf_put_u32(&buf, type);
	for (uint32_t i = 0; i < ((name_len + 3) & ~3u) && i < 64; i++)
		wt_buf_put_u8(&buf, i < name_len ? (uint8_t)name[i] : 0);
	for (uint32_t i = 0; i < ((id_len + 3) & ~3u) && i < 64; i++)
		wt_buf_put_u8(&buf, (uint8_t)(i + 1));
}

static void find(void)
{
	uint8_t *copy = malloc(buf.len + 1);

	memcpy(copy, buf.data, buf.len);
	wt_build_id_of_notes(copy, buf.len, &id);
	free(copy);
	wt_buf_clear(&buf);
}

static void notes(void **state)
{
	(void)state;
	put_note(NT_GNU_ABI_TAG, "GNU", 4, 16);
	put_note(1, "stapsdt", 8, 7);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 20);
	find();
	assert_int_equal(id.len, 20);
	assert_int_equal(id.bytes[19], 20);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 8);
	find();
	assert_int_equal(id.len, 8);
}

/* GNU ld does not pad the last one. */
static void notes_of_any_length(void **state)
{
	(void)state;
	for (uint32_t len = 1; len <= WT_BUILD_ID_MAX; len++) {
		put_note(NT_GNU_BUILD_ID, "GNU", 4, len);
		buf.len = 16 + len;
		find();
		assert_int_equal(id.len, len);
		assert_int_equal(id.bytes[len - 1], len);
	}
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 7);
	buf.len = 16 + 6;
	find();
	assert_int_equal(id.len, 0);
}

static void notes_that_are_none(void **state)
{
	(void)state;
	put_note(NT_GNU_BUILD_ID, "Go", 3, 20);
	find();
	assert_int_equal(id.len, 0);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 21);
	find();
	assert_int_equal(id.len, 0);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 0);
	find();
	assert_int_equal(id.len, 0);
	put_note(NT_GNU_BUILD_ID, "GNU", UINT32_MAX, 20);
	find();
	assert_int_equal(id.len, 0);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, UINT32_MAX);
	find();
	assert_int_equal(id.len, 0);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 20);
	buf.len -= 1;
	find();
	assert_int_equal(id.len, 0);
	find();
	assert_int_equal(id.len, 0);
}

/* A small ELF file: header, one program header for the notes, the notes. */
static void put_elf(uint64_t table, uint16_t entries, uint64_t offset, uint64_t size)
{
	static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

	wt_buf_clear(&buf);
	wt_buf_put(&buf, ident, sizeof(ident));
	for (int i = 0; i < 16; i++)
		wt_buf_put_u8(&buf, 0);
	wt_buf_put_u64(&buf, table);
	while (buf.len < offsetof(Elf64_Ehdr, e_phentsize))
		wt_buf_put_u8(&buf, 0);
	wt_buf_put_u16(&buf, sizeof(Elf64_Phdr));
	wt_buf_put_u16(&buf, entries);
	while (buf.len < sizeof(Elf64_Ehdr))
		wt_buf_put_u8(&buf, 0);
	wt_buf_put_u32(&buf, PT_NOTE);
	wt_buf_put_u32(&buf, 0);
	wt_buf_put_u64(&buf, offset);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u64(&buf, size);
	wt_buf_put_u64(&buf, size);
	wt_buf_put_u64(&buf, 4);
	put_note(NT_GNU_BUILD_ID, "GNU", 4, 20);
}

static uint8_t len_in_memory(void)
{
	wt_build_id_of_memory(buf.data, buf.len, &id);
	return id.len;
}

static uint8_t len_in_file(void)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/elf", fake_root);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, buf.data, buf.len), buf.len);
	wt_build_id_of_fd(fd, &id);
	close(fd);
	return id.len;
}

static void check_elf(uint8_t len)
{
	assert_int_equal(len_in_memory(), len);
	assert_int_equal(len_in_file(), len);
}

static void elf_files(void **state)
{
	(void)state;
	put_elf(64, 1, 120, 36);
	check_elf(20);
	put_elf(64, 1, 120, 35);
	check_elf(0);
	put_elf(64, 1, 100000, 36);
	check_elf(0);
	put_elf(64, 1, UINT64_MAX - 8, 36);
	check_elf(0);
	put_elf(64, 1, 120, UINT64_MAX);
	check_elf(0);
	put_elf(UINT64_MAX - 3, 1, 120, 36);
	check_elf(0);
	put_elf(64, 0, 120, 36);
	check_elf(0);
	put_elf(64, 60000, 120, 36);
	check_elf(0);
	put_elf(64, 3, 120, 36); /* a table cut by the end of the file is read as far as it goes */
	check_elf(20);
}

static void own_program(void **state)
{
	const void *vdso = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	(void)state;
	wt_build_id_of_file("/proc/self/exe", &id);
	assert_int_equal(id.len, 20);
	wt_build_id_of_file("/dev/null", &id);
	assert_int_equal(id.len, 0);
	wt_build_id_of_file("/proc/self/exe", &id);
	assert_int_equal(id.len, 20);
	wt_build_id_of_file("/proc/self", &id);
	assert_int_equal(id.len, 0);
	wt_build_id_of_file("/nonexistent", &id);
	assert_int_equal(id.len, 0);
	if (vdso) {
		wt_build_id_of_memory(vdso, 4096, &id);
		assert_int_equal(id.len, 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes),
		cmocka_unit_test(notes_of_any_length),
		cmocka_unit_test(notes_that_are_none),
		cmocka_unit_test(elf_files),
		cmocka_unit_test(own_program),
	};
	int failed = cmocka_run_group_tests_name("perf/buildid", tests, fake_setup, fake_teardown);

	wt_buf_deinit(&buf);
	return failed;
}
