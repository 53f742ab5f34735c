// SPDX-License-Identifier: MIT
/* A thread of this process that waits in read(), always in the same place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "consumers/unwind/stay.h"
#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/clock.h"

#ifdef __aarch64__
enum { MACHINE = WT_ABI_UNWIND_AARCH64, SP = 31 };
#else
enum { MACHINE = WT_ABI_UNWIND_X86_64, SP = 7 };
#endif

static int ask[2], answer[2];
static pthread_t thread;
static _Atomic int tid;
static _Atomic bool spins;
static struct wt_turns turns;
static struct wt_unwind_task task;
static struct wt_stack_dump dump;

static void *work(void *arg)
{
	char byte;

	tid = (int)syscall(SYS_gettid);
	while (read(ask[0], &byte, 1) == 1 && byte) {
		while (spins)
			;
		if (write(answer[1], &byte, 1) != 1)
			break;
	}
	return arg;
}

/* The kernel's word, which the code that is tested reads in its own way: false while the thread is not in
 * read(). */
static bool look(uint64_t *count)
{
	unsigned long long voluntary = 0, other = 0, sp = 0, pc = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d %*s %*s %*s %*s %*s %*s %llx %llx", &sp, &pc) != 2)
		sp = 0;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "voluntary_ctxt_switches: %llu", &voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %llu", &other);
	}
	if (f)
		fclose(f);
	dump = (struct wt_stack_dump){.machine = MACHINE, .pc = pc};
	dump.r[SP] = sp;
	*count = voluntary + other;
	return sp != 0;
}

/* Until it waits: the same count before and after, and in the call. */
static void until_it_waits(uint64_t *count)
{
	uint64_t before;

	do {
		sched_yield();
		look(&before);
	} while (!look(count) || *count != before);
	task.turn = *count;
}

static void turn_once(void)
{
	char byte = 1;

	assert_int_equal(write(ask[1], &byte, 1), 1);
	assert_int_equal(read(answer[0], &byte, 1), 1);
}

static int setup(void **state)
{
	(void)state;
	turns = (struct wt_turns){0};
	tid = 0;
	if (pipe(ask) || pipe(answer) || pthread_create(&thread, NULL, work, NULL))
		return -1;
	while (!tid)
		sched_yield();
	task = (struct wt_unwind_task){.pid = (uint32_t)getpid(), .tid = (uint32_t)tid, .turns = &turns};
	return 0;
}

static int teardown(void **state)
{
	char end = 0;

	(void)state;
	if (write(ask[1], &end, 1) != 1 || pthread_join(thread, NULL))
		return -1;
	for (int i = 0; i < 2; i++) {
		close(ask[i]);
		close(answer[i]);
	}
	return 0;
}

static void while_it_waits(void **state)
{
	uint64_t count;

	(void)state;
	until_it_waits(&count);
	for (int i = 0; i < 10; i++)
		assert_true(wt_stay_is_proved(&task, &dump, true));
	assert_int_equal(turns.seen, count);

	task.turn = count + 1;
	assert_false(wt_stay_is_proved(&task, &dump, false));
	task.turn = count - 1;
	assert_false(wt_stay_is_proved(&task, &dump, true));
	task.turn = 0;
	assert_false(wt_stay_is_proved(&task, &dump, false));
	task.turn = count;
	dump.r[SP] += 8;
	assert_false(wt_stay_is_proved(&task, &dump, true));
	dump.r[SP] -= 8;
	dump.pc++;
	assert_false(wt_stay_is_proved(&task, &dump, false));
	dump.pc--;
	assert_true(wt_stay_is_proved(&task, &dump, true));
	task.turns = NULL;
	assert_false(wt_stay_is_proved(&task, &dump, false));
}

/* It waits in the same place again, with the same registers: it has run meanwhile. */
static void in_its_next_wait(void **state)
{
	struct wt_stack_dump first;
	uint64_t count, next;

	(void)state;
	until_it_waits(&count);
	first = dump;
	turn_once();
	until_it_waits(&next);
	assert_true(next > count);
	assert_int_equal(first.pc, dump.pc);
	assert_int_equal(first.r[SP], dump.r[SP]);
	task.turn = count;
	assert_false(wt_stay_is_proved(&task, &first, true));
	assert_int_equal(turns.seen, next);
}

static void while_it_runs(void **state)
{
	struct wt_stack_dump waiting;
	uint64_t count;
	char byte = 1;

	(void)state;
	until_it_waits(&count);
	waiting = dump;
	spins = true;
	assert_int_equal(write(ask[1], &byte, 1), 1);
	/* From now on it does not wait in read(). */
	while (look(&count))
		sched_yield();
	for (int i = 0; i < 100; i++) {
		look(&task.turn);
		assert_false(wt_stay_is_proved(&task, &waiting, false));
	}
	wt_stay_ask(&task, true);
	assert_false(turns.asked);
	spins = false;
	assert_int_equal(read(answer[0], &byte, 1), 1);
}

static void asked(void **state)
{
	uint64_t count, before = wt_clock_now();

	(void)state;
	until_it_waits(&count);
	wt_stay_ask(&task, true);
	assert_true(turns.asked);
	assert_int_equal(turns.answer, count);
	assert_true(turns.from >= before && turns.from < turns.to && turns.to <= wt_clock_now());
	/* Not again before the stream has come by. */
	turns.answer = 0;
	wt_stay_ask(&task, true);
	assert_int_equal(turns.answer, 0);
}

static void nobody(void **state)
{
	uint64_t count;

	(void)state;
	until_it_waits(&count);
	task.tid = UINT32_MAX;
	assert_false(wt_stay_is_proved(&task, &dump, true));
	wt_stay_ask(&task, true);
	assert_false(turns.asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(while_it_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(in_its_next_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(while_it_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(asked, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
