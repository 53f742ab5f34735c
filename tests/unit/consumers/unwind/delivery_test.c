// SPDX-License-Identifier: MIT
/* The kernel's own frame of a signal, with the registers as they are before, in and after the moment when the
 * kernel changes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <ucontext.h>

#include "consumers/unwind/delivery.h"
#include "tracecore/abi/wt_unwind.h"

#ifdef __aarch64__
enum { MACHINE = WT_ABI_UNWIND_AARCH64, SP = 31, TO_CONTEXT = 128 };
#else
enum { MACHINE = WT_ABI_UNWIND_X86_64, SP = 7, TO_CONTEXT = 8 };
#endif

enum { BYTES = 1024, SHORT = 64 };

static uint8_t frame[BYTES];
static struct wt_stack_dump dump;

/* The frame begins before the context that the handler gets. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	const uint8_t *begin = (const uint8_t *)context - TO_CONTEXT;

	(void)number;
	(void)info;
	memcpy(frame, begin, sizeof(frame));
	dump = (struct wt_stack_dump){.machine = MACHINE, .bytes = frame, .size = BYTES};
	dump.r[SP] = (uintptr_t)begin;
#ifdef __aarch64__
	dump.pc = interrupted->uc_mcontext.pc;
	dump.r[30] = interrupted->uc_mcontext.regs[30];
#else
	dump.pc = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
#endif
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	(void)state;
	return sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1) ? -1 : 0;
}

/* What the last step leaves. */
static void finish(void)
{
	dump.pc = (uintptr_t)on_signal;
#ifdef __aarch64__
	dump.r[30] = UINT64_C(0x7fff00001000);
#endif
}

static void test_midway(void **state)
{
	(void)state;
	assert_true(wt_delivery_is_midway(&dump));
#ifdef __aarch64__
	/* The instruction pointer is changed already. */
	dump.pc = (uintptr_t)on_signal;
	assert_true(wt_delivery_is_midway(&dump));
#endif
}

static void test_before_and_after(void **state)
{
	(void)state;
	dump.r[SP] += 16;
	memmove(frame, frame + 16, BYTES - 16);
	assert_false(wt_delivery_is_midway(&dump));
	setup(state);
	finish();
	assert_false(wt_delivery_is_midway(&dump));
}

/* A copy that ends before is read on in what was copied besides; a copy that was cut is no proof. */
static void test_short_copies(void **state)
{
	struct wt_stack_part part = {.bytes = frame + SHORT, .size = BYTES - SHORT};

	(void)state;
	part.at = dump.r[SP] + SHORT;
	dump.size = SHORT;
	assert_false(wt_delivery_is_midway(&dump));
	dump.cut = true;
	assert_true(wt_delivery_is_midway(&dump));
	dump.parts = &part;
	dump.n_parts = 1;
	assert_true(wt_delivery_is_midway(&dump));
	finish();
	assert_false(wt_delivery_is_midway(&dump));
}

static void test_other_machines(void **state)
{
	(void)state;
	dump.machine = 0;
	assert_false(wt_delivery_is_midway(&dump));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_midway, setup),
		cmocka_unit_test_setup(test_before_and_after, setup),
		cmocka_unit_test_setup(test_short_copies, setup),
		cmocka_unit_test_setup(test_other_machines, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
