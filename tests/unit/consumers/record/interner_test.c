// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "consumers/record/identity.h"
#include "consumers/record/interner.h"
#include "tests/unit/consumers/fake_log.h"

static struct wt_log_writer *fake;
static struct wt_identity id;
static struct wt_interner in;

static void load(uint32_t pid, uint8_t kind, uint64_t address, uint64_t size, uint64_t offset,
		 const char *path)
{
	struct wt_image_payload payload = {.pid = pid,
					   .kind = kind,
					   .address = address,
					   .size = size,
					   .file_offset = offset,
					   .path = wt_str(path)};

	assert_int_equal(wt_identity_image(&id, WT_IMAGE_LOAD, &payload, 0), WT_NEWS);
}

static int setup(void **state)
{
	static const struct wt_selves selves = {.pid = 5, .keeper = 6};
	struct wt_proc_payload p = {
		.pid = 5, .tid = 5, .parent_pid = 1, .start_time = 9, .name = wt_str("prog")};

	(void)state;
	fake = fake_log_create();
	wt_interner_init(&in, fake, &selves);
	if (!fake || wt_identity_init(&id, 64 << 20) || wt_interner_begin(&in, NULL))
		return -1;
	wt_identity_proc(&id, WT_PROC_RUNDOWN, &p, 10);
	load(5, WT_IMAGE_FILE, 0x400000, 0x10000, 0x1000, "/bin/prog");
	load(5, WT_IMAGE_FILE, 0x7f0000, 0x10000, 0, "/lib/c.so");
	load(5, WT_IMAGE_ANON, 0xa00000, 0x10000, 0, "//anon");
	load(WT_PID_KERNEL, WT_IMAGE_KERNEL, UINT64_C(0xffffffff81000000), 0x1000000, 0, "[kernel.kallsyms]");
	return 0;
}

static int teardown(void **state)
{
	int bad = (int)fake->violations;

	(void)state;
	wt_interner_deinit(&in);
	wt_identity_deinit(&id);
	free(fake);
	return bad;
}

static uint32_t stack_of(const uint64_t *pc, uint16_t n_kernel, uint16_t n_user, uint8_t status)
{
	struct wt_raw_stack raw = {.pc = pc, .n_kernel = n_kernel, .n_user = n_user, .status = status};
	uint32_t ret;

	assert_int_equal(
		wt_interner_stack(&in, &raw, id.kernel, wt_tasks_process(&id.tasks, 5)->space, &ret, NULL),
		0);
	return ret;
}

static void expect_frame(uint32_t stack, bool kernel, const char *path, uint64_t offset)
{
	const struct wt_log_stack *node = &fake->stacks[stack];
	const struct wt_log_frame *frame = &fake->frames[node->frame];

	assert_int_equal(node->kernel, kernel);
	assert_string_equal(fake->images[frame->image].path, path);
	assert_int_equal(frame->offset, offset);
}

static void test_tree(void **state)
{
	const uint64_t pc[] = {UINT64_C(0xffffffff81000100),
			       UINT64_C(0xffffffff81000200),
			       0x400010,
			       0x7f0020,
			       0xa00030,
			       0xa00999};
	uint32_t s = stack_of(pc, 2, 4, WT_STACK_FP), again;

	(void)state;
	assert_int_equal(s, 6);
	assert_int_equal(fake->stacks[s].status, WT_STACK_FP);
	expect_frame(s, true, "[kernel.kallsyms]", 0x100);
	s = fake->stacks[s].caller;
	assert_int_equal(fake->stacks[s].status, WT_STACK_NONE);
	expect_frame(s, true, "[kernel.kallsyms]", 0x1ff);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "/bin/prog", 0x1010);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "/lib/c.so", 0x1f);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "//anon", 0xa0002f);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "//anon", 0xa00998);
	assert_int_equal(fake->stacks[s].caller, 0);

	again = stack_of(pc, 2, 4, WT_STACK_FP);
	assert_int_equal(again, 6);
	assert_int_equal(fake->n_stacks, 6);
	/* Another status, and another split, are other stacks. */
	assert_int_equal(stack_of(pc, 2, 4, WT_STACK_TRUNCATED), 7);
	assert_int_not_equal(stack_of(pc, 1, 5, WT_STACK_FP), 6);
	/* The callers are shared: the same outer frames, another innermost one. */
	again = fake->n_stacks;
	assert_int_equal(stack_of(pc + 1, 1, 4, WT_STACK_FP), again + 1);
	assert_int_equal(stack_of(pc, 0, 0, WT_STACK_NONE), 0);
}

static void test_single_addresses(void **state)
{
	const uint64_t user = 0x400010, zero[] = {0, 0};

	(void)state;
	expect_frame(stack_of(&user, 0, 1, WT_STACK_NONE), false, "/bin/prog", 0x1010);
	expect_frame(stack_of(zero, 0, 2, WT_STACK_FP), false, "", 0);
}

/* A user caller outside all code ends the stack, which says so; the interrupted address stays whatever it is.
 */
