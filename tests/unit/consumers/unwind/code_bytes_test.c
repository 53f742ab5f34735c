// SPDX-License-Identifier: MIT
#include "consumers/unwind/code_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/clock.h"
#include "tracecore/stackwalk/walk.h"

enum { SIZE = 1 << 16, STEP = 16, ROUNDS = 8 };

static uint8_t code[SIZE];
static struct wt_code_bytes bytes;

static bool can_read(void)
{
	uint64_t a = 1, b = 0;
	struct iovec here = {&b, 8}, there = {&a, 8};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 8;
}

static const struct wt_abi_unwind_rule *ask(size_t at)
{
	const struct wt_unwind_task task = {.pid = (uint32_t)getpid(), .start_time = 1};
	uint64_t start = (uintptr_t)code;

	bytes.reads = 0; /* a walk of its own */
	return wt_code_bytes_rule(&bytes, &task, start, start + SIZE, start + at);
}

static struct wt_vain_bytes *process(void)
{
	return &bytes.processes[(uint32_t)getpid() % WT_CODE_BYTES_PROCESSES];
}

/* Asks about addresses without code that is known until the process is left alone; returns for how long, and
 * how many were read until then. */
static uint64_t ask_in_vain(unsigned *reads)
{
	memset(bytes.known, 0, sizeof(bytes.known));
	*reads = 0;
	for (size_t at = 0; at < SIZE; at += STEP) {
		assert_null(ask(at));
		*reads += bytes.reads;
	}
	return process()->until - wt_clock_now();
}

/* A process without such code is left alone, each time longer, up to a bound. */
static void test_in_vain(void **state)
{
	uint64_t before = 0, rest;
	unsigned reads, first;

	(void)state;
	if (!can_read()) { /* qemu's user mode */
		assert_null(ask(0));
		return;
	}
	memset(&bytes, 0, sizeof(bytes));
	memset(code, 0x90, sizeof(code));
	rest = ask_in_vain(&first);
	assert_true(first > 0 && first < SIZE / STEP);
	assert_true(rest > 0 && rest <= WT_NSEC / 2);
	for (int i = 0; i < ROUNDS; i++) {
		before = process()->until - wt_clock_now();
		process()->until = 0; /* the time has come */
		rest = ask_in_vain(&reads);
		assert_int_equal(reads, first);
		if (i < 3)
			assert_true(rest > before + WT_NSEC / 4);
	}
	assert_true(rest < 10 * WT_NSEC);
}

/* What is found ends that. */
static void test_found(void **state)
{
	static const uint8_t x86_64[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05},
			     aarch64[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
	unsigned reads;

	(void)state;
	if (!can_read()) {
		assert_null(ask(0));
		return;
	}
	memset(&bytes, 0, sizeof(bytes));
	memset(code, 0x90, sizeof(code));
	for (int i = 0; i < 3; i++) {
		ask_in_vain(&reads);
		process()->until = 0;
	}
	memset(bytes.known, 0, sizeof(bytes.known));
	if (WT_WALK_MACHINE == WT_ABI_UNWIND_X86_64)
		memcpy(code + 4096, x86_64, sizeof(x86_64));
	else
		memcpy(code + 4096, aarch64, sizeof(aarch64));
	assert_non_null(ask(4096));
	memset(code, 0x90, sizeof(code));
	assert_true(ask_in_vain(&reads) <= WT_NSEC / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_vain), cmocka_unit_test(test_found)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
