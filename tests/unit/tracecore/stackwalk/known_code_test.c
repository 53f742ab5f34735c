/* SPDX-License-Identifier: MIT */
/* Code known by its bytes: what gcc, glibc and the kernel's interface bring, in this process's own files. */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tests/stackwalk/table_of.h"
#include "tracecore/stackwalk/known_code.h"

static void put_hex(uint8_t *to, const char *hex)
{
	for (; *hex; hex += 2, to++) {
		unsigned value;

		assert_int_equal(sscanf(hex, "%2x", &value), 1);
		*to = (uint8_t)value;
	}
}

static const char dtors[] = "f30f1efa803d452a020000752b5548833d4a250200004889e5740c488b3d6e250200e861ffffff"
			    "e864ffffffc6051d2a0200015dc30f1f00c3";

static void found_among_others(void **state)
{
	const struct wt_known_code *known;
	uint8_t code[200];
	uint64_t at = 0;

	(void)state;
	memset(code, 0x90, sizeof(code));
	assert_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code, sizeof(code), 0, &at));
	put_hex(code + 30, dtors);
	put_hex(code + 130, "48c7c00f0000000f05");
	known = wt_known_code_find(WT_ABI_UNWIND_X86_64, code, sizeof(code), 0, &at);
	assert_non_null(known);
	assert_int_equal(at, 30);
	assert_int_equal(wt_known_code_len(known), strlen(dtors) / 2);
	/* push %rbp and pop %rbp are the instructions in front of the rows. */
	assert_int_equal(code[at + known->rows[1].from - 1], 0x55);
	assert_int_equal(code[at + known->rows[2].from - 1], 0x5d);
	at += wt_known_code_len(known);
	known = wt_known_code_find(WT_ABI_UNWIND_X86_64, code + at, sizeof(code) - at, 0, &at);
	assert_non_null(known);
	assert_int_equal(known->rows[0].rule.cfa, WT_ABI_CFA_SIGCONTEXT);
	assert_null(wt_known_code_find(WT_ABI_UNWIND_AARCH64, code, sizeof(code), 0, &at));
	put_hex(code, "b8b30100000f054885c07c187401c331ed");
	known = wt_known_code_find(WT_ABI_UNWIND_X86_64, code, sizeof(code), 0, &at);
	assert_int_equal(at, 5);
	assert_int_equal(wt_known_code_len(known), 10);
	assert_int_equal(known->rows[0].rule.flags, WT_ABI_RULE_TWICE);
}

static void root_of_a_coroutine(void **state)
{
	static const char text[] = "4889dc488b3c244885ff7408e80ff6feff4889c7e8a7ccfefff4";
	uint8_t code[WT_KNOWN_ROOT];

	(void)state;
	assert_int_equal(sizeof(text), 2 * sizeof(code) + 1);
	put_hex(code, text);
	assert_true(wt_known_root(WT_ABI_UNWIND_X86_64, code, sizeof(code)));
	assert_false(wt_known_root(WT_ABI_UNWIND_AARCH64, code, sizeof(code)));
	assert_false(wt_known_root(WT_ABI_UNWIND_X86_64, code, sizeof(code) - 1));
	code[WT_KNOWN_ROOT - 1] ^= 1;
	assert_false(wt_known_root(WT_ABI_UNWIND_X86_64, code, sizeof(code)));
}

/* Every byte but the operands counts, also those at the end. */
static void near_misses(void **state)
{
	uint8_t code[80];
	uint32_t len = (uint32_t)strlen(dtors) / 2, known = 0;
	uint64_t at;

	(void)state;
	put_hex(code, dtors);
	for (uint32_t i = 0; i < len; i++) {
		code[i] ^= 0x80;
		known += wt_known_code_find(WT_ABI_UNWIND_X86_64, code, len, 0, &at) != NULL;
		code[i] ^= 0x80;
		assert_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code, i, 0, &at));
	}
	assert_int_equal(known, 6 * 4); /* the operands */
}

