// SPDX-License-Identifier: MIT
/* The registers of a thread that waits, as the kernel lists them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/perf/task_regs.h"
#include "tracecore/base/thread_place.h"

static int ends[2], answers[2];
static _Atomic int tid;

static void *work(void *arg)
{
	char byte;

	tid = (int)syscall(SYS_gettid);
	while (read(ends[0], &byte, 1) == 1 && byte)
		if (write(answers[1], &byte, 1) != 1)
			break;
	return arg;
}

static uint64_t until_it_waits(struct wt_thread_place *place)
{
	uint64_t before, after;
	char state;

	do {
		sched_yield();
		wt_thread_switches((uint32_t)getpid(), (uint32_t)tid, &before, &state);
	} while (!wt_thread_place((uint32_t)getpid(), (uint32_t)tid, true, place) ||
		 place->call != SYS_read ||
		 !wt_thread_switches((uint32_t)getpid(), (uint32_t)tid, &after, &state) || after != before);
	return after;
}

/* The registers have the arguments of the call and the place that /proc tells; after another turn they are
 * not given. */
static void of_this_wait_alone(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct wt_bpf_task_regs *found;
	struct wt_thread_place place;
	struct wt_task_regs regs;
	pthread_t thread;
	uint64_t count, r[32];
	char byte = 1;

	(void)state;
	if (pipe(ends) || pipe(answers) || pthread_create(&thread, NULL, work, NULL))
		fail();
	while (!tid)
		sched_yield();
	count = until_it_waits(&place);
	wt_task_regs_read(&regs);
	if (!regs.n) {
		print_message("the kernel gives no registers here\n");
		skip();
	}
	found = wt_task_regs_find(&regs, pid, (uint32_t)tid, count);
	assert_non_null(found);
	assert_int_equal(wt_task_regs_get(found, r), place.pc);
#if defined(__aarch64__)
	assert_int_equal(r[31], place.sp);
	assert_int_equal(r[8], SYS_read);
	assert_int_equal(r[2], 1);
#else
	assert_int_equal(r[7], place.sp);
	assert_int_equal(r[5], ends[0]);
	assert_int_equal(r[1], 1);
#endif
	assert_null(wt_task_regs_find(&regs, pid, (uint32_t)tid, count + 1));
	assert_null(wt_task_regs_find(&regs, pid + 1, (uint32_t)tid, count));
	assert_null(wt_task_regs_find(&regs, pid, UINT32_MAX, count));

	assert_int_equal(write(ends[1], &byte, 1), 1);
	assert_int_equal(read(answers[0], &byte, 1), 1);
	assert_null(wt_task_regs_find(&regs, pid, (uint32_t)tid, until_it_waits(&place)));
	wt_task_regs_deinit(&regs);
	byte = 0;
	assert_int_equal(write(ends[1], &byte, 1), 1);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(of_this_wait_alone)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
