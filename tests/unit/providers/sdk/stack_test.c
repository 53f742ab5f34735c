/* SPDX-License-Identifier: MIT */
/* The own stack by tables, against what is known of it. */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "consumers/unwind/publish.h"
#include "providers/sdk/loaded.h"
#include "providers/sdk/modules.h"
#include "providers/sdk/stack.h"
#include "tests/unit/providers/sdk/listener.h"
#include "tracecore/enable/tables.h"
#include "tracecore/event.h"

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "stack-test");
static char folder[64];
static struct wt_sdk_stack stack;
static void *traced[WT_SDK_FRAMES];
static int n_traced;

/* Both walks, from here. glibc's begins one frame further in. */
static __attribute__((noinline)) void take(void)
{
	n_traced = backtrace(traced, WT_SDK_FRAMES) - 1;
	wt_sdk_walk(WT_SDK_HERE, &stack);
	__asm__ volatile("" ::: "memory");
}

static void publish(void)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = wt_folder_open_private(folder, &err);
	uint32_t fresh;

	if (fd < 0 || wt_unwind_publish(fd, getpid(), &fresh, &err) || wt_tables_announce(fd, &err))
		fail_msg("%s", err.text);
	close(fd);
}

/* Every frame glibc's unwinder finds, to the thread's root. */
static void check_equal(void)
{
	assert_int_equal(stack.status, WT_STACK_COMPLETE);
	assert_int_equal(stack.n, n_traced);
	for (int i = 0; i < n_traced; i++)
		assert_int_equal(stack.pc[i], (uintptr_t)traced[i + 1]);
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	take();
	return 0;
}

/* libc has no frame pointers: without tables the walk goes astray in qsort. */
static void a_callback_of_libc(void **state)
{
	int numbers[2] = {2, 1};

	(void)state;
	qsort(numbers, 2, sizeof(*numbers), compare);
	check_equal();
}

static void from_tables_at_hand_nothing_is_asked_of_the_kernel(void **state)
{
	struct wt_walk_module module;

	(void)state;
	take();
	/* No file is there any more; what was loaded stays. */
	assert_int_equal(chmod(folder, 0), 0);
	for (int i = 0; i < 10; i++)
		take();
	assert_int_equal(chmod(folder, 0700), 0);
	check_equal();
	assert_true(wt_sdk_find_module(NULL, (uintptr_t)take, &module));
	assert_non_null(module.view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_callback_of_libc),
		cmocka_unit_test(from_tables_at_hand_nothing_is_asked_of_the_kernel),
	};
	int failed;

	listen_here(folder);
	if (wtrace_register(&app))
		return 1;
	publish();
	failed = cmocka_run_group_tests_name("stack", tests, NULL, NULL);
	wtrace_unregister(&app);
	listen_no_more(folder);
	return failed;
}
