// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/syscall.h>

#include "providers/perf/user_regs.h"
#include "tests/unit/providers/perf/live.h"
#include "tracecore/base/bytes.h"

#define MARK UINT64_C(0x5eed5eed00c0ffee)

/* DWARF numbers: a register that calls and system calls keep, the stack pointer. */
#if defined(__aarch64__)
enum { KEPT = 19, SP = 31 };
#else
enum { KEPT = 12, SP = 7 };
#endif

/* Never returns: system calls for ever, with the mark in a register and at the stack pointer. */
static void spin_marked(void)
{
#if defined(__aarch64__)
	register uint64_t number __asm__("x8") = SYS_getppid;

	__asm__ volatile("stp %0, %0, [sp, #-16]!\n\tmov x19, %0\n1:\tsvc #0\n\tb 1b"
			 :
			 : "r"(MARK), "r"(number)
			 : "x0", "x19", "memory");
#else
	__asm__ volatile("push %0\n\tpush %0\n\tmov %0, %%r12\n1:\tmov %1, %%eax\n\tsyscall\n\tjmp 1b"
			 :
			 : "r"(MARK), "i"(SYS_getppid)
			 : "rax", "rcx", "r11", "r12", "memory");
#endif
}

static pid_t start_marked(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin_marked();
	}
	return pid;
}

/* Rings are drained one after the other: samples do not come in the order of their times. */
struct marked {
	pid_t pid;
	uint64_t unmarked, settled; /* times of the last sample before the marks, of the first with them */
	unsigned user, kernel;
	uint64_t sp;
};

static void check_marks(struct marked *marked, const struct wt_stack_dump *dump)
{
	assert_int_equal(dump->machine, WT_PERF_REGS->machine);
	/* Where the stack ends, arm64's kernel may stop at any byte of the last 16. */
	assert_true(dump->size >= 16);
	assert_true(wt_load_u64(dump->bytes) == MARK);
	assert_true(!marked->sp || marked->sp == dump->r[SP]);
	marked->sp = dump->r[SP];
}

static void on_marked(struct live *live, const struct wt_event *event)
{
	const struct wt_stack_dump *dump = event->stack.dump;
	struct marked *marked = live->ctx;

	if (live_id(live, event, "pmu-profile") != WT_PROFILE_SAMPLE || event->pid != (uint32_t)marked->pid)
		return;
	assert_int_equal(event->stack.n_user, 0);
	/* While it is made it has no memory of its own, and no marks. */
	if (dump && dump->r[KEPT] == MARK) {
		check_marks(marked, dump);
		marked->user += !event->stack.n_kernel;
		marked->kernel += event->stack.n_kernel > 0;
		if (!marked->settled || event->time < marked->settled)
			marked->settled = event->time;
	} else if (event->time > marked->unmarked) {
		marked->unmarked = event->time;
	}
	assert_true(!marked->settled || marked->unmarked < marked->settled);
}

/* While it ends it has no memory any more: those samples are not looked at. */
static void stop_marked(struct live *live)
{
	live->fn = NULL;
	end_child(((struct marked *)live->ctx)->pid);
	check(live, live_stop(live));
	live_deinit(live);
}

/* The same marks whether the thread was interrupted in user mode or in the kernel. */
static void registers_and_stack(void **state)
{
	const struct wt_perf_request request = {.profile = true,
						.profile_stack = true,
						.stack_bytes = 4096,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1};
	struct marked marked = {0};
	struct live live = {.fn = on_marked, .ctx = &marked};

	(void)state;
	check(&live, live_start(&live, &request));
	marked.pid = start_marked();
	while (marked.user < 5 || marked.kernel < 20)
		live_turn(&live);
	stop_marked(&live);
}

/* The copy is as large as was asked for and no larger, and says so. */
static void cut_copies(void **state)
{
	const struct wt_perf_request request = {.profile = true,
						.profile_stack = true,
						.stack_bytes = 13,
						.stack_must = true,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1};
	struct marked marked = {0};
	struct live live = {.fn = on_marked, .ctx = &marked};
	const struct wt_perf_note *notes;
	bool told = false;

	(void)state;
	check(&live, live_start(&live, &request));
	for (size_t i = 0, n = wt_perf_notes(live.perf, &notes); i < n; i++)
		told |= strstr(notes[i].text, "up to 16 bytes") != NULL;
	assert_true(told);
	marked.pid = start_marked();
	while (marked.kernel < 5)
		live_turn(&live);
	stop_marked(&live);
}

struct switches {
	unsigned with, without;
};

static void on_switch(struct live *live, const struct wt_event *event)
{
	struct switches *switches = live->ctx;

	if (!live_id(live, event, "linux:sched"))
		return;
	assert_int_equal(event->stack.n_user, 0);
	assert_true(event->stack.n_kernel > 0);
	if (event->stack.dump) {
		switches->with++;
		assert_int_equal(event->stack.dump->machine, WT_PERF_REGS->machine);
		assert_true(event->pid != 0);
		return;
	}
	switches->without++;
	assert_int_equal(event->stack.status, WT_STACK_NO_USER);
}

/* Programs that go to sleep have a user half, the kernel's own threads have none. */
static void tracepoints(void **state)
{
	const struct wt_perf_tracepoint point = {.name = "sched:sched_switch", .stack = true};
	const struct wt_perf_request request = {
		.stack_bytes = 1024, .tracepoints = &point, .n_tracepoints = 1};
	struct switches switches = {0};
	struct live live = {.fn = on_switch, .ctx = &switches};

	(void)state;
	check(&live, live_start(&live, &request));
	while (!switches.with || !switches.without)
		live_turn(&live);
	check(&live, live_stop(&live));
	live_deinit(&live);
}

static void more_than_a_record_holds(void **state)
{
	const struct wt_perf_request request = {
		.profile = true, .profile_stack = true, .stack_bytes = WT_PERF_STACK_MOST + 8};
	struct live live = {0};

	(void)state;
	assert_int_equal(live_plan(&live, &request), -1);
	assert_int_equal(live.err.code, WT_ERR_LIMIT);
	live_deinit(&live);
}

/* The most there can be is still accepted by the kernel. */
static void the_most(void **state)
{
	const struct wt_perf_request request = {.profile = true,
						.profile_stack = true,
						.stack_bytes = WT_PERF_STACK_MOST,
						.stack_must = true,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1};
	struct marked marked = {0};
	struct live live = {.fn = on_marked, .ctx = &marked};

	(void)state;
	check(&live, live_start(&live, &request));
	marked.pid = start_marked();
	while (marked.kernel < 5)
		live_turn(&live);
	stop_marked(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_and_stack),
		cmocka_unit_test(cut_copies),
		cmocka_unit_test(tracepoints),
		cmocka_unit_test(more_than_a_record_holds),
		cmocka_unit_test(the_most),
	};

	return cmocka_run_group_tests_name("perf/dumps_live", tests, live_setup, NULL);
}
