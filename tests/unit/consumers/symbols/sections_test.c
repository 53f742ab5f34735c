// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/sections.h"

/* This program, with the build id that its linker gave it. */
static char path[512];
static struct wt_elf own = WT_ELF_CLOSED;
static struct wt_log_image image;

struct found {
	int n;
	uint64_t text, data; /* sizes */
};

static int setup(void **state)
{
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	if (n <= 0 || !wt_elf_open(path, &own))
		return -1;
	image = (struct wt_log_image){
		.kind = WT_IMAGE_FILE, .path = wt_str(path), .build_id = wt_elf_build_id(&own)};
	return image.build_id.len ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	wt_elf_close(&own);
	return 0;
}

static void on_section(void *ctx, const char *name, uint64_t address, uint64_t size)
{
	struct found *found = ctx;

	assert_true(address);
	found->n++;
	if (!strcmp(name, ".text"))
		found->text = size;
	if (!strcmp(name, ".bss") || !strcmp(name, ".data"))
		found->data += size;
	assert_null(strstr(name, ".debug"));
	assert_string_not_equal(name, ".symtab");
}

static struct found find(const struct wt_log_image *which)
{
	struct found found = {0};

	wt_sections_each(which, on_section, &found);
	return found;
}

static void what_lies_in_memory(void **state)
{
	struct found found = find(&image);

	(void)state;
	assert_true(found.n > 5);
	assert_true(found.text > 100);
	assert_true(found.data >= sizeof(path));
}

static void of_that_build_alone(void **state)
{
	struct wt_log_image other = image;

	(void)state;
	other.build_id = wt_str("another build's id..");
	assert_int_equal(find(&other).n, 0);
	other.build_id = (struct wt_str){0};
	assert_int_equal(find(&other).n, 0);
	other = image;
	other.path = wt_str("/no/such/file");
	assert_int_equal(find(&other).n, 0);
	other = image;
	other.kind = WT_IMAGE_KERNEL;
	assert_int_equal(find(&other).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_in_memory),
		cmocka_unit_test(of_that_build_alone),
	};

	return cmocka_run_group_tests_name("symbols/sections", tests, setup, teardown);
}
