// SPDX-License-Identifier: MIT
#include "consumers/record/kin.h"

#include "tests/unit/consumers/identity_fixture.h"

/* Who has which memory, by pid; 0: nobody can tell. */
static uint32_t memory_of[512];
static uint32_t asked;

static enum wt_memory ask(void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	asked++;
	if (!memory_of[a] || !memory_of[b])
		return WT_MEMORY_UNKNOWN;
	return memory_of[a] == memory_of[b] ? WT_MEMORY_SAME : WT_MEMORY_OTHER;
}

static struct wt_process *process(uint32_t pid)
{
	struct wt_process *found = wt_tasks_process(&id.tasks, pid);

	assert_non_null(found);
	return found;
}

static void fork_of(uint32_t parent, uint32_t pid, uint32_t memory)
{
	proc(WT_PROC_START, pid, parent, "", 100 + pid);
	memory_of[pid] = memory;
}

/* The sharers of a process as bits by pid, unknown ones in *unknown. */
static uint32_t sharers_of(uint32_t pid, uint32_t *unknown)
{
	struct wt_sharers found;
	uint32_t same = 0;

	*unknown = 0;
	wt_kin_sharers(process(pid), ask, NULL, &found);
	for (uint32_t i = 0; i < found.n; i++)
		*(found.of[i].memory == WT_MEMORY_SAME ? &same : unknown) |= 1u << found.of[i].process->pid;
	return same;
}

/* 1 forks 2 (its memory), 3 (its own), 4 (its memory); 2 forks 5 (its memory), 3 forks 6 (the memory of 3).
 */
static void make_family(void)
{
	memset(memory_of, 0, sizeof(memory_of));
	rundown(1, "p", 1, 50);
	memory_of[1] = 1;
	fork_of(1, 2, 1);
	fork_of(1, 3, 3);
	fork_of(1, 4, 1);
	fork_of(2, 5, 1);
	fork_of(3, 6, 3);
	asked = 0;
}

static void test_each_edge_is_asked_once(void **state)
{
	uint32_t unknown;

	(void)state;
	make_family();
	assert_int_equal(sharers_of(5, &unknown), 1u << 2 | 1u << 1 | 1u << 4);
	assert_int_equal(unknown, 0);
	assert_int_equal(asked, 4);
	assert_int_equal(sharers_of(4, &unknown), 1u << 1 | 1u << 2 | 1u << 5);
	assert_int_equal(asked, 4);
	assert_int_equal(sharers_of(3, &unknown), 1u << 6);
	assert_int_equal(sharers_of(6, &unknown), 1u << 3);
	assert_int_equal(asked, 5);
}

/* Who is in between need not be there any more. */
static void test_who_leaves(void **state)
{
	uint32_t unknown;

	(void)state;
	make_family();
	proc(WT_PROC_EXEC, 2, 0, "new", 300);
	memory_of[2] = 9;
	assert_int_equal(sharers_of(2, &unknown), 0);
	assert_int_equal(sharers_of(5, &unknown), 1u << 1 | 1u << 4);
	/* The parent ends: its children are each other's kin. */
	proc(WT_PROC_STOP, 1, 0, "", 400);
	assert_int_equal(sharers_of(4, &unknown), 1u << 5);
	assert_int_equal(unknown, 0);
	assert_false(wt_kin_has(&process(1)->kin));
}

static void test_unknown(void **state)
{
	uint32_t unknown;

	(void)state;
	make_family();
	memory_of[2] = 0;
	assert_int_equal(sharers_of(1, &unknown), 1u << 4 | 1u << 5);
	assert_int_equal(unknown, 1u << 2);
	/* It is asked again, and what is beyond it stays kin. */
	memory_of[2] = 1;
	assert_int_equal(sharers_of(1, &unknown), 1u << 4 | 1u << 5 | 1u << 2);
	assert_int_equal(unknown, 0);
}

/* More than are found: bounded, and whole again when they end. */
static void test_many(void **state)
{
	struct wt_sharers found;

	(void)state;
	make_family();
	for (uint32_t pid = 100; pid < 400; pid++)
		proc(WT_PROC_START, pid, 1, "", pid);
	process(399)->kin.same = true;
	wt_kin_join(process(399), process(1));
	assert_null(process(1)->kin.parent);
	wt_kin_sharers(process(5), ask, NULL, &found);
	assert_true(found.n <= WT_KIN_MOST);
	for (uint32_t pid = 100; pid < 400; pid++)
		proc(WT_PROC_STOP, pid, 1, "", 500);
	assert_true(sharers_of(5, &(uint32_t){0}) & 1u << 1);
}

static void count_in(void *ctx, struct wt_process *of)
{
	uint32_t *times = ctx;

	times[of->pid]++;
}

/* Those that were not found are told of, each once, and no process of another family. */
static void test_rest(void **state)
{
	static uint32_t times[512];
	struct wt_sharers found;

	(void)state;
	make_family();
	wt_kin_sharers(process(1), ask, NULL, &found);
	assert_false(found.more);
	for (uint32_t pid = 100; pid < 200; pid++)
		fork_of(pid % 3 ? 1 : pid - 1, pid, 1);
	rundown(450, "q", 1, 50);
	fork_of(450, 451, 450);
	wt_kin_sharers(process(1), ask, NULL, &found);
	assert_int_equal(found.n, WT_KIN_MOST);
	assert_true(found.more);
	wt_kin_rest(process(1), &found, count_in, times);
	assert_int_equal(times[1], 0);
	for (uint32_t i = 0; i < found.n; i++)
		times[found.of[i].process->pid]++;
	for (uint32_t pid = 100; pid < 200; pid++)
		assert_int_equal(times[pid], 1);
	assert_int_equal(times[2] + times[4] + times[5], 3);
	assert_int_equal(times[450] + times[451], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_edge_is_asked_once),
		TEST(test_who_leaves),
		TEST(test_unknown),
		TEST(test_many),
		TEST(test_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
