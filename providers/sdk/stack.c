// SPDX-License-Identifier: MIT
#include "providers/sdk/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "providers/sdk/thread.h"

enum { STATUS_FP = 1, STATUS_TRUNCATED = 3 };

/* The main thread's stack grows; without a limit this much of it counts. */
#define UNLIMITED_STACK ((uintptr_t)1 << 30)

/** A line of /proc/self/maps being read, without a buffer for the line: only its two addresses matter. */
struct maps {
	uintptr_t value[2]; /**< low, end */
	unsigned field;     /**< 0, 1: reading that address; 2: behind them */
};

/* Takes one character; true when both addresses of a line are there. */
static bool maps_take(struct maps *maps, char c)
{
	unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;

	if (c == '\n') {
		*maps = (struct maps){{0, 0}, 0};
		return false;
	}
	if (maps->field == 2)
		return false;
	if (digit < 16) {
		maps->value[maps->field] = maps->value[maps->field] << 4 | digit;
		return false;
	}
	return ++maps->field == 2;
}

/* The mapping that holds the address. */
static bool find_mapping(uintptr_t address, struct maps *ret)
{
	char buffer[512];
	ssize_t n;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct maps maps = {{0, 0}, 0};
	bool found = false;

	if (fd < 0)
		return false;
	while (!found && (n = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n && !found; i++) {
			found = maps_take(&maps, buffer[i]) && maps.value[0] <= address &&
				address < maps.value[1];
			if (found)
				*ret = maps;
		}
	close(fd);
	return found;
}

static uintptr_t stack_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= UNLIMITED_STACK)
		return UNLIMITED_STACK;
	return (uintptr_t)limit.rlim_cur;
}

/* A thread made by libpthread has its control block at the top of its stack, in the same mapping; what lies
 * above is not stack. The main thread's is elsewhere, and its mapping grows downwards up to the limit. */
static void find_bounds(struct wt_sdk_thread *thread, uintptr_t sp)
{
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();
	struct maps maps;
	stack_t alternate;

	if (sigaltstack(NULL, &alternate) || alternate.ss_flags & SS_ONSTACK)
		return; /* this is not the thread's own stack: ask again later */
	if (!find_mapping(sp, &maps)) {
		thread->stack_known = 2;
		return;
	}
	thread->stack_low = maps.value[0];
	thread->stack_end = maps.value[1];
	if (sp < self && self < maps.value[1])
		thread->stack_end = self;
	else if (maps.value[1] > stack_limit())
		thread->stack_low = maps.value[1] - stack_limit();
	__atomic_signal_fence(__ATOMIC_RELEASE);
	thread->stack_known = 1;
}

static void know_bounds(struct wt_sdk_thread *thread, uintptr_t sp)
{
	int saved = errno;

	find_bounds(thread, sp);
	errno = saved;
}

/* A frame record: the caller's frame pointer and the return address, on x86-64 and on arm64. */
static bool inside(const struct wt_sdk_thread *thread, uintptr_t frame)
{
	return frame >= thread->stack_low && frame < thread->stack_end &&
	       thread->stack_end - frame >= 2 * sizeof(uintptr_t) && frame % sizeof(uintptr_t) == 0;
}

#if defined(__aarch64__)
/* Return addresses may be signed: the bits above the address space are not part of them. */
static uint64_t address_of(uintptr_t pc)
{
	return pc & ((UINT64_C(1) << 48) - 1);
}
#else
static uint64_t address_of(uintptr_t pc)
{
	return pc;
}
#endif

uint32_t wt_sdk_walk(const void *frame, struct wt_sdk_stack *ret)
{
	struct wt_sdk_thread *thread = &wt_sdk_thread;
	uintptr_t fp = (uintptr_t)frame;
	const uintptr_t *record = (const uintptr_t *)frame;
	unsigned n = 0;

	if (!thread->stack_known)
		know_bounds(thread, fp);
	*(uint64_t *)ret = 0;
	ret->pc[n++] = address_of(record[1]);
	ret->status = STATUS_TRUNCATED;
	if (thread->stack_known == 1 && inside(thread, fp)) {
		ret->status = STATUS_FP;
		/* Callers lie above their callees: a chain that does not climb is no chain. */
		while (record[0] > fp && inside(thread, record[0])) {
			fp = record[0];
			record = (const uintptr_t *)fp;
			if (!record[1])
				break;
			if (n == WT_SDK_FRAMES) {
				ret->status = STATUS_TRUNCATED;
				break;
			}
			ret->pc[n++] = address_of(record[1]);
		}
	}
	ret->n = (uint16_t)n;
	return (uint32_t)(offsetof(struct wt_sdk_stack, pc) + n * sizeof(ret->pc[0]));
}
