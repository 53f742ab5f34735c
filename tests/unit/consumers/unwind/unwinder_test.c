// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/unwind/own_stack.h"

#include <execinfo.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>

static const char *directory;
static struct wt_unwinder *unwinder;
static struct wt_space *space;

static void create(struct wt_unwinder_config config)
{
	struct wt_err err = WT_ERR_INIT;

	config.cache = directory;
	config.patience = 60 * WT_NSEC;
	assert_int_equal(wt_unwinder_create(&config, &unwinder, &err), 0);
}

static int setup(void **state)
{
	(void)state;
	directory = own_directory();
	space = own_space(WITH_BUILD_IDS);
	create((struct wt_unwinder_config){.past = false});
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_unwinder_destroy(unwinder);
	wt_space_put(space, &images);
	wt_image_set_deinit(&images);
	own_remove(directory);
	return 0;
}

/* The callers of the innermost frame must be those that libgcc's unwinder finds; a sanitizer puts a frame of
 * its own before them. */
static void expect_callers(const struct wt_raw_stack *stack, void **callers, int n)
{
	int more = n - stack->n_user;

	assert_true(stack->n_user > 2);
	assert_in_range(more, 0, 1);
	for (int i = 1; i < stack->n_user; i++)
		assert_int_equal(stack->pc[stack->n_kernel + i], (uintptr_t)callers[i + more]);
}

static void test_own_stack(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack stack;
	void *callers[256];
	int n = backtrace(callers, 256);

	(void)state;
	OWN_DUMP(COPY_BYTES);
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
	expect_callers(&stack, callers, n);
	assert_int_equal(stack.exact[0], 1);
	assert_true(own_stats(unwinder).built >= 1);
	assert_true(own_stats(unwinder).waited_ns > 0);
	assert_int_equal(own_stats(unwinder).by_status[WT_STACK_COMPLETE], 1);
	assert_int_equal(own_stats(unwinder).frames, stack.n_user);
}

/* An unwinder finds what others left in the directory. Each may end before all tables that it wished for are
 * made. */
static void test_cache_is_used(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack stack;
	uint64_t built = 1;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	own_walk(unwinder, &task);
	for (int i = 0; built && i < 16; i++) {
		wt_unwinder_destroy(unwinder);
		wt_space_put(space, &images);
		task.space = space = own_space(WITH_BUILD_IDS);
		create((struct wt_unwinder_config){.past = false});
		stack = own_walk(unwinder, &task);
		assert_int_equal(stack.status, WT_STACK_COMPLETE);
		built = own_stats(unwinder).built;
	}
	assert_int_equal(built, 0);
}

/* What was mapped before the file's last change is not known: its table is of the time after it. */
static void test_before_the_last_change(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack stack;
	char exe[PATH_MAX] = "";
	struct stat st;

	(void)state;
	/* By its path: behind the link is the emulator where there is one. */
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_int_equal(stat(exe, &st), 0);
	assert_int_equal(chmod(exe, st.st_mode & 07777), 0);
	OWN_DUMP(COPY_BYTES);
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_NO_DATA);
	assert_int_equal(stack.n_user, 1);
	/* Wherever clocks are, it is after it by then. */
	task.time += 60 * WT_NSEC;
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
}

static void test_files_without_build_ids(void **state)
{
	struct wt_space *plain = own_space(WITHOUT_BUILD_IDS);
	struct wt_unwind_task task = own_task(plain);
	struct wt_raw_stack stack;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
	wt_space_put(plain, &images);
}

static void test_kernel_half_is_kept(void **state)
{
	const uint64_t kernel[] = {UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000020)};
	struct wt_raw_stack raw = {.pc = kernel, .n_kernel = 2, .dump = &dump}, stack;
	struct wt_unwind_task task = own_task(space);

	(void)state;
	OWN_DUMP(COPY_BYTES);
	own_walk(unwinder, &task);
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_PATIENTLY, &stack), WT_UNWOUND);
	assert_int_equal(stack.n_kernel, 2);
	assert_int_equal(stack.pc[1], kernel[1]);
	assert_int_equal(stack.pc[2], dump.pc);
	assert_null(stack.dump);
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
	/* Where the kernel cut its half the whole is not complete. */
	raw.status = WT_STACK_TRUNCATED;
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_PATIENTLY, &stack), WT_UNWOUND);
	assert_int_equal(stack.status, WT_STACK_TRUNCATED);
	raw.status = WT_STACK_NONE;

	/* In the middle of execve nothing of the stack is left. */
	dump.size = 0;
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_PATIENTLY, &stack), WT_UNWOUND);
	assert_int_equal(stack.status, WT_STACK_NO_USER);
	assert_int_equal(stack.n_kernel, 2);
	assert_int_equal(stack.n_user, 0);
}