/* clone's bytes behind another system call, which returns 0 to everybody, are not clone's. */
static void a_call_is_known_by_its_number(void **state)
{
	uint8_t code[16];
	uint64_t at;

	(void)state;
	put_hex(code, "b8380000000f054885c07c137401c390");
	assert_non_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code + 5, 11, 5, &at));
	assert_int_equal(at, 0);
	assert_non_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code, 16, 0, &at));
	assert_int_equal(at, 5);
	assert_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code + 5, 11, 4, &at));
	put_hex(code, "b818000000");
	assert_null(wt_known_code_find(WT_ABI_UNWIND_X86_64, code + 5, 11, 5, &at));
}

static void entries(void **state)
{
	uint8_t code[80] = {0};

	(void)state;
	put_hex(code, "4889e7e8f80b0000");
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_X86_64, code, sizeof(code)), 8);
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_X86_64, code, 7), 0);
	put_hex(code, "55");
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_X86_64, code, sizeof(code)), 0);
	/* nop; mov x0, sp; bl; br x16; whatever */
	put_hex(code, "1f2003d5e0030091acbeff9700021fd61f2003d5");
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_AARCH64, code, sizeof(code)), 16);
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_AARCH64, code, 15), 0);
	for (unsigned i = 0; i < sizeof(code); i += 4)
		put_hex(code + i, "1f2003d5");
	assert_int_equal(wt_known_entry(WT_ABI_UNWIND_AARCH64, code, sizeof(code)), 0);
}

static const struct wt_abi_unwind_rule *rule_in(const char *path, uint64_t link,
						struct wt_unwind_table *table)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct wt_unwind_view view;

	assert_true(fd >= 0);
	assert_int_equal(table_of_fd(fd, table, NULL), 0);
	close(fd);
	assert_int_equal(wt_unwind_view(table->bytes, table->size, &view, NULL), 0);
	return rule_at(&view, link);
}

/* The dynamic loader's first function called the others: their walks end there. */
static void the_loader_of_this_process(void **state)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_BASE);
	const struct wt_abi_unwind_rule *rule;
	struct wt_unwind_table table;
	const char *path = NULL;

	(void)state;
	assert_non_null(header);
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (map->l_addr == (uintptr_t)header)
			path = map->l_name;
	assert_non_null(path);
	rule = rule_in(path, header->e_entry + 4, &table);
	assert_non_null(rule);
	assert_true(rule->flags & WT_ABI_RULE_END);
	wt_unwind_table_deinit(&table);
}

#if defined(__x86_64__)
extern void (*__fini_array_start[])(void) __attribute__((visibility("hidden")));

/* crtbegin.o's function is the first that runs when the program has ended. */
static void the_end_of_this_program(void **state)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	const Elf64_Ehdr *header = (const void *)__ehdr_start;
	uint64_t bias = header->e_type == ET_DYN ? (uint64_t)(uintptr_t)__ehdr_start : 0;
	uint64_t link = (uint64_t)(uintptr_t)__fini_array_start[0] - bias;
	const struct wt_abi_unwind_rule *rule;
	struct wt_unwind_table table;

	(void)state;
	rule = rule_in("/proc/self/exe", link, &table);
	assert_non_null(rule);
	assert_int_equal(rule->offset, 8);
	wt_unwind_table_deinit(&table);
	rule = rule_in("/proc/self/exe", link + 20, &table);
	assert_non_null(rule);
	assert_int_equal(rule->offset, 16);
	wt_unwind_table_deinit(&table);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_among_others),
		cmocka_unit_test(root_of_a_coroutine),
		cmocka_unit_test(near_misses),
		cmocka_unit_test(a_call_is_known_by_its_number),
		cmocka_unit_test(entries),
		cmocka_unit_test(the_loader_of_this_process),
#if defined(__x86_64__)
		cmocka_unit_test(the_end_of_this_program),
#endif
	};

	return cmocka_run_group_tests_name("stackwalk/known_code", tests, NULL, NULL);
}