static void test_astray(void **state)
{
	const uint64_t kernel = UINT64_C(0xffffffff81000100);
	const uint64_t pc[] = {kernel, kernel + 8, 0x400010, 0x7f0020, 0x999, 0x7f0030};
	const uint64_t lost[] = {kernel, 0x999, 0x7f0020}, unknown_kernel[] = {kernel, ~UINT64_C(4095)};
	struct wt_raw_stack raw = {.pc = pc + 2, .n_user = 4, .status = WT_STACK_FP};
	uint32_t s = stack_of(pc, 2, 4, WT_STACK_TRUNCATED), whole;

	(void)state;
	assert_int_equal(fake->n_stacks, 4);
	assert_int_equal(fake->stacks[s].status, WT_STACK_ASTRAY);
	assert_int_equal(stack_of(pc, 2, 3, WT_STACK_FP), s);
	assert_int_not_equal(stack_of(pc, 2, 2, WT_STACK_FP), s);

	s = fake->stacks[stack_of(lost, 1, 2, WT_STACK_FP)].caller;
	expect_frame(s, false, "", 0x999);
	expect_frame(fake->stacks[s].caller, false, "/lib/c.so", 0x1f);

	s = stack_of(unknown_kernel, 2, 0, WT_STACK_NO_USER);
	assert_int_equal(fake->stacks[s].status, WT_STACK_NO_USER);
	expect_frame(fake->stacks[s].caller, true, "", ~UINT64_C(4096));

	/* Of a process without images nothing is known: its stacks stay whole. */
	whole = fake->n_stacks;
	assert_int_equal(wt_interner_stack(&in, &raw, id.kernel, NULL, &s, NULL), 0);
	assert_int_equal(fake->stacks[s].status, WT_STACK_FP);
	assert_int_equal(fake->n_stacks, whole + 4);
}

/* A walk by tables has no frames to doubt, and says itself which were interrupted. */
static void test_by_tables(void **state)
{
	const uint64_t kernel = UINT64_C(0xffffffff81000100), exact = 1 << 0 | 1 << 2;
	const uint64_t pc[] = {kernel, 0x400010, 0x400020, 0x7f0030, 0x999};
	struct wt_raw_stack raw = {
		.pc = pc, .n_kernel = 1, .n_user = 4, .status = WT_STACK_NO_DATA, .exact = &exact};
	struct wt_space *user = wt_tasks_process(&id.tasks, 5)->space;
	uint32_t s;

	(void)state;
	assert_int_equal(wt_interner_stack(&in, &raw, id.kernel, user, &s, NULL), 0);
	assert_int_equal(fake->stacks[s].status, WT_STACK_NO_DATA);
	assert_int_equal(fake->n_stacks, 5);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "/bin/prog", 0x1010);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "/bin/prog", 0x101f);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "/lib/c.so", 0x30);
	s = fake->stacks[s].caller;
	expect_frame(s, false, "", 0x998);
}

/* What lies at an address may change while stacks are cached. */
static void test_caches_follow_mappings(void **state)
{
	const uint64_t pc[] = {0x400010, 0x600020};
	uint32_t before = stack_of(pc, 0, 2, WT_STACK_FP), after;
	struct wt_proc_payload fork = {.pid = 8, .tid = 8, .parent_pid = 5, .parent_tid = 5};
	struct wt_raw_stack raw = {.pc = pc, .n_user = 2, .status = WT_STACK_FP};
	struct wt_space *child;

	(void)state;
	assert_int_equal(fake->stacks[before].caller, 0);
	wt_identity_proc(&id, WT_PROC_START, &fork, 20);
	load(5, WT_IMAGE_FILE, 0x600000, 0x1000, 0, "/new");
	after = stack_of(pc, 0, 2, WT_STACK_FP);
	expect_frame(fake->stacks[after].caller, false, "/new", 0x1f);
	load(5, WT_IMAGE_FILE, 0x400000, 0x1000, 0, "/newer");
	expect_frame(stack_of(pc, 0, 2, WT_STACK_FP), false, "/newer", 0x10);
	child = wt_tasks_process(&id.tasks, 8)->space;
	assert_int_equal(wt_interner_stack(&in, &raw, id.kernel, child, &after, NULL), 0);
	assert_int_equal(after, before);
	assert_int_equal(wt_interner_stack(&in, &raw, id.kernel, NULL, &after, NULL), 0);
	expect_frame(after, false, "", 0x400010);
}

static void test_new_segment(void **state)
{
	const uint64_t pc[] = {0x400010, 0x7f0020};
	uint32_t row;

	(void)state;
	stack_of(pc, 0, 2, WT_STACK_FP);
	assert_int_equal(wt_interner_thread(&in, wt_identity_thread(&id, 5, 5, 1), &row, NULL), 0);
	assert_int_equal(wt_log_next_segment(fake, NULL), 0);
	assert_int_equal(wt_interner_begin(&in, NULL), 0);
	assert_int_equal(fake->n_processes, 1);
	assert_string_equal(fake->processes[0].name, "?");
	assert_int_equal(stack_of(pc, 0, 2, WT_STACK_FP), 2);
	assert_int_equal(fake->n_frames, 2);
	assert_int_equal(fake->n_images, 3);
	assert_int_equal(wt_interner_thread(&in, wt_identity_thread(&id, 5, 5, 1), &row, NULL), 0);
	assert_int_equal(row, 1);
	assert_int_equal(fake->n_processes, 2);
}