static void test_now_means_without(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack raw = {.dump = &dump}, stack;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_NOW, &stack), WT_UNWOUND);
	assert_int_equal(stack.status, WT_STACK_NO_DATA);
	assert_int_equal(stack.n_user, 1);
	assert_int_equal(own_stats(unwinder).given_up, 1);
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_COMPLETE);
	assert_int_equal(own_stats(unwinder).given_up, 1);
}

static void test_patience_ends(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack raw = {.dump = &dump}, stack;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_PATIENTLY, &stack), WT_UNWIND_WAIT);
	wt_unwinder_set_patience(unwinder, 1);
	assert_int_equal(wt_unwind(unwinder, &task, &raw, WT_UNWIND_PATIENTLY, &stack), WT_UNWOUND);
	assert_int_equal(stack.status, WT_STACK_NO_DATA);
	assert_int_equal(own_stats(unwinder).given_up, 1);
}

static void test_unknown_mappings(void **state)
{
	struct wt_unwind_task task = own_task(NULL);
	struct wt_raw_stack stack;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_NO_DATA);
	assert_int_equal(stack.n_user, 1);
	dump.machine = 0;
	task.space = space;
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_NO_DATA);
	assert_int_equal(stack.n_user, 1);
}

static struct wt_raw_stack in_handler;
static void *handler_callers[256];
static int n_handler_callers;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct wt_unwind_task task = own_task(space);

	(void)sig;
	(void)info;
	(void)context;
	n_handler_callers = backtrace(handler_callers, 256);
	OWN_DUMP(COPY_BYTES);
	in_handler = own_walk(unwinder, &task);
}

/* arm64's trampoline is in the vdso; the one of qemu's user mode is nowhere that the mappings tell of. */
static bool can_return_from_signals(void)
{
	bool vdso = WT_WALK_MACHINE != WT_ABI_UNWIND_AARCH64;

	for (uint32_t i = 0; i < space->n; i++)
		vdso |= space->ranges[i].image->kind == WT_IMAGE_VDSO;
	return vdso;
}

/* What a signal interrupted is an address, not a return address. */
static void test_signal_frames_are_exact(void **state)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	uint32_t n_exact = 0;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	if (!can_return_from_signals()) {
		assert_int_equal(in_handler.status, WT_STACK_NO_DATA);
		return;
	}
	assert_int_equal(in_handler.status, WT_STACK_COMPLETE);
	expect_callers(&in_handler, handler_callers, n_handler_callers);
	for (uint32_t i = 0; i < in_handler.n_user; i++)
		n_exact += in_handler.exact[i / 64] >> (i % 64) & 1;
	assert_int_equal(n_exact, 2);
}

static bool can_read_living(void)
{
	uint64_t a = 1, b = 0;
	struct iovec here = {&b, 8}, there = {&a, 8};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 8;
}

static void test_cut_stack_is_read_on(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack stack;
	void *callers[256];
	int n = backtrace(callers, 256);

	(void)state;
	/* One frame's return address lies in the copy, its callers' do not. */
	OWN_DUMP(COPY_BYTES);
	own_copy((uint32_t)((uintptr_t)__builtin_frame_address(0) + 16 - dump.r[SP_REGISTER]));
	stack = own_walk(unwinder, &task);
	if (!can_read_living()) { /* qemu's user mode */
		assert_int_equal(stack.status, WT_STACK_SHORT);
		return;
	}
	assert_int_equal(stack.status, WT_STACK_PROBABLE);
	expect_callers(&stack, callers, n);
	assert_int_equal(own_stats(unwinder).read_on, 1);

	/* Another thread of the process that was looked at before. */
	task.tid++;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_PROBABLE);
	assert_int_equal(own_stats(unwinder).read_on, 2);

	/* Another process by now, or one whose start nobody knows: nothing is read. */
	task.tid++;
	task.start_time += 5 * WT_NSEC;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);
	task.start_time = 0;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);
	assert_int_equal(own_stats(unwinder).read_on, 2);

	/* The right one again. */
	task.start_time = own_task(space).start_time;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_PROBABLE);
}

