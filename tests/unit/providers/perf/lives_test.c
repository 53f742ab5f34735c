// SPDX-License-Identifier: MIT
#include "providers/perf/lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "providers/perf/bpf/lives.h"

#define SECOND 1000000000ULL

static struct wt_lives *lives;

static int begin(void **state)
{
	(void)state;
	lives = wt_lives_create();
	return lives ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	wt_lives_destroy(lives);
	return 0;
}

static bool add_exec(uint32_t pid, uint64_t time, const char *file, const char *args, uint32_t all)
{
	struct {
		struct wt_bpf_life head;
		char args[WT_BPF_LIFE_ARGS];
	} record = {.head = {.time = time, .kind = WT_BPF_LIFE_EXEC, .pid = pid, .inside_pid = 2}};

	record.head.args = (unsigned)strlen(args) + 1;
	record.head.all_args = all ? all : record.head.args;
	record.head.file_len = (unsigned)strlen(file) + 1;
	memcpy(record.head.file, file, record.head.file_len);
	memcpy(record.args, args, record.head.args);
	return wt_lives_add(lives, &record, sizeof(record.head) + record.head.args, 0);
}

static bool add_exit(uint32_t pid, uint64_t time, unsigned status)
{
	struct wt_bpf_life head = {.time = time, .kind = WT_BPF_LIFE_EXIT, .pid = pid, .status = status};

	return wt_lives_add(lives, &head, offsetof(struct wt_bpf_life, file), 0);
}

static bool find(enum wt_life_news news, uint32_t pid, uint64_t time, const char *name, struct wt_life *ret)
{
	return wt_lives_find(lives, news, pid, time, wt_str(name), ret);
}

static void each_event_has_its_own_record(void **state)
{
	struct wt_life life;

	(void)state;
	assert_true(add_exec(7, SECOND + 300, "/bin/sh", "sh", 0));
	assert_true(add_exec(7, SECOND + 900, "/bin/true", "true", 5000));
	assert_true(add_exit(7, SECOND + 1000, 3 << 8));
	assert_true(find(WT_LIFE_EXEC, 7, SECOND + 200, "sh", &life));
	assert_memory_equal(life.file.p, "/bin/sh", 7);
	assert_int_equal(life.inside_pid, 2);
	assert_false(life.last || life.cut);
	assert_true(find(WT_LIFE_EXEC, 7, SECOND + 800, "true", &life));
	assert_int_equal(life.command_line.len, 5);
	assert_true(life.cut);
	assert_true(find(WT_LIFE_EXIT, 7, SECOND + 1100, "", &life));
	assert_int_equal(life.exit_code, 3);
	assert_int_equal(life.exit_signal, 0);
	assert_false(find(WT_LIFE_EXIT, 7, SECOND + 1100, "", &life));
	assert_false(find(WT_LIFE_EXEC, 8, SECOND, "sh", &life));
}

static void a_record_of_another_program_is_not_taken(void **state)
{
	struct wt_life life;

	(void)state;
	/* That of "first" found no room. */
	assert_true(add_exec(7, SECOND + 900, "/bin/second", "second", 0));
	assert_false(find(WT_LIFE_EXEC, 7, SECOND + 200, "first", &life));
	assert_true(find(WT_LIFE_EXEC, 7, SECOND + 800, "second", &life));
	assert_true(life.last);
}

static void names_are_cut_as_the_kernel_does(void **state)
{
	struct wt_life life;

	(void)state;
	assert_true(add_exec(7, SECOND, "./a_program_of_a_long_name", "x", 0));
	assert_true(find(WT_LIFE_EXEC, 7, SECOND, "a_program_of_a_", &life));
	assert_true(add_exec(7, SECOND, "/dev/fd/3", "x", 0));
	assert_true(find(WT_LIFE_EXEC, 7, SECOND, "anything", &life));
}

static void a_number_used_again_is_another_process(void **state)
{
	struct wt_life life;

	(void)state;
	assert_true(add_exec(7, SECOND, "/bin/old", "old", 0));
	assert_true(add_exec(7, 5 * SECOND, "/bin/old", "new", 0));
	assert_true(find(WT_LIFE_EXEC, 7, 5 * SECOND - 100, "old", &life));
	assert_string_equal(life.command_line.p, "new");
	/* An end that is still to come is not this one's. */
	assert_true(add_exit(7, 9 * SECOND, 9));
	assert_false(find(WT_LIFE_EXIT, 7, 6 * SECOND, "", &life));
	assert_true(find(WT_LIFE_EXIT, 7, 9 * SECOND, "", &life));
	assert_int_equal(life.exit_signal, 9);
}

static void odd_records_are_refused(void **state)
{
	struct wt_bpf_life head = {.kind = WT_BPF_LIFE_EXEC, .pid = 1, .args = 8};

	(void)state;
	assert_false(wt_lives_add(lives, &head, sizeof(head), 0));
	head.args = 0;
	head.file_len = WT_BPF_LIFE_FILE + 1;
	assert_false(wt_lives_add(lives, &head, sizeof(head), 0));
	head.file_len = 0;
	head.kind = 3;
	assert_false(wt_lives_add(lives, &head, sizeof(head), 0));
	assert_false(wt_lives_add(lives, &head, 10, 0));
}

/* Of so many only the youngest are there. */
static void memory_is_bounded(void **state)
{
	struct wt_life life;

	(void)state;
	for (uint32_t i = 1; i <= 300000; i++)
		assert_true(add_exit(i, SECOND, 0));
	assert_false(find(WT_LIFE_EXIT, 1, SECOND, "", &life));
	assert_true(find(WT_LIFE_EXIT, 300000, SECOND, "", &life));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_event_has_its_own_record, begin, end),
		cmocka_unit_test_setup_teardown(a_record_of_another_program_is_not_taken, begin, end),
		cmocka_unit_test_setup_teardown(names_are_cut_as_the_kernel_does, begin, end),
		cmocka_unit_test_setup_teardown(a_number_used_again_is_another_process, begin, end),
		cmocka_unit_test_setup_teardown(odd_records_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(memory_is_bounded, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