static uint32_t thread_row(uint32_t pid, uint32_t tid)
{
	uint32_t row;

	assert_int_equal(wt_interner_thread(&in, wt_identity_thread(&id, pid, tid, 30), &row, NULL), 0);
	return row;
}

static void test_thread_rows(void **state)
{
	struct wt_proc_payload name = {.pid = 5, .tid = 77, .name = wt_str("worker")};
	struct wt_proc_payload exec = {.pid = 5, .tid = 5, .name = wt_str("other")};
	uint32_t main_row = thread_row(5, 5), other = thread_row(5, 77);

	(void)state;
	assert_int_equal(main_row, 1);
	assert_int_equal(other, 2);
	assert_int_equal(fake->threads[2].process, 1);
	assert_string_equal(fake->processes[1].name, "prog");
	assert_true(fake->processes[1].row.self);
	assert_int_equal(fake->processes[1].row.start_time, 9);
	wt_identity_proc(&id, WT_THREAD_NAME, &name, 31);
	assert_int_equal(thread_row(5, 77), 3);
	assert_int_equal(thread_row(5, 5), 1);
	assert_int_equal(fake->n_processes, 2);
	/* A process by a new name is a new row, and so are its threads. */
	wt_identity_proc(&id, WT_PROC_EXEC, &exec, 32);
	assert_int_equal(thread_row(5, 5), 4);
	assert_int_equal(fake->threads[4].process, 2);
	assert_string_equal(fake->processes[2].name, "other");
	assert_int_equal(fake->processes[2].row.start_time, 9);
	assert_int_equal(thread_row(0, 0), 5);
	assert_string_equal(fake->processes[3].name, "swapper");
	assert_false(fake->processes[3].row.self);
	assert_int_equal(thread_row(UINT32_MAX, UINT32_MAX), 0);
}

static void test_failed_row_is_tried_again(void **state)
{
	const uint64_t pc[] = {0x400010, 0x7f0020, 0xa00001};
	struct wt_raw_stack raw = {.pc = pc, .n_user = 3, .status = WT_STACK_FP};
	struct wt_space *space = wt_tasks_process(&id.tasks, 5)->space;
	struct wt_err err = WT_ERR_INIT;
	uint32_t ret;

	(void)state;
	fake->fail_rows = WT_ERR_NOMEM;
	assert_int_equal(wt_interner_stack(&in, &raw, id.kernel, space, &ret, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOMEM);
	assert_int_equal(wt_interner_thread(&in, wt_identity_thread(&id, 5, 5, 1), &ret, &err), -1);
	fake->fail_rows = WT_OK;
	assert_false(in.broken);
	expect_frame(stack_of(pc, 0, 3, WT_STACK_FP), false, "/bin/prog", 0x1010);
	assert_int_equal(fake->n_stacks, 3);
	assert_int_equal(thread_row(5, 5), 1);
}

/* Many different stacks: the tree of all of them must give each back, cached or not. */
static void test_random_stacks(void **state)
{
	uint32_t first[2000], id_of;
	uint64_t pc[2000][24];

	(void)state;
	srand(5);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2000; i++) {
			for (int f = 0; !round && f < 24; f++)
				pc[i][f] = 0x400010 + (uint64_t)(rand() % (f < 12 ? 64 : 4)) * 16;
			id_of = stack_of(pc[i], 0, (uint16_t)(1 + i % 24), WT_STACK_FP);
			assert_true(!round || first[i] == id_of);
			first[i] = id_of;
			for (int f = 0; f < 1 + i % 24; f++, id_of = fake->stacks[id_of].caller)
				assert_int_equal(fake->frames[fake->stacks[id_of].frame].offset,
						 pc[i][f] - 0x400000 + 0x1000 - (f > 0));
			assert_int_equal(id_of, 0);
		}
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Where mappings were left out an address without one says so, and is no end of a stack. */
static void test_left_out(void **state)
{
	const uint64_t pc[] = {0x400010, 0x999, 0x7f0020};
	uint32_t s;

	(void)state;
	wt_tasks_process(&id.tasks, 5)->space->left_out = true;
	s = stack_of(pc, 0, 3, WT_STACK_FP);
	assert_int_equal(fake->stacks[s].status, WT_STACK_FP);
	expect_frame(s, false, "/bin/prog", 0x1010);
	s = fake->stacks[s].caller;
	expect_frame(s, false, WT_MAPPINGS_LEFT_OUT, 0x998);
	expect_frame(fake->stacks[s].caller, false, "/lib/c.so", 0x1f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tree),          TEST(test_single_addresses), TEST(test_caches_follow_mappings),
		TEST(test_new_segment),   TEST(test_thread_rows),      TEST(test_failed_row_is_tried_again),
		TEST(test_random_stacks), TEST(test_astray),           TEST(test_by_tables),
		TEST(test_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