/* The return address in the copy is not where it was: the thread has gone on. */
static void test_changed_stack_is_not_read_on(void **state)
{
	struct wt_unwind_task task = own_task(space);
	uint32_t size, at;

	(void)state;
	OWN_DUMP(COPY_BYTES);
	size = (uint32_t)((uintptr_t)__builtin_frame_address(0) + 16 - dump.r[SP_REGISTER]);
	own_copy(size);
	for (at = 0; at + 8 <= size; at += 8) {
		/* Another place in the same function: the walk goes on as before. */
		if (wt_load_u64(copy + at) == (uintptr_t)__builtin_return_address(0))
			wt_store_u64(copy + at, (uintptr_t)__builtin_return_address(0) - 1);
	}
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);
}

static void test_cut_stack_is_spliced(void **state)
{
	struct wt_unwind_task task = own_task(space);
	struct wt_raw_stack stack;
	void *callers[256];
	uint32_t size;
	int n;

	(void)state;
	wt_unwinder_destroy(unwinder);
	create((struct wt_unwinder_config){.past = true});
	n = backtrace(callers, 256);
	OWN_DUMP(COPY_BYTES);
	size = (uint32_t)((uintptr_t)__builtin_frame_address(0) + 16 - dump.r[SP_REGISTER]);
	own_copy(size);
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);

	own_copy(COPY_BYTES);
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_COMPLETE);
	own_copy(size);
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_PROBABLE);
	expect_callers(&stack, callers, n);
	assert_int_equal(own_stats(unwinder).spliced, 1);

	/* Another thread's, and another process's, is none. */
	task.tid++;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);
	task.tid--;
	task.start_time++;
	assert_int_equal(own_walk(unwinder, &task).status, WT_STACK_SHORT);
}

#define JIT UINT64_C(0x10000000)
#define TOP UINT64_C(0x7f0000001000)

/* Code in anonymous memory: frames chained by frame pointers. */
static void test_jit_code(void **state)
{
	struct wt_image_payload anon = {
		.kind = WT_IMAGE_ANON, .address = JIT, .size = 0x1000, .path = {"//anon", 6}};
	uint64_t words[] = {0, 0, TOP + 32, JIT + 0x20, 0, JIT + 0x30};
	struct wt_unwind_task task = own_task(wt_space_create(&images));
	struct wt_raw_stack stack;

	(void)state;
	own_map(&task.space, &anon);
	dump = (struct wt_stack_dump){.machine = WT_WALK_MACHINE, .size = sizeof(words), .pc = JIT + 0x10};
	dump.r[SP_REGISTER] = TOP;
	dump.r[WT_WALK_MACHINE == WT_ABI_UNWIND_AARCH64 ? 29 : 6] = TOP + 16;
	dump.bytes = (const uint8_t *)words;
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_FP);
	assert_int_equal(stack.n_user, 3);
	assert_int_equal(stack.pc[2], JIT + 0x30);

	/* What frame pointers led to outside all code is no caller. */
	words[5] = 0x999;
	stack = own_walk(unwinder, &task);
	assert_int_equal(stack.status, WT_STACK_ASTRAY);
	assert_int_equal(stack.n_user, 2);
	wt_space_put(task.space, &images);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_stack),
		TEST(test_cache_is_used),
		TEST(test_before_the_last_change),
		TEST(test_files_without_build_ids),
		TEST(test_kernel_half_is_kept),
		TEST(test_now_means_without),
		TEST(test_patience_ends),
		TEST(test_unknown_mappings),
		TEST(test_signal_frames_are_exact),
		TEST(test_cut_stack_is_read_on),
		TEST(test_changed_stack_is_not_read_on),
		TEST(test_cut_stack_is_spliced),
		TEST(test_jit_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
